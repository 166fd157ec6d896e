/* A whole mip chain as a texture file that other programs load: every level and layer,
 * uncompressed, texel for texel as in the block. Files are little-endian, and so is a block on
 * every machine with a Vulkan driver. */
#pragma once

#include <stdbool.h>

#include "base/file.h"
#include "image/pyramid.h"

struct mb_texture {
    const struct mb_layout *layout; /* of a cube map n_layers is a multiple of six */
    bool is_cube;                   /* faces are layers in the order +X -X +Y -Y +Z -Z */
    const void *block;              /* packed by `layout` */
};

/* A KTX 2.0 file: Khronos' "KTX File Format", version 2.0, with a basic data format descriptor
 * of the "Khronos Data Format Specification" 1.3. Texels hold straight alpha, however they were
 * averaged. The keys KTXorientation (rows go down) and KTXwriter are in it. `out` is owned by
 * the caller: mb_bytes_finish. Fails with MB_ERRC_RUNTIME without memory. */
MB_MUST_CHECK enum mb_status mb_ktx2_encode(const struct mb_texture *texture,
                                            struct mb_bytes *out, struct mb_err *err);

/* A DDS file with the DX10 header: Microsoft's "Programming Guide for DDS". Ownership and
 * failures as above. */
MB_MUST_CHECK enum mb_status mb_dds_encode(const struct mb_texture *texture,
                                           struct mb_bytes *out, struct mb_err *err);
