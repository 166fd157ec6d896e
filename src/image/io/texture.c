/* Texture files: a whole chain is written, and level 0 of the first layer read.
 *
 * A KTX 2.0 file has, in order:
 *
 *     identifier, header, index              80 bytes
 *     level index, level 0 first             24 bytes a level
 *     data format descriptor                 says what the bits of a texel mean
 *     key/value data                         padded to 4 bytes
 *     levels, the smallest first             each padded to the texel's size and to 4 bytes
 *
 * and a DDS file the magic, DDS_HEADER, DDS_HEADER_DXT10, and then each layer with all its
 * levels, the largest first. */
#include "image/io/write.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/version.h"
#include "image/io/reader.h"

#define N_FACES 6u

/* Headers as they are in the files, little-endian like the machine. */
struct ktx2_header {
    uint8_t identifier[12];
    uint32_t vk_format, type_bytes; /* type_bytes: size of the words to byte-swap */
    uint32_t width, height, depth;  /* 0: not a volume */
    uint32_t n_elements;            /* 0: not an array */
    uint32_t n_faces, n_levels, scheme;
    uint32_t dfd_offset, dfd_bytes, kvd_offset, kvd_bytes;
    uint64_t sgd_offset, sgd_bytes; /* global data of a supercompression */
};

struct ktx2_level {
    uint64_t offset, n_bytes, n_inflated_bytes;
};

struct dds_header {
    uint32_t magic, header_bytes, flags, height, width, pitch, depth, n_levels, reserved[11];
    uint32_t pixel_format_bytes, pixel_flags, four_cc, n_bits, red, green, blue, alpha;
    uint32_t caps, caps_2, caps_3, caps_4, reserved_2;
    uint32_t dxgi_format, dimension, misc, n_elements, alpha_mode; /* of DX10 */
};

_Static_assert(sizeof(struct ktx2_header) == 80 && sizeof(struct dds_header) == 148, "packed");

#define DDS_OLD_BYTES offsetof(struct dds_header, dxgi_format)

/* The basic data format descriptor: its total size, a block's head, and samples. */
#define DFD_HEAD_BYTES    28u
#define DFD_SAMPLE_BYTES  16u
#define DFD_VERSION       2u /* Khronos Data Format Specification 1.3 */
#define DFD_MODEL_RGBSDA  1u
#define DFD_PRIMARIES_709 1u
#define DFD_LINEAR        1u
#define DFD_SRGB          2u
#define DFD_STRAIGHT      0u  /* of the flags: alpha is not premultiplied */
#define DFD_FLAGS_AT      15u /* bit 0: it is */
#define DFD_ALPHA         15u
#define DFD_IS_LINEAR     0x10u /* qualifiers, beside the channel: alpha is linear in sRGB */
#define DFD_IS_SIGNED     0x40u
#define DFD_IS_FLOAT      0x80u
#define FLOAT_ONE         0x3f800000u
#define FLOAT_MINUS_ONE   0xbf800000u

#define DDS_HEADER_BYTES   124u /* without the magic and the DX10 part */
#define PIXEL_FORMAT_BYTES 32u

#define DDSD_ALL           0x2100fu /* present: caps, extent, pitch, pixel format, levels */
#define DDPF_FOURCC        0x4u
#define DDPF_RGBA          0x41u
#define DDSCAPS_COMPLEX    0x8u
#define DDSCAPS_TEXTURE    0x1000u
#define DDSCAPS_MIPMAP     0x400000u
#define DDSCAPS2_CUBE      0x200u
#define DDSCAPS2_FACE      0x400u  /* of the first face; the others have the next five bits */
#define DDSCAPS2_ALL_FACES 0xfe00u /* a cube map with its six faces */
#define DDSCAPS2_VOLUME    0x200000u
#define D3DFMT_R16F        111u
#define DXGI_RGBA8         28u

#define RESOURCE_TEXTURE2D       3u
#define RESOURCE_MISC_CUBE       4u
#define ALPHA_MODE_UNKNOWN       0u
#define ALPHA_MODE_STRAIGHT      1u
#define ALPHA_MODE_PREMULTIPLIED 2u

#define FOUR_CC(a, b, c, d)                                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define DX10 FOUR_CC('D', 'X', '1', '0')

#define ORIENTATION "KTXorientation\0rd" /* rows go down */
#define WRITER      "KTXwriter\0mipbench " MB_VERSION

/* A multiple of 4 bytes. */
#define PADDED(n_bytes) (((n_bytes) + 3) / 4 * 4)

/* Keys with their values, both terminated, sorted by code point, as the specification asks. */
static const struct {
    uint32_t n_orientation_bytes;
    char orientation[PADDED(sizeof ORIENTATION)];
    uint32_t n_writer_bytes;
    char writer[PADDED(sizeof WRITER)];
} key_values = {sizeof ORIENTATION, ORIENTATION, sizeof WRITER, WRITER};

/* Least common multiple of 4 and the texel's size, which is a power of two. */
static size_t level_alignment(const struct mb_format *format)
{
    assert((format->texel_bytes & (format->texel_bytes - 1)) == 0);
    return format->texel_bytes < 4 ? 4 : format->texel_bytes;
}

static uint32_t type_bytes(const struct mb_format *format)
{
    const uint32_t n_bits = mb_format_channel(format, 0)->n_bits;
    return n_bits % 8 == 0 ? n_bits / 8 : format->texel_bytes;
}

static struct ktx2_header make_ktx2_header(const struct mb_texture *texture)
{
    const struct mb_layout *layout = texture->layout;
    const struct mb_format *format = layout->format;
    const uint32_t n_faces = texture->is_cube ? N_FACES : 1;
    const uint32_t dfd_bytes = DFD_HEAD_BYTES + DFD_SAMPLE_BYTES * format->n_channels;
    const size_t dfd_offset =
        sizeof(struct ktx2_header) + sizeof(struct ktx2_level) * layout->n_levels;
    return (struct ktx2_header){
        .identifier = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'},
        .vk_format = (uint32_t)format->vk_format,
        .type_bytes = type_bytes(format),
        .width = layout->base.width,
        .height = layout->base.height,
        .n_elements = layout->n_layers > n_faces ? layout->n_layers / n_faces : 0,
        .n_faces = n_faces,
        .n_levels = layout->n_levels,
        .dfd_offset = (uint32_t)dfd_offset,
        .dfd_bytes = dfd_bytes,
        .kvd_offset = (uint32_t)dfd_offset + dfd_bytes,
        .kvd_bytes = sizeof key_values,
    };
}

/* Write the sample of one channel. For floats of any width the bounds are [-1, 1] or [0, 1] as
 * 32-bit floats: black and white, not the range of the format. */
static void put_sample(const struct mb_format *format, uint32_t channel, uint32_t bit_offset,
                       uint8_t *out)
{
    const struct mb_channel *stored = mb_format_channel(format, channel);
    const uint32_t n_bits = stored->n_bits;
    const bool is_float = stored->mantissa_bits > 0, is_signed = stored->least < 0.0;
    uint32_t type = channel == 3 ? DFD_ALPHA : channel;
    type |= is_float ? DFD_IS_FLOAT : 0;
    type |= is_signed ? DFD_IS_SIGNED : 0;
    type |= channel == 3 && format->codec == MB_CODEC_SRGB8 ? DFD_IS_LINEAR : 0;
    const uint32_t words[] = {
        bit_offset | (n_bits - 1) << 16 | type << 24,
        0, /* position within the texel */
        is_signed ? FLOAT_MINUS_ONE : 0,
        is_float ? FLOAT_ONE : (1u << n_bits) - 1,
    };
    memcpy(out, words, sizeof words);
}

static void put_dfd(const struct mb_format *format, uint32_t n_bytes, uint8_t *out)
{
    const uint32_t transfer = format->codec == MB_CODEC_SRGB8 ? DFD_SRGB : DFD_LINEAR;
    const uint32_t words[] = {
        n_bytes,
        0, /* Khronos' own descriptor, of the basic kind */
        DFD_VERSION | (n_bytes - 4) << 16,
        DFD_MODEL_RGBSDA | DFD_PRIMARIES_709 << 8 | transfer << 16 | DFD_STRAIGHT << 24,
        0, /* a block is one texel */
        format->texel_bytes,
        0, /* further planes */
    };
    memcpy(out, words, sizeof words);
    uint32_t bit_offset = 0;
    for (uint32_t channel = 0; channel < format->n_channels; channel++) {
        put_sample(format, channel, bit_offset,
                   out + DFD_HEAD_BYTES + channel * DFD_SAMPLE_BYTES);
        bit_offset += mb_format_channel(format, channel)->n_bits;
    }
}

enum mb_status mb_ktx2_encode(const struct mb_texture *texture, struct mb_bytes *out,
                              struct mb_err *err)
{
    const struct mb_layout *layout = texture->layout;
    const struct ktx2_header header = make_ktx2_header(texture);
    struct ktx2_level index[MB_MAX_LEVELS];
    size_t end = header.kvd_offset + header.kvd_bytes;
    for (uint32_t level = layout->n_levels; level-- > 0;) {
        const size_t n_bytes = layout->level_layer_bytes[level] * layout->n_layers;
        end += -end % level_alignment(layout->format);
        index[level] = (struct ktx2_level){end, n_bytes, n_bytes};
        end += n_bytes;
    }
    *out = (struct mb_bytes){mb_alloc(end, 1), end};
    MB_DO(MB_NEED(out->data, "KTX2 file"));
    memcpy(out->data, &header, sizeof header);
    memcpy(out->data + sizeof header, index, layout->n_levels * sizeof *index);
    put_dfd(layout->format, header.dfd_bytes, out->data + header.dfd_offset);
    memcpy(out->data + header.kvd_offset, &key_values, sizeof key_values);
    for (uint32_t i = 0; i < layout->n_levels; i++) {
        memcpy(out->data + index[i].offset, mb_layout_level(layout, texture->block, i, 0),
               index[i].n_bytes);
    }
    return MB_OK;
}

static struct dds_header make_dds_header(const struct mb_texture *texture)
{
    const struct mb_layout *layout = texture->layout;
    const bool has_mips = layout->n_levels > 1;
    const bool is_complex = has_mips || layout->n_layers > 1;
    return (struct dds_header){
        .magic = FOUR_CC('D', 'D', 'S', ' '),
        .header_bytes = DDS_HEADER_BYTES,
        .flags = DDSD_ALL,
        .height = layout->base.height,
        .width = layout->base.width,
        .pitch = layout->base.width * layout->format->texel_bytes,
        .n_levels = layout->n_levels,
        .pixel_format_bytes = PIXEL_FORMAT_BYTES,
        .pixel_flags = DDPF_FOURCC,
        .four_cc = DX10,
        .caps = DDSCAPS_TEXTURE | (is_complex ? DDSCAPS_COMPLEX : 0) |
                (has_mips ? DDSCAPS_MIPMAP : 0),
        .caps_2 = texture->is_cube ? DDSCAPS2_ALL_FACES : 0,
        .dxgi_format = layout->format->dxgi_format,
        .dimension = RESOURCE_TEXTURE2D,
        .misc = texture->is_cube ? RESOURCE_MISC_CUBE : 0,
        .n_elements = layout->n_layers / (texture->is_cube ? N_FACES : 1),
        .alpha_mode =
            layout->format->n_channels == 4 ? ALPHA_MODE_STRAIGHT : ALPHA_MODE_UNKNOWN,
    };
}

enum mb_status mb_dds_encode(const struct mb_texture *texture, struct mb_bytes *out,
                             struct mb_err *err)
{
    const struct mb_layout *layout = texture->layout;
    const struct dds_header header = make_dds_header(texture);
    const size_t n_bytes = sizeof header + (size_t)mb_layout_compulsory_bytes(layout);
    *out = (struct mb_bytes){mb_alloc(n_bytes, 1), n_bytes};
    MB_DO(MB_NEED(out->data, "DDS file"));
    memcpy(out->data, &header, sizeof header);
    uint8_t *end = out->data + sizeof header;
    for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
        for (uint32_t level = 0; level < layout->n_levels; level++) {
            memcpy(end, mb_layout_level(layout, texture->block, level, layer),
                   layout->level_layer_bytes[level]);
            end += layout->level_layer_bytes[level];
        }
    }
    assert(end == out->data + out->n_bytes);
    return MB_OK;
}

/* ---- Reading */

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

/* Check a file's extent, and set the layout of one of its layers; 0 levels mean one. */
MB_MUST_CHECK static enum mb_status check_extent(struct mb_reader *reader,
                                                 const struct mb_format *format,
                                                 struct mb_extent base, uint32_t n_levels,
                                                 struct mb_layout *layout, struct mb_err *err)
{
    MB_DO(mb_reader_size(reader, base.width, base.height, MB_DEPTH_U8, 0, err));
    if (n_levels > mb_full_level_count(base)) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    mb_layout_init(layout, format, base, 1, n_levels > 0 ? n_levels : 1);
    return MB_OK;
}

/* Decode the texels at byte `at`; the caller has checked that they lie within the file. If
 * `is_bgra`, red and blue are swapped. */
MB_MUST_CHECK static enum mb_status read_texels(struct mb_reader *reader,
                                                const struct mb_format *format, uint64_t at,
                                                bool is_bgra, struct mb_err *err)
{
    struct mb_image *image = reader->image;
    const bool is_codes = format->codec == MB_CODEC_UNORM8 || format->codec == MB_CODEC_SRGB8;
    const enum mb_depth depth = is_codes ? MB_DEPTH_U8 : MB_DEPTH_F32;
    const struct mb_format *const out_format = mb_format_find(is_codes ? "rgba8" : "rgba32f");
    MB_DO(mb_reader_start(reader, image->width, image->height, depth, 0, err));
    const size_t n_texels = (size_t)image->width * image->height;
    uint8_t *out = image->texels;
    mb_format_convert(format, reader->begin + at, n_texels, out_format, out);
    for (size_t i = 0; is_bgra && i < n_texels * 4; i += 4) {
        const uint8_t blue = out[i];
        out[i] = out[i + 2];
        out[i + 2] = blue;
    }
    image->format = format;
    return MB_OK;
}

/* Rows and channels are read as they lie: say so if the metadata asks for another order. Each
 * entry begins at a multiple of 4 bytes, and has its size, its key and its value. */
static void note_order(const struct mb_reader *reader, const struct ktx2_header *head)
{
    static const char *const usual[][2] = {{"KTXorientation", "rd"}, {"KTXswizzle", "rgba"}};
    const size_t n_bytes = (size_t)(reader->end - reader->begin);
    const size_t end = (size_t)head->kvd_offset + head->kvd_bytes;
    for (size_t i = 0; end <= n_bytes && i < MB_COUNTOF(usual); i++) {
        const size_t n_key = strlen(usual[i][0]) + 1, n_value = strlen(usual[i][1]) + 1;
        for (size_t at = head->kvd_offset; at + n_key + n_value <= end; at += 4) {
            const char *key = (const char *)reader->begin + at, *value = key + n_key;
            if (memcmp(key, usual[i][0], n_key) == 0 &&
                memcmp(value, usual[i][1], n_value) != 0) {
                mb_log(MB_LOG_WARN, "%s: its %s '%.*s' is not applied", reader->path,
                       usual[i][0], (int)n_value - 1, value);
            }
        }
    }
}

static void note_premultiplied(const struct mb_reader *reader, bool is_premultiplied)
{
    if (is_premultiplied) {
        mb_log(MB_LOG_WARN, "%s: its alpha is premultiplied, and is read as straight",
               reader->path);
    }
}

enum mb_status mb_ktx2_decode(struct mb_reader *reader, struct mb_err *err)
{
    const size_t n_bytes = mb_reader_left(reader);
    struct ktx2_header head;
    struct ktx2_level level;
    const struct mb_format *format = NULL;
    struct mb_layout layout;
    if (n_bytes < sizeof head + sizeof level) {
        return mb_reader_bad(reader, "truncated", err);
    }
    memcpy(&head, reader->begin, sizeof head);
    memcpy(&level, reader->begin + sizeof head, sizeof level);
    MB_FAIL_IF(head.scheme != 0, err, MB_ERRC_INPUT,
               "%s: KTX2 with supercompression (scheme %u) is not read", reader->path,
               head.scheme);
    MB_DO(find_format(reader, "VkFormat", head.vk_format, &format, err));
    if (head.depth != 0 || (head.n_faces != 1 && head.n_faces != N_FACES) || head.height == 0) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    MB_DO(check_extent(reader, format, (struct mb_extent){head.width, head.height},
                       head.n_levels, &layout, err));
    const uint64_t n_layers =
        (uint64_t)(head.n_elements > 0 ? head.n_elements : 1) * head.n_faces;
    const uint64_t layer_bytes = layout.level_layer_bytes[0];
    if (level.n_bytes / layer_bytes != n_layers || level.n_bytes % layer_bytes != 0) {
        return mb_reader_bad(reader, "level 0 has the wrong size", err);
    }
    if (level.offset < sizeof head + sizeof level || level.offset > n_bytes ||
        level.n_bytes > n_bytes - level.offset) {
        return mb_reader_bad(reader, "level 0 does not lie within the file", err);
    }
    if (level.offset % level_alignment(format) != 0) {
        return mb_reader_bad(reader, "level 0 is not aligned", err);
    }
    note_order(reader, &head);
    note_premultiplied(reader, head.dfd_offset < n_bytes &&
                                   n_bytes - head.dfd_offset >= DFD_HEAD_BYTES &&
                                   (reader->begin[head.dfd_offset + DFD_FLAGS_AT] & 1) != 0);
    return read_texels(reader, format, level.offset, false, err);
}

/* The DXGI_FORMAT of a header without the DX10 part; 0 if unknown. Floats have numbers from
 * D3DFMT_R16F on, formats of 8 bits a channel have masks. */
static uint32_t find_old_format(const struct dds_header *head, bool *is_bgra)
{
    static const uint8_t floats[] = {54, 34, 10, 41, 16, 2};
    if ((head->pixel_flags & DDPF_FOURCC) != 0) {
        const uint32_t i = head->four_cc - D3DFMT_R16F;
        return i < MB_COUNTOF(floats) ? floats[i] : 0;
    }
    *is_bgra = head->red == 0xff0000 && head->blue == 0xff;
    const bool is_rgba = head->red == 0xff && head->blue == 0xff0000;
    const bool is_8_bit = (head->pixel_flags & DDPF_RGBA) == DDPF_RGBA && head->n_bits == 32 &&
                          head->green == 0xff00 && head->alpha == 0xff000000;
    return is_8_bit && (is_rgba || *is_bgra) ? DXGI_RGBA8 : 0;
}

/* The number of layers, which for a cube are its faces; 0 if the texture is not 2D. */
static uint64_t count_layers(const struct dds_header *head, bool is_dx10)
{
    uint64_t n_faces = 0;
    if (is_dx10) {
        const bool is_cube = (head->misc & RESOURCE_MISC_CUBE) != 0;
        return head->dimension == RESOURCE_TEXTURE2D
                   ? (uint64_t)head->n_elements * (is_cube ? N_FACES : 1)
                   : 0;
    }
    for (uint32_t face = DDSCAPS2_FACE; face < DDSCAPS2_FACE << N_FACES; face <<= 1) {
        n_faces += (head->caps_2 & face) != 0;
    }
    return (head->caps_2 & DDSCAPS2_VOLUME) != 0 ? 0
           : (head->caps_2 & DDSCAPS2_CUBE) != 0 ? n_faces
                                                 : 1;
}

enum mb_status mb_dds_decode(struct mb_reader *reader, struct mb_err *err)
{
    const size_t n_bytes = mb_reader_left(reader);
    struct dds_header head = {0};
    const struct mb_format *format = NULL;
    struct mb_layout layout;
    bool is_bgra = false;
    if (n_bytes < DDS_OLD_BYTES) {
        return mb_reader_bad(reader, "truncated", err);
    }
    memcpy(&head, reader->begin, n_bytes < sizeof head ? n_bytes : sizeof head);
    if (head.header_bytes != DDS_HEADER_BYTES ||
        head.pixel_format_bytes != PIXEL_FORMAT_BYTES) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    const bool is_dx10 = (head.pixel_flags & DDPF_FOURCC) != 0 && head.four_cc == DX10;
    const size_t head_bytes = is_dx10 ? sizeof head : DDS_OLD_BYTES;
    if (n_bytes < head_bytes) {
        return mb_reader_bad(reader, "truncated", err);
    }
    const uint32_t number = is_dx10 ? head.dxgi_format : find_old_format(&head, &is_bgra);
    if (!is_dx10 && number == 0) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: compressed DDS, or one with these masks, is not read",
                reader->path);
        return mb_err_hint(err, "'texconv -dx10 -f R8G8B8A8_UNORM' writes one that is");
    }
    MB_DO(find_format(reader, "DXGI_FORMAT", number, &format, err));
    const uint64_t n_layers = count_layers(&head, is_dx10);
    if (n_layers == 0) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    MB_DO(check_extent(reader, format, (struct mb_extent){head.width, head.height},
                       head.n_levels, &layout, err));
    if ((n_bytes - head_bytes) / n_layers < mb_layout_compulsory_bytes(&layout)) {
        return mb_reader_bad(reader, "truncated", err);
    }
    note_premultiplied(reader, is_dx10 && (head.alpha_mode & 7) == ALPHA_MODE_PREMULTIPLIED);
    return read_texels(reader, format, head_bytes, is_bgra, err);
}
