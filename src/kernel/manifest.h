/* A manifest: a kernel that was not compiled into this program, told in JSON. */
#pragma once

#include "base/file.h"
#include "base/json.h"
#include "kernel/expression.h"
#include "kernel/schema.h"
#include "kernel/spirv.h"
#include "strategy.h"

#define MB_MAX_MANIFEST_BYTES (1u << 20)
#define MB_MAX_NAMED          96u /* names that one expression may know */
#define MB_MAX_KERNEL_BUFFERS 16u
#define MB_MAX_KERNEL_LABEL   150u /* with all parameters; result/variant.h cuts longer ones */

/* A module of a manifest, compiled for some of its choices. */
struct mb_loaded_module {
    struct mb_loaded_module *next;
    char *key;          /* file and flags: what was compiled */
    char *name, *flags; /* "my-spd/spd.comp", "-DX=1": as of those that are compiled in */
    char *compiled;     /* the .spv that it is written to; NULL: it was one */
    struct mb_spirv spirv;
};

struct mb_manifest {
    struct mb_kernel_file file; /* what results record of it; points into what follows */
    char *path, *text, *title, *source;
    char folder[MB_PATH_BYTES]; /* its own, as a real path */
    char sha256[65];
    struct mb_json json;
    struct mb_strlist roots;   /* what it may read: its folder, and those of --kernel-include */
    struct mb_strlist buffers; /* "address(NAME)" of each buffer, for expressions */
    struct mb_param *params;   /* ended by a NULL name */
    struct mb_strategy strategy;
    struct mb_loaded_module *modules; /* loaded so far */
};

/* Read a manifest, its parameters and the names of its buffers; kernel/check.h checks all else.
 * `includes` are further folders. Wrong is MB_ERRC_INPUT, with the key, its line and column,
 * and what would be valid. Folders that are not there are MB_ERRC_INPUT, too. Finish after a
 * failure as well. */
MB_MUST_CHECK enum mb_status mb_manifest_init(struct mb_manifest *manifest, const char *path,
                                              const struct mb_strlist *includes,
                                              struct mb_err *err);
void mb_manifest_finish(struct mb_manifest *manifest);

/* What {"by": ...} chooses among the branches of a manifest. */
struct mb_pick {
    const struct mb_manifest *manifest;
    const struct mb_params *params;
    const struct mb_format *format; /* NULL where only parameters choose */
    enum mb_reduce reduce;
    enum mb_alpha alpha;          /* premultiplied where averages weigh colour by alpha */
    uint32_t subgroup_size;       /* 0: none was asked for */
    bool is_full;                 /* subgroups of that size are required, all lanes there */
    const struct mb_scope *scope; /* what expressions know */
};

/* The member `key` of an object, or `parent` itself where `key` is NULL, after every choice;
 * NULL where it is absent or no branch fits. */
const struct cJSON *mb_pick(const struct mb_pick *pick, const struct cJSON *parent,
                            const char *key);
const char *mb_pick_text(const struct mb_pick *pick, const struct cJSON *parent,
                         const char *key, const char *otherwise);
bool mb_pick_bool(const struct mb_pick *pick, const struct cJSON *parent, const char *key);

/* The index of the text among `names`, ended by NULL; 0 where it is absent. */
uint32_t mb_pick_choice(const struct mb_pick *pick, const struct cJSON *parent, const char *key,
                        const char *const *names);

/* Whether a list holds the text, or is absent. */
bool mb_pick_lists(const struct mb_pick *pick, const struct cJSON *parent, const char *key,
                   const char *text);

/* Evaluate an expression, which is there. */
MB_MUST_CHECK enum mb_status mb_pick_value(const struct mb_pick *pick,
                                           const struct cJSON *parent, const char *key,
                                           struct mb_value *value, struct mb_err *err);

/* The same of an integer within [least, most]; `otherwise` where it is absent. */
struct mb_bounds {
    int64_t least, most, otherwise;
};
MB_MUST_CHECK enum mb_status mb_pick_integer(const struct mb_pick *pick,
                                             const struct cJSON *parent, const char *key,
                                             struct mb_bounds bounds, int64_t *value,
                                             struct mb_err *err);

/* Whether a name has 1 to 40 small letters, digits, and dashes if it may. */
bool mb_is_kernel_name(const char *name, bool has_dash);

/* "FILE: line 3, column 5: dispatches[0].groups: " in front of an error; MB_FAILED. */
enum mb_status mb_manifest_blame(const struct mb_manifest *manifest, const struct cJSON *node,
                                 struct mb_err *err);

/* MB_ERRC_INPUT with such a place in front. */
#define MB_BLAME(manifest, node, err, ...)                                                     \
    ((void)MB_FAIL(err, MB_ERRC_INPUT, __VA_ARGS__), mb_manifest_blame(manifest, node, err))
#define MB_BLAME_IF(is_wrong, manifest, node, err, ...)                                        \
    do {                                                                                       \
        if (is_wrong) {                                                                        \
            return MB_BLAME(manifest, node, err, __VA_ARGS__);                                 \
        }                                                                                      \
    } while (0)

/* The names of parameters that are numbers, with what was chosen of them; returns how many were
 * added behind the `n` that are there. */
size_t mb_manifest_add_numbers(const struct mb_pick *pick,
                               struct mb_named_value names[MB_MAX_NAMED], size_t n);

/* The module of a member of "shaders"; it is compiled at the first time, and kept. Failures are
 * MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_manifest_module(const struct mb_pick *pick, const char *shader,
                                                const struct mb_spirv **spirv,
                                                struct mb_err *err);
