/* Results that cannot be compared, and why. */
#include "compare/gap.h"

#include <stdio.h>
#include <string.h>

void mb_gap_add(struct mb_comparison *out, const struct mb_file_result *result,
                bool is_regression, const char *who, const char *what, const char *why)
{
    struct mb_compare_gap *gap = &out->gaps[out->n_gaps++];
    gap->result = result;
    gap->is_regression = is_regression;
    snprintf(gap->reason, sizeof gap->reason, "%s%s%s%s", who, what, why[0] != '\0' ? ": " : "",
             why);
}

void mb_gap_add_useless(struct mb_comparison *out, const struct mb_file_result *result,
                        const char *who, bool is_regression)
{
    char what[80];
    if (result->status == MB_RESULT_SKIPPED) {
        mb_gap_add(out, result, is_regression, who, " skipped it", result->reason);
    } else if (result->n_bad_samples > 0) {
        snprintf(what, sizeof what, " has samples that are no times (%zu of %zu)",
                 result->n_bad_samples, result->n_bad_samples + result->n_samples);
        mb_gap_add(out, result, is_regression, who, what, "");
    } else {
        mb_gap_add(out, result, is_regression, who, " has no samples", "");
    }
}

/* How often the result occurs in one file of the group, at most. */
static size_t count_copies(const struct mb_run_group *group, const char *key)
{
    size_t n_most = 0;
    for (size_t i = 0; i < group->n_files; i++) {
        size_t n = 0;
        for (size_t k = 0; k < group->files[i].n_results; k++) {
            n += strcmp(group->files[i].results[k].key, key) == 0;
        }
        n_most = n > n_most ? n : n_most;
    }
    return n_most;
}

/* Another format in which the group has the same result, or NULL. */
static const char *find_other_format(const struct mb_run_group *group,
                                     const struct mb_file_result *result)
{
    for (size_t i = 0; i < group->n_files; i++) {
        for (size_t k = 0; k < group->files[i].n_results; k++) {
            const struct mb_file_result *other = &group->files[i].results[k];
            if (strcmp(other->key_sans_fmt, result->key_sans_fmt) == 0 &&
                strcmp(other->key, result->key) != 0) {
                return other->format;
            }
        }
    }
    return NULL;
}

/* List the conditions under which the group has the same result, "hot latency, cold latency",
 * each once, as far as there is room. Returns whether that of `result` is among them. */
static bool list_conditions(const struct mb_run_group *group,
                            const struct mb_file_result *result, char *out, size_t out_bytes)
{
    bool has_own = false;
    out[0] = '\0';
    for (size_t i = 0; i < group->n_files; i++) {
        for (size_t k = 0; k < group->files[i].n_results; k++) {
            const struct mb_file_result *other = &group->files[i].results[k];
            const size_t used = strlen(out);
            if (strcmp(other->key_sans_condition, result->key_sans_condition) != 0) {
                continue;
            }
            has_own = has_own || strcmp(other->condition, result->condition) == 0;
            if (strstr(out, other->condition) == NULL &&
                used + strlen(other->condition) + 3 < out_bytes) {
                snprintf(out + used, out_bytes - used, "%s%s", used > 0 ? ", " : "",
                         other->condition);
            }
        }
    }
    return has_own;
}

static bool is_complete(const struct mb_run_group *group)
{
    bool complete = true;
    for (size_t i = 0; i < group->n_files; i++) {
        complete = complete && group->files[i].complete;
    }
    return complete;
}

static void describe_missing(const struct mb_file_result *result,
                             const struct mb_run_group *own, const struct mb_run_group *other,
                             const char *format, char *why, size_t why_bytes)
{
    char conditions[100];
    const bool has_own = list_conditions(other, result, conditions, sizeof conditions);
    why[0] = '\0';
    if (format != NULL) {
        snprintf(why, why_bytes, "it has %s instead of %s", format, result->format);
    } else if (has_own) {
        snprintf(
            why, why_bytes,
            "it has other parameters, alpha or shape, or one file does not tell (schema %s "
            "and %s)",
            own->files[0].schema_version, other->files[0].schema_version);
    } else if (conditions[0] != '\0') {
        snprintf(why, why_bytes, "it has it only as %s, not as %s", conditions,
                 result->condition);
    } else if (!is_complete(other)) {
        snprintf(why, why_bytes, "its run was not completed");
    }
}

static void times_text(size_t n, char *out, size_t out_bytes)
{
    if (n == 1 || n == 2) {
        snprintf(out, out_bytes, "%s", n == 1 ? "once" : "twice");
    } else {
        snprintf(out, out_bytes, "%zu times", n);
    }
}

void mb_gap_add_missing(struct mb_comparison *out, const struct mb_file_result *result,
                        const struct mb_run_group *own, const struct mb_run_group *other,
                        bool is_in_base, bool was_right)
{
    const char *who = is_in_base ? "NEW" : "BASE";
    const size_t n_copies = count_copies(other, result->key);
    char what[200];
    if (n_copies > 0) {
        char times_own[32], times_other[32];
        times_text(count_copies(own, result->key), times_own, sizeof times_own);
        times_text(n_copies, times_other, sizeof times_other);
        snprintf(what, sizeof what, "%s in %s, %s in %s", times_own,
                 is_in_base ? "BASE" : "NEW", times_other, who);
        mb_gap_add(out, result, false, what, "", "");
        return;
    }
    const char *format = find_other_format(other, result);
    describe_missing(result, own, other, format, what, sizeof what);
    /* A result that was not asked for is no regression. One that an incomplete run lacks may be
     * what ended it. */
    mb_gap_add(out, result, was_right && !is_complete(other), who, " does not have it", what);
    out->gaps[out->n_gaps - 1].new_format = is_in_base ? format : NULL;
}
