/* A right chain of one layer, to be damaged and judged. */
#pragma once

#include "check.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "image/compare.h"
#include "image/image.h"
#include "image/pattern.h"

/* A right chain to be damaged. */
struct fixture {
    struct mb_layout layout;
    uint8_t *output, *source;
    struct mb_ideal ideal, box;
    struct mb_tolerance tolerance;
};

static inline uint8_t *level_of(struct fixture *f, uint32_t level)
{
    return f->output + f->layout.level_offset_bytes[level];
}

/* Write the rounded golden chain of the tolerance: from stored texels where they are re-read.
 */
static inline void fill_output(struct fixture *f)
{
    struct mb_err err = {0};
    double *carried = NULL;
    for (uint32_t level = 1; level < f->layout.n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(f->layout.base, level);
        const size_t n_texels = (size_t)extent.width * extent.height;
        const bool is_stored =
            level == 1 || (f->tolerance.reread_levels >> (level - 1) & 1) != 0;
        const struct mb_plane plane = {
            .extent = mb_level_extent(f->layout.base, level - 1),
            .format = is_stored ? f->layout.format : NULL,
            .texels = is_stored ? (const void *)level_of(f, level - 1) : carried,
        };
        double *next = mb_malloc(n_texels * 4 * sizeof *next);
        must(mb_golden_level(&f->tolerance.filter, &plane, next, NULL, &err), &err);
        mb_format_encode(f->layout.format, next, n_texels, level_of(f, level));
        mb_free(carried);
        carried = next;
    }
    mb_free(carried);
}

/* Make the chains and the right output of what `source` holds now. */
static inline void use_source(struct fixture *f)
{
    struct mb_err err = {0};
    struct mb_filter box = f->tolerance.filter;
    const struct mb_plane plane = {f->layout.base, f->layout.format, f->source};
    box.policy = MB_POLICY_BOX;
    mb_ideal_finish(&f->ideal);
    mb_ideal_finish(&f->box);
    must(mb_ideal_init(&f->ideal, &f->tolerance.filter, &plane, f->layout.n_levels, &err),
         &err);
    must(mb_ideal_init(&f->box, &box, &plane, f->layout.n_levels, &err), &err);
    memcpy(f->output, f->source, f->layout.level_layer_bytes[0]);
    fill_output(f);
}

static inline void setup(struct fixture *f, const char *spec, const char *format,
                         const struct mb_tolerance *tolerance)
{
    struct mb_image image;
    struct mb_err err = {0};
    must(mb_pattern_make(&image, spec, 5, &err), &err);
    const struct mb_extent base = {image.width, image.height};
    *f = (struct fixture){.tolerance = *tolerance};
    mb_layout_init(&f->layout, mb_format_find(format), base, 1, mb_full_level_count(base));
    f->output = mb_alloc(f->layout.total_bytes, 1);
    f->source = mb_alloc(f->layout.level_layer_bytes[0], 1);
    mb_image_encode(&image, f->layout.format, 0, f->source);
    use_source(f);
    mb_image_finish(&image);
}

static inline void teardown(struct fixture *f)
{
    mb_ideal_finish(&f->ideal);
    mb_ideal_finish(&f->box);
    mb_free(f->output);
    mb_free(f->source);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

static inline struct mb_judged_chain chain_of(const struct fixture *f)
{
    return (struct mb_judged_chain){&f->layout,    f->output, 0,      f->source,
                                    &f->tolerance, &f->ideal, &f->box};
}

static inline struct mb_verdict judge(const struct fixture *f)
{
    struct mb_verdict verdict = {0};
    struct mb_err err = {0};
    const struct mb_judged_chain chain = chain_of(f);
    must(mb_compare_chain(&chain, &verdict, &err), &err);
    return verdict;
}

/* A check_attempt of a struct mb_judged_chain. */
static inline enum mb_status compare_chain(void *chain, struct mb_err *err)
{
    struct mb_verdict verdict = {0};
    return mb_compare_chain(chain, &verdict, err);
}
