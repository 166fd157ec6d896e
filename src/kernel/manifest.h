/* Manifests: JSON descriptions of kernels that were not compiled into this program; and the
 * table of all strategies, the built-in ones and the manifests'. */
#pragma once

#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "kernel/spirv.h"
#include "strategy.h"

#define MB_MAX_MANIFEST_BYTES (1u << 20)
#define MB_MAX_KERNEL_BUFFERS 16u
#define MB_MAX_KERNEL_PARAMS  16u

/* A module of a manifest, compiled for one set of its choices. */
struct mb_loaded_module {
    struct mb_loaded_module *next;
    struct mb_strlist paths; /* the shader, then the folders that it includes from */
    struct mb_strbuf preamble;
    struct mb_strbuf name, flags; /* "my-spd/spd.comp", "-DX=1", as for built-in shaders */
    struct mb_strbuf compiled;    /* the path of its .spv, unless is_given */
    bool is_given;
    struct mb_bytes code;
    struct mb_spirv spirv;
};

struct mb_manifest {
    struct mb_kernel_file file; /* recorded in results; owned */
    struct mb_json json;
    struct mb_strlist roots; /* folders it may read: its own, then those of --kernel-include */
    struct mb_param params[MB_MAX_KERNEL_PARAMS + 1]; /* ended by a NULL name */
    struct mb_strategy strategy;
    struct mb_loaded_module *modules; /* loaded so far */
};

/* Read a manifest: its version, name and parameters; everything else is read and checked per
 * image (kernel/plan.h). `includes` are further folders. A wrong manifest is MB_ERRC_INPUT,
 * with the path of the key and what would be valid; a missing folder is MB_ERRC_INPUT, too.
 * Finish after a failure as well. (load.c) */
MB_MUST_CHECK enum mb_status mb_manifest_init(struct mb_manifest *manifest, const char *path,
                                              const struct mb_strlist *includes,
                                              struct mb_err *err);
void mb_manifest_finish(struct mb_manifest *manifest);

/* True if a name is 1 to 40 lower-case letters, digits and, with `has_dash`, dashes. */
bool mb_is_kernel_name(const char *name, bool has_dash);

/* All strategies of a run: built-in strategies, and strategies of manifests. */
struct mb_kernel_table {
    struct mb_manifest *manifests;         /* [n_manifests], owned */
    const struct mb_strategy **strategies; /* the list is owned, and ends with NULL */
    size_t n_manifests;
};

/* Fill a table with the `built_in` strategies, then one strategy from each manifest of
 * `paths`. Two strategies of the same name are MB_ERRC_INPUT. Finish after a failure as
 * well. */
MB_MUST_CHECK enum mb_status mb_kernel_table_init(struct mb_kernel_table *table,
                                                  const struct mb_strategy *const *built_in,
                                                  const struct mb_strlist *paths,
                                                  const struct mb_strlist *includes,
                                                  struct mb_err *err);
void mb_kernel_table_finish(struct mb_kernel_table *table);
