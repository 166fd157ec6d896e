/* What a reader must know of two groups of runs before believing their figures. */
#include "compare/warn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compare/group.h"

MB_PRINTF(2, 3)
static void warn(struct mb_comparison *out, const char *fmt, ...)
{
    va_list args;
    if (out->n_warnings == MB_MAX_COMPARE_WARNINGS) {
        return;
    }
    struct mb_compare_warning *warning = &out->warnings[out->n_warnings++];
    va_start(args, fmt);
    vsnprintf(warning->text, sizeof warning->text, fmt, args);
    va_end(args);
}

/* What would make a difference of times, other than the code. */
static void warn_of_origin(struct mb_comparison *out, const struct mb_result_file *first,
                           const struct mb_result_file *file)
{
    if (strcmp(first->device, file->device) != 0) {
        warn(out, "DIFFERENT DEVICES: %.200s was run on %.100s, %.200s on %.100s", first->path,
             first->device, file->path, file->device);
    } else if (strcmp(first->driver, file->driver) != 0) {
        warn(out, "different drivers: %.200s was run with %.100s, %.200s with %.100s",
             first->path, first->driver, file->path, file->driver);
    }
}

static void warn_of_state(struct mb_comparison *out, const struct mb_result_file *file)
{
    if (file->validate) {
        warn(out, "%.200s was run with --validate: its times mean little", file->path);
    }
    if (!file->complete) {
        warn(out, "%.200s is of a run that was not completed", file->path);
    }
}

static bool is_changed(const struct mb_file_result *a, const struct mb_file_result *b)
{
    return strncmp(a->input, "pattern:", 8) != 0 && strcmp(a->input, b->input) == 0 &&
           strcmp(a->input_sha256, b->input_sha256) != 0;
}

/* The same name, other contents: told once a file. */
static void warn_of_inputs(struct mb_comparison *out, const struct mb_result_file *first,
                           const struct mb_result_file *file)
{
    for (size_t i = 0; i < first->n_results; i++) {
        for (size_t k = 0; k < file->n_results; k++) {
            if (is_changed(&first->results[i], &file->results[k])) {
                warn(out, "different inputs: %.200s is not the same image in %.150s and %.150s",
                     first->results[i].input, first->path, file->path);
                return;
            }
        }
    }
}

/* Formats in which only one side has what both have: told once. */
static void warn_of_formats(struct mb_comparison *out)
{
    for (size_t i = 0; i < out->n_gaps; i++) {
        const struct mb_compare_gap *gap = &out->gaps[i];
        if (gap->new_format != NULL) {
            warn(out, "different formats: %s has %s in BASE and %s in NEW", gap->result->input,
                 gap->result->format, gap->new_format);
            return;
        }
    }
}

static void warn_of_repeats(struct mb_comparison *out, const struct mb_run_group *group)
{
    for (size_t i = 1; i < group->n_files; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!mb_is_repeated(group, k) &&
                mb_is_same_run(&group->files[k], &group->files[i])) {
                warn(out, "%.200s is the same run as %.200s, and counts once",
                     group->files[i].path, group->files[k].path);
            }
        }
    }
}

void mb_compare_warn(const struct mb_run_group *base, const struct mb_run_group *new_runs,
                     struct mb_comparison *comparison)
{
    const struct mb_run_group *groups[] = {base, new_runs};
    const struct mb_result_file *first = &base->files[0];
    for (size_t g = 0; g < MB_COUNTOF(groups); g++) {
        for (size_t i = 0; i < groups[g]->n_files; i++) {
            const struct mb_result_file *file = &groups[g]->files[i];
            if (mb_is_repeated(groups[g], i)) {
                continue;
            }
            warn_of_origin(comparison, first, file);
            warn_of_state(comparison, file);
            warn_of_inputs(comparison, first, file);
        }
        warn_of_repeats(comparison, groups[g]);
    }
    warn_of_formats(comparison);
}
