/* Devices that lack something: each strategy gives a reason or works, which the golden model
 * says; nothing crashes, and nothing is used that is not there.
 *
 *     test_hidden [PART_OF_A_NAME]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "capabilities.h"
#include "sandbox.h"
#include "scenarios.h"

static const char *const every_run[] = {
    "pattern:noise:13x9", "-n",  "3", "-w", "0", "--no-roofline", "-q", "-o", "out",
    "--images",           "none"};

static struct mb_outcome outcome;
static bool is_reason_given; /* that the lack asks for */
static double n_dropped;     /* samples of those that are right */

static cJSON *read_results(void)
{
    static char text[1u << 20];
    FILE *file = fopen("out/results.json", "r");
    const size_t n_bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    text[n_bytes] = '\0';
    return cJSON_Parse(text);
}

static const char *text_of(const cJSON *node, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(node, key));
    return text ? text : "";
}

struct names {
    char text[160]; /* with spaces between */
};

static void add(struct names *names, const char *name)
{
    const size_t used = strlen(names->text);
    snprintf(names->text + used, sizeof names->text - used, "%s%s", used ? " " : "", name);
}

/* What rows are of. */
struct sorted {
    struct names skipped, failed, untimed, odd;
};

/* Sort a row of `variant`: skipped for a reason, wrong by the golden model, right but without a
 * time, right, and anything else. */
static void sort_row(const cJSON *variant, const cJSON *row, const char *wanted,
                     struct sorted *sorted)
{
    const char *name = text_of(variant, "strategy");
    const char *status = text_of(row, "status");
    const char *reason = text_of(row, "reason");
    const char *verified =
        text_of(cJSON_GetObjectItemCaseSensitive(variant, "verify"), "status");
    if (strcmp(status, "skipped") == 0 && reason[0] != '\0') {
        add(&sorted->skipped, name);
        is_reason_given = is_reason_given || strstr(reason, wanted) != NULL;
    } else if (strcmp(status, "failed") == 0 && strcmp(verified, "fail") == 0) {
        add(&sorted->failed, name);
    } else if (strcmp(status, "failed") == 0 && strcmp(verified, "pass") == 0 &&
               cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(row, "stats"))) {
        add(&sorted->untimed, name);
        is_reason_given = is_reason_given || strstr(reason, wanted) != NULL;
    } else if (strcmp(status, "ok") != 0 || strcmp(verified, "pass") != 0) {
        add(&sorted->odd, name);
    } else {
        n_dropped +=
            cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(row, "samples_dropped"));
    }
    if (getenv("MB_TEST_VERBOSE")) {
        printf("      %-10s %-8s %-5s %s\n", name, status, verified, reason);
    }
}

/* All rows of the one case. */
static void sort_rows(const char *wanted, struct sorted *sorted)
{
    const cJSON *timing, *row;
    cJSON *document = read_results();
    const cJSON *c = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(document, "cases"), 0);
    cJSON_ArrayForEach(timing, cJSON_GetObjectItemCaseSensitive(c, "timings"))
    {
        const cJSON *variants = cJSON_GetObjectItemCaseSensitive(c, "variants");
        const cJSON *variant = variants != NULL ? variants->child : NULL;
        cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(timing, "rows"))
        {
            sort_row(variant, row, wanted, sorted);
            variant = variant != NULL ? variant->next : NULL;
        }
    }
    cJSON_Delete(document);
}

static void run(const struct mb_lack *lack)
{
    const char *args[MB_SANDBOX_MAX_ARGS] = {NULL};
    const struct mb_fault none = {.nth = 0};
    size_t n = 0;
    for (; n < sizeof every_run / sizeof every_run[0]; n++) {
        args[n] = every_run[n];
    }
    for (size_t i = 0; lack->args[i] != NULL; i++) {
        args[n++] = lack->args[i];
    }
    args[n++] = "-s";
    args[n++] = lack->strategies ? lack->strategies
                                 : "blit,raster,compute,subgroup,spd,separable,spd-tree";
    mb_disguise(lack->edits);
    mb_sandbox_run(args, &none, MB_N_FAULT_KINDS, &outcome);
}

/* NULL: nothing is wrong. */
static const char *judge_end(const struct mb_lack *lack, char *text, size_t text_bytes)
{
    const struct mb_fault_log *log = mb_fault_get_log();
    const int by_name = lack->skipped ? MB_ERRC_UNSUPPORTED : MB_ERRC_NONE;
    const int exit_code = lack->exit_code ? lack->exit_code : by_name;
    const unsigned n_lines = mb_count_lines(outcome.err, "mipbench: error: ");
    if (mb_disguise_breach()[0] != '\0') {
        return mb_disguise_breach();
    }
    if (outcome.signal != 0 || outcome.exit_code != exit_code) {
        snprintf(text, text_bytes, "signal %d, exit code %d", outcome.signal,
                 outcome.exit_code);
        return text;
    }
    if (n_lines != (exit_code != MB_ERRC_NONE)) {
        return "not one error line";
    }
    return log->n_live_blocks > 0 ? "memory was leaked" : NULL;
}

static bool is_those(const struct names *names, const char *wanted)
{
    return strcmp(names->text, wanted ? wanted : "") == 0;
}

static const char *judge_rows(const struct mb_lack *lack, char *text, size_t text_bytes)
{
    struct sorted sorted = {.skipped = {""}};
    is_reason_given =
        lack->reason == NULL || (lack->exit_code && strstr(outcome.err, lack->reason));
    n_dropped = 0;
    sort_rows(lack->reason ? lack->reason : "", &sorted);
    snprintf(text, text_bytes,
             "skipped: %s; wrong: %s; without a time: %s; neither of these nor right: %s; %g "
             "samples dropped",
             sorted.skipped.text, sorted.failed.text, sorted.untimed.text, sorted.odd.text,
             n_dropped);
    const bool is_fine = is_those(&sorted.skipped, lack->skipped) &&
                         is_those(&sorted.failed, lack->failed) &&
                         is_those(&sorted.untimed, lack->untimed) &&
                         is_those(&sorted.odd, NULL) && (n_dropped > 0) == lack->drops;
    return !is_fine ? text : is_reason_given ? NULL : lack->reason;
}

static int test(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : NULL;
    unsigned n_tried = 0, n_wrong = 0;
    char why[600];
    for (size_t i = 0; i < mb_n_lacks; i++) {
        if (part && !strstr(mb_lacks[i].name, part)) {
            continue;
        }
        if (getenv("MB_TEST_VERBOSE")) {
            printf("%s\n", mb_lacks[i].name);
        }
        mb_sandbox_remove("out");
        run(&mb_lacks[i]);
        const char *wrong = judge_rows(&mb_lacks[i], why, sizeof why);
        wrong = wrong ? wrong : judge_end(&mb_lacks[i], why, sizeof why);
        n_tried++;
        n_wrong += wrong != NULL;
        if (wrong != NULL) {
            printf("%s: %s\n    exit code %d: %s\n", mb_lacks[i].name, wrong, outcome.exit_code,
                   outcome.err);
        }
    }
    printf("%u devices that lack something, %u wrong\n", n_tried, n_wrong);
    return n_tried == 0 || n_wrong > 0;
}

int main(int argc, char **argv)
{
    return mb_scenarios_main(test, argc, argv);
}
