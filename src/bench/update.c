/* The two checks of a partial update. */
#include "bench/update.h"

#include <string.h>

#include "base/alloc.h"

static void invert(uint8_t *bytes, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (uint8_t)~bytes[i];
    }
}

/* Invert texels inside `cone` of one level and layer; with `outside`, all the others. */
static void spoil_level(uint8_t *texels, struct mb_extent extent, size_t texel_bytes,
                        struct mb_rect cone, bool outside)
{
    if (outside) {
        invert(texels, (size_t)extent.width * extent.height * texel_bytes);
    }
    for (uint32_t y = cone.y; y < cone.y + cone.height; y++) {
        invert(texels + ((size_t)y * extent.width + cone.x) * texel_bytes,
               cone.width * texel_bytes);
    }
}

/* Levels below those to be made are left as they are. */
static void spoil(const struct mb_update_check *check, const struct mb_rect *cones,
                  bool outside, uint8_t *block)
{
    const struct mb_layout *layout = &check->rig->image.layout;
    memcpy(block, check->regenerated, check->rig->full.total_bytes);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            size_t offset_bytes =
                layout->level_offset_bytes[level] + layer * layout->level_layer_bytes[level];
            spoil_level(block + offset_bytes, mb_level_extent(layout->base, level),
                        layout->format->texel_bytes, cones[level], outside);
        }
    }
}

/* Run over `block`; the result is in the read-back buffer. */
static enum mb_status run_over(const struct mb_update_check *check, const void *block,
                               struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &check->partial->submission;
    MB_TRY(mb_rig_upload_chain(check->rig, block, err));
    MB_TRY(mb_submission_run(submission, err));
    MB_TRY(mb_rig_read(check->rig, err));
fail:
    return status;
}

/* The first texel of the read-back chain that differs from `want`; `ignored`, if not NULL, are
 * rectangles not looked at, by level. */
static void find_difference(const struct mb_update_check *check, const void *want,
                            const struct mb_rect *ignored, struct mb_bad_texel *bad)
{
    const struct mb_layout *layout = &check->rig->full;
    const void *got = check->rig->readback.mapped;
    *bad = (struct mb_bad_texel){0};
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        bool is_made = level > 0 && level < check->rig->image.layout.n_levels;
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            mb_find_difference(layout->format, mb_level_extent(layout->base, level),
                               mb_layout_level(layout, want, level, layer),
                               mb_layout_level(layout, got, level, layer),
                               ignored && is_made ? ignored[level] : (struct mb_rect){0}, bad);
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
    struct mb_rect cones[MB_MAX_LEVELS];
    uint8_t *block = mb_malloc(check->rig->full.total_bytes);
    if (!block) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "partial update: out of memory");
    }
    mb_filter_cones(check->partial->work.claim.filter.policy, &check->rig->image.layout,
                    check->rect, cones);

    *what = "writes outside the rectangle's cone";
    spoil(check, cones, true, block);
    MB_TRY(run_over(check, block, err));
    find_difference(check, block, cones, bad);
    if (bad->found) {
        goto fail;
    }

    *what = "differs from a full regeneration";
    spoil(check, cones, false, block);
    MB_TRY(run_over(check, block, err));
    find_difference(check, check->regenerated, NULL, bad);
fail:
    mb_free(block);
    return status;
}
