/* Levels 1 to 6 of a tile of any format where no size is odd, by subgroup operations; spd_tree_wave.comp
 * draws it. */
#ifndef TILE_GLSL
#define TILE_GLSL
#include "blocks.glsl"

#ifndef FETCHED /* what texels of level 1 are made of once it has come, and what is done until then */
#define FETCHED vec4
FETCHED fetch_level1(ivec2 at, int layer)
{
    return load_level1(at, layer);
}
vec4 level1_of(FETCHED fetched)
{
    return fetched;
}
void while_fetching(uint index)
{
}
#endif

Joined swapped_x(Joined own)
{
    return Joined(subgroupQuadSwapHorizontal(own.straight),
                  WEIGH_ALPHA ? subgroupQuadSwapHorizontal(own.weighted) : vec3(0.0));
}

Joined swapped_y(Joined own)
{
    return Joined(subgroupQuadSwapVertical(own.straight),
                  WEIGH_ALPHA ? subgroupQuadSwapVertical(own.weighted) : vec3(0.0));
}

/* Of 2x2 texels of level 1 in the quad, one such block in each quadrant: what the block makes whose
 * quadrant lies as the lane in the quad (a reduce-scatter; each swap halves what is left). */
vec4 scatter_quad(vec4 texel[4], uint lane)
{
    ivec2 extent = level_extent(base_extent, 1);
    bool is_right = (lane & 1u) != 0u, is_below = (lane & 2u) != 0u;
    Joined upper = joined_of(is_right ? texel[1] : texel[0]);
    Joined lower = joined_of(is_right ? texel[3] : texel[2]);
    Joined give_upper = joined_of(is_right ? texel[0] : texel[1]);
    Joined give_lower = joined_of(is_right ? texel[2] : texel[3]);
    upper = join(upper, is_narrow(extent.x) ? upper : swapped_x(give_upper));
    lower = join(lower, is_narrow(extent.x) ? lower : swapped_x(give_lower));
    Joined keep = Joined(is_below ? lower.straight : upper.straight,
                         is_below ? lower.weighted : upper.weighted);
    Joined give = Joined(is_below ? upper.straight : lower.straight,
                         is_below ? upper.weighted : lower.weighted);
    return texel_of(join(keep, is_narrow(extent.y) ? keep : swapped_y(give)), 0.25);
}

/* What an invocation has made: of level 1 a texel in each quadrant. It may be stored late. */
struct TileTexels {
    vec4 level1[4];
    vec4 level2;
};

void store_level1(ivec2 tile, int layer, uint index, vec4 texel[4])
{
    ivec2 first = tile * 32 + place(index);
    store(1, first, layer, texel[0]);
    store(1, first + ivec2(16, 0), layer, texel[1]);
    store(1, first + ivec2(0, 16), layer, texel[2]);
    store(1, first + 16, layer, texel[3]);
}

void store_level2(ivec2 tile, int layer, uint index, vec4 texel)
{
    store_made(2, tile * 16 + place_in_level2(index), layer, texel);
}

void make_levels_1_2(ivec2 tile, int layer, uint index, out TileTexels made)
{
    ivec2 first = tile * 32 + place(index);
    FETCHED fetched[4];
    fetched[0] = fetch_level1(first, layer);
    fetched[1] = fetch_level1(first + ivec2(16, 0), layer);
    fetched[2] = fetch_level1(first + ivec2(0, 16), layer);
    fetched[3] = fetch_level1(first + 16, layer);
    while_fetching(index);
    made.level1[0] = level1_of(fetched[0]);
    made.level1[1] = level1_of(fetched[1]);
    made.level1[2] = level1_of(fetched[2]);
    made.level1[3] = level1_of(fetched[3]);
    if (!STORES_LATE) {
        store_level1(tile, layer, index, made.level1);
    }
    made.level2 = scatter_quad(made.level1, index);
    if (!STORES_LATE) {
        store_level2(tile, layer, index, made.level2);
    }
}

/* Level 3, by lanes that differ in bits 2 (x) and 3 (y) of their index; to the cells. */
void make_level3_by_lanes(vec4 texel, uint index)
{
    vec4 made = join_lanes(texel, level_extent(base_extent, 2), 4u, 8u);
    if ((index & 12u) == 0u) {
        cells[(index & 3u) << 4 | index >> 4] = made;
    }
}

/* Each subgroup has made a few texels of every quadrant. They are stored from the cells, so that a
 * subgroup's lie together, by subgroups that have nothing else to do then. */
void store_level3_of_cells(ivec2 tile, int layer, uint index)
{
    uint i = index - uint(SUBGROUP_SIZE);
    if (i < 64u) {
        store_made(3, tile * 8 + place(i), layer, cells[i]);
    }
}

/* The same through the cells, where subgroups are too small. */
void make_level3_by_cells(ivec2 tile, vec4 texel, int layer, uint index)
{
    ivec2 at = place_in_level2(index);
    cells[at.y * 16 + at.x] = texel;
    barrier();
    ivec2 p = place(index & 63u);
    int corner = p.y * 32 + p.x * 2;
    vec4 made = reduce_2x2(cells[corner], cells[corner + 1], cells[corner + 16],
                           cells[corner + 17], level_extent(base_extent, 2));
    barrier();
    if (index < 64u) {
        cells[index] = made;
        store_made(3, tile * 8 + p, layer, made);
    }
}

/* Levels 1 to 3, the last to the cells; `index` counts lanes, subgroup by subgroup:
 * gl_LocalInvocationIndex promises nothing about lanes. */
void make_levels_1_3(ivec2 tile, int layer, uint index, out TileTexels made)
{
    make_levels_1_2(tile, layer, index, made);
    if (IS_WIDE) {
        make_level3_by_lanes(made.level2, index);
    } else {
        make_level3_by_cells(tile, made.level2, layer, index);
    }
    barrier();
    if (IS_WIDE) {
        store_level3_of_cells(tile, layer, index);
    }
}

/* Levels 1 to 6; true in the one subgroup that goes on, with the texel of level 6. */
bool make_tile(ivec2 tile, int layer, uint lane, out vec4 texel)
{
    TileTexels made;
    make_levels_1_3(tile, layer, gl_SubgroupID * SUBGROUP_SIZE + lane, made);
    texel = vec4(0.0);
    if (gl_SubgroupID != 0u || n_levels <= 4) {
        return false;
    }
    texel = make_levels(0, tile, layer, lane);
    return true;
}

#endif
