/* Checks a manifest by the tables of its keys, in every branch; and reads it by the same tables
 * for one choice of everything that can be chosen. */
#pragma once

#include "kernel/expression.h"
#include "kernel/manifest.h"
#include "kernel/schema.h"

/* What {"by": ...} chooses among the branches of a manifest. */
struct mb_pick {
    const struct mb_manifest *manifest;
    const struct mb_params *params; /* NULL: the first of each */
    const struct mb_format *format; /* NULL where only parameters choose */
    enum mb_reduce reduce;
    enum mb_alpha alpha;          /* premultiplied where averages weigh colour by alpha */
    uint32_t subgroup_size;       /* 0: none was asked for */
    bool is_full;                 /* subgroups of that size are required, all lanes there */
    const struct mb_scope *scope; /* what expressions know */
};

/* A step: levels [source_level + 1, source_level + n_levels] from `source_level`. */
struct mb_kernel_step {
    uint32_t index, source_level, n_levels, layer;
};

/* The names that expressions know: those of an image's chain, of a step unless it is NULL, of
 * the manifest, and addresses of its buffers, address[i] of buffers.items[i], unless they are
 * NULL. `names->scope` points into `names`. */
struct mb_names {
    struct mb_scope scope;
    struct mb_named_value of[MB_MAX_NAMED];
};
void mb_names_init(struct mb_names *names, const struct mb_pick *pick,
                   const struct mb_layout *layout, const struct mb_kernel_step *step,
                   const uint64_t *addresses);

/* A value after every choice; MB_ERRC_INPUT where no branch fits. */
MB_MUST_CHECK enum mb_status mb_pick_branch(const struct mb_pick *pick,
                                            const struct cJSON *node,
                                            const struct cJSON **picked, struct mb_err *err);

/* The member `key` of an object, or `parent` itself where `key` is NULL, after every choice;
 * NULL where it is absent or no branch fits. */
const struct cJSON *mb_pick(const struct mb_pick *pick, const struct cJSON *parent,
                            const char *key);
const char *mb_pick_text(const struct mb_pick *pick, const struct cJSON *node);

/* Read the object `node`, or one without members where it is NULL, into the struct that `keys`
 * is for, which is zeroed. An expression that cannot be evaluated or is out of bounds, and a
 * choice without a branch, are MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_read(const struct mb_pick *pick, const struct mb_key *keys,
                                     const struct cJSON *node, void *out, struct mb_err *err);

/* Evaluate the number or expression `node`, with every choice. */
MB_MUST_CHECK enum mb_status mb_read_value(const struct mb_pick *pick, const struct cJSON *node,
                                           struct mb_value *value, struct mb_err *err);

/* Every key, value, name and expression of manifest->json, in every branch; parameters are read
 * by then. MB_ERRC_INPUT, with the key, its line and column, and what would be valid. */
MB_MUST_CHECK enum mb_status mb_manifest_check(const struct mb_manifest *manifest,
                                               struct mb_err *err);
