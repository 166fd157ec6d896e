/* `mipbench compare`: read, compare or pool, show, write, judge. */
#include "cli/compare.h"

#include "base/alloc.h"
#include "base/log.h"
#include "cli/compare_view.h"
#include "cli/output.h"
#include "cli/pool_view.h"

/* Files of both sides in one array; owned. */
struct files {
    struct mb_result_file *all;
    size_t n;
};

static enum mb_status read_files(const struct mb_settings *settings, struct files *files,
                                 struct mb_err *err)
{
    enum mb_status status;
    files->all = mb_alloc(settings->n_inputs, sizeof *files->all);
    if (files->all == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "compare: out of memory");
    }
    for (; files->n < settings->n_inputs; files->n++) {
        MB_TRY(mb_result_file_read(settings->inputs[files->n], &files->all[files->n], err));
    }
    return MB_OK;
fail:
    return status;
}

static void finish_files(struct files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        mb_result_file_finish(&files->all[i]);
    }
    mb_free(files->all);
}

static enum mb_status show(const struct mb_options *options, const struct mb_compare_view *view,
                           struct mb_err *err)
{
    struct mb_strbuf text = {0};
    const struct mb_table_style style = mb_output_style(options, false);
    enum mb_compare_detail detail = options->quiet ? MB_COMPARE_BRIEF : MB_COMPARE_NORMAL;
    if (options->verbosity > 0) {
        detail = MB_COMPARE_VERBOSE;
    }
    mb_compare_text(&text, view, detail, &style);
    return mb_output_show(&text, mb_output_takes_stdout(options), err);
}

static enum mb_status write_copies(const struct mb_options *options,
                                   const struct mb_compare_view *view, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_strbuf markdown = {0};
    char *json = NULL;
    if (options->markdown != NULL) {
        mb_compare_markdown(&markdown, view);
        MB_TRY(mb_strbuf_check(&markdown, err));
        MB_TRY(mb_output_write(options->markdown, mb_strbuf_text(&markdown), err));
    }
    if (options->json != NULL) {
        MB_TRY(mb_compare_json(view, &json, err));
        MB_TRY(mb_output_write(options->json, json, err));
    }
fail:
    mb_free(json);
    mb_strbuf_finish(&markdown);
    return status;
}

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

static enum mb_status pool_files(const struct mb_options *options, const struct files *files,
                                 struct mb_err *err)
{
    enum mb_status status;
    const struct mb_run_group group = {.files = files->all, .n_files = files->n};
    const struct mb_bootstrap how = {.seed = options->settings.seed};
    struct mb_pools pools = {0};
    struct mb_strbuf text = {0};
    char *json = NULL;
    const struct mb_table_style style = mb_output_style(options, false);
    MB_TRY(mb_pool_runs(&group, &how, &pools, err));
    mb_pool_text(&text, &pools, &style);
    MB_TRY(mb_output_show(&text, mb_output_takes_stdout(options), err));
    if (options->json != NULL) {
        MB_TRY(mb_pool_json(&pools, options->settings.seed, &json, err));
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
    const struct mb_settings *settings = &options->settings;
    const struct mb_compare_options how = {.threshold = options->threshold,
                                           .seed = settings->seed};
    struct files files = {0};
    struct mb_comparison comparison = {0};
    enum mb_status status;
    MB_TRY(mb_output_check(options, err));
    MB_TRY(read_files(settings, &files, err));
    if (options->pool) {
        status = pool_files(options, &files, err);
        goto fail;
    }
    const size_t n_base = options->n_base_files;
    const struct mb_compare_view view = {
        .base = {.files = files.all, .n_files = n_base},
        .new_runs = {.files = files.all + n_base, .n_files = files.n - n_base},
        .options = &how,
        .comparison = &comparison,
    };
    MB_TRY(mb_compare_runs(&view.base, &view.new_runs, &how, &comparison, err));
    MB_TRY(show(options, &view, err));
    MB_TRY(write_copies(options, &view, err));
    if (options->fail_on_regression && is_worse(&comparison)) {
        *verdict = MB_ERRC_VERIFY;
    }
fail:
    mb_comparison_finish(&comparison);
    finish_files(&files);
    return status;
}
