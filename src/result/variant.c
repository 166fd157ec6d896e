/* Labels and parameters of variants. */
#include "result/variant.h"

#include <stdio.h>

size_t mb_strategy_n_params(const struct mb_strategy *strategy)
{
    size_t n = 0;
    while (strategy->params != NULL && n < MB_MAX_PARAMS && strategy->params[n].name != NULL) {
        n++;
    }
    return n;
}

const char *mb_variant_value(const struct mb_strategy *strategy, const struct mb_params *params,
                             size_t i)
{
    return strategy->params[i].values[params->choice[i]];
}

/* Write NAME, then `before_key` KEY `before_value` VALUE for each parameter that is not at its
 * default; cut to out_bytes - 1. */
static void name_row(const struct mb_variant *row, char before_key, char before_value,
                     char *out, size_t out_bytes)
{
    const size_t n_params = mb_strategy_n_params(row->strategy);
    int used = snprintf(out, out_bytes, "%s", row->strategy->name);
    for (size_t i = 0; i < n_params && used >= 0 && (size_t)used < out_bytes; i++) {
        if (row->params.choice[i] == 0) {
            continue;
        }
        used += snprintf(out + used, out_bytes - (size_t)used, "%c%s%c%s", before_key,
                         row->strategy->params[i].name, before_value,
                         mb_variant_value(row->strategy, &row->params, i));
    }
}

void mb_variant_label(const struct mb_variant *row, char *out, size_t out_bytes)
{
    name_row(row, ':', '=', out, out_bytes);
}

void mb_variant_slug(const struct mb_variant *row, char *out, size_t out_bytes)
{
    name_row(row, '_', '-', out, out_bytes);
}

bool mb_variant_is_diagnostic(const struct mb_variant *row)
{
    for (size_t i = 0; i < mb_strategy_n_params(row->strategy); i++) {
        if (row->strategy->params[i].is_diagnostic && row->params.choice[i] != 0) {
            return true;
        }
    }
    return false;
}
