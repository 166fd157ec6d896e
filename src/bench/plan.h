/* From what the user asked for to what is run: strategy specs into rows, inputs and sizes into
 * cells. */
#ifndef MB_BENCH_PLAN_H
#define MB_BENCH_PLAN_H

#include "bench/result.h"

/* One strategy with one choice of parameters. */
struct mb_row {
    const struct mb_strategy *strategy;
    struct mb_params params;
    bool by_name; /* asked for by name, not by a wildcard: unsupported is then an error */
};

/* Parse strategy specs against a NULL-terminated table: "all", "name", "name:key=value:...",
 * "name:*" (every combination). None: all. Duplicates are kept once. `*rows` is owned by the
 * caller (mb_free). Unknown names, keys and values are MB_ERRC_USAGE with a "did you mean". */
MB_MUST_CHECK enum mb_status mb_plan_rows(const struct mb_strategy *const *table,
                                          const char *const *specs, size_t n_specs,
                                          struct mb_row **rows, size_t *n_rows,
                                          struct mb_err *err);

/* "compute:npot=floor": name and non-default parameters; and its folder name. */
void mb_row_label(const struct mb_row *row, char *out, size_t out_bytes);
void mb_row_slug(const struct mb_row *row, char *out, size_t out_bytes);

/* Number of parameters of a strategy, and the name of a row's chosen value of parameter `i`. */
size_t mb_strategy_n_params(const struct mb_strategy *strategy);
const char *mb_row_value(const struct mb_strategy *strategy, const struct mb_params *params,
                         size_t i);

/* The strategy's answer to whether it can do a task; before that, whether it takes as many
 * rectangles. */
MB_MUST_CHECK enum mb_status mb_row_supports(const struct mb_row *row, const struct mb_gpu *gpu,
                                             const struct mb_layout *layout,
                                             const struct mb_task *task, struct mb_err *why);

/* True if the row leaves work out to find what it costs (struct mb_param, is_diagnostic). */
bool mb_row_is_diagnostic(const struct mb_row *row);

/* Assert once, at start-up, that every descriptor is complete (programming errors only). */
void mb_strategies_check(const struct mb_strategy *const *table);

#endif
