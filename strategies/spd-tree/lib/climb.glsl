/* From level 6 of even tiles down to the last level, where no size of any is odd: each texel is the average of
 * 2x2, or of 2 where an axis is one texel wide, so that a tile has a part in one texel of each level. By the lanes
 * that make_even_tile() has left the texel to. */
#ifndef CLIMB_GLSL
#define CLIMB_GLSL

#ifndef SLOTS
/* By words: a subgroup brings its texel to SPAN levels at once, so that all of them take one round trip to memory.
 * Lane WORDS * k + w brings word w to the k-th level:
 *
 *     level 6      x  x  x  x                16 tiles bring theirs
 *     level 7       \/    \/    ...          each to one of 4 nodes, which wait for 4
 *     level 8         \  /                   and to 1 node, which waits for 16
 *
 * Where there are more levels than that, the lanes that complete the last of them go on from there. */
struct Node {
    int level;
    ivec2 at;
    uint index, n_children;
};

Node node_of(int from, ivec2 tile, int layer)
{
    Node node;
    int k = int(LANE / WORDS);
    node.level = from + 1 + k;
    node.at = tile >> node.level - FIRST_LEVELS;
    node.index = uint(layer) * n_nodes + first_node(min(node.level - FIRST_LEVELS - 1, 11)) +
                 uint(node.at.y * extent_of(node.level).x + node.at.x);
    ivec2 n = min(extent_of(from), ivec2(2 << k));
    node.n_children = uint(n.x * n.y);
    return node;
}

/* From `from` on; false once nobody of the subgroup has anything to bring. */
bool climb_span(int from, ivec2 tile, int layer, inout bool is_there, inout vec2 own)
{
    Node node = node_of(from, tile, layer);
    uint word = LANE % WORDS, last = WORDS * (SPAN - 1) + word;
    vec2 part = own * (1.0 / float(node.n_children));
    bool is_complete = is_there && LANE < WORDS * SPAN && node.level < n_levels &&
                       add_pair_is_last(part, WORDS * node.index + word, node.n_children);
    TEXEL texel;
    if (meet(is_complete, node.index, word, part, texel)) {
        store_encoded(node.level, node.at, layer, encode(texel / UNIT));
    }
    is_there = subgroupShuffle(is_complete ? 1u : 0u, last) != 0u;
    own = subgroupShuffle(part, last);
    return is_there || subgroupShuffleXor(is_there ? 1u : 0u, WORDS - 1) != 0u;
}

void climb(ivec2 tile, int layer, TEXEL sums)
{
    if (LANES_ID != 0u) {
        return;
    }
    TEXEL texel = unbiased(scale_of_sums(FIRST_LEVELS) * sums);
    texel = from_lane(texel, 0u);
    bool is_there = true;
    vec2 own = pair_of_texel(texel * UNIT, LANE % WORDS);
    [[unroll]] for (int from = FIRST_LEVELS; from < 15; from += SPAN) {
        if (from >= n_levels - 1 || !climb_span(from, tile, layer, is_there, own)) {
            return;
        }
    }
}

#else
/* By slots: cells of 8x8 texels, which whoever leaves the last one reduces to the one that it goes on with. */
shared bool is_last_of_cell;

/* What one invocation found, all that go on know. */
bool tell_all(bool is_last)
{
#ifdef SUBGROUPS
    if (HAS_WIDE_LANES) {
        return subgroupShuffle(is_last ? 1u : 0u, 0u) != 0u;
    }
#endif
    barrier();
    if (INDEX == 0u) {
        is_last_of_cell = is_last;
    }
    barrier();
    return is_last_of_cell;
}

/* What it acquired becomes visible to these. */
void acquire_cell()
{
#ifdef SUBGROUPS
    if (HAS_WIDE_LANES) {
        controlBarrier(gl_ScopeSubgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
        return;
    }
#endif
    acquire_hand_off();
}

uint index_in_cell(ivec2 at)
{
    uvec2 p = uvec2(at & 7);
    return p.x & 1u | p.y << 1 & 2u | p.x << 1 & 4u | p.y << 2 & 8u | p.x << 2 & 16u | p.y << 3 & 32u;
}

TEXEL reduce_cell(int from, ivec2 cell, int layer, uint first)
{
    if (HAS_WIDE_LANES) {
        uint i = first + 4u * (LANE & 15u);
        TEXEL texel = join_four(from, slot[i], slot[i + 1u], slot[i + 2u], slot[i + 3u]);
        return make_three_levels_by_lanes(from, cell, layer, texel, LANE);
    }
    if (INDEX < 64u) {
        cells[INDEX] = slot[first + INDEX];
    }
    barrier();
    return make_three_levels_by_cells(from, cell, layer, INDEX);
}

/* A texel of level `from`, as sums, to its cell; true if that was the last: then the texel that the cell
 * makes. */
bool climb_cell(int step, inout ivec2 at, int layer, inout TEXEL sums)
{
    int from = FIRST_LEVELS + 3 * step;
    ivec2 extent = extent_of(from), n = min(extent, ivec2(8)), cell = at >> 3;
    uint first = uint(layer) * n_nodes + first_node(step) + 64u * uint(cell.y * max(extent.x >> 3, 1) + cell.x);
    bool is_last = false;
    if (INDEX == 0u) {
        slot[first + index_in_cell(at)] = sums;
        is_last = arrive_is_last(first, uint(n.x * n.y));
    }
    if (!tell_all(is_last)) {
        return false;
    }
    acquire_cell();
    sums = reduce_cell(from, cell, layer, first);
    at = cell;
    return true;
}

void climb(ivec2 tile, int layer, TEXEL sums)
{
    ivec2 at = tile;
    [[unroll]] for (int step = 0; step < 3; step++) {
        if (FIRST_LEVELS + 3 * step >= n_levels - 1 || !climb_cell(step, at, layer, sums)) {
            return;
        }
    }
}

#endif
#endif
