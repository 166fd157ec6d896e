/* Radiance HDR (RGBE). */
#ifndef MB_IMAGE_IO_HDR_H
#define MB_IMAGE_IO_HDR_H

#include "base/file.h"
#include "image/image.h"

/* Decode a Radiance picture, flat or run-length encoded, into a new image's extent, depth and
 * texels; alpha is 1. Fails with MB_ERRC_INPUT, naming `path`. */
MB_MUST_CHECK enum mb_status mb_hdr_decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err);

#endif
