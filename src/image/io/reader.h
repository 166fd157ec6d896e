/* Readers of image files, which are untrusted. A reader gets a whole file in memory and fills
 * in an image's extent, depth and texels. If the file is damaged or of an unsupported kind, it
 * fails with MB_ERRC_INPUT and names the path; if out of memory, with MB_ERRC_RUNTIME. */
#pragma once

#include "image/image.h"

struct mb_reader {
    const char *path;
    const char *format; /* its name in messages: "PNG" */
    const uint8_t *begin, *end;
    const uint8_t *at; /* the next byte to be read */
    struct mb_image *image;
};

/* Bytes not yet read. */
size_t mb_reader_left(const struct mb_reader *reader);

/* Fail with "PATH: bad FORMAT: REASON". */
MB_MUST_CHECK enum mb_status mb_reader_bad(const struct mb_reader *reader, const char *reason,
                                           struct mb_err *err);
#define MB_BAD_HEADER "its header is damaged or of a kind not read"

/* Set the image's extent and depth, once the header has been read. Sizes must be within [1,
 * MB_IMAGE_MAX_FILE_DIMENSION]. At least `min_bytes`, the smallest compressed size of an image
 * of this extent, must be left to read. */
MB_MUST_CHECK enum mb_status mb_reader_size(struct mb_reader *reader, int64_t width,
                                            int64_t height, enum mb_depth depth,
                                            uint64_t min_bytes, struct mb_err *err);

/* Call mb_reader_size(), then allocate the image's texels. */
MB_MUST_CHECK enum mb_status mb_reader_start(struct mb_reader *reader, int64_t width,
                                             int64_t height, enum mb_depth depth,
                                             uint64_t min_bytes, struct mb_err *err);

/* Decode `file`, a PNG, BMP or TGA, by stb_image to the image's texels, whose extent and depth
 * are set. stb_image reads missing bytes as zeros, and trusts sizes and indices: a reader must
 * have checked the file. */
MB_MUST_CHECK enum mb_status mb_reader_decode(struct mb_reader *reader, const uint8_t *file,
                                              size_t n_bytes, struct mb_err *err);

/* Turn an image of 8 bits a channel by an `orientation` of EXIF: 1 (as stored) to 8. */
MB_MUST_CHECK enum mb_status mb_reader_turn(struct mb_reader *reader, uint32_t orientation,
                                            struct mb_err *err);
#define MB_ORIENTATION_MIRRORED 2u /* along x */

/* PNG (W3C Recommendation, second edition) of every colour type, depth and interlacing: 8 bits
 * a channel, 16 if the file has them. A colour key (tRNS) becomes alpha 0. The checksums of
 * tRNS, of every critical chunk and of the compressed stream must be right (another chunk's
 * wrong checksum causes a warning), and no index may be beyond the palette; messages name a
 * wrong chunk. Texels must take less than 2 GiB. */
MB_MUST_CHECK enum mb_status mb_png_decode(struct mb_reader *reader, struct mb_err *err);

/* BMP with Windows' BITMAPCOREHEADER, BITMAPINFOHEADER or a later header: indices of 1, 4 or 8
 * bits, none beyond the palette, or colours of 16, 24 or 32 bits; uncompressed; rows in either
 * order. */
MB_MUST_CHECK enum mb_status mb_bmp_decode(struct mb_reader *reader, struct mb_err *err);

/* Truevision TGA: colour-mapped, true-colour and grey, plain or in runs, rows and texels in
 * either order; no index may be outside the colour map. */
MB_MUST_CHECK enum mb_status mb_tga_decode(struct mb_reader *reader, struct mb_err *err);

/* True if the header could be a TGA's; TGA has no magic. */
bool mb_tga_is_likely(const struct mb_reader *reader);

/* Binary PGM and PPM ("P5", "P6"), 8 or 16 bits, any maximal value. */
MB_MUST_CHECK enum mb_status mb_pnm_decode(struct mb_reader *reader, struct mb_err *err);

/* Portable float maps ("PF", "Pf"): 32-bit floats, kept bit for bit, infinities and NaN too;
 * grey goes to red, green and blue, alpha is 1. The file must end with its texels. */
MB_MUST_CHECK enum mb_status mb_pfm_decode(struct mb_reader *reader, struct mb_err *err);

/* Radiance HDR (RGBE), flat or in either run-length code; alpha is 1. */
MB_MUST_CHECK enum mb_status mb_hdr_decode(struct mb_reader *reader, struct mb_err *err);

/* JPEG of 8 bits, grey or colour, turned as its EXIF orientation says, by libjpeg-turbo; only
 * in builds that have it (MB_HAS_JPEG). Warnings are errors if texels may depend on them.
 * Refused: more than 100 scans or 1 GiB of decoder memory, CMYK, arithmetic coding. */
MB_MUST_CHECK enum mb_status mb_jpeg_decode(struct mb_reader *reader, struct mb_err *err);

/* Level 0 of the first layer of KTX 2.0 without supercompression, and of DDS, as mb_ktx2_encode
 * and mb_dds_encode write them: in one of mb_formats, which becomes image->format, or in 8-bit
 * BGRA, which becomes rgba8. A single channel goes to red, green and blue. */
MB_MUST_CHECK enum mb_status mb_ktx2_decode(struct mb_reader *reader, struct mb_err *err);
MB_MUST_CHECK enum mb_status mb_dds_decode(struct mb_reader *reader, struct mb_err *err);

/* The unsigned word of a header at `p`, little-endian or big-endian. */
static inline uint32_t mb_get_le16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t mb_get_le32(const uint8_t *p)
{
    return mb_get_le16(p) | mb_get_le16(p + 2) << 16;
}

static inline uint32_t mb_get_be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t mb_get_be32(const uint8_t *p)
{
    return mb_get_be16(p) << 16 | mb_get_be16(p + 2);
}

/* Store a word at `out`. */
static inline void mb_put_le32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}
