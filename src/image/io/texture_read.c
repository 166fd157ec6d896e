/* Level 0 of the texture files that texture.c writes, and of others of the same kind: see there
 * for how they are laid out. */
#include "image/io/reader.h"

#include <string.h>

#include "base/text.h"
#include "image/io/words.h"

#define KTX_HEADER_BYTES      80u
#define KTX_LEVEL_INDEX_BYTES 24u

#define DDS_FILE_HEADER_BYTES 148u
#define DDS_HEADER_BYTES      124u
#define PIXEL_FORMAT_BYTES    32u
#define DDPF_FOURCC           0x4u
#define DDPF_RGBA             0x41u
#define CAPS_CUBE             0x200u
#define CAPS_FIRST_FACE       0x400u
#define CAPS_VOLUME           0x200000u
#define D3DFMT_R16F           111u
#define DXGI_RGBA8            28u
#define RESOURCE_TEXTURE2D    3u
#define RESOURCE_MISC_CUBE    4u
#define N_FACES               6u

#define CHUNK_TEXELS 64u

/* What a header says. */
struct texture {
    const struct mb_format *format;
    uint32_t width, height, n_levels;
    uint64_t n_layers; /* faces among them */
    bool is_bgra;      /* as rgba8, but for the order of its channels */
};

MB_MUST_CHECK static enum mb_status find_format(const struct mb_reader *reader,
                                                const char *kind, uint32_t number,
                                                const struct mb_format **format,
                                                struct mb_err *err)
{
    const bool is_vulkan = kind[0] == 'V';
    for (size_t i = 0; i < mb_format_count; i++) {
        *format = &mb_formats[i];
        if (number == (is_vulkan ? (uint32_t)(*format)->vk_format : (*format)->dxgi_format)) {
            return MB_OK;
        }
    }
    MB_FAIL(err, MB_ERRC_INPUT, "%s: %s with %s %u is not read", reader->path, reader->format,
            kind, number);
    return mb_err_hint(err, "uncompressed files of the formats in 'mipbench list formats' are");
}

/* Sides up to MB_IMAGE_MAX_FILE_DIMENSION: nothing overflows. */
static uint64_t level_bytes(const struct texture *texture, uint32_t level)
{
    const uint64_t width = texture->width >> level, height = texture->height >> level;
    return (width > 0 ? width : 1) * (height > 0 ? height : 1) * texture->format->texel_bytes;
}

static bool has_sane_extent(const struct texture *texture)
{
    const uint32_t largest =
        texture->width > texture->height ? texture->width : texture->height;
    return texture->n_levels <= 32 && largest >> (texture->n_levels - 1) > 0;
}

/* Four channels of as many as are stored. */
static void spread_codes(const struct texture *texture, const uint8_t *stored, size_t n,
                         uint8_t *rgba)
{
    const struct mb_format *format = texture->format;
    for (size_t i = 0; i < n; i++, stored += format->texel_bytes, rgba += 4) {
        if (texture->is_bgra) {
            memcpy(rgba, (uint8_t[]){stored[2], stored[1], stored[0], stored[3]}, 4);
        } else if (format->n_channels == 4) {
            memcpy(rgba, stored, 4);
        } else {
            const bool is_grey = format->n_channels == 1;
            const uint8_t green = is_grey ? stored[0] : stored[1];
            memcpy(rgba, (uint8_t[]){stored[0], green, is_grey ? stored[0] : 0, 255}, 4);
        }
    }
}

/* At most CHUNK_TEXELS. */
static void spread_values(const struct mb_format *format, const uint8_t *stored, size_t n,
                          float *rgba)
{
    double values[CHUNK_TEXELS * 4];
    mb_format_decode(format, stored, n, values);
    for (size_t i = 0; i < n * 4; i++) {
        const bool is_grey = format->n_channels == 1 && i % 4 < 3;
        rgba[i] = (float)values[is_grey ? i - i % 4 : i];
    }
}

/* The texels lie at `at`, and are there. */
MB_MUST_CHECK static enum mb_status read_texels(struct mb_reader *reader,
                                                const struct texture *texture, uint64_t at,
                                                struct mb_err *err)
{
    const struct mb_format *format = texture->format;
    const bool is_codes = format->codec == MB_CODEC_UNORM8 || format->codec == MB_CODEC_SRGB8;
    MB_DO(mb_reader_start(reader, texture->width, texture->height,
                          is_codes ? MB_DEPTH_U8 : MB_DEPTH_F32, 0, err));
    struct mb_image *image = reader->image;
    const uint8_t *stored = reader->begin + at;
    const size_t n_texels = (size_t)image->width * image->height;
    for (size_t i = 0; i < n_texels;
         i += CHUNK_TEXELS, stored += CHUNK_TEXELS * format->texel_bytes) {
        const size_t n = n_texels - i < CHUNK_TEXELS ? n_texels - i : CHUNK_TEXELS;
        if (is_codes) {
            spread_codes(texture, stored, n, (uint8_t *)image->texels + i * 4);
        } else {
            spread_values(format, stored, n, (float *)image->texels + i * 4);
        }
    }
    image->format = format;
    return MB_OK;
}

enum mb_status mb_ktx2_decode(struct mb_reader *reader, struct mb_err *err)
{
    const uint8_t *head = reader->begin;
    const size_t n_bytes = mb_reader_left(reader);
    if (n_bytes < KTX_HEADER_BYTES + KTX_LEVEL_INDEX_BYTES) {
        return mb_reader_bad(reader, "truncated", err);
    }
    const uint32_t vk_format = mb_get_le32(head + 12), depth = mb_get_le32(head + 28);
    const uint32_t n_elements = mb_get_le32(head + 32), n_faces = mb_get_le32(head + 36);
    const uint32_t n_levels = mb_get_le32(head + 40), scheme = mb_get_le32(head + 44);
    struct texture texture = {
        .width = mb_get_le32(head + 20),
        .height = mb_get_le32(head + 24),
        .n_levels = n_levels > 0 ? n_levels : 1, /* 0: the others are to be generated */
        .n_layers = (uint64_t)(n_elements > 0 ? n_elements : 1) * n_faces,
    };
    MB_FAIL_IF(scheme != 0, err, MB_ERRC_INPUT,
               "%s: KTX2 with supercompression (scheme %u) is not read", reader->path, scheme);
    MB_DO(find_format(reader, "VkFormat", vk_format, &texture.format, err));
    if (depth != 0 || (n_faces != 1 && n_faces != N_FACES) || texture.height == 0 ||
        !has_sane_extent(&texture)) {
        return mb_reader_bad_header(reader, err);
    }
    MB_DO(mb_reader_size(reader, texture.width, texture.height, MB_DEPTH_U8, 0, err));
    const uint8_t *index = head + KTX_HEADER_BYTES;
    const uint64_t offset = mb_get_le64(index), length = mb_get_le64(index + 8);
    const uint64_t layer_bytes = level_bytes(&texture, 0);
    if (length / layer_bytes != texture.n_layers || length % layer_bytes != 0) {
        return mb_reader_bad(reader, "level 0 is not as large as its texels are", err);
    }
    if (offset < KTX_HEADER_BYTES + KTX_LEVEL_INDEX_BYTES || offset > n_bytes ||
        length > n_bytes - offset) {
        return mb_reader_bad(reader, "level 0 does not lie within the file", err);
    }
    if (offset % 4 != 0 || offset % texture.format->texel_bytes != 0) {
        return mb_reader_bad(reader, "level 0 is not aligned", err);
    }
    return read_texels(reader, &texture, offset, err);
}

/* Bytes of a layer with all its levels. */
static uint64_t chain_bytes(const struct texture *texture)
{
    uint64_t n_bytes = 0;
    for (uint32_t level = 0; level < texture->n_levels; level++) {
        n_bytes += level_bytes(texture, level);
    }
    return n_bytes;
}

/* The DXGI_FORMAT of a header without that of DX10, or 0: floats by the numbers of D3DFMT_R16F
 * and those after it, and 8 bits a channel by masks. */
static uint32_t find_old_format(const uint8_t *head, bool *is_bgra)
{
    static const uint8_t floats[] = {54, 34, 10, 41, 16, 2};
    const uint32_t flags = mb_get_le32(head + 80), four_cc = mb_get_le32(head + 84);
    if ((flags & DDPF_FOURCC) != 0) {
        const uint32_t i = four_cc - D3DFMT_R16F;
        return i < MB_COUNTOF(floats) ? floats[i] : 0;
    }
    const uint32_t red = mb_get_le32(head + 92), blue = mb_get_le32(head + 100);
    *is_bgra = red == 0xff0000 && blue == 0xff;
    const bool is_rgba = red == 0xff && blue == 0xff0000;
    const bool has_rest = mb_get_le32(head + 88) == 32 && mb_get_le32(head + 96) == 0xff00 &&
                          mb_get_le32(head + 104) == 0xff000000;
    const bool is_8_bit = (flags & DDPF_RGBA) == DDPF_RGBA && has_rest;
    return is_8_bit && (is_rgba || *is_bgra) ? DXGI_RGBA8 : 0;
}

/* Layers of a header without that of DX10: the faces of a cube that are there; 0: a volume. */
static uint32_t count_faces(const uint8_t *head)
{
    const uint32_t caps = mb_get_le32(head + 112);
    uint32_t n = 0;
    for (uint32_t face = CAPS_FIRST_FACE; face < CAPS_FIRST_FACE << N_FACES; face <<= 1) {
        n += (caps & face) != 0;
    }
    return (caps & CAPS_VOLUME) != 0 ? 0 : (caps & CAPS_CUBE) != 0 ? n : 1;
}

/* The DXGI_FORMAT of a header, of an old one 0 if there is none for it; fills in the layers, 0
 * of them for a volume, and the order of channels. */
static uint32_t read_dx10(const uint8_t *head, struct texture *texture)
{
    const bool is_cube = (mb_get_le32(head + 136) & RESOURCE_MISC_CUBE) != 0;
    const bool is_flat = mb_get_le32(head + 132) == RESOURCE_TEXTURE2D;
    texture->n_layers =
        is_flat ? (uint64_t)mb_get_le32(head + 140) * (is_cube ? N_FACES : 1) : 0;
    return mb_get_le32(head + 128);
}

static uint32_t read_old(const uint8_t *head, struct texture *texture)
{
    texture->n_layers = count_faces(head);
    return find_old_format(head, &texture->is_bgra);
}

enum mb_status mb_dds_decode(struct mb_reader *reader, struct mb_err *err)
{
    const uint8_t *head = reader->begin;
    const size_t n_bytes = mb_reader_left(reader);
    if (n_bytes < DDS_HEADER_BYTES + 4) {
        return mb_reader_bad(reader, "truncated", err);
    }
    if (mb_get_le32(head + 4) != DDS_HEADER_BYTES ||
        mb_get_le32(head + 76) != PIXEL_FORMAT_BYTES) {
        return mb_reader_bad_header(reader, err);
    }
    const bool is_dx10 =
        (mb_get_le32(head + 80) & DDPF_FOURCC) != 0 && memcmp(head + 84, "DX10", 4) == 0;
    const size_t head_bytes = is_dx10 ? DDS_FILE_HEADER_BYTES : DDS_HEADER_BYTES + 4;
    if (n_bytes < head_bytes) {
        return mb_reader_bad(reader, "truncated", err);
    }
    const uint32_t n_levels = mb_get_le32(head + 28);
    struct texture texture = {
        .width = mb_get_le32(head + 16),
        .height = mb_get_le32(head + 12),
        .n_levels = n_levels > 0 ? n_levels : 1,
    };
    const uint32_t number = is_dx10 ? read_dx10(head, &texture) : read_old(head, &texture);
    if (!is_dx10 && number == 0) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: compressed DDS, or one with these masks, is not read",
                reader->path);
        return mb_err_hint(err, "'texconv -dx10 -f R8G8B8A8_UNORM' writes one that is");
    }
    MB_DO(find_format(reader, "DXGI_FORMAT", number, &texture.format, err));
    if (texture.n_layers == 0 || !has_sane_extent(&texture)) {
        return mb_reader_bad_header(reader, err);
    }
    MB_DO(mb_reader_size(reader, texture.width, texture.height, MB_DEPTH_U8, 0, err));
    if ((n_bytes - head_bytes) / texture.n_layers < chain_bytes(&texture)) {
        return mb_reader_bad(reader, "truncated", err);
    }
    return read_texels(reader, &texture, head_bytes, err);
}
