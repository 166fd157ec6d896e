/* Which kind of image file some bytes are, and whether its header can be believed. */
#ifndef MB_IMAGE_IO_CONTAINER_H
#define MB_IMAGE_IO_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum mb_container_kind {
    MB_CONTAINER_PNG,
    MB_CONTAINER_BMP,
    MB_CONTAINER_TGA,
    MB_CONTAINER_HDR,
    MB_CONTAINER_PNM,
    MB_CONTAINER_PFM,
};

struct mb_container {
    enum mb_container_kind kind;
    const char *name;    /* "PNG" */
    uint64_t max_texels; /* that a file of this length can hold, however well compressed: a
                            header that claims more lies */
};

/* Tell by content. Fails with MB_ERRC_INPUT, naming `path`, on formats that are not read (with
 * a hint on conversion), on unknown bytes, and on headers that no writer makes. */
MB_MUST_CHECK enum mb_status mb_container_detect(struct mb_container *container,
                                                 const char *path, const uint8_t *data,
                                                 size_t n_bytes, struct mb_err *err);

/* True unless one of the `n_texels` of a TGA has an index beyond its colour map. */
bool mb_tga_has_colours(const uint8_t *data, size_t n_bytes, size_t n_texels);

#endif
