/* Every level of an image of any size in one dispatch, each the exact area average of the one above.
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
 * An update makes the tiles that a changed rectangle reaches, as listed by the host, which also says
 * how many of a cell's sources that makes. What the others made is only there as stored. To get the
 * same bits from a full run, texels are handed over as stored, and stored texels go through the same
 * arithmetic (as_stored). */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#include "levels.glsl"

#define N_INVOCATIONS 256
#define MAX_STEPS 6 /* of the tree, tiles included */
#define CELL_LEVELS 3
#define MAX_LEVELS 16

layout(local_size_x = N_INVOCATIONS) in;

layout(constant_id = 0) const bool LOAD_SAMPLER = false; /* level 0: one fetch for 2x2 */
layout(constant_id = 1) const int TILE_LEVEL3 = 8;   /* a tile's texels of level 3, per axis */
layout(constant_id = 2) const int FIRST_LEVELS = 3;  /* that tiles make */
layout(constant_id = 3) const bool IS_EVEN = false;  /* no axis of levels 0 to FIRST_LEVELS - 1 is odd */

layout(constant_id = 4) const bool ARE_CELLS_EVEN = false; /* nor of any level below */

/* Parts left out to find what they cost: all cells. */
layout(constant_id = 5) const bool HAS_CELLS = true;

/* Levels in shared memory take turns: those an odd number of levels below what the step began with
 * lie in the first part, which holds the first level of a tile with its halo, the others behind. */
const int FIRST_CELLS = (4 * TILE_LEVEL3 + 3) * (4 * TILE_LEVEL3 + 3);
const int SECOND_CELLS = (2 * TILE_LEVEL3 + 1) * (2 * TILE_LEVEL3 + 1);

/* Texels of the last of their levels that tiles make, per axis. */
const int TILE_WIDTH = 8 * TILE_LEVEL3 >> FIRST_LEVELS;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[15]; /* level 1 is [0] */
layout(set = 0, binding = 2) nonprivate buffer HandOff
{
    vec4 hand_off[]; /* layer, step, row, column */
};
layout(set = 0, binding = 3) nonprivate buffer Counter
{
    uint counter[]; /* layer, step, row, column of the cell; zero between runs */
};

/* Of updates: what was stored of each step's sources, [0] of step 1; how many sources of a cell are
 * made anew, first of all for tiles, then as the counters; corners (x, y) and (z, w), included, of
 * what each rectangle reaches, level by level; and the tiles that are made, x and y << 16. */
layout(set = 0, binding = 4) uniform sampler2DArray stored[5];
layout(set = 0, binding = 5) readonly buffer Made
{
    uint n_made[];
};
layout(set = 0, binding = 6) readonly buffer Cones
{
    ivec4 cones[]; /* [rectangle][MAX_LEVELS] */
};
layout(set = 0, binding = 7) readonly buffer Tiles
{
    uint tiles[];
};

layout(push_constant) uniform Push
{
    ivec2 base_extent;
    vec2 inv_base_extent;
    int n_levels;    /* base included */
    int n_steps;     /* of the tree, tiles included; at least 1 */
    int final_step;  /* which makes all that is left in one cell; n_steps: none does */
    uint n_texels;   /* of a layer in the hand-off buffer */
    uint n_counters; /* of a layer */
    uint n_rects;    /* of an update */
    uint first_texel[MAX_STEPS];   /* of a step's sources in the hand-off buffer; [0] is unused */
    uint first_counter[MAX_STEPS]; /* of its cells */
};

shared vec4 cells[FIRST_CELLS + SECOND_CELLS];

/* Cells whose sources are complete and that this workgroup has still to make: of each step up to 2x2,
 * from first_pending on. */
shared bool is_complete[4];
shared uint pending[MAX_STEPS];
shared ivec2 first_pending[MAX_STEPS];

/* Where fetch() reads: constants wherever it is called, so that no branch remains. */
#define FROM_IMAGE 0
#define FROM_HAND_OFF 1
#define FROM_CELLS 2
int from, from_step;
ivec2 from_first;  /* the texel that lies first */
int from_pitch;    /* texels per row */
uint from_offset;

vec4 fetch_stored(int step, ivec3 at)
{
    switch (step) {
    case 1: return texelFetch(stored[0], at, 0);
    case 2: return texelFetch(stored[1], at, 0);
    case 3: return texelFetch(stored[2], at, 0);
    case 4: return texelFetch(stored[3], at, 0);
    default: return texelFetch(stored[4], at, 0);
    }
}

/* Width of what one source of a cell made, in texels of the level that the cell begins with, as a
 * power of two. */
int source_shift(int step)
{
    return step == 1 ? findLSB(TILE_WIDTH) : 0;
}

/* What the cells of a step begin with. */
int source_level(int step)
{
    return FIRST_LEVELS + CELL_LEVELS * (step - 1);
}

/* What they, or (step 0) tiles, make last. */
int last_level(int step)
{
    return step == final_step ? n_levels - 1
                              : min(FIRST_LEVELS + CELL_LEVELS * step, n_levels - 1);
}

/* Cells of a step, or tiles. */
ivec2 grid_of(int step)
{
    ivec2 extent = level_extent(base_extent, last_level(step));
    return step == 0 ? extent + TILE_WIDTH - 1 >> findLSB(TILE_WIDTH)
                     : step == final_step ? ivec2(1) : extent;
}

uint cell_index(int step, ivec2 cell)
{
    return first_counter[step] + uint(cell.y * grid_of(step).x + cell.x);
}

bool is_made(int step, ivec2 at)
{
    return n_made[cell_index(step - 1, at >> source_shift(step))] != 0u;
}

/* Coordinates are those of the level; none are beyond what is there. */
vec4 fetch(ivec2 at, int layer)
{
    if (from == FROM_IMAGE) {
        return loaded(texelFetch(source, ivec3(at, layer), 0));
    }
    if (IS_UPDATE && from == FROM_HAND_OFF && !is_made(from_step, at)) {
        return as_stored(loaded(fetch_stored(from_step, ivec3(at, layer))));
    }
    ivec2 p = at - from_first;
    uint i = from_offset + uint(p.y * from_pitch + p.x);
    return from == FROM_HAND_OFF ? hand_off[i] : cells[i];
}

#include "box.glsl"

bool is_to_be_written(int level, ivec2 at)
{
    if (!IS_UPDATE) {
        return true;
    }
    bool is_reached = false;
    for (uint i = 0u; i < n_rects; i++) {
        ivec4 cone = cones[i * MAX_LEVELS + level];
        is_reached = is_reached || (all(greaterThanEqual(at, cone.xy)) &&
                                    all(lessThanEqual(at, cone.zw)));
    }
    return is_reached;
}
/* Constant indices only: dynamic indexing of storage images is an optional feature. Stores beyond a
 * level's size have no effect (Vulkan, "Texel Output Validation Operations"). */
void store(int level, ivec2 at, int layer, vec4 texel)
{
    ivec3 p = ivec3(at, layer);
    if (!is_to_be_written(level, at)) {
        return;
    }
    vec4 value = rounded(texel);
    switch (level) {
    case 1: imageStore(levels[0], p, value); break;
    case 2: imageStore(levels[1], p, value); break;
    case 3: imageStore(levels[2], p, value); break;
    case 4: imageStore(levels[3], p, value); break;
    case 5: imageStore(levels[4], p, value); break;
    case 6: imageStore(levels[5], p, value); break;
    case 7: imageStore(levels[6], p, value); break;
    case 8: imageStore(levels[7], p, value); break;
    case 9: imageStore(levels[8], p, value); break;
    case 10: imageStore(levels[9], p, value); break;
    case 11: imageStore(levels[10], p, value); break;
    case 12: imageStore(levels[11], p, value); break;
    case 13: imageStore(levels[12], p, value); break;
    case 14: imageStore(levels[13], p, value); break;
    case 15: imageStore(levels[14], p, value); break;
    }
}

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

uint texel_index(int step, ivec2 at, int layer)
{
    return uint(layer) * n_texels + first_texel[step] +
           uint(at.y * level_extent(base_extent, source_level(step)).x + at.x);
}

/* Store a texel, and leave it to the next step if it is of the last level of this one. */
void finish_texel(int step, int level, bool is_last_level, ivec2 at, int layer, vec4 texel)
{
    store(level, at, layer, texel);
    if (is_last_level && step + 1 < n_steps) {
        hand_off[texel_index(step + 1, at, layer)] = IS_UPDATE ? as_stored(texel) : texel;
    }
}

uint cells_of(Block block, int level)
{
    return (level - block.source_level & 1) == 1 ? 0u : uint(FIRST_CELLS);
}

/* All texels of `level` that the block needs, from what fetch() reads; to the cells. */
void make_level(int step, Block block, int level, int layer, uint index)
{
    ivec2 first = block.first << block.last_level - level;
    ivec2 size = last_needed(block, level) - first + 1;
    ivec2 owned = last_owned(block, level);
    ivec2 extent = level_extent(base_extent, level - 1);
    vec2 inv_extent = 1.0 / vec2(extent);
    uint offset = cells_of(block, level);
    uint n = uint(size.x * size.y);
    float inv_width = 1.0 / float(size.x);
    /* As often for every invocation: where some never enter a loop, llvmpipe lets them pass the
     * barrier behind it. */
    for (uint first_i = 0u; first_i < n; first_i += N_INVOCATIONS) {
        uint i = first_i + index;
        if (i < n) {
            int y = int((float(i) + 0.5) * inv_width); /* far from where rounding would matter */
            ivec2 at = first + ivec2(int(i) - y * size.x, y);
            vec4 texel = reduce_box(at, extent, inv_extent, layer);
            if (all(lessThanEqual(at, owned))) {
                finish_texel(step, level, level == block.last_level, at, layer, texel);
            }
            if (level < block.last_level) {
                cells[offset + i] = texel;
            }
        }
    }
    barrier();
}

/* A further level than the first of a block. */
void make_further_level(int step, Block block, int level, int layer, uint index)
{
    from = FROM_CELLS;
    from_first = block.first << block.last_level - level + 1;
    from_pitch = last_needed(block, level - 1).x - from_first.x + 1;
    from_offset = cells_of(block, level - 1);
    make_level(step, block, level, layer, index);
}

Block tile_block(ivec2 tile)
{
    ivec2 last = level_extent(base_extent, FIRST_LEVELS) - 1;
    return Block(0, FIRST_LEVELS, tile * TILE_WIDTH,
                 min(tile * TILE_WIDTH + TILE_WIDTH - 1, last));
}

vec4 fetch_clamped(ivec2 at, int layer)
{
    return loaded(texelFetch(source, ivec3(min(at, base_extent - 1), layer), 0));
}

/* Texel `at` of level 1 where level 0 has even sizes, or is one texel wide. */
vec4 load_level1(ivec2 at, int layer)
{
    ivec2 p = 2 * at;
    if (LOAD_SAMPLER) {
        vec2 corner = vec2(p + 1) * inv_base_extent;
        return loaded(textureLod(source, vec3(corner, layer), 0.0));
    }
    return reduce_2x2(fetch_clamped(p, layer), fetch_clamped(p + ivec2(1, 0), layer),
                      fetch_clamped(p + ivec2(0, 1), layer), fetch_clamped(p + 1, layer),
                      base_extent);
}

/* The block that a cell of a later step makes. */
Block cell_block(int step, ivec2 cell)
{
    int level = last_level(step);
    ivec2 last = step == final_step ? level_extent(base_extent, level) - 1 : cell;
    return Block(source_level(step), level, cell, last);
}

/* The first level of a cell, which is left in the cells of shared memory. */
void make_cell_level(int step, Block block, int layer, uint index)
{
    from = FROM_HAND_OFF;
    from_step = step;
    from_first = ivec2(0);
    from_pitch = level_extent(base_extent, block.source_level).x;
    from_offset = texel_index(step, ivec2(0), layer);
    make_level(step, block, block.source_level + 1, layer, index);
}

/* Blocks that meet no odd size have no halo. Each is a tile of 64x64 texels, or what a tile is after
 * some halvings: a cell of 8x8 texels after three, the final one, of up to 32x32, after at least one.
 * What lies beyond the image is made, too, of whatever is there, and not stored. */
struct EvenBlock {
    int base_level; /* that the tile would begin with */
    int n_halved;   /* how often it has been halved */
    ivec2 tile;     /* which one it is */
};

EvenBlock even_block(int step, Block block, ivec2 cell)
{
    int n_halved = step == 0 ? 0 : CELL_LEVELS;
    if (step == final_step) {
        ivec2 extent = level_extent(base_extent, block.source_level);
        n_halved = 6 - findMSB(2 * max(extent.x, extent.y) - 1);
    }
    return EvenBlock(block.source_level - n_halved, n_halved, cell);
}

/* What the block begins with, clamped to what is there. */
vec4 load_even(int step, int level, ivec2 at, int layer)
{
    ivec2 extent = level_extent(base_extent, level);
    from = FROM_HAND_OFF;
    from_step = step;
    from_first = ivec2(0);
    from_pitch = extent.x;
    from_offset = texel_index(step, ivec2(0), layer);
    return fetch(min(at, extent - 1), layer);
}

/* A texel that the block makes, which may lie beyond the image. */
void finish_even_texel(int step, int last_level, int level, ivec2 at, int layer, vec4 texel)
{
    store(level, at, layer, texel);
    if (level == last_level && step + 1 < n_steps &&
        all(lessThan(at, level_extent(base_extent, level)))) {
        hand_off[texel_index(step + 1, at, layer)] = IS_UPDATE ? as_stored(texel) : texel;
    }
}

/* The 16x16 texels after two halvings, which are left in the cells: each invocation makes one, of
 * 2x2 that it loads and, of a tile, stores. */
void make_even_quarter(int step, Block block, EvenBlock even, int layer, uint index)
{
    ivec2 at = even.tile * 16 + ivec2(index & 15u, index >> 4);
    int level = even.base_level + 2;
    vec4 made;
    if (even.n_halved < 2) {
        vec4 texel[4];
        for (int i = 0; i < 4; i++) {
            ivec2 p = 2 * at + ivec2(i & 1, i >> 1);
            texel[i] = step == 0 ? load_level1(p, layer) : load_even(step, level - 1, p, layer);
        }
        for (int i = 0; i < 4 && step == 0; i++) {
            store(1, 2 * at + ivec2(i & 1, i >> 1), layer, texel[i]);
        }
        made = reduce_2x2(texel[0], texel[1], texel[2], texel[3],
                          level_extent(base_extent, level - 1));
        if (level <= block.last_level) {
            finish_even_texel(step, block.last_level, level, at, layer, made);
        }
    } else if (even.n_halved == 2) {
        made = load_even(step, level, at, layer);
    }
    cells[FIRST_CELLS + index] = made;
}

/* After `n_halved` >= 3 halvings `width` x `width` texels, from those before, in the cells. */
void make_even_rest(int step, Block block, EvenBlock even, int n_halved, int layer, uint index)
{
    int width = 64 >> n_halved;
    int level = even.base_level + n_halved;
    uint to = (n_halved & 1) == 0 ? uint(FIRST_CELLS) : 0u;
    uint corner = uint(FIRST_CELLS) - to;
    barrier();
    if (n_halved < even.n_halved || level > block.last_level || index >= uint(width * width)) {
        return;
    }
    ivec2 p = ivec2(index & uint(width - 1), index >> 6 - n_halved);
    ivec2 at = even.tile * width + p;
    vec4 texel;
    if (n_halved > even.n_halved) {
        corner += uint(4 * width * p.y + 2 * p.x);
        texel = reduce_2x2(cells[corner], cells[corner + 1], cells[corner + 2 * width],
                           cells[corner + 2 * width + 1],
                           level_extent(base_extent, level - 1));
        finish_even_texel(step, block.last_level, level, at, layer, texel);
    } else {
        texel = load_even(step, level, at, layer);
    }
    cells[to + index] = texel;
}

void make_even_block(int step, Block block, ivec2 cell, int layer, uint index)
{
    EvenBlock even = even_block(step, block, cell);
    make_even_quarter(step, block, even, layer, index);
    make_even_rest(step, block, even, 3, layer, index);
    make_even_rest(step, block, even, 4, layer, index);
    make_even_rest(step, block, even, 5, layer, index);
    make_even_rest(step, block, even, 6, layer, index);
}

/* A block of any size: the first level from the image or from what was handed on, the others from
 * the cells. */
void make_any_block(int step, Block block, int layer, uint index)
{
    int level = block.source_level + 1;
    if (step > 0) {
        make_cell_level(step, block, layer, index);
    } else {
        from = FROM_IMAGE;
        make_level(0, block, 1, layer, index);
    }
    while (++level <= block.last_level) {
        make_further_level(step, block, level, layer, index);
    }
}

/* All levels of a tile or cell. */
void make_block(int step, Block block, ivec2 cell, int layer, uint index)
{
    if (ARE_CELLS_EVEN || (IS_EVEN && step == 0)) {
        make_even_block(step, block, cell, layer, index);
    } else {
        make_any_block(step, block, layer, index);
    }
}

/* How far what a cell needs reaches from its first source texel: for three levels 7, if they are
 * even, to 14. */
ivec2 cell_reach(int step)
{
    ivec2 reach = ivec2(0);
    for (int level = last_level(step) - 1; level >= source_level(step); level--) {
        reach = 2 * reach + 1 + (level_extent(base_extent, level) & 1);
    }
    return reach;
}

/* How many tiles or cells make what a cell needs. */
uint n_sources(int step, ivec2 cell)
{
    if (IS_UPDATE) {
        return n_made[cell_index(step, cell)];
    }
    if (step == final_step) {
        ivec2 grid = grid_of(step - 1);
        return uint(grid.x * grid.y);
    }
    ivec2 first = cell << last_level(step) - source_level(step);
    ivec2 last = min(first + cell_reach(step),
                     level_extent(base_extent, source_level(step)) - 1);
    int shift = source_shift(step);
    ivec2 n = (last >> shift) - (first >> shift) + 1;
    return uint(n.x * n.y);
}

/* Add to a cell's counter, by one invocation: true if all its `n` sources are there now. What others
 * left for it is visible to this invocation then. */
bool count_is_last(int step, ivec2 cell, uint n, int layer)
{
    uint at = uint(layer) * n_counters + cell_index(step, cell);
    uint done = atomicAdd(counter[at], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                          gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    bool is_last = done == n - 1u;
    if (is_last) {
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,
                      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
        atomicStore(counter[at], 0u, gl_ScopeDevice, 0, 0);
    }
    return is_last;
}

/* Texels `first` to `last` of what a step begins with are there: count them for the up to 2x2 cells
 * that need them, and note the complete ones. */
void arrive(int step, ivec2 first, ivec2 last, int layer, uint index)
{
    int n_halvings = last_level(step) - source_level(step);
    int span = 1 << n_halvings;
    ivec2 first_cell = max(first - cell_reach(step) + span - 1 >> n_halvings, ivec2(0));
    ivec2 last_cell = min(last >> n_halvings, grid_of(step) - 1);
    if (step == final_step) {
        first_cell = last_cell = ivec2(0);
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
    ivec2 cell = ivec2(gl_WorkGroupID.xy);
    if (IS_UPDATE) {
        uint packed = tiles[gl_WorkGroupID.x];
        cell = ivec2(packed & 0xffffu, packed >> 16);
    }
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
