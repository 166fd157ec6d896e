/* Every level of an image of any size in one dispatch, each the exact area average of the one above.
 *
 * This is the kernel that can do everything. Others are faster where they can be (kernel.c chooses):
 * spd_tree_wave.comp and spd_tree_sums.comp where no size is odd, by subgroups; spd_tree_carry.comp the
 * same for rgba8, whose sums atomics carry, and spd_tree_curve.comp for rgba8-srgb;
 * spd_tree_share*.comp averages of normalised formats of any size, and spd_tree_strips.comp those of
 * large rgba8 images, by shares (sharing.glsl); spd_tree_extremes.comp minima and maxima.
 *
 * The image is cut into tiles, which make the first levels on their own. What they end with is cut
 * into cells, each of which makes three further levels down to one texel, and so on up a tree, until
 * what is left of the image is small enough for one workgroup to finish:
 *
 *     level 0      a tile of 64x64 texels, and on odd sizes what lies beyond its edge
 *       |          levels 1 to FIRST_LEVELS: 3 to 6, as far as sizes are even; 3 where they are not
 *     hand-off     the tile's texels of the last of these levels, in a buffer
 *       |          a cell of 8x8 of them, on odd sizes up to 15x15: three levels down to one texel
 *     hand-off     that texel
 *       |          a cell of 8x8 to 15x15 of those, and so on
 *     hand-off
 *       |          up to 1024 texels are left: all levels down to 1x1
 *
 * No workgroup waits for another. Each cell has a counter, and whoever completes something that the
 * cell needs adds to it; whoever finds that nothing is missing any more makes the cell.
 *
 * Where a level of size n = 2m + 1 is halved, texel x of the m below covers three, 2x to 2x + 2 (see
 * box.glsl), so that neighbours share one. A texel three odd levels down covers 15:
 *
 *     level F      0 . . . . . . . 8 . . . . . 14          texel 0 three levels down
 *                                  8 . . . . . . . 16 . .. 22   texel 1
 *     level F+1    0   .   .   .   4   .   6
 *                                  4   .   .   .   8   .  10
 *     level F+2    0       .       2
 *                                  2       .       4
 *     level F+3    0               1
 *
 * A cell therefore needs what up to 2x2 tiles (or 15x15 cells below it) made, and each of those adds
 * to the counters of up to 2x2 cells. A texel in between, such as 4 to 6 of level F+1, is made by two
 * cells and stored by the one that owns it, the second. A tile reads its halo, up to seven texels to
 * the right and below, from the image. Where sizes are even there is no halo, and one cell.
 *
 * Follow texel (100, 70) of a 250x150 image: odd sizes begin at level 1 (125x75), so that tiles make
 * three levels, here 4x3 tiles with 8x8 texels of level 3 (31x18) each. It weighs in texel (50, 35)
 * of level 1, in tile (1, 1), and from there in (24, 17) and (25, 17) of level 2 and (12, 8) of level
 * 3, which the tile hands on. These are few enough to be finished by one workgroup, that of the tile
 * that is last of the twelve: levels 4 (15x9) to 7 (1x1).
 *
 * Memory model. All invocations of a workgroup leave texels in the hand-off buffer; a control
 * barrier orders them before one invocation per cell counts, with release at device scope. Only an
 * invocation that finds its count the last acquires, and the control barrier after it covers buffer
 * memory at device scope, so that what was acquired is visible to all of its workgroup. That one
 * invocation also sets the counter back to zero.
 *
 * An update makes the tiles that changed rectangles reach, each once, as listed by the host, which
 * also says how many of a cell's sources that makes. What the others made is only there as stored. To
 * get the same bits from a full run, texels are handed over as stored, and stored texels go through
 * the same arithmetic (as_stored). */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define UPDATES
#include "tree.glsl"

/* Levels in shared memory take turns: those an odd number of levels below what the step began with
 * lie in the first part, which holds the first level of a tile with its halo, the others behind. */
const int FIRST_CELLS = (4 * TILE_LEVEL3 + 3) * (4 * TILE_LEVEL3 + 3);
const int SECOND_CELLS = (2 * TILE_LEVEL3 + 1) * (2 * TILE_LEVEL3 + 1);

shared vec4 cells[FIRST_CELLS + SECOND_CELLS];

/* Cells whose sources are complete and that this workgroup has still to make: of each step up to 2x2,
 * from first_pending on. */
shared bool is_complete[4];
shared uint pending[MAX_STEPS];
shared ivec2 first_pending[MAX_STEPS];

/* What one workgroup makes in one step: texels `first` to `last` of `last_level`, and what they need
 * of the levels above it, up to `source_level`. */
struct Block {
    int source_level, last_level;
    ivec2 first, last;
};

/* The last texel of `level` that the block needs. */
ivec2 last_needed(Block block, int level)
{
    ivec2 last = block.last;
    for (int l = block.last_level - 1; l >= level; l--) {
        ivec2 extent = level_extent(base_extent, l);
        last = min(2 * last + 1 + (extent & 1), extent - 1);
    }
    return last;
}

/* The last texel of `level` that is the block's to store: where it lies at the edge of the image, all
 * that are left. */
ivec2 last_owned(Block block, int level)
{
    ivec2 inside = (block.last + 1 << block.last_level - level) - 1;
    ivec2 edge = level_extent(base_extent, level) - 1;
    ivec2 last_edge = level_extent(base_extent, block.last_level) - 1;
    return mix(inside, edge, equal(block.last, last_edge));
}

Block tile_block(ivec2 tile)
{
    ivec2 last = level_extent(base_extent, FIRST_LEVELS) - 1;
    return Block(0, FIRST_LEVELS, tile * TILE_WIDTH,
                 min(tile * TILE_WIDTH + TILE_WIDTH - 1, last));
}

/* The block that a cell of a later step makes. */
Block cell_block(int step, ivec2 cell)
{
    int level = last_level(step);
    ivec2 edge = level_extent(base_extent, level) - 1;
    if (step == final_step) {
        return Block(source_level(step), level, ivec2(0), edge);
    }
    ivec2 first = cell << cell_shift(step);
    return Block(source_level(step), level, first, min(first + (1 << cell_shift(step)) - 1, edge));
}

#include "any.glsl"
#include "even.glsl"

/* All levels of a tile or cell. */
void make_block(int step, Block block, ivec2 cell, int layer, uint index)
{
    if (ARE_CELLS_EVEN || (IS_EVEN && step == 0)) {
        make_even_block(step, block, cell, layer, index);
    } else {
        make_any_block(step, block, layer, index);
    }
}

/* Texels `first` to `last` of what a step begins with are there: count them for the up to 2x2 cells
 * that need them, and note the complete ones. */
void arrive(int step, ivec2 first, ivec2 last, int layer, uint index)
{
    ivec2 first_cell = ivec2(0), last_cell = ivec2(0);
    if (step != final_step) {
        first_cell = max(first - cell_reach(step) + 7 >> CELL_LEVELS, ivec2(0));
        last_cell = min(last >> CELL_LEVELS, grid_of(step) - 1);
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
    ivec2 cell = first_cell + ivec2(index & 1u, index >> 1 & 1u);
    uint n = n_sources(step, cell);
    if (index < 4u) {
        is_complete[index] =
            all(lessThanEqual(cell, last_cell)) && count_is_last(step, cell, n, layer);
    }
    barrier();
    if (index == 0u) {
        pending[step] = 0u;
        for (int i = 0; i < 4; i++) {
            pending[step] |= is_complete[i] ? 1u << i : 0u;
        }
        first_pending[step] = first_cell;
    }
    barrier();
}

/* What one invocation of a workgroup acquired becomes visible to all of it. Only those who complete a
 * cell come here: at device scope this barrier waits for every store of the workgroup. */
void acquire_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

/* A complete cell, of the furthest step that has one, or 0 if none has; it is pending no longer. */
int next_pending(uint index, out ivec2 cell)
{
    int step = n_steps - 1;
    while (step > 0 && pending[step] == 0u) {
        step--;
    }
    cell = ivec2(0);
    if (step > 0) {
        uint mask = pending[step];
        int i = findLSB(mask);
        cell = first_pending[step] + ivec2(i & 1, i >> 1);
        acquire_hand_off();
        if (index == 0u) {
            pending[step] = mask & mask - 1u;
        }
    }
    return step;
}

/* One text for tiles and cells: fetching it is a good part of the time that small images take, and
 * llvmpipe goes through what it does not execute. */
void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint index = gl_LocalInvocationIndex;
    ivec2 cell = tile_of_workgroup();
    if (index < MAX_STEPS) {
        pending[index] = 0u; /* barriers follow */
    }
    int step = 0;
    do {
        Block block = step == 0 ? tile_block(cell) : cell_block(step, cell);
        make_block(step, block, cell, layer, index);
        if (step + 1 < n_steps) {
            arrive(step + 1, block.first, block.last, layer, index);
        }
        step = next_pending(index, cell);
    } while (step > 0 && HAS_CELLS);
}
