/* Portable float maps. */
#ifndef MB_IMAGE_IO_PFM_H
#define MB_IMAGE_IO_PFM_H

#include "base/file.h"
#include "image/image.h"

/* Decode a "PF" or "Pf" file into a new image's extent, depth and texels: 32-bit floats as they
 * are, infinities and NaN among them; grey spread, alpha 1. The file must end with its texels.
 * Fails with MB_ERRC_INPUT, naming `path`. */
MB_MUST_CHECK enum mb_status mb_pfm_decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err);

#endif
