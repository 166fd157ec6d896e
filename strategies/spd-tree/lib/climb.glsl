/* From level 6 of even tiles down to the last level, where no size of any is odd: each texel is the average of
 * 2x2, or of 2 where an axis is one texel wide, so that a tile has a part in one texel of each level. By the lanes
 * that make_even_tile() has left the texel to. */
#ifndef CLIMB_GLSL
#define CLIMB_GLSL

#ifndef SLOTS
/* By words: a subgroup brings its texel to span levels at once, so that all of them take one round trip to memory.
 * Lane WORDS * k + w brings word w to the k-th level; lane k an ordered word for each channel, where WORDS is 1:
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
    int k = min(int(LANE / WORDS), span); /* one more: of no level */
    node.level = from + 1 + k;
    node.at = tile >> node.level - FIRST_LEVELS;
    node.index = uint(layer) * n_nodes + first_node(min(node.level - FIRST_LEVELS - 1, 11)) +
                 uint(node.at.y * extent_of(node.level).x + node.at.x);
    ivec2 n = min(extent_of(from), ivec2(2 << k));
    node.n_children = uint(n.x * n.y);
    return node;
}

#ifndef EXTREME
/* From `from` on; false once nobody of the subgroup has anything to bring. */
bool climb_span(Node node, int layer, inout bool is_there, inout vec2 own)
{
    uint word = LANE % WORDS, last = WORDS * (span - 1) + word;
    vec2 part = own * (1.0 / float(node.n_children));
    bool is_complete = is_there && LANE < WORDS * span && node.level < n_levels &&
                       add_pair_is_last(part, WORDS * node.index + word, node.n_children);
    TEXEL texel;
    if (meet(is_complete, node.index, word, part, texel)) {
        store_below(node.level, node.at, layer, texel / UNIT);
    }
    is_there = subgroupShuffle(is_complete ? 1u : 0u, last) != 0u;
    own = subgroupShuffle(part, last);
    bool is_other_there = subgroupShuffleXor(is_there ? 1u : 0u, WORDS - 1) != 0u;
    return is_there || is_other_there;
}

/* In a loop: of what is there several times compilers make functions, for which registers are saved to memory. But
 * llvmpipe of Mesa 22.3, where a subgroup is 16 lanes, leaves such a loop after its first turn. */
void climb(ivec2 tile, int layer, TEXEL sums)
{
    bool is_there = LANES_ID == 0u, goes_on = true;
    vec2 own = pair_of_texel(unbiased(scale_of_sums(FIRST_LEVELS) * sums) * UNIT, LANE % WORDS);
    int from = FIRST_LEVELS;
    if (IS_GPU) {
        for (; from < n_levels - 1 && goes_on; from += span) {
            goes_on = climb_span(node_of(from, tile, layer), layer, is_there, own);
        }
        return;
    }
    [[unroll]] for (int step = 0; step < 5; step++) {
        if (from + span * step < n_levels - 1) {
            climb_span(node_of(from + span * step, tile, layer), layer, is_there, own);
        }
    }
}

#else
bool climb_span(int from, ivec2 tile, int layer, bool is_there, inout TEXEL own)
{
    Node node = node_of(from, tile, layer);
    bool is_complete = false;
    if (is_there && LANE < span && node.level < n_levels) {
        bring_extreme(node.index, own);
        is_complete = arrive_is_last(node.index, node.n_children);
        if (is_complete) {
            own = take_extreme(node.index);
            store_below(node.level, node.at, layer, own);
        }
    }
    own = from_lane(own, uint(span - 1));
    return subgroupShuffle(is_complete ? 1u : 0u, uint(span - 1)) != 0u;
}

void climb(ivec2 tile, int layer, TEXEL sums)
{
    bool is_there = LANES_ID == 0u;
    TEXEL own = unbiased(sums);
    int from = FIRST_LEVELS;
    if (IS_GPU) {
        for (; from < n_levels - 1 && is_there; from += span) {
            is_there = climb_span(from, tile, layer, is_there, own);
        }
        return;
    }
    [[unroll]] for (int step = 0; step < 5; step++) {
        if (from + span * step < n_levels - 1) {
            is_there = climb_span(from + span * step, tile, layer, is_there, own);
        }
    }
}

#endif
#else
/* By slots: cells of 2^span x 2^span texels, span being 3 or 4, in Morton order, which whoever leaves the last one
 * reduces to the one that it goes on with. */
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

/* Bits of a number up to 255, a zero after each. */
uint spread(int v)
{
    uint bits = uint(v);
    bits = (bits | bits << 4) & 0x0f0fu;
    bits = (bits | bits << 2) & 0x3333u;
    return (bits | bits << 1) & 0x5555u;
}

/* The texel `at`, one or two levels below `from`, that slots from `first` on make; what lies between is stored. */
TEXEL reduce_4_slots(int from, uint first)
{
    return join_four(equal(extent_of(from), ivec2(1)), slot[first], slot[first + 1u], slot[first + 2u], slot[first + 3u]);
}

TEXEL reduce_16_slots(int from, uint first, ivec2 at, int layer)
{
    TEXEL made[4];
    [[unroll]] for (int i = 0; i < 4; i++) {
        made[i] = reduce_4_slots(from, first + uint(4 * i));
    }
    [[unroll]] for (int i = 0; i < 4; i++) {
        store_any(from + 1, 2 * at + quadrant(i), layer, stored_of(encode_level(from + 1, made[i])));
    }
    return join_four(equal(extent_of(from + 1), ivec2(1)), made[0], made[1], made[2], made[3]);
}

/* Levels `n` to n + 2 of a cell; by one store, as every one of store_any() is fifteen. */
void store_lower_of_cell(int n, ivec2 cell, int layer, Lower made)
{
    uint lane = LANE;
    for (int k = 0; k < 3; k++) {
        ENCODED texel = k == 0 ? made.first : k == 1 ? made.second : made.third;
        if (lane < 16u && (lane & (1u << 2 * k) - 1u) == 0u) {
            store_any(n + k, (cell << 2 - k) + place(lane >> 2 * k), layer, stored_of(texel));
        }
    }
}

TEXEL reduce_cell(int from, ivec2 cell, int layer, uint first)
{
    if (!HAS_WIDE_LANES) {
        if (INDEX < 1u << 2 * span) {
            cells[INDEX] = slot[first + INDEX];
        }
        return make_levels_by_cells(from, from + span, from + span, cell, layer);
    }
    uint lane = LANE & 15u, i = first + (lane << 2 * (span - 2));
    ivec2 at = cell * 4 + place(lane);
    TEXEL texel;
    if (span == 3) {
        texel = reduce_4_slots(from, i);
    } else {
        texel = reduce_16_slots(from, i, at, layer);
    }
    int n = from + span - 2;
    Lower made = make_lower(n, equal(extent_of(n), ivec2(1)), equal(extent_of(n + 1), ivec2(1)), texel);
    store_lower_of_cell(n, cell, layer, made);
    return made.sums;
}

/* A texel of level `from`, as sums, to its cell; true if that was the last: then the texel that the cell
 * makes. */
bool climb_cell(int step, inout ivec2 at, int layer, inout TEXEL sums)
{
    int from = FIRST_LEVELS + span * step;
    ivec2 extent = extent_of(from), n = min(extent, ivec2(1 << span)), cell = at >> span, within = at & (1 << span) - 1;
    uint first = uint(layer) * n_nodes + first_node(step) +
                 (uint(cell.y * max(extent.x >> span, 1) + cell.x) << 2 * span);
    bool is_last = false;
    if (INDEX == 0u) {
        slot[first + (spread(within.x) | spread(within.y) << 1)] = sums;
        is_last = arrive_is_last(first, uint(n.x * n.y));
    }
    is_last = tell_all(is_last);
    if (is_last) {
        acquire_cell();
        sums = reduce_cell(from, cell, layer, first);
        at = cell;
    }
    return is_last;
}

void climb(ivec2 tile, int layer, TEXEL sums)
{
    ivec2 at = tile;
    bool goes_on = true;
    if (IS_GPU) {
        for (int step = 0; FIRST_LEVELS + span * step < n_levels - 1 && goes_on; step++) {
            goes_on = climb_cell(step, at, layer, sums);
        }
    } else {
        [[unroll]] for (int step = 0; step < 3; step++) {
            if (FIRST_LEVELS + span * step < n_levels - 1 && goes_on) {
                goes_on = climb_cell(step, at, layer, sums);
            }
        }
    }
}

#endif
#endif
