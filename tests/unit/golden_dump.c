/* Writes what golden_model.py compares with numpy, in host byte order, to stdout:
 *   golden_dump chain POLICY WIDTH HEIGHT SEED   rgba8 texels of the noise pattern, then the
 *                                                doubles rgba[h][w][4] of levels 1.. unrounded
 *   golden_dump from-half                        all 65536 halves as doubles
 *   golden_dump to-half                          doubles from stdin as halves */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "image/golden.h"
#include "image/minifloat.h"
#include "image/pattern.h"

static void put(const void *data, size_t elem_bytes, size_t n)
{
    if (fwrite(data, elem_bytes, n, stdout) != n) {
        exit(1);
    }
}

static int find_policy(const char *name, enum mb_policy *policy)
{
    for (int p = MB_POLICY_BOX; p <= MB_POLICY_BLIT; p++) {
        if (strcmp(mb_policy_name((enum mb_policy)p), name) == 0) {
            *policy = (enum mb_policy)p;
            return 1;
        }
    }
    return 0;
}

static int dump_chain(char **args)
{
    enum mb_policy policy;
    struct mb_err err = {0};
    struct mb_image image;
    struct mb_ideal ideal;
    char spec[64];
    snprintf(spec, sizeof spec, "pattern:noise:%sx%s", args[1], args[2]);
    if (!find_policy(args[0], &policy) ||
        mb_pattern_make(&image, spec, strtoull(args[3], NULL, 10), &err) != MB_OK) {
        fprintf(stderr, "golden_dump: %s\n", err.text);
        return 1;
    }
    const struct mb_extent base = {image.width, image.height};
    const uint32_t n_levels = mb_full_level_count(base);
    const struct mb_plane plane = {base, mb_format_find("rgba8"), image.texels};
    if (mb_ideal_init(&ideal, &(struct mb_filter){.policy = policy}, &plane, n_levels, &err) !=
        MB_OK) {
        fprintf(stderr, "golden_dump: %s\n", err.text);
        return 1;
    }
    put(image.texels, 4, (size_t)base.width * base.height);
    for (uint32_t level = 1; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(base, level);
        put(ideal.level[level], 4 * sizeof(double), (size_t)extent.width * extent.height);
    }
    mb_ideal_finish(&ideal);
    mb_image_finish(&image);
    return 0;
}

static int dump_from_half(void)
{
    for (unsigned h = 0; h < 0x10000; h++) {
        const double value = mb_half_to_double((uint16_t)h);
        put(&value, sizeof value, 1);
    }
    return 0;
}

static int dump_to_half(void)
{
    double value;
    while (fread(&value, sizeof value, 1, stdin) == 1) {
        const uint16_t half = mb_half_from_double(value);
        put(&half, sizeof half, 1);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "chain") == 0) {
        return dump_chain(argv + 2);
    }
    if (argc == 2 && strcmp(argv[1], "from-half") == 0) {
        return dump_from_half();
    }
    if (argc == 2 && strcmp(argv[1], "to-half") == 0) {
        return dump_to_half();
    }
    fprintf(stderr, "usage: golden_dump chain POLICY W H SEED | from-half | to-half\n");
    return 2;
}
