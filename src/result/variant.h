/* A variant: a strategy with one choice of its parameters. */
#pragma once

#include "strategy.h"

/* Every label fits (tests/unit/test_resolve.c): if labels were cut, two might be equal. */
#define MB_LABEL_BYTES 160u

/* One strategy with one choice of parameters. */
struct mb_variant {
    const struct mb_strategy *strategy;
    struct mb_params params;
    bool by_name; /* asked for by name, not by a wildcard: if unsupported, that is an error */
};

/* Name and non-default parameters as a label, "compute:npot=floor", or as a folder name. */
void mb_variant_label(const struct mb_variant *row, char *out, size_t out_bytes);
void mb_variant_slug(const struct mb_variant *row, char *out, size_t out_bytes);

/* The number of a strategy's parameters; the name of the chosen value of parameter `i`. */
size_t mb_strategy_n_params(const struct mb_strategy *strategy);
const char *mb_variant_value(const struct mb_strategy *strategy, const struct mb_params *params,
                             size_t i);

/* True if the variant leaves work out to find its cost (struct mb_param, is_diagnostic). */
bool mb_variant_is_diagnostic(const struct mb_variant *row);
