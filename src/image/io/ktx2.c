/* KTX 2.0 output. The parts of a file, in order:
 *
 *     identifier, header, index              80 bytes
 *     level index, level 0 first             24 bytes a level
 *     data format descriptor                 says what the bits of a texel mean
 *     key/value data                         padded to 4 bytes
 *     levels, the smallest first             each padded to the texel's size and to 4 bytes
 */
#include "image/io/texture.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/version.h"
#include "image/io/little_endian.h"

#define HEADER_BYTES      80u
#define LEVEL_INDEX_BYTES 24u
#define MAX_KVD_BYTES     256u

/* The basic data format descriptor: its total size, a block's head, and samples. */
#define DFD_HEAD_BYTES    28u
#define DFD_SAMPLE_BYTES  16u
#define DFD_VERSION       2u /* Khronos Data Format Specification 1.3 */
#define DFD_MODEL_RGBSDA  1u
#define DFD_PRIMARIES_709 1u
#define DFD_LINEAR        1u
#define DFD_SRGB          2u
#define DFD_STRAIGHT      0u /* of the flags: alpha is not premultiplied */
#define DFD_ALPHA         15u
#define DFD_IS_LINEAR     0x10u /* qualifiers, beside the channel: alpha is not on sRGB's curve */
#define DFD_IS_SIGNED     0x40u
#define DFD_IS_FLOAT      0x80u
#define FLOAT_ONE         0x3f800000u
#define FLOAT_MINUS_ONE   0xbf800000u

static const uint8_t identifier[12] = {0xab, 'K',  'T',  'X',  ' ',  '2',
                                       '0',  0xbb, '\r', '\n', 0x1a, '\n'};

/* Where the parts lie. */
struct plan {
    size_t dfd_offset, dfd_bytes;
    size_t kvd_offset, kvd_bytes;
    size_t level_offset[MB_MAX_LEVELS];
    size_t total_bytes;
    uint8_t kvd[MAX_KVD_BYTES];
};

static size_t level_bytes(const struct mb_layout *layout, uint32_t level)
{
    return layout->level_layer_bytes[level] * layout->n_layers;
}

/* One key with its value, both terminated, after `n_bytes` others. */
static size_t add_key(uint8_t kvd[MAX_KVD_BYTES], size_t n_bytes, const char *key,
                      const char *value)
{
    const size_t key_bytes = strlen(key) + 1;
    const size_t value_bytes = strlen(value) + 1;
    assert(n_bytes + 4 + key_bytes + value_bytes + 3 <= MAX_KVD_BYTES);
    uint8_t *out = mb_put_u32(kvd + n_bytes, (uint32_t)(key_bytes + value_bytes));
    memcpy(out, key, key_bytes);
    memcpy(out + key_bytes, value, value_bytes);
    n_bytes += 4 + key_bytes + value_bytes;
    return n_bytes + -n_bytes % 4;
}

/* Least common multiple of 4 and the texel's size: sizes are 1, 2, and powers of two above. */
static size_t level_alignment(const struct mb_format *format)
{
    assert((format->texel_bytes & (format->texel_bytes - 1)) == 0);
    return format->texel_bytes < 4 ? 4 : format->texel_bytes;
}

/* Keys are sorted by code point, as the specification asks. */
static void make_plan(const struct mb_layout *layout, struct plan *plan)
{
    const struct mb_format *format = layout->format;
    *plan = (struct plan){
        .dfd_offset = HEADER_BYTES + LEVEL_INDEX_BYTES * layout->n_levels,
        .dfd_bytes = DFD_HEAD_BYTES + DFD_SAMPLE_BYTES * format->n_channels,
    };
    plan->kvd_bytes = add_key(plan->kvd, 0, "KTXorientation", "rd");
    plan->kvd_bytes = add_key(plan->kvd, plan->kvd_bytes, "KTXwriter", "mipbench " MB_VERSION);
    plan->kvd_offset = plan->dfd_offset + plan->dfd_bytes;
    size_t end = plan->kvd_offset + plan->kvd_bytes;
    for (uint32_t level = layout->n_levels; level-- > 0;) {
        end += -end % level_alignment(format);
        plan->level_offset[level] = end;
        end += level_bytes(layout, level);
    }
    plan->total_bytes = end;
}

/* Size of the words that a machine of the other byte order would have to swap. */
static uint32_t type_bytes(const struct mb_format *format)
{
    const bool is_packed =
        format->codec == MB_CODEC_UNORM10_2 || format->codec == MB_CODEC_UFLOAT11_10;
    return is_packed ? 4 : format->texel_bytes / format->n_channels;
}

static uint8_t *put_header(const struct mb_texture *texture, const struct plan *plan,
                           uint8_t *out)
{
    const struct mb_layout *layout = texture->layout;
    const uint32_t n_faces = texture->is_cube ? 6 : 1;
    const uint32_t n_elements = layout->n_layers / n_faces;
    const uint32_t words[] = {
        (uint32_t)layout->format->vk_format,
        type_bytes(layout->format),
        layout->base.width,
        layout->base.height,
        0,                               /* depth: not a volume */
        n_elements > 1 ? n_elements : 0, /* layers: 0 is "not an array" */
        n_faces,
        layout->n_levels,
        0, /* no supercompression */
        (uint32_t)plan->dfd_offset,
        (uint32_t)plan->dfd_bytes,
        (uint32_t)plan->kvd_offset,
        (uint32_t)plan->kvd_bytes,
    };
    memcpy(out, identifier, sizeof identifier);
    out += sizeof identifier;
    for (size_t i = 0; i < MB_COUNTOF(words); i++) {
        out = mb_put_u32(out, words[i]);
    }
    out = mb_put_u64(out, 0); /* no global data of a supercompression */
    out = mb_put_u64(out, 0);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        out = mb_put_u64(out, plan->level_offset[level]);
        out = mb_put_u64(out, level_bytes(layout, level));
        out = mb_put_u64(out, level_bytes(layout, level));
    }
    return out;
}

/* Bits of a channel, and what a UNORM channel has as one. */
static uint32_t channel_bits(const struct mb_format *format, uint32_t channel)
{
    static const uint32_t bits_10_2[] = {10, 10, 10, 2};
    static const uint32_t bits_11_10[] = {11, 11, 10};
    switch (format->codec) {
    case MB_CODEC_UNORM10_2:
        return bits_10_2[channel];
    case MB_CODEC_UFLOAT11_10:
        return bits_11_10[channel];
    case MB_CODEC_UNORM8:
    case MB_CODEC_SRGB8:
        return 8;
    case MB_CODEC_SFLOAT16:
        return 16;
    case MB_CODEC_SFLOAT32:
        return 32;
    }
    return 0;
}

/* One channel. For floats the bounds are those of [-1, 1] or [0, 1], as 32-bit floats whatever
 * the width: what stands for black and white, not what can be stored. */
static uint8_t *put_sample(const struct mb_format *format, uint32_t channel,
                           uint32_t bit_offset, uint8_t *out)
{
    const uint32_t n_bits = channel_bits(format, channel);
    const bool is_float = !mb_format_is_unorm(format);
    const bool is_signed = is_float && format->codec != MB_CODEC_UFLOAT11_10;
    uint32_t type = channel == 3 ? DFD_ALPHA : channel;
    type |= is_float ? DFD_IS_FLOAT : 0;
    type |= is_signed ? DFD_IS_SIGNED : 0;
    type |= channel == 3 && format->codec == MB_CODEC_SRGB8 ? DFD_IS_LINEAR : 0;
    out = mb_put_u32(out, bit_offset | (n_bits - 1) << 16 | type << 24);
    out = mb_put_u32(out, 0); /* position within the texel */
    out = mb_put_u32(out, is_signed ? FLOAT_MINUS_ONE : 0);
    return mb_put_u32(out, is_float ? FLOAT_ONE : (1u << n_bits) - 1);
}

static uint8_t *put_dfd(const struct mb_format *format, const struct plan *plan, uint8_t *out)
{
    const uint32_t transfer = format->codec == MB_CODEC_SRGB8 ? DFD_SRGB : DFD_LINEAR;
    const uint32_t block_bytes = (uint32_t)plan->dfd_bytes - 4;
    const uint32_t words[] = {
        (uint32_t)plan->dfd_bytes,
        0, /* Khronos' own descriptor, of the basic kind */
        DFD_VERSION | block_bytes << 16,
        DFD_MODEL_RGBSDA | DFD_PRIMARIES_709 << 8 | transfer << 16 | DFD_STRAIGHT << 24,
        0, /* a block is one texel */
        format->texel_bytes,
        0, /* further planes */
    };
    for (size_t i = 0; i < MB_COUNTOF(words); i++) {
        out = mb_put_u32(out, words[i]);
    }
    uint32_t bit_offset = 0;
    for (uint32_t channel = 0; channel < format->n_channels; channel++) {
        out = put_sample(format, channel, bit_offset, out);
        bit_offset += channel_bits(format, channel);
    }
    return out;
}

enum mb_status mb_ktx2_encode(const struct mb_texture *texture, struct mb_bytes *out,
                              struct mb_err *err)
{
    const struct mb_layout *layout = texture->layout;
    struct plan plan;
    make_plan(layout, &plan);
    *out = (struct mb_bytes){0};
    uint8_t *data = mb_alloc(plan.total_bytes, 1); /* zeroed: padding */
    if (data == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "out of memory for a KTX file of %ux%u texels",
                       layout->base.width, layout->base.height);
    }
    uint8_t *end = put_header(texture, &plan, data);
    assert(end == data + plan.dfd_offset);
    end = put_dfd(layout->format, &plan, end);
    assert(end == data + plan.kvd_offset);
    memcpy(end, plan.kvd, plan.kvd_bytes);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        memcpy(data + plan.level_offset[level],
               mb_layout_level(layout, texture->block, level, 0), level_bytes(layout, level));
    }
    *out = (struct mb_bytes){.data = data, .n_bytes = plan.total_bytes};
    return MB_OK;
}
