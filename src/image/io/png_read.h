/* PNG input (W3C Recommendation "Portable Network Graphics", second edition). */
#ifndef MB_IMAGE_IO_PNG_READ_H
#define MB_IMAGE_IO_PNG_READ_H

#include "base/file.h"
#include "image/image.h"

/* Decode every colour type, depth and interlacing into image->texels: 8 bits a channel, 16
 * where the file has them. A colour key (tRNS) becomes alpha 0. The checksum of every chunk and
 * of the compressed stream must be right, and no index may be beyond the palette: a damaged
 * file fails with MB_ERRC_INPUT, naming `path` and, where it is one, the chunk. Without memory:
 * MB_ERRC_RUNTIME. */
MB_MUST_CHECK enum mb_status mb_png_decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err);

#endif
