/* Answers golden_model.py, which compares with numpy. Requests come from stdin, each a line and
 * binary data in host byte order; answers go to stdout, binary, in turn:
 *   chain FORMAT POLICY REDUCE ALPHA WIDTH HEIGHT, then texels: doubles rgba[h][w][4] of
 *                                                  levels 1.., unrounded
 *   decode FORMAT N, then N texels: linear doubles rgba[N][4]
 *   encode FORMAT N, then linear doubles rgba[N][4]: N texels */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "image/reference.h"

static void give_up(const char *why)
{
    fprintf(stderr, "golden_dump: %s\n", why);
    exit(1);
}

static void put(const void *data, size_t n_bytes)
{
    if (fwrite(data, 1, n_bytes, stdout) != n_bytes) {
        give_up("cannot write");
    }
}

/* A new block with the next bytes of stdin. */
static void *get(size_t n_bytes)
{
    void *data = mb_malloc(n_bytes);
    if (data == NULL || fread(data, 1, n_bytes, stdin) != n_bytes) {
        give_up("cannot read");
    }
    return data;
}

/* Index of `name` among those that `name_of` knows. */
static int find(const char *name, const char *(*name_of)(int), int n)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(name_of(i), name) == 0) {
            return i;
        }
    }
    give_up(name);
    return 0;
}

static const char *policy_name(int i)
{
    return mb_policy_names[(enum mb_policy)i];
}

static const char *reduce_name(int i)
{
    return mb_reduce_names[(enum mb_reduce)i];
}

static const char *alpha_name(int i)
{
    return mb_alpha_names[(enum mb_alpha)i];
}

static void answer_chain(const struct mb_format *format, const struct mb_filter *filter,
                         struct mb_extent base)
{
    struct mb_err err = {0};
    struct mb_ideal ideal;
    void *texels = get((size_t)base.width * base.height * format->texel_bytes);
    const struct mb_plane plane = {base, format, texels};
    const uint32_t n_levels = mb_full_level_count(base);
    if (mb_ideal_init(&ideal, filter, &plane, n_levels, &err) != MB_OK) {
        give_up(err.text);
    }
    for (uint32_t level = 1; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(base, level);
        put(ideal.level[level], (size_t)extent.width * extent.height * 4 * sizeof(double));
    }
    mb_ideal_finish(&ideal);
    mb_free(texels);
}

static void answer_conversion(const struct mb_format *format, size_t n, int is_encode)
{
    const size_t rgba_bytes = n * 4 * sizeof(double);
    const size_t texel_bytes = n * format->texel_bytes;
    void *in = get(is_encode ? rgba_bytes : texel_bytes);
    void *out = mb_malloc(is_encode ? texel_bytes : rgba_bytes);
    if (out == NULL) {
        give_up("out of memory");
    }
    if (is_encode) {
        mb_format_encode(format, in, n, out);
    } else {
        mb_format_decode(format, in, n, out);
    }
    put(out, is_encode ? texel_bytes : rgba_bytes);
    mb_free(out);
    mb_free(in);
}

static void answer(const char *line)
{
    char verb[16], name[16], policy[16], reduce[16], alpha[16];
    unsigned a, b;
    const int n_words = sscanf(line, "%15s %15s", verb, name);
    const struct mb_format *format = n_words == 2 ? mb_format_find(name) : NULL;
    if (format == NULL) {
        give_up(line);
    } else if (sscanf(line, "chain %*s %15s %15s %15s %u %u", policy, reduce, alpha, &a, &b) ==
               5) {
        const struct mb_filter filter = {
            .policy = (enum mb_policy)find(policy, policy_name, MB_N_POLICIES),
            .reduce = (enum mb_reduce)find(reduce, reduce_name, MB_N_REDUCES),
            .alpha = (enum mb_alpha)find(alpha, alpha_name, MB_N_ALPHAS),
        };
        answer_chain(format, &filter, (struct mb_extent){a, b});
    } else if (sscanf(line, "%*s %*s %u", &a) == 1) {
        answer_conversion(format, a, strcmp(verb, "encode") == 0);
    } else {
        give_up(line);
    }
}

int main(void)
{
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        answer(line);
    }
    return 0;
}
