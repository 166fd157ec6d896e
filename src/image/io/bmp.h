/* BMP input with a palette, as Windows' BITMAPCOREHEADER and BITMAPINFOHEADER describe it. */
#ifndef MB_IMAGE_IO_BMP_H
#define MB_IMAGE_IO_BMP_H

#include "base/file.h"
#include "image/image.h"

/* True if a BMP of at least 30 bytes holds indices into a palette. */
bool mb_bmp_has_palette(const struct mb_bytes *file);

/* Decode such a BMP, uncompressed, of 1, 4 or 8 bits a texel, rows in either order. Fails with
 * MB_ERRC_INPUT, naming `path`, on everything else and on an index beyond the palette; without
 * memory with MB_ERRC_RUNTIME. */
MB_MUST_CHECK enum mb_status mb_bmp_decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err);

#endif
