/* Replaces spirv.c in a build without SPIRV-Tools and SPIRV-Cross. */
#include <stddef.h>

#include "kernel/spirv.h"

enum mb_status mb_spirv_init(struct mb_spirv *spirv, const char *path, const void *code,
                             size_t n_bytes, const char *entry, struct mb_err *err)
{
    *spirv = (struct mb_spirv){0};
    return MB_FAIL(err, MB_ERRC_INPUT, "%s: no reader of SPIR-V", path); /* see load.c */
}
