/* From level 6 of even tiles down to the last level, where no size of any is odd: each texel is the average of
 * 2x2, or of 2 where an axis is one texel wide, so that a tile has a part in one texel of each level. By the lanes
 * that make_even_tile() has left the texel to. */

/* Stores to one of few levels, without jumps, each of which has instructions fetched (a switch of 15 levels: 10.6 us in
 * place of 9.8 for r32f of 1024x1024 on an H100). */
#define STORE_ONE(n)                                                                                \
    if (level == n) {                                                                               \
        imageStore(levels[n - 1], ivec3(at, layer), value);                                         \
    }
#define DEFINE_STORE(NAME, STORES)                                                                  \
    void NAME(int level, ivec2 at, int layer, ENCODED texel)                                        \
    {                                                                                               \
        STORED value = stored_of(texel);                                                            \
        level = level < n_levels ? level : 0;                                                       \
        STORES                                                                                      \
    }

#ifndef SLOTS
/* By words: a subgroup brings its texel to span levels at once, so that all of them take one round trip to memory.
 * Lane WORDS * k + w brings word w to the k-th level; lane k an ordered word for each channel, where WORDS is 1:
 *
 *     level 6      x  x  x  x                16 tiles bring theirs
 *     level 7       \/    \/    ...          each to one of 4 nodes, which wait for 4
 *     level 8         \  /                   and to 1 node, which waits for 16
 *
 * Where there are more levels than that, the lanes that complete the last of them go on from there. */
#define MAX_STEPS 5 /* of two levels, where there are four lanes and two words a texel */

struct Node {
    int level;
    ivec2 at;
    uint index, n_children;
};

Node node_of(const int from, const ivec2 tile, const int layer)
{
    Node node;
    int k = min(int(LANE / WORDS), span); /* one more: of no level */
    node.level = from + 1 + k;
    node.at = tile >> node.level - FIRST_LEVELS;
    node.index = node_of_texel(min(node.level - FIRST_LEVELS, nodes.length()), node.at, layer, 1u);
    ivec2 n = min(extent_of(from), ivec2(2 << k));
    node.n_children = uint(n.x * n.y);
    return node;
}

/* Where climb() begins, computed while texels are being fetched. The shuffles change nothing, but keep it there:
 * compilers would move it down to where it is used. */
Node start_of_climb(const ivec2 tile, const int layer)
{
    Node node = node_of(FIRST_LEVELS, tile, layer);
    node.index = subgroupShuffleXor(node.index, 0u);
    node.n_children = subgroupShuffleXor(node.n_children, 0u);
    return node;
}

DEFINE_STORE(store_node, STORE_ONE(7) STORE_ONE(8) STORE_ONE(9) STORE_ONE(10) STORE_ONE(11) STORE_ONE(12)
                             STORE_ONE(13) STORE_ONE(14) STORE_ONE(15))

#ifndef EXTREME
#define BROUGHT vec2 /* by a lane: two channels, or all */

BROUGHT brought_of(const TEXEL sums)
{
    return pair_of_texel(unbiased(scale_of_sums(FIRST_LEVELS) * sums) * UNIT, LANE % WORDS);
}

/* False once nobody of the subgroup has anything to bring. */
bool climb_span(const Node node, const int layer, inout bool is_there, inout BROUGHT own)
{
    uint word = LANE % WORDS, last = WORDS * (span - 1) + word;
    vec2 part = own * (1.0 / float(node.n_children));
    bool is_complete = is_there && LANE < WORDS * span && node.level < n_levels &&
                       add_pair_is_last(part, WORDS * node.index + word, node.n_children);
    TEXEL texel;
    if (meet(is_complete, node.index, word, part, texel)) {
        store_node(node.level, node.at, layer, encode(texel / UNIT));
    }
    is_there = subgroupShuffle(is_complete ? 1u : 0u, last) != 0u;
    own = subgroupShuffle(part, last);
    bool is_other_there = subgroupShuffleXor(is_there ? 1u : 0u, WORDS - 1) != 0u;
    return is_there || is_other_there;
}

#else
#define BROUGHT TEXEL

BROUGHT brought_of(const TEXEL sums)
{
    return unbiased(sums);
}

bool climb_span(const Node node, const int layer, inout bool is_there, inout BROUGHT own)
{
    bool is_complete = false;
    if (is_there && LANE < span && node.level < n_levels) {
        bring_extreme(node.index, own);
        is_complete = arrive_is_last(node.index, node.n_children);
        if (is_complete) {
            own = take_extreme(node.index);
            store_node(node.level, node.at, layer, encode(own));
        }
    }
    own = from_lane(own, uint(span - 1));
    is_there = subgroupShuffle(is_complete ? 1u : 0u, uint(span - 1)) != 0u;
    return is_there;
}
#endif

/* In a loop: of what is there several times compilers make functions, for which registers are saved to memory. But
 * llvmpipe of Mesa 22.3, where a subgroup is 16 lanes, leaves such a loop after its first turn. */
void climb(Node node, const ivec2 tile, const int layer, TEXEL sums)
{
    bool is_there = LANES_ID == 0u, goes_on = true;
    BROUGHT own = brought_of(sums);
    if (IS_GPU) {
        for (int from = FIRST_LEVELS; goes_on && from < n_levels - 1;) {
            goes_on = climb_span(node, layer, is_there, own);
            from += span;
            node = node_of(from, tile, layer);
        }
        return;
    }
    [[unroll]] for (int step = 0; step < MAX_STEPS; step++) {
        int from = FIRST_LEVELS + span * step;
        if (from < n_levels - 1) {
            climb_span(node_of(from, tile, layer), layer, is_there, own);
        }
    }
}

#else
/* By slots: cells of 2^span x 2^span texels, span being 3 or 4, in Morton order, which whoever leaves the last one
 * reduces to the one that it goes on with. */
shared bool is_last_of_cell;

/* What one invocation found, all that go on know. */
bool tell_all(const bool is_last)
{
    if (HAS_WIDE_LANES) {
        return subgroupShuffle(is_last ? 1u : 0u, 0u) != 0u;
    }
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
    if (HAS_WIDE_LANES) {
        controlBarrier(gl_ScopeSubgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
        return;
    }
    acquire_hand_off();
}

/* Bits of a number up to 255, a zero after each. */
uint spread(const int v)
{
    uint bits = uint(v);
    bits = (bits | bits << 4) & 0x0f0fu;
    bits = (bits | bits << 2) & 0x3333u;
    return (bits | bits << 1) & 0x5555u;
}

/* The texel one level below `from` that slots from `first` on make. */
TEXEL reduce_4_slots(const int from, const uint first)
{
    return join_four(equal(extent_of(from), ivec2(1)), slot[first], slot[first + 1u], slot[first + 2u], slot[first + 3u]);
}

/* Three cells of three levels or two of four follow one another at most: the levels that each store may be to. */
DEFINE_STORE(store_first_of_four, STORE_ONE(7) STORE_ONE(11))
DEFINE_STORE(store_first, STORE_ONE(7) STORE_ONE(8) STORE_ONE(10) STORE_ONE(12) STORE_ONE(13))
DEFINE_STORE(store_second, STORE_ONE(8) STORE_ONE(9) STORE_ONE(11) STORE_ONE(13) STORE_ONE(14))
DEFINE_STORE(store_third, STORE_ONE(9) STORE_ONE(10) STORE_ONE(12) STORE_ONE(14) STORE_ONE(15))

/* The texel `at`, two levels below; what lies between is stored. */
TEXEL reduce_16_slots(const int from, const uint first, const ivec2 at, const int layer)
{
    TEXEL made[4];
    [[unroll]] for (int i = 0; i < 4; i++) {
        made[i] = reduce_4_slots(from, first + uint(4 * i));
    }
    [[unroll]] for (int i = 0; i < 4; i++) {
        store_first_of_four(from + 1, 2 * at + quadrant(i), layer, encode_level(from + 1, made[i]));
    }
    return join_four(equal(extent_of(from + 1), ivec2(1)), made[0], made[1], made[2], made[3]);
}

TEXEL reduce_cell(const int from, const ivec2 cell, const int layer, const uint first)
{
    if (!HAS_WIDE_LANES) {
        if (INDEX < 1u << 2 * span) {
            cells[INDEX] = slot[first + INDEX];
        }
        return make_levels_by_cells(from, from + span, from + span, cell, layer);
    }
    uint lane = LANE & 15u, i = first + (lane << 2 * (span - 2));
    TEXEL texel;
    if (span == 3) {
        texel = reduce_4_slots(from, i);
    } else {
        texel = reduce_16_slots(from, i, cell * 4 + place(lane), layer);
    }
    int n = from + span - 2;
    Lower made = make_lower(n, equal(extent_of(n), ivec2(1)), equal(extent_of(n + 1), ivec2(1)), texel);
    lane = LANE;
    if (lane < 16u) {
        store_first(n, cell * 4 + place(lane), layer, made.first);
    }
    if (lane < 16u && (lane & 3u) == 0u) {
        store_second(n + 1, cell * 2 + place(lane >> 2), layer, made.second);
    }
    if (lane == 0u) {
        store_third(n + 2, cell, layer, made.third);
    }
    return made.sums;
}

/* Where a texel of level `from` has its slot. */
struct Node {
    int from;
    ivec2 cell;
    uint first, slot, n_slots; /* of the cell */
};

Node node_of(const int step, const ivec2 at, const int layer)
{
    Node node;
    node.from = FIRST_LEVELS + span * step;
    node.cell = at >> span;
    ivec2 extent = extent_of(node.from), n = min(extent, ivec2(1 << span)), within = at & (1 << span) - 1;
    node.first = uint(layer) * n_nodes + nodes[step] +
                 (uint(node.cell.y * max(extent.x >> span, 1) + node.cell.x) << 2 * span);
    node.slot = node.first + (spread(within.x) | spread(within.y) << 1);
    node.n_slots = uint(n.x * n.y);
    return node;
}

/* As of words. */
Node start_of_climb(const ivec2 tile, const int layer)
{
    Node node = node_of(0, tile, layer);
    node.first = subgroupShuffleXor(node.first, 0u);
    node.slot = subgroupShuffleXor(node.slot, 0u);
    node.n_slots = subgroupShuffleXor(node.n_slots, 0u);
    return node;
}

/* A texel, as sums, to its cell; true if that was the last: then the texel that the cell makes. */
bool climb_cell(const Node node, const int layer, inout TEXEL sums)
{
    bool is_last = false;
    if (INDEX == 0u) {
        slot[node.slot] = sums;
        is_last = arrive_is_last(node.first, node.n_slots);
    }
    is_last = tell_all(is_last);
    if (is_last) {
        acquire_cell();
        sums = reduce_cell(node.from, node.cell, layer, node.first);
    }
    return is_last;
}

void climb(Node node, const ivec2 tile, const int layer, TEXEL sums)
{
    bool goes_on = true;
    if (IS_GPU) {
        for (int step = 1; goes_on && node.from < n_levels - 1; step++) {
            goes_on = climb_cell(node, layer, sums);
            node = node_of(step, node.cell, layer);
        }
        return;
    }
    [[unroll]] for (int step = 1; step <= 3; step++) {
        if (goes_on && node.from < n_levels - 1) {
            goes_on = climb_cell(node, layer, sums);
        }
        node = node_of(step, node.cell, layer);
    }
}

#endif
