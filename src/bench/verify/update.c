/* The two checks of a partial update. */
#include "bench/verify/update.h"

#include <string.h>

#include "base/alloc.h"

/* What each rectangle reaches of each level. */
struct reach {
    struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS];
    size_t n_rects;
};

/* Texels as they are, or with every bit inverted. */
static void copy(uint8_t *to, const uint8_t *from, size_t n_bytes, bool is_inverted)
{
    const uint8_t mask = is_inverted ? 0xff : 0;
    for (size_t i = 0; i < n_bytes; i++) {
        to[i] = from[i] ^ mask;
    }
}

/* Invert texels inside the affected regions of one level and layer; with `outside`, all the
 * others. Where regions overlap, what is copied last is what was copied before. */
static void spoil_level(const struct mb_layout *layout, uint32_t level,
                        const struct reach *reach, bool outside, const uint8_t *from,
                        uint8_t *to)
{
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    const size_t texel_bytes = layout->format->texel_bytes;
    copy(to, from, (size_t)extent.width * extent.height * texel_bytes, outside);
    for (size_t i = 0; i < reach->n_rects; i++) {
        const struct mb_rect rect = reach->affected[level][i];
        for (uint32_t y = rect.y; y < rect.y + rect.height; y++) {
            const size_t at = ((size_t)y * extent.width + rect.x) * texel_bytes;
            copy(to + at, from + at, rect.width * texel_bytes, !outside);
        }
    }
}

/* Levels below those to be made are left as they are. */
static void spoil(const struct mb_update_check *check, const struct reach *reach, bool outside,
                  uint8_t *block)
{
    const struct mb_layout *layout = &check->test_image->image.layout;
    memcpy(block, check->regenerated, check->test_image->full.total_bytes);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            const size_t offset_bytes =
                layout->level_offset_bytes[level] + layer * layout->level_layer_bytes[level];
            spoil_level(layout, level, reach, outside,
                        (const uint8_t *)check->regenerated + offset_bytes,
                        block + offset_bytes);
        }
    }
}

/* Run over `block`; the result is in the read-back buffer. */
static enum mb_status run_over(const struct mb_update_check *check, const void *block,
                               struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &check->partial->submission;
    MB_TRY(mb_test_image_upload_chain(check->test_image, block, err));
    MB_TRY(mb_submission_run(submission, err));
    MB_TRY(mb_test_image_read(check->test_image, err));
fail:
    return status;
}

/* The first texel of the read-back chain that differs from `want` by more than `allowed_lsb`;
 * what `ignored`, if not NULL, reaches is not looked at. */
static void find_difference(const struct mb_update_check *check, const void *want,
                            const struct reach *ignored, double allowed_lsb,
                            struct mb_bad_texel *bad)
{
    const struct mb_layout *layout = &check->test_image->full;
    const void *got = check->test_image->readback.mapped;
    *bad = (struct mb_bad_texel){0};
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const bool is_ignored =
            ignored && level > 0 && level < check->test_image->image.layout.n_levels;
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            const struct mb_plane wanted = {mb_level_extent(layout->base, level),
                                            layout->format,
                                            mb_layout_level(layout, want, level, layer)};
            mb_find_difference(&wanted, mb_layout_level(layout, got, level, layer),
                               is_ignored ? ignored->affected[level] : NULL,
                               is_ignored ? ignored->n_rects : 0, allowed_lsb, bad);
            if (bad->found) {
                bad->level = level;
                bad->layer = layer;
                return;
            }
        }
    }
}

enum mb_status mb_update_check(const struct mb_update_check *check, struct mb_bad_texel *bad,
                               const char **what, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct reach reach = {.n_rects = check->task->n_rects};
    uint8_t *block = mb_malloc(check->test_image->full.total_bytes);
    if (!block) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "partial update: out of memory");
    }
    mb_filter_affected_of(check->partial->work.tolerance.filter.policy,
                          &check->test_image->image.layout, check->task->rects, reach.n_rects,
                          reach.affected);

    *what = reach.n_rects == 1 ? "writes outside the rectangle's affected region"
                               : "writes outside the rectangles' affected regions";
    spoil(check, &reach, true, block);
    MB_TRY(run_over(check, block, err));
    find_difference(check, block, &reach, 0.0, bad);
    if (bad->found) {
        goto fail;
    }

    *what = "differs from a full regeneration";
    spoil(check, &reach, false, block);
    MB_TRY(run_over(check, block, err));
    /* Sums of halves tie often, and the kernel of an update may be compiled to others. */
    const bool is_half = check->partial->work.tolerance.arithmetic == MB_ARITHMETIC_FP16;
    find_difference(check, check->regenerated, NULL, is_half ? 1.0 : 0.0, bad);
fail:
    mb_free(block);
    return status;
}
