/* Loading: each format right, each hostile file refused with one clear sentence. */
#include "check.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "image/image.h"

static char dir[] = "/tmp/mipbench-test-image-XXXXXX";

/* A file being put together. */
struct build {
    uint8_t data[4096];
    size_t n;
};

static void put(struct build *b, const void *data, size_t n)
{
    memcpy(b->data + b->n, data, n);
    b->n += n;
}

static void put_text(struct build *b, const char *text)
{
    put(b, text, strlen(text));
}

static void put_u16_le(struct build *b, uint32_t v)
{
    put(b, (uint8_t[]){(uint8_t)v, (uint8_t)(v >> 8)}, 2);
}

static void put_u32_le(struct build *b, uint32_t v)
{
    put_u16_le(b, v & 0xffff);
    put_u16_le(b, v >> 16);
}

static void put_u32_be(struct build *b, uint32_t v)
{
    put(b, (uint8_t[]){(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v},
        4);
}

static void put_chunk(struct build *b, const char *type, const void *data, size_t n)
{
    put_u32_be(b, (uint32_t)n);
    const size_t begin = b->n;
    put(b, type, 4);
    put(b, data, n);
    put_u32_be(b, libdeflate_crc32(0, b->data + begin, b->n - begin));
}

/* A PNG whose filtered rows are `raw`, in one stored deflate block. */
static struct build make_png(uint32_t width, uint32_t height, uint8_t depth, uint8_t colour,
                             const uint8_t *raw, size_t n_raw)
{
    struct build png = {.n = 0}, header = {.n = 0}, zlib = {.n = 0};
    put(&png, "\x89PNG\r\n\x1a\n", 8);
    put_u32_be(&header, width);
    put_u32_be(&header, height);
    put(&header, (uint8_t[]){depth, colour, 0, 0, 0}, 5);
    put_chunk(&png, "IHDR", header.data, header.n);
    put(&zlib, "\x78\x01\x01", 3);
    put_u16_le(&zlib, (uint32_t)n_raw);
    put_u16_le(&zlib, ~(uint32_t)n_raw & 0xffff);
    put(&zlib, raw, n_raw);
    put_u32_be(&zlib, libdeflate_adler32(1, raw, n_raw));
    put_chunk(&png, "IDAT", zlib.data, zlib.n);
    put_chunk(&png, "IEND", "", 0);
    return png;
}

static const uint8_t png_raw[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11, 12, 13, 14, 15, 255};

static struct build make_png8(void)
{
    return make_png(2, 2, 8, 6, png_raw, sizeof png_raw);
}

/* The headers of a BMP with a palette of `n_colours`; rows follow it. */
static struct build begin_bmp(uint32_t width, uint32_t height, uint32_t bits,
                              uint32_t n_colours)
{
    const uint32_t words[] = {0, 0, 54 + n_colours * 4, 40, width, height, 1 | bits << 16, 0, 0,
                              0, 0, n_colours,          0};
    struct build bmp = {.n = 0};
    put_text(&bmp, "BM");
    for (size_t i = 0; i < MB_COUNTOF(words); i++) {
        put_u32_le(&bmp, words[i]);
    }
    for (uint32_t i = 0; i < n_colours; i++) {
        put_u32_le(&bmp, 0x010203 * (i + 1));
    }
    return bmp;
}

static struct build make_bmp(uint32_t width, uint32_t height)
{
    struct build bmp = begin_bmp(width, height, 24, 0);
    /* Bottom row first, blue first, rows padded to 4 bytes. */
    put(&bmp, (uint8_t[]){7, 8, 9, 10, 11, 12, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0}, 16);
    return bmp;
}

static struct build make_tga(uint8_t type, uint32_t width, uint32_t height, uint8_t bits)
{
    struct build tga = {.n = 0};
    put(&tga, (uint8_t[]){0, 0, type, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 12);
    put_u16_le(&tga, width);
    put_u16_le(&tga, height);
    put(&tga, (uint8_t[]){bits, 0x20}, 2); /* top row first */
    return tga;
}

static struct build make_tga8(void)
{
    struct build tga = make_tga(2, 2, 1, 24);
    put(&tga, (uint8_t[]){3, 2, 1, 6, 5, 4}, 6);
    return tga;
}

static struct build make_hdr(const char *extent)
{
    struct build hdr = {.n = 0};
    put_text(&hdr, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n");
    put_text(&hdr, extent);
    put(&hdr, (uint8_t[]){128, 64, 32, 129, 0, 0, 0, 0}, 8);
    return hdr;
}

static char *write_file(const char *name, const void *data, size_t n)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, n, file) != n || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    return path;
}

/* Decode what was built; the caller checks and finishes the image. */
static struct mb_image load(const struct build *b)
{
    struct mb_image image;
    struct mb_err err = {0};
    const struct mb_bytes file = {.data = (uint8_t *)b->data, .n_bytes = b->n};
    must(mb_image_decode(&image, "good.bin", &file, &err), &err);
    return image;
}

static void check_u8(const struct build *b, uint32_t width, uint32_t height,
                     const uint8_t *want)
{
    struct mb_image image = load(b);
    CHECK_EQ_INT(image.width, width);
    CHECK_EQ_INT(image.height, height);
    CHECK_EQ_INT(image.depth, MB_DEPTH_U8);
    CHECK_EQ_STR(image.name, "good");
    CHECK_EQ_INT(strlen(image.sha256), 64);
    CHECK(image.texels != NULL && memcmp(image.texels, want, (size_t)width * height * 4) == 0);
    mb_image_finish(&image);
}

/* What image_files.py of the fuzz suite does not have. */
static void check_formats(void)
{
    struct build b = make_png8();
    check_u8(&b, 2, 2, (uint8_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255});
    b = make_tga(10, 200, 1, 24); /* two packets: 128 and 72 texels alike */
    put(&b, (uint8_t[]){0xff, 1, 2, 3, 0xc7, 4, 5, 6}, 8);
    uint8_t run[800];
    for (size_t i = 0; i < 200; i++) {
        memcpy(run + i * 4, i < 128 ? "\3\2\1\xff" : "\6\5\4\xff", 4);
    }
    check_u8(&b, 200, 1, run);
    b.n = 0;
    put_text(&b, "P5\n2 1\n100\n");
    put(&b, (uint8_t[]){50, 200}, 2); /* 50 of 100, and one above the maximum */
    check_u8(&b, 2, 1, (uint8_t[]){128, 128, 128, 255, 255, 255, 255, 255});
    b = make_hdr("-Y 1 +X 2\n");
    struct mb_image image = load(&b);
    CHECK_EQ_INT(image.depth, MB_DEPTH_F32);
    CHECK_EQ_STR(mb_image_natural_format(&image, false)->name, "rgba16f");
    mb_image_finish(&image);
}

/* The file must be refused as bad input, its name and `needle` in the message. */
static void check_refused(const void *data, size_t n, const char *needle, const char *hint)
{
    struct mb_image image;
    struct mb_err err = {0};
    const struct mb_bytes file = {.data = (uint8_t *)data, .n_bytes = n};
    const uint64_t n_live = mb_alloc_live_count();
    CHECK_EQ_INT(mb_image_decode(&image, "hostile.bin", &file, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK(strstr(err.text, "hostile.bin") != NULL);
    if (!check_record(strstr(err.text, needle) != NULL, __FILE__, __LINE__)) {
        fprintf(stderr, "'%s' lacks '%s'\n", err.text, needle);
    }
    CHECK(strstr(err.hint, hint) != NULL);
    CHECK(image.texels == NULL);
    CHECK_EQ_INT(mb_alloc_live_count(), n_live);
}

static void check_build_refused(struct build b, const char *needle)
{
    check_refused(b.data, b.n, needle, "");
}

static void check_strangers(void)
{
    check_refused("GIF89a......", 12, "GIF is not read", "convert");
    check_refused("8BPS........", 12, "PSD is not read", "convert");
    check_refused("RIFF....WEBPVP8 ", 16, "WebP is not read", "convert");
    check_refused("P3 1 1 255 0 0 0", 16, "PNM in text", "convert");
    check_refused("Hello, world. This is no image at all.", 38, "not an image", "PNG, ");
    check_refused("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 23, "not an image", "PNG");
    check_refused("B", 1, "not an image", "PNG");
}

/* Random bytes with a header that could pass for TGA by chance: none of 2000 may. */
static void check_rubbish(void)
{
    struct mb_rng rng;
    unsigned n_accepted = 0;
    mb_rng_init(&rng, 1);
    for (int i = 0; i < 2000; i++) {
        uint8_t data[256];
        struct mb_image image;
        struct mb_err err = {0};
        for (size_t k = 0; k < sizeof data; k++) {
            data[k] = (uint8_t)mb_rng_next(&rng);
        }
        const struct mb_bytes file = {.data = data, .n_bytes = sizeof data};
        n_accepted += mb_image_decode(&image, "rubbish.bin", &file, &err) == MB_OK;
        mb_image_finish(&image);
    }
    CHECK_EQ_INT(n_accepted, 0);
}

/* Cut at every length: never accepted, never a crash. */
static void check_cut(struct build b, size_t n_needed)
{
    for (size_t n = 1; n < n_needed; n++) {
        check_refused(b.data, n, ":", "");
    }
}

/* Two rows of 12: runs of 12 alike, then 12 literals, for each of r, g, b, e. */
static void check_hdr_runs(void)
{
    struct build b = {.n = 0};
    put_text(&b, "#?RGBE\n# made by hand\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 12\n");
    put(&b, (uint8_t[]){2, 2, 0, 12, 140, 64, 140, 128, 140, 0, 140, 130}, 12);
    put(&b, (uint8_t[]){2, 2, 0, 12, 12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 17);
    put(&b, (uint8_t[]){130, 7, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 140, 0, 140, 136}, 17);
    struct mb_image image = load(&b);
    const float *f32 = image.texels;
    CHECK_EQ_INT(image.width, 12);
    CHECK_EQ_INT(image.height, 2);
    for (int x = 0; f32 != NULL && x < 12; x++) {
        const float *top = f32 + x * 4, *bottom = f32 + (12 + x) * 4;
        CHECK(top[0] == 1.0f && top[1] == 2.0f && top[2] == 0.0f && top[3] == 1.0f);
        CHECK(bottom[0] == (float)x && bottom[1] == (x < 2 ? 7.0f : x == 11 ? 9.0f : 0.0f));
    }
    mb_image_finish(&image);
    check_cut(b, b.n);
    b.data[b.n - 2] = 0; /* a run of length 0: stb would never return */
    check_build_refused(b, "truncated or damaged");
    b.data[b.n - 2] = 141; /* beyond the row */
    check_build_refused(b, "truncated or damaged");
}

static void check_truncated(void)
{
    struct build b = make_png8();
    check_cut(b, b.n);
    b = make_bmp(2, 2);
    check_cut(b, b.n - 2); /* all but the padding of the last row */
    b = make_tga8();
    check_cut(b, b.n);
    b = make_hdr("-Y 1 +X 2\n");
    check_cut(b, b.n);
    b.n = 0;
    put_text(&b, "P6\n2 2\n255\nabcdefghijkl");
    check_cut(b, b.n);
    b.n = 0;
    put_text(&b, "Pf\n1 2\n-1\nabcdefgh");
    check_cut(b, b.n);
}

static void check_lying_headers(void)
{
    check_build_refused(make_png(0, 2, 8, 6, png_raw, 18), "no texels (its header says 0x2)");
    check_build_refused(make_png(2, 0, 8, 6, png_raw, 18), "no texels");
    check_build_refused(make_png(2, 3, 8, 6, png_raw, 18), "not enough texels");
    check_build_refused(make_png(16384, 16384, 8, 6, png_raw, 18), "cannot hold the 16384x");
    check_build_refused(make_png(16385, 1, 8, 6, png_raw, 18), "too large");
    check_build_refused(make_png(0x7fffffff, 0x7fffffff, 8, 6, png_raw, 18), "too large");
    check_build_refused(make_png(2, 2, 8, 5, png_raw, 18), "chunk IHDR is damaged");
    check_build_refused(make_png(2, 2, 7, 6, png_raw, 18), "bad PNG: chunk IHDR");
    check_build_refused(make_bmp(0, 2), "no texels");
    check_build_refused(make_bmp(16385, 1), "too large");
    check_build_refused(make_bmp(16384, 16384), "cannot hold");
    check_build_refused(make_bmp(2, 0x80000000u), "too large: 2x2147483648");
    check_build_refused(make_tga(2, 0, 1, 24), "not an image");
    check_build_refused(make_tga(2, 65535, 65535, 24), "not an image");
    check_build_refused(make_hdr("-Y 0 +X 2\n"), "no texels");
    check_build_refused(make_hdr("-Y -5 +X 2\n"), "no texels");
    check_build_refused(make_hdr("-Y 99999 +X 2\n"), "too large");
    check_build_refused(make_hdr("-Y 9999 +X 9999\n"), "truncated");
    check_build_refused(make_hdr("+Y 1 +X 2\n"), "bad Radiance HDR");
    check_refused("P6 0 1 255\nabc", 14, "no texels", "");
    check_refused("P6 99999999999999 1 255\nabc", 27, "too large", "");
    check_refused("P6 1 1 0\nabc", 12, ": its header is damaged", "");
    check_refused("P6 1 1 65536\nabcdef", 19, ": its header is damaged", "");
    check_refused("P6 -1 1 255\nabc", 15, ": its header is damaged", "");
    check_refused("PF\n0 1\n-1\nabcd", 14, "no texels", "");
    check_refused("PF\n1 -1\n-1\nabcd", 15, "no texels", "");
    check_refused("PF\n99999 1\n-1\nabcd", 18, "too large", "");
    check_refused("PF\n16384 16384\n-1\nabcd", 22, "truncated: 4 bytes", "");
    check_refused("Pf\n1 1\n-1\nabcde", 15, "bad PFM: 5 bytes of texels, 1x1 take 4", "");
    check_refused("Pf\n1 1\n0\nabcd", 13, ": its header is damaged", "");
    check_refused("Pf\n1 1\ninf\nabcd", 15, ": its header is damaged", "");
    check_refused("Pf4\n1 1\n-1\nabcd", 15, ": its header is damaged", "");
    check_refused("Pf\n1 1\n-1", 9, ": its header is damaged", "");
}

/* With a chunk more, behind the header. */
static struct build insert_chunk(struct build png, const char *type, const void *data, size_t n)
{
    struct build b = {.n = 0};
    put(&b, png.data, 33);
    put_chunk(&b, type, data, n);
    put(&b, png.data + 33, png.n - 33);
    return b;
}

/* What the files of the fuzz suite, which are right or wrong as a whole, do not show: reasons.
 */
static void check_png_reasons(void)
{
    const struct build good = make_png8();
    struct build b = good;
    b.data[8 + 4] = 0x1b; /* the first chunk's name */
    check_build_refused(b, "chunk ?HDR is damaged: its checksum is wrong");
    b = good;
    b.data[8 + 25 + 8 + 9] ^= 1; /* a texel */
    check_build_refused(b, "chunk IDAT is damaged");
    b = insert_chunk(good, "IDAT", "", 0);
    check_u8(&b, 2, 2, (uint8_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255});
    check_build_refused(insert_chunk(good, "GAME", "", 0), "chunk GAME is not known");
    b = make_png(2, 1, 8, 3, (uint8_t[]){0, 0, 1}, 3);
    check_build_refused(b, "it has no palette");
    check_build_refused(insert_chunk(b, "PLTE", "\1\2\3", 3),
                        "a texel's index is beyond its palette");
}

/* A BMP of one row, two texels of 8 bits, and a palette of `n_colours`. */
static struct build make_indexed_bmp(uint32_t n_colours)
{
    struct build bmp = begin_bmp(2, 1, 8, n_colours);
    put_u32_le(&bmp, 0x0100);
    return bmp;
}

static void check_bmp_reasons(void)
{
    struct build b = make_indexed_bmp(2);
    check_u8(&b, 2, 1, (uint8_t[]){1, 2, 3, 255, 2, 4, 6, 255});
    b.data[30] = 1;
    check_build_refused(b, "compressed");
    check_build_refused(make_indexed_bmp(1), "a texel's index is beyond its palette");
    b = make_bmp(2, -2u); /* rows from the top */
    check_u8(&b, 2, 2, (uint8_t[]){9, 8, 7, 255, 12, 11, 10, 255, 3, 2, 1, 255, 6, 5, 4, 255});
}

/* Append `n` bits, the highest first, as Huffman codes go into deflate. */
static void put_code(uint8_t *data, size_t *n_bits, unsigned code, unsigned n)
{
    for (unsigned i = n; i-- > 0; (*n_bits)++) {
        data[*n_bits / 8] |= (uint8_t)((code >> i & 1) << *n_bits % 8);
    }
}

/* A PNG of one texel whose 16 KB inflate to 2.6 MB: 10000 matches of length 258 at distance 1.
 * It must not take memory as it likes. */
static void check_bomb(void)
{
    static uint8_t file[20000];
    const struct build head = make_png(1, 1, 8, 6, png_raw, 1);
    const size_t n_head = 8 + 25;
    memcpy(file, head.data, n_head);
    uint8_t *const chunk = file + n_head;
    memcpy(chunk + 4, "IDAT\x78\x01", 6);
    size_t n_bits = 0;
    put_code(chunk + 10, &n_bits, 6, 3);    /* the last block, fixed codes */
    put_code(chunk + 10, &n_bits, 0x30, 8); /* literal 0 */
    for (int i = 0; i < 10000; i++) {
        put_code(chunk + 10, &n_bits, 0xc5, 8);
        put_code(chunk + 10, &n_bits, 0, 5);
    }
    put_code(chunk + 10, &n_bits, 0, 7);
    const size_t n_zlib = 2 + (n_bits + 7) / 8 + 4;
    memcpy(chunk, (uint8_t[]){0, 0, (uint8_t)(n_zlib >> 8), (uint8_t)n_zlib}, 4);
    const uint32_t crc = libdeflate_crc32(0, chunk + 4, n_zlib + 4);
    memcpy(chunk + 8 + n_zlib,
           (uint8_t[]){(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8),
                       (uint8_t)crc},
           4);
    memcpy(chunk + 8 + n_zlib + 4, head.data + head.n - 12, 12);
    check_refused(file, n_head + 8 + n_zlib + 4 + 12, "holds more than its texels", "");
}

static void check_missing(void)
{
    struct mb_image image;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_image_open(&image, "/nonexistent/a.png", 0, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK_EQ_INT(mb_image_open(&image, dir, 0, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    const char *path = write_file("empty.png", "", 0);
    CHECK_EQ_INT(mb_image_open(&image, path, 0, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK(strstr(err.text, "empty") != NULL);
    unlink(path);
}

static enum mb_status try_load(void *path, struct mb_err *err)
{
    struct mb_image image;
    const enum mb_status status = mb_image_open(&image, path, 0, err);
    mb_image_finish(&image);
    return status;
}

#if MB_HAS_JPEG
/* A grey JPEG of 8x8 texels of 128: of its one block the mean is the first one's prediction. */
static struct build make_jpeg(void)
{
    struct build jpeg = {.n = 0};
    uint8_t steps[64];
    memset(steps, 8, sizeof steps);
    put(&jpeg, "\xff\xd8\xff\xdb\0\x43\0", 7);
    put(&jpeg, steps, sizeof steps);
    /* Both Huffman codes have one symbol, a zero, of one bit. */
    put(&jpeg, "\xff\xc4\0\x14\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    put(&jpeg, "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    put(&jpeg, "\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0", 13);
    put(&jpeg, "\xff\xda\0\x08\1\1\0\0\x3f\0\x3f\xff\xd9", 13);
    return jpeg;
}

static void check_jpeg(void)
{
    const struct build b = make_jpeg();
    uint8_t grey[8 * 8 * 4];
    for (size_t i = 0; i < sizeof grey; i++) {
        grey[i] = i % 4 == 3 ? 255 : 128;
    }
    check_u8(&b, 8, 8, grey);
    char *path = write_file("memory.jpg", b.data, b.n);
    CHECK(check_each_allocation(try_load, path) >= 3); /* the file, texels, a row */
    unlink(path);
}
#else
static void check_jpeg(void)
{
    check_refused("\xff\xd8\xff\xe0 JFIF", 9, "JPEG is not read", "convert");
}
#endif

static void check_no_memory(void)
{
    struct build mapped = make_tga(1, 2, 1, 8);
    memcpy(mapped.data, (uint8_t[]){0, 1, 1, 0, 0, 2, 0, 24}, 8);
    put(&mapped, (uint8_t[]){3, 2, 1, 6, 5, 4, 0, 1}, 8);
    const struct build files[] = {make_png8(),    make_png(4, 2, 16, 0, png_raw, 18),
                                  mapped,         make_tga8(),
                                  make_bmp(2, 2), make_indexed_bmp(2)};
    for (size_t i = 0; i < MB_COUNTOF(files); i++) {
        char *path = write_file("memory.bin", files[i].data, files[i].n);
        CHECK(check_each_allocation(try_load, path) >= 3);
        unlink(path);
    }
}

static void set_up(void)
{
    CHECK(mkdtemp(dir) != NULL);
}

static void clean_up(void)
{
    CHECK_EQ_INT(rmdir(dir), 0);
}

int main(void)
{
    return CHECK_TESTS(set_up, check_formats, check_strangers, check_rubbish, check_truncated,
                       check_hdr_runs, check_lying_headers, check_png_reasons,
                       check_bmp_reasons, check_bomb, check_missing, check_jpeg,
                       check_no_memory, clean_up);
}
