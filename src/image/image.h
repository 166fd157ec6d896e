/* An image in host memory, as loaded: always four channels. Input files are untrusted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/file.h"
#include "image/format.h"
#include "image/pyramid.h"

#define MB_IMAGE_MAX_DIMENSION      32768u /* of patterns and resized images */
#define MB_IMAGE_MAX_FILE_DIMENSION 16384  /* of files */
#define MB_IMAGE_MAX_FILE_BYTES     (1024u * 1024u * 1024u)

enum mb_depth {
    MB_DEPTH_U8,
    MB_DEPTH_U16,
    MB_DEPTH_F32,
};

/* Bytes of a texel of four channels. */
size_t mb_depth_texel_bytes(enum mb_depth depth);

struct mb_image {
    uint32_t width, height; /* texels, both >= 1 in a valid image */
    enum mb_depth depth;
    void *texels;                   /* rgba[height][width][4] of `depth`; owned */
    const struct mb_format *format; /* the texture file's; NULL for other images */
    char name[64];                  /* slug of the file's stem or the pattern's name */
    char sha256[65];                /* of the file's bytes, or of the generated texels */
};

/* Load `spec`: "pattern:NAME:WxH" by mb_pattern_make with `seed`, anything else as the path of
 * a file. Failures are MB_ERRC_INPUT (out of memory: MB_ERRC_RUNTIME) and name `spec`. */
MB_MUST_CHECK enum mb_status mb_image_open(struct mb_image *image, const char *spec,
                                           uint64_t seed, struct mb_err *err);

/* Decode a file of MB_IMAGE_KINDS in memory; `path` gives the name and is named in failures.
 * Formats are told by content, not by name. GIF, PSD and others fail with a hint on conversion.
 * Dimensions are checked (at most 16384 each) before anything is decoded. */
MB_MUST_CHECK enum mb_status mb_image_decode(struct mb_image *image, const char *path,
                                             const struct mb_bytes *file, struct mb_err *err);

/* Kinds of files that can be loaded, and their suffixes, for messages and help. */
#if MB_HAS_JPEG
#define MB_IMAGE_JPEG        "JPEG, "
#define MB_IMAGE_JPEG_SUFFIX ".jpg, .jpeg, "
#else
#define MB_IMAGE_JPEG        ""
#define MB_IMAGE_JPEG_SUFFIX ""
#endif
#define MB_IMAGE_KINDS                                                                         \
    "PNG, " MB_IMAGE_JPEG "BMP, TGA, PNM (P5, P6), PFM, Radiance HDR, KTX2 and DDS"
#define MB_IMAGE_SUFFIXES                                                                      \
    ".png, " MB_IMAGE_JPEG_SUFFIX ".bmp, .tga, .ppm, .pgm, .pnm, .pfm, .hdr, .ktx2 and .dds"

/* True if the file's name has one of MB_IMAGE_SUFFIXES, in upper or lower case. Loading goes by
 * the content alone. */
bool mb_image_has_suffix(const char *path);

/* Set `out` to `in`, cropped or mirror-tiled to width x height (a tile's edge texels meet equal
 * texels); depth, name and sha256 stay. `out` must not be `in`. */
MB_MUST_CHECK enum mb_status mb_image_resize(struct mb_image *out, const struct mb_image *in,
                                             uint32_t width, uint32_t height,
                                             struct mb_err *err);

/* Convert to texels of `format`, tightly packed rows, into `texels[height][width]`; a format of
 * fewer channels takes the first ones. u8 into rgba8 and rgba8-srgb copies codes; all else goes
 * through doubles (u8: v/255, u16: v/65535). Integer values are codes and stay codes in an sRGB
 * format; floats are linear light. Finite floats are clamped to the finite range of `format`.
 * Every layer of an array has its own content: layer 0 is the image; the others are scaled by
 * 8 / (8 + layer), mirrored along x if bit 0 of the layer is set, along y if bit 1 is. */
void mb_image_encode(const struct mb_image *image, const struct mb_format *format,
                     uint32_t layer, void *texels);

/* Encode level 0 of every layer, as it is uploaded; the layout's base must be as large as the
 * image. The caller frees the result (mb_free). NULL: out of memory. */
void *mb_image_encode_layers(const struct mb_image *image, const struct mb_layout *layout);

/* Count the texels of a float image with a channel beyond the finite range of `format`, which
 * mb_image_encode clamps; 0 for images of integers. Infinities and NaN are not counted. */
uint64_t mb_image_count_clamped(const struct mb_image *image, const struct mb_format *format);

/* The format that --format auto picks: a texture file's own, unless it is rgba8; for 8 bits
 * rgba8, or rgba8-srgb if `is_srgb`; for 16 bits rgba32f; for floats rgba16f, or rgba32f if a
 * texel is beyond the range of half floats. */
const struct mb_format *mb_image_natural_format(const struct mb_image *image, bool is_srgb);

/* Free and zero. */
void mb_image_finish(struct mb_image *image);
