/* `mipbench compare --ratios`: reads what is asked, estimates it, writes the answer. */
#include "cli/ratios.h"

#include <math.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stats.h"
#include "compare/runs.h"
#include "cli/output.h"
#include "cli/session.h"

#define MAX_FACTORS 8

/* What is asked, as logarithms; owns the series and their values. */
struct product {
    struct mb_factor factors[MAX_FACTORS];
    size_t n;
    size_t n_least; /* samples of the shortest run */
};

static void product_finish(struct product *product)
{
    for (size_t i = 0; i < product->n; i++) {
        const struct mb_runs *runs = &product->factors[i].runs;
        for (size_t k = 0; k < runs->n; k++) {
            mb_free((void *)runs->series[k].values);
        }
        mb_free((void *)runs->series);
    }
}

/* A number, or the median of an array of them; NaN where it is none. */
static double read_time(const struct cJSON *node)
{
    double parts[MB_MAX_PARTS], sum = 0.0;
    size_t n = 0;
    if (!mb_json_is_array(node)) {
        return mb_json_read_number(node, NULL);
    }
    const struct cJSON *part = mb_json_elements(node, NULL);
    for (; part != NULL && n < MB_MAX_PARTS; part = mb_json_next(part)) {
        parts[n] = mb_json_read_number(part, NULL);
        sum += parts[n++];
    }
    return n > 0 && part == NULL && isfinite(sum) ? mb_median(parts, n) : (double)NAN;
}

/* The member `key` of a run, over what it is over: as logarithms, or else plain. Owned by the
 * caller, on failure, too. */
static enum mb_status read_run(const struct cJSON *run, const char *key, bool is_log,
                               struct mb_series *out, struct mb_err *err)
{
    const struct cJSON *over = mb_json_get(run, "over"), *base = mb_json_elements(over, NULL);
    double *values = mb_alloc(mb_json_count(run, key), sizeof *values);
    bool is_known = true;
    MB_DO(MB_NEED(values, "compare"));
    *out = (struct mb_series){.values = values};
    for (const struct cJSON *it = mb_json_elements(run, key); it; it = mb_json_next(it)) {
        const double log_base = over != NULL ? log(read_time(base)) : 0.0;
        const double value = read_time(it);
        values[out->n] = is_log ? log(value) - log_base : value;
        is_known = is_known && isfinite(values[out->n++]);
        base = base != NULL ? mb_json_next(base) : NULL;
    }
    return out->n > 0 && base == NULL && is_known
               ? MB_OK
               : MB_FAIL(err, MB_ERRC_INPUT, "a run is empty, not of times, or not of pairs");
}

static enum mb_status read_factor(struct product *product, const struct cJSON *node,
                                  struct mb_err *err)
{
    struct mb_series *series = mb_alloc(mb_json_count(node, "runs"), sizeof *series);
    MB_DO(MB_NEED(series, "compare"));
    struct mb_factor *factor = &product->factors[product->n++];
    factor->runs.series = series;
    factor->power = mb_json_read_number(node, "power") < 0.0 ? -1 : 1;
    for (const struct cJSON *run = mb_json_elements(node, "runs"); run;
         run = mb_json_next(run)) {
        struct mb_series *read = &series[factor->runs.n++];
        MB_DO(read_run(run, "times", true, read, err));
        product->n_least = read->n < product->n_least ? read->n : product->n_least;
    }
    return factor->runs.n > 0 ? MB_OK : MB_FAIL(err, MB_ERRC_INPUT, "a factor has no runs");
}

static enum mb_status estimate_product(const struct cJSON *asked,
                                       const struct mb_bootstrap *how, struct mb_estimate *out,
                                       struct mb_err *err)
{
    MB_SCOPED(product) product = {.n_least = SIZE_MAX};
    const struct cJSON *factor = mb_json_elements(asked, "factors");
    MB_FAIL_IF(factor == NULL || mb_json_count(asked, "factors") > MAX_FACTORS, err,
               MB_ERRC_INPUT, "no factors, or more than %d", MAX_FACTORS);
    for (; factor != NULL; factor = mb_json_next(factor)) {
        MB_DO(read_factor(&product, factor, err));
    }
    MB_DO(mb_bootstrap_product(product.factors, product.n, how, out, err));
    out->figure = exp(out->figure);
    for (int end = 0; end < 2; end++) {
        out->ci[end] = product.n_least < MB_FEW_SAMPLES ? (double)NAN : exp(out->ci[end]);
    }
    return MB_OK;
}

static enum mb_status estimate_mean(const struct cJSON *asked, struct mb_estimate *out,
                                    struct mb_err *err)
{
    struct mb_series values = {0};
    const enum mb_status status = read_run(asked, "mean", false, &values, err);
    if (status == MB_OK) {
        mb_estimate_mean(values.values, values.n, out);
    }
    mb_free((void *)values.values);
    return status;
}

static enum mb_status answer(struct mb_json *json, const struct cJSON *wanted,
                             const struct mb_bootstrap *how, struct mb_err *err)
{
    struct cJSON *list = mb_json_array(json, json->root, "estimates");
    for (const struct cJSON *asked = wanted; asked; asked = mb_json_next(asked)) {
        struct mb_estimate out;
        MB_DO(mb_json_get(asked, "mean") != NULL ? estimate_mean(asked, &out, err)
                                                 : estimate_product(asked, how, &out, err));
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_number(json, node, "figure", out.figure);
        mb_json_numbers(json, node, "ci", out.ci, 2);
    }
    return wanted != NULL ? MB_OK : MB_FAIL(err, MB_ERRC_INPUT, "nothing is wanted");
}

enum mb_status mb_ratios_show(const struct mb_options *options, struct mb_err *err)
{
    const char *path = options->settings.inputs[0];
    const struct mb_bootstrap how = {.seed = options->settings.seed};
    MB_SCOPED(mb_json) question = {0}, json = {0};
    MB_SCOPED(mb_bytes) bytes = {0};
    struct mb_err why = {0};
    MB_FREED char *text = NULL;
    MB_DO(mb_file_read(path, MB_RESULT_FILE_MAX_BYTES, &bytes, err));
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-ratios", "1.0.0");
    if (mb_json_parse(&question, (const char *)bytes.data, &why) != MB_OK ||
        answer(&json, mb_json_elements(question.root, "wanted"), &how, &why) != MB_OK) {
        return MB_FAIL(err, why.code, "%s: %s", path, why.text);
    }
    MB_DO(mb_json_print(&json, &text, err));
    mb_session_end_at_once(false);
    return mb_output_write(options->json != NULL ? options->json : "-", text, err);
}
