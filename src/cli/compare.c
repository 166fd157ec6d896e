/* `mipbench compare`: read, compare or pool, show, write, judge. */
#include "cli/compare.h"

#include "base/alloc.h"
#include "base/log.h"
#include "cli/compare_view.h"
#include "cli/output.h"
#include "cli/pool_view.h"

/* Says why; where nothing was compared, nothing shows that all is well. */
static bool is_worse(const struct mb_comparison *comparison)
{
    if (comparison->n_regressions > 0) {
        mb_log(MB_LOG_ERROR, "%zu of %zu results became worse", comparison->n_regressions,
               comparison->n_rows + comparison->n_gaps);
    } else if (comparison->n_rows == 0) {
        mb_log(MB_LOG_ERROR, "nothing could be compared, so --fail-on-regression fails");
    }
    return comparison->n_regressions > 0 || comparison->n_rows == 0;
}

static enum mb_status compare_files(const struct mb_options *options,
                                    const struct mb_run_group *files, enum mb_errc *verdict,
                                    struct mb_err *err)
{
    enum mb_status status;
    const size_t n_base = options->n_base_files;
    const struct mb_compare_options how = {.threshold = options->threshold,
                                           .seed = options->settings.seed};
    const struct mb_table_style style = mb_output_style(options, false);
    struct mb_comparison comparison = {0};
    const struct mb_compare_view view = {
        .base = {.files = files->files, .n_files = n_base},
        .new_runs = {.files = files->files + n_base, .n_files = files->n_files - n_base},
        .options = &how,
        .comparison = &comparison,
    };
    const enum mb_compare_detail detail = options->verbosity > 0 ? MB_COMPARE_VERBOSE
                                          : options->quiet       ? MB_COMPARE_BRIEF
                                                                 : MB_COMPARE_NORMAL;
    struct mb_strbuf text = {0}, markdown = {0};
    char *json = NULL;
    MB_TRY(mb_compare_runs(&view.base, &view.new_runs, &how, &comparison, err));
    mb_compare_text(&text, &view, detail, &style);
    MB_TRY(mb_output_show(&text, mb_output_takes_stdout(options), err));
    if (options->markdown != NULL) {
        mb_compare_markdown(&markdown, &view);
        MB_TRY(mb_strbuf_check(&markdown, err));
        MB_TRY(mb_output_write(options->markdown, mb_strbuf_text(&markdown), err));
    }
    if (options->json != NULL) {
        MB_TRY(mb_compare_json(&view, &json, err));
        MB_TRY(mb_output_write(options->json, json, err));
    }
    if (options->fail_on_regression && is_worse(&comparison)) {
        *verdict = MB_ERRC_VERIFY;
    }
fail:
    mb_free(json);
    mb_strbuf_finish(&markdown);
    mb_comparison_finish(&comparison);
    return status;
}

static enum mb_status pool_files(const struct mb_options *options,
                                 const struct mb_run_group *files, struct mb_err *err)
{
    enum mb_status status;
    const struct mb_bootstrap how = {.seed = options->settings.seed};
    const struct mb_table_style style = mb_output_style(options, false);
    struct mb_pools pools = {0};
    struct mb_strbuf text = {0};
    char *json = NULL;
    MB_TRY(mb_pool_runs(files, &how, &pools, err));
    mb_pool_text(&text, &pools, &style);
    MB_TRY(mb_output_show(&text, mb_output_takes_stdout(options), err));
    if (options->json != NULL) {
        MB_TRY(mb_pool_json(&pools, how.seed, &json, err));
        MB_TRY(mb_output_write(options->json, json, err));
    }
fail:
    mb_free(json);
    mb_pools_finish(&pools);
    return status;
}

enum mb_status mb_compare_run(const struct mb_options *options, enum mb_errc *verdict,
                              struct mb_err *err)
{
    enum mb_status status;
    const struct mb_settings *settings = &options->settings;
    struct mb_result_file *read = NULL;
    struct mb_run_group files = {.n_files = 0};
    MB_TRY(mb_output_check(options, err));
    files.files = read = mb_alloc(settings->n_inputs, sizeof *read);
    if (read == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "compare: out of memory");
    }
    for (; files.n_files < settings->n_inputs; files.n_files++) {
        MB_TRY(mb_result_file_read(settings->inputs[files.n_files], &read[files.n_files], err));
    }
    MB_TRY(options->pool ? pool_files(options, &files, err)
                         : compare_files(options, &files, verdict, err));
fail:
    for (size_t i = 0; i < files.n_files; i++) {
        mb_result_file_finish(&read[i]);
    }
    mb_free(read);
    return status;
}
