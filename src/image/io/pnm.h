/* Binary PGM and PPM. */
#ifndef MB_IMAGE_IO_PNM_H
#define MB_IMAGE_IO_PNM_H

#include "base/file.h"
#include "image/image.h"

/* Decode a P5 or P6 file, 8 or 16 bits, any maximal value, into a new image's extent, depth and
 * texels. Fails with MB_ERRC_INPUT, naming `path`. */
MB_MUST_CHECK enum mb_status mb_pnm_decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err);

#endif
