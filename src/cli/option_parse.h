/* The parser's state and its helpers for lists of values; private to src/cli. */
#ifndef MB_CLI_OPTION_PARSE_H
#define MB_CLI_OPTION_PARSE_H

#include "cli/option_table.h"

struct mb_option_parse {
    struct mb_options *options;
    const char **specs; /* room for every spec that argv can hold */
    size_t n_specs;
    const char **inputs; /* room for every word, split at commas */
    size_t n_inputs;
    char *text;     /* where the next split text goes; room for all of argv */
    size_t n_sides; /* words after "compare" */
    bool has_list_what;
    uint64_t given; /* bit i: row i of the table was given */
};

/* A terminated copy of `text[n_bytes]`, a part of argv, that lives as long as the options. */
const char *mb_option_keep(struct mb_option_parse *parse, const char *text, size_t n_bytes);

/* Call `add` for each item of the comma-separated `value`; an empty item is an error. The items
 * live as long as the options. */
MB_MUST_CHECK enum mb_status mb_option_parse_each(
    const struct mb_option_row *row, const char *value, struct mb_option_parse *parse,
    enum mb_status (*add)(struct mb_option_parse *parse, const struct mb_option_row *row,
                          const char *item, struct mb_err *err),
    struct mb_err *err);

/* Keep one strategy spec. */
MB_MUST_CHECK enum mb_status mb_option_add_spec(struct mb_option_parse *parse,
                                                const struct mb_option_row *row,
                                                const char *item, struct mb_err *err);

/* What holds of a tuning: one input, pattern:noise where sizes are given without one; one
 * condition; and specs for every variant of a strategy, but for what they fix. */
MB_MUST_CHECK enum mb_status mb_option_complete_tune(struct mb_option_parse *parse,
                                                     struct mb_err *err);

/* What holds of an export: one strategy that can be exported, formats by name, a folder. */
MB_MUST_CHECK enum mb_status mb_option_check_export(const struct mb_option_parse *parse,
                                                    struct mb_err *err);

/* No two files that are written are one, and none is an input. */
MB_MUST_CHECK enum mb_status mb_option_check_outputs(const struct mb_options *options,
                                                     struct mb_err *err);

/* A whole number from `min` to `max`, or one line that says so. */
MB_MUST_CHECK enum mb_status mb_option_parse_count(const struct mb_option_row *row,
                                                   const char *value, uint32_t min,
                                                   uint32_t max, uint32_t *out,
                                                   struct mb_err *err);

/* The index of `value` among `n` names. */
MB_MUST_CHECK enum mb_status mb_option_parse_choice(const struct mb_option_row *row,
                                                    const char *value, const char *const *names,
                                                    size_t n, size_t *out, struct mb_err *err);

/* What --srgb, --linear and --alpha say goes with the reduction and the format `name`, NULL for
 * auto. */
MB_MUST_CHECK enum mb_status mb_option_check_colour(const struct mb_options *options,
                                                    const char *name, struct mb_err *err);

/* Of the table: the options on the image and what is made of it (option_image.c). */
enum mb_status mb_option_apply_format(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err);
enum mb_status mb_option_apply_srgb(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err);
enum mb_status mb_option_apply_reduce(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err);
enum mb_status mb_option_apply_alpha(struct mb_option_parse *parse,
                                     const struct mb_option_row *row, const char *value,
                                     struct mb_err *err);
enum mb_status mb_option_apply_levels(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err);
enum mb_status mb_option_apply_size(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err);
enum mb_status mb_option_apply_sweep(struct mb_option_parse *parse,
                                     const struct mb_option_row *row, const char *value,
                                     struct mb_err *err);
enum mb_status mb_option_apply_layers(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err);
enum mb_status mb_option_apply_image_usage(struct mb_option_parse *parse,
                                           const struct mb_option_row *row, const char *value,
                                           struct mb_err *err);
enum mb_status mb_option_apply_rect(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err);

/* Of the table: the options on how times are taken (option_measure.c). */
enum mb_status mb_option_apply_warmup(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err);
enum mb_status mb_option_apply_samples(struct mb_option_parse *parse,
                                       const struct mb_option_row *row, const char *value,
                                       struct mb_err *err);
enum mb_status mb_option_apply_cache(struct mb_option_parse *parse,
                                     const struct mb_option_row *row, const char *value,
                                     struct mb_err *err);
enum mb_status mb_option_apply_mode(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err);
enum mb_status mb_option_apply_max_noise(struct mb_option_parse *parse,
                                         const struct mb_option_row *row, const char *value,
                                         struct mb_err *err);
enum mb_status mb_option_apply_min_time(struct mb_option_parse *parse,
                                        const struct mb_option_row *row, const char *value,
                                        struct mb_err *err);
enum mb_status mb_option_apply_timeout(struct mb_option_parse *parse,
                                       const struct mb_option_row *row, const char *value,
                                       struct mb_err *err);
enum mb_status mb_option_apply_l2_bytes(struct mb_option_parse *parse,
                                        const struct mb_option_row *row, const char *value,
                                        struct mb_err *err);

#endif
