/* Texture files: every word of the headers against numbers taken from the specifications by
 * hand, and every texel where a reader looks for it. */
#include "check.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/version.h"
#include "image/io/texture.h"

#define ONE       0x3f800000u /* of a 32-bit float */
#define MINUS_ONE 0xbf800000u

/* Lower and upper bound of a sample, the upper one of alpha. */
enum kind { CODES, WIDE, SIGNED, UNSIGNED };
static const uint32_t bounds[][3] = {
    [CODES] = {0, 255, 255},
    [WIDE] = {0, 1023, 3},
    [SIGNED] = {MINUS_ONE, ONE, ONE},
    [UNSIGNED] = {0, ONE, ONE},
};

/* What the specifications say of a format; of KTX's samples the first words: bit offset, bits
 * less one, channel and qualifiers. */
static const struct expected {
    const char *name;
    uint32_t vk, type_bytes, dxgi, transfer, alpha_mode, alignment;
    enum kind kind;
    uint32_t sample[4];
} formats[] = {
    {"rgba8", 37, 1, 28, 1, 1, 4, CODES, {0x70000, 0x1070008, 0x2070010, 0xf070018}},
    {"rgba8-srgb", 43, 1, 29, 2, 1, 4, CODES, {0x70000, 0x1070008, 0x2070010, 0x1f070018}},
    {"r8", 9, 1, 61, 1, 0, 4, CODES, {0x70000}},
    {"rg8", 16, 1, 49, 1, 0, 4, CODES, {0x70000, 0x1070008}},
    {"rgb10a2", 64, 4, 24, 1, 1, 4, WIDE, {0x90000, 0x109000a, 0x2090014, 0xf01001e}},
    {"r16f", 76, 2, 54, 1, 0, 4, SIGNED, {0xc00f0000}},
    {"rg16f", 83, 2, 34, 1, 0, 4, SIGNED, {0xc00f0000, 0xc10f0010}},
    {"rgba16f", 97, 2, 10, 1, 1, 8, SIGNED, {0xc00f0000, 0xc10f0010, 0xc20f0020, 0xcf0f0030}},
    {"r32f", 100, 4, 41, 1, 0, 4, SIGNED, {0xc01f0000}},
    {"rgba32f", 109, 4, 2, 1, 1, 16, SIGNED, {0xc01f0000, 0xc11f0020, 0xc21f0040, 0xcf1f0060}},
    {"rg11b10f", 122, 4, 26, 1, 0, 4, UNSIGNED, {0x800a0000, 0x810a000b, 0x82090016}},
};

struct fixture {
    const struct expected *expected;
    struct mb_layout layout;
    uint8_t *block;
    struct mb_texture texture;
};

static void setup(struct fixture *f, const struct expected *expected, struct mb_extent base,
                  uint32_t n_layers, bool is_cube)
{
    *f = (struct fixture){.expected = expected};
    mb_layout_init(&f->layout, mb_format_find(expected->name), base, n_layers,
                   mb_full_level_count(base));
    f->block = mb_malloc(f->layout.total_bytes);
    uint32_t state = 1;
    for (size_t i = 0; i < f->layout.total_bytes; i++) {
        state = state * 1664525u + 1013904223u;
        f->block[i] = (uint8_t)(state >> 24);
    }
    f->texture =
        (struct mb_texture){.layout = &f->layout, .is_cube = is_cube, .block = f->block};
}

static uint64_t word(const struct mb_bytes *file, size_t offset, unsigned n_bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n_bytes && offset + i < file->n_bytes; i++) {
        value |= (uint64_t)file->data[offset + i] << (8 * i);
    }
    return value;
}

static void check_words(const struct mb_bytes *file, size_t offset, const uint32_t *want,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK_EQ_INT(word(file, offset + 4 * i, 4), want[i]);
    }
}

static void check_dfd(const struct fixture *f, const struct mb_bytes *file, size_t offset)
{
    const struct expected *expected = f->expected;
    const uint32_t n_samples = f->layout.format->n_channels;
    const uint32_t head[] = {
        28 + 16 * n_samples,
        0,
        2 | (24 + 16 * n_samples) << 16,
        1 | 1 << 8 | expected->transfer << 16, /* RGBSDA, BT.709, and flags 0: straight */
        0,
        f->layout.format->texel_bytes,
        0,
    };
    check_words(file, offset, head, MB_COUNTOF(head));
    for (uint32_t i = 0; i < n_samples; i++) {
        const uint32_t *bound = bounds[expected->kind];
        const uint32_t want[] = {expected->sample[i], 0, bound[0], bound[i < 3 ? 1 : 2]};
        check_words(file, offset + 28 + 16 * i, want, MB_COUNTOF(want));
    }
}

static void check_keys(const struct mb_bytes *file, size_t offset, size_t n_bytes)
{
    static const char orientation[] = "KTXorientation\0rd";
    static const char writer[] = "KTXwriter\0mipbench " MB_VERSION;
    const size_t second = offset + 4 + (sizeof orientation + 3) / 4 * 4;
    CHECK_EQ_INT(word(file, offset, 4), sizeof orientation);
    CHECK(memcmp(file->data + offset + 4, orientation, sizeof orientation) == 0);
    CHECK_EQ_INT(word(file, second, 4), sizeof writer);
    CHECK(memcmp(file->data + second + 4, writer, sizeof writer) == 0);
    CHECK_EQ_INT(offset + n_bytes, second + 4 + (sizeof writer + 3) / 4 * 4);
}

/* Levels lie from the smallest to the largest, each aligned, with nothing but zeros between. */
static void check_ktx2_levels(const struct fixture *f, const struct mb_bytes *file, size_t end)
{
    const struct mb_layout *layout = &f->layout;
    for (uint32_t level = layout->n_levels; level-- > 0;) {
        const size_t index = 80 + 24 * level;
        const size_t n_bytes = layout->level_layer_bytes[level] * layout->n_layers;
        const size_t offset = (size_t)word(file, index, 8);
        const size_t aligned = (end + f->expected->alignment - 1) / f->expected->alignment *
                               f->expected->alignment;
        CHECK_EQ_INT(offset, aligned);
        CHECK_EQ_INT(word(file, index + 8, 8), n_bytes);
        CHECK_EQ_INT(word(file, index + 16, 8), n_bytes);
        for (size_t i = end; i < offset; i++) {
            CHECK_EQ_INT(file->data[i], 0);
        }
        CHECK(offset + n_bytes <= file->n_bytes &&
              memcmp(file->data + offset, f->block + layout->level_offset_bytes[level],
                     n_bytes) == 0);
        end = offset + n_bytes;
    }
    CHECK_EQ_INT(file->n_bytes, end);
}

static void check_ktx2(const struct fixture *f)
{
    static const char magic[12] = "\xabKTX 20\xbb\r\n\x1a\n";
    const struct mb_layout *layout = &f->layout;
    struct mb_bytes file;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_ktx2_encode(&f->texture, &file, &err), MB_OK);
    const uint32_t dfd = 80 + 24 * layout->n_levels;
    const uint32_t dfd_bytes = 28 + 16 * layout->format->n_channels;
    const uint32_t kvd_bytes = (uint32_t)word(&file, 60, 4);
    const uint32_t n_elements = layout->n_layers / (f->texture.is_cube ? 6 : 1);
    const uint32_t head[] = {
        f->expected->vk,
        f->expected->type_bytes,
        layout->base.width,
        layout->base.height,
        0,
        n_elements > 1 ? n_elements : 0,
        f->texture.is_cube ? 6 : 1,
        layout->n_levels,
        0,
        dfd,
        dfd_bytes,
        dfd + dfd_bytes,
        kvd_bytes,
        0,
        0,
        0,
        0,
    };
    CHECK(memcmp(file.data, magic, sizeof magic) == 0);
    check_words(&file, 12, head, MB_COUNTOF(head));
    check_dfd(f, &file, dfd);
    check_keys(&file, dfd + dfd_bytes, kvd_bytes);
    check_ktx2_levels(f, &file, dfd + dfd_bytes + kvd_bytes);
    mb_bytes_finish(&file);
}

/* Layer by layer, each from the largest level to the smallest, with nothing between. */
static void check_dds_texels(const struct fixture *f, const struct mb_bytes *file)
{
    const struct mb_layout *layout = &f->layout;
    size_t offset = 148;
    for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
        for (uint32_t level = 0; level < layout->n_levels; level++) {
            const size_t n_bytes = layout->level_layer_bytes[level];
            CHECK(offset + n_bytes <= file->n_bytes &&
                  memcmp(file->data + offset, mb_layout_level(layout, f->block, level, layer),
                         n_bytes) == 0);
            offset += n_bytes;
        }
    }
    CHECK_EQ_INT(file->n_bytes, offset);
}

static void check_dds(const struct fixture *f)
{
    const struct mb_layout *layout = &f->layout;
    const bool is_cube = f->texture.is_cube;
    const bool is_complex = layout->n_levels > 1 || layout->n_layers > 1;
    struct mb_bytes file;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_dds_encode(&f->texture, &file, &err), MB_OK);
    const uint32_t head[37] = {
        [0] = 0x20534444, /* "DDS " */
        [1] = 124,
        [2] = 0x2100f,
        [3] = layout->base.height,
        [4] = layout->base.width,
        [5] = layout->base.width * layout->format->texel_bytes,
        [7] = layout->n_levels,
        [19] = 32,
        [20] = 4,
        [21] = 0x30315844, /* "DX10" */
        [27] = 0x1000u | (is_complex ? 8u : 0) | (layout->n_levels > 1 ? 0x400000u : 0),
        [28] = is_cube ? 0xfe00 : 0,
        [32] = f->expected->dxgi,
        [33] = 3,
        [34] = is_cube ? 4 : 0,
        [35] = is_cube ? layout->n_layers / 6 : layout->n_layers,
        [36] = f->expected->alpha_mode,
    };
    check_words(&file, 0, head, MB_COUNTOF(head));
    check_dds_texels(f, &file);
    mb_bytes_finish(&file);
}

static void check_shape(const struct expected *expected, struct mb_extent base,
                        uint32_t n_layers, bool is_cube)
{
    struct fixture f;
    setup(&f, expected, base, n_layers, is_cube);
    check_ktx2(&f);
    check_dds(&f);
    mb_free(f.block);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

static void test_shapes(const struct expected *expected)
{
    check_shape(expected, (struct mb_extent){13, 9}, 1, false);
    check_shape(expected, (struct mb_extent){1, 1}, 1, false);
    check_shape(expected, (struct mb_extent){1, 1}, 2, false);
    check_shape(expected, (struct mb_extent){5, 17}, 3, false);
    check_shape(expected, (struct mb_extent){7, 7}, 6, true);
    check_shape(expected, (struct mb_extent){6, 6}, 12, true);
}

static void test_no_memory(void)
{
    struct fixture f;
    struct mb_bytes file;
    struct mb_err err = {0};
    setup(&f, &formats[0], (struct mb_extent){4, 4}, 1, false);
    mb_alloc_fail_nth(1, false);
    CHECK_EQ_INT(mb_ktx2_encode(&f.texture, &file, &err), MB_FAILED);
    CHECK(file.data == NULL);
    CHECK_EQ_STR(err.text, "out of memory for a KTX file of 4x4 texels");
    mb_alloc_fail_nth(1, false);
    CHECK_EQ_INT(mb_dds_encode(&f.texture, &file, &err), MB_FAILED);
    CHECK(file.data == NULL);
    CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    mb_free(f.block);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

int main(void)
{
    CHECK_EQ_INT(MB_COUNTOF(formats), mb_format_count); /* a new one is to be added here */
    for (size_t i = 0; i < MB_COUNTOF(formats); i++) {
        test_shapes(&formats[i]);
    }
    test_no_memory();
    return check_summary("texture");
}
