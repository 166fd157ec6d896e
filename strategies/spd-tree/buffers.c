/* spd-tree's buffers: what tiles and cells hand on, counters, and the lists of an update. */
#include "spd_tree.h"

#include "base/alloc.h"

/* As in carry.glsl. */
#define FIRST_CARRIED 7u

uint32_t mb_spd_tree_place_texels(const struct spd_tree *s, uint32_t first[MB_MAX_TREE_STEPS])
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < s->tree.n_steps; i++) {
        const struct mb_extent extent =
            mb_level_extent(s->image->layout.base, s->tree.step[i].source_level);
        first[i] = n;
        n += extent.width * extent.height;
    }
    return n;
}

uint32_t mb_spd_tree_place_counters(const struct spd_tree *s, uint32_t first[MB_MAX_TREE_STEPS])
{
    uint32_t n = 0;
    for (uint32_t i = s->task.is_update ? 0 : 1; i < s->tree.n_steps; i++) {
        first[i] = n;
        n += s->tree.step[i].grid.width * s->tree.step[i].grid.height;
    }
    return n;
}

/* As in sharing.glsl: tiles that share a texel `n` levels below theirs, at most. */
static uint32_t most_sharing(const struct spd_tree *s, uint32_t n)
{
    const struct mb_tree_step *tiles = &s->tree.step[0];
    const struct mb_extent extent = mb_level_extent(s->image->layout.base, tiles->last_level);
    const uint32_t mask = (UINT32_C(1) << n) - 1;
    const uint32_t x = ((extent.width & mask) + mask - 1) / tiles->size.width + 2;
    const uint32_t y = ((extent.height & mask) + mask - 1) / tiles->size.height + 2;
    return (x < tiles->grid.width ? x : tiles->grid.width) *
           (y < tiles->grid.height ? y : tiles->grid.height);
}

uint32_t mb_spd_tree_place_nodes(const struct spd_tree *s, uint32_t *first)
{
    const struct mb_layout *layout = &s->image->layout;
    const uint32_t first_level =
        mb_spd_tree_is_carried(s->kernel) ? FIRST_CARRIED : s->tree.step[0].last_level + 1;
    uint32_t n = 0, i = 0;
    first[0] = first[1] = 0;
    for (uint32_t level = first_level; level < layout->n_levels; level++) {
        const bool is_alike = mb_spd_tree_is_carried(s->kernel);
        const struct mb_extent extent =
            mb_level_extent(layout->base, is_alike ? first_level : level);
        first[i++] = n;
        n += extent.width * extent.height *
             (s->kernel == SPD_TREE_SLOTS ? most_sharing(s, level - first_level + 1) : 1);
    }
    if (i == 1) {
        first[1] = n;
    }
    return n;
}

/* Of a node: for each channel, or each two, a sum and a count (words.glsl); or an extreme. */
static VkDeviceSize node_bytes(const struct spd_tree *s)
{
    const VkDeviceSize word =
        s->kernel == SPD_TREE_EXTREMES ? sizeof(uint32_t) : sizeof(uint64_t);
    return word * (mb_spd_tree_has_pairs(s) ? 2 : 4);
}

/* What steps hand on; or, where counters carry it all, those. */
VkDeviceSize mb_spd_tree_hand_off_bytes(const struct spd_tree *s)
{
    uint32_t first[2 * MB_MAX_TREE_STEPS];
    const VkDeviceSize n_layers = s->image->layout.n_layers;
    if (s->kernel == SPD_TREE_SLOTS) {
        const VkDeviceSize n_slots = n_layers * mb_spd_tree_place_nodes(s, first);
        return (n_slots > 0 ? n_slots : 1) * mb_spd_tree_slot_bytes(s->image->layout.format);
    }
    const VkDeviceSize n_bytes =
        mb_spd_tree_has_nodes(s->kernel)
            ? n_layers * mb_spd_tree_place_nodes(s, first) * node_bytes(s)
            : n_layers * mb_spd_tree_place_texels(s, first) * 4 * sizeof(float);
    return n_bytes > 0 ? n_bytes : sizeof(uint64_t);
}

VkDeviceSize mb_spd_tree_counter_bytes(const struct spd_tree *s)
{
    uint32_t first[2 * MB_MAX_TREE_STEPS];
    const VkDeviceSize n_layers = s->image->layout.n_layers;
    const VkDeviceSize n_bytes =
        mb_spd_tree_has_nodes(s->kernel)
            ? n_layers * mb_spd_tree_place_nodes(s, first) *
                  (mb_spd_tree_is_carried(s->kernel) ? sizeof(uint64_t) : sizeof(uint32_t))
            : n_layers * mb_spd_tree_place_counters(s, first) * sizeof(uint32_t);
    return n_bytes > 0 ? n_bytes : sizeof(uint64_t);
}

static enum mb_status make_work_buffers(struct spd_tree *s, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(mb_buffer_init(&s->hand_off, s->gpu, MB_BUFFER_DEVICE, mb_spd_tree_hand_off_bytes(s),
                          "spd-tree hand-off", err));
    MB_TRY(mb_buffer_init(&s->counters, s->gpu, MB_BUFFER_DEVICE, mb_spd_tree_counter_bytes(s),
                          "spd-tree counters", err));
fail:
    return status;
}

static enum mb_status make_filled(struct spd_tree *s, struct mb_buffer *buffer,
                                  const void *data, size_t n_bytes, const char *name,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(mb_buffer_init(buffer, s->gpu, MB_BUFFER_DEVICE, n_bytes, name, err));
    MB_TRY(mb_buffer_upload(buffer, data, n_bytes, err));
fail:
    return status;
}

static enum mb_status make_cones(struct spd_tree *s, struct mb_err *err)
{
    struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS];
    int32_t corners[MB_MAX_RECTS][MB_MAX_LEVELS][4] = {0};
    mb_filter_affected_of(MB_POLICY_BOX, &s->image->layout, s->task.rects, s->task.n_rects,
                          affected);
    for (uint32_t i = 0; i < s->task.n_rects; i++) {
        for (uint32_t level = 0; level < s->image->layout.n_levels; level++) {
            mb_rect_corners(affected[level][i], corners[i][level]);
        }
    }
    return make_filled(s, &s->affected, corners, s->task.n_rects * sizeof corners[0],
                       "spd-tree affected", err);
}

/* The tiles that are made, x and y << 16, and of each cell how many of its sources are. */
static enum mb_status make_lists(struct spd_tree *s, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_extent grid = s->tree.step[0].grid;
    const size_t n_cells = mb_tree_n_cells(&s->tree);
    uint32_t *n_made = mb_alloc(n_cells, sizeof *n_made);
    uint32_t *tiles = mb_alloc((size_t)grid.width * grid.height, sizeof *tiles);
    if (!n_made || !tiles) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "spd-tree: out of memory");
        goto fail;
    }
    mb_tree_count_made(&s->tree, &s->image->layout, s->task.rects, s->task.n_rects, n_made);
    s->n_tiles = 0;
    for (uint32_t i = 0; i < grid.width * grid.height; i++) {
        if (n_made[i] > 0) {
            tiles[s->n_tiles++] = i % grid.width | i / grid.width << 16;
        }
    }
    MB_TRY(
        make_filled(s, &s->n_made, n_made, n_cells * sizeof *n_made, "spd-tree sources", err));
    MB_TRY(make_filled(s, &s->tiles, tiles, s->n_tiles * sizeof *tiles, "spd-tree tiles", err));
fail:
    mb_free(tiles);
    mb_free(n_made);
    return status;
}

enum mb_status mb_spd_tree_make_buffers(struct spd_tree *s, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(make_work_buffers(s, err));
    if (s->task.is_update) {
        MB_TRY(make_cones(s, err));
        MB_TRY(make_lists(s, err));
    }
fail:
    return status;
}
