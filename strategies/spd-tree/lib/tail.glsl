/* The tail: from level 6 of even tiles down to the last level. No size here is odd, so each texel is the average of 2x2
 * texels, or of 2 where an axis is one texel wide, and a tile contributes to exactly one texel of each level. The work
 * is done by the lanes in which make_even_tile() leaves the tile's texel. */

/* Stores to one of a few levels without jumps, since each jump fetches instructions (with a switch over 15 levels, r32f
 * at 1024x1024 takes 10.6 us instead of 9.8 on an H100). */
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
/* Through words: a subgroup contributes its texel to levels_per_round levels at once, so that all of them take one
 * round trip to memory. Lane WORDS * k + w contributes word w to the k-th level; where WORDS is 1, lane k contributes
 * one ordered word per channel:
 *
 *     level 6      x  x  x  x                each of 16 tiles contributes
 *     level 7       \/    \/    ...          to one of 4 nodes, each of which expects 4 contributions,
 *     level 8         \  /                   and to the one node that expects 16
 *
 * If there are more levels, the lanes that complete the last node start the next round. */
#define MAX_STEPS 5 /* rounds: of two levels each, with four lanes and two words per texel */

struct Node {
    int level;
    ivec2 at;
    uint index, n_children;
};

Node node_of(const int from, const ivec2 tile, const int layer)
{
    Node node;
    int k = min(int(LANE / WORDS), levels_per_round); /* k = levels_per_round: a lane without a level */
    node.level = from + 1 + k;
    node.at = tile >> node.level - FIRST_LEVELS;
    node.index = node_of_texel(min(node.level - FIRST_LEVELS, nodes.length()), node.at, layer, 1u);
    ivec2 n = min(extent_of(from), ivec2(2 << k));
    node.n_children = uint(n.x * n.y);
    return node;
}

/* The node where make_tail() starts, computed while texels are being fetched. The shuffles do nothing except keep the
 * computation here: compilers would move it down to its first use. */
Node start_of_tail(const ivec2 tile, const int layer)
{
    Node node = node_of(FIRST_LEVELS, tile, layer);
    node.index = subgroupShuffleXor(node.index, 0u);
    node.n_children = subgroupShuffleXor(node.n_children, 0u);
    return node;
}

DEFINE_STORE(store_node, STORE_ONE(7) STORE_ONE(8) STORE_ONE(9) STORE_ONE(10) STORE_ONE(11) STORE_ONE(12)
                             STORE_ONE(13) STORE_ONE(14) STORE_ONE(15))

#ifndef EXTREME
#define BROUGHT vec2 /* a lane's contribution: two channels, or all */

BROUGHT brought_of(const TEXEL sums)
{
    return pair_of_texel(unbiased(scale_of_sums(FIRST_LEVELS) * sums) * UNIT, LANE % WORDS);
}

/* Returns false once no lane of the subgroup has anything left to contribute. */
bool make_round(const Node node, const int layer, inout bool is_there, inout BROUGHT own)
{
    uint word = LANE % WORDS, last = WORDS * (levels_per_round - 1) + word;
    vec2 part = own * (1.0 / float(node.n_children));
    bool is_complete = is_there && LANE < WORDS * levels_per_round && node.level < n_levels &&
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

bool make_round(const Node node, const int layer, inout bool is_there, inout BROUGHT own)
{
    bool is_complete = false;
    if (is_there && LANE < levels_per_round && node.level < n_levels) {
        bring_extreme(node.index, own);
        is_complete = arrive_is_last(node.index, node.n_children);
        if (is_complete) {
            own = take_extreme(node.index);
            store_node(node.level, node.at, layer, encode(own));
        }
    }
    own = from_lane(own, uint(levels_per_round - 1));
    is_there = subgroupShuffle(is_complete ? 1u : 0u, uint(levels_per_round - 1)) != 0u;
    return is_there;
}
#endif

/* Makes the tail in a loop, because compilers turn repeated code into functions and save registers to memory around
 * calls. With 16 lanes per subgroup, llvmpipe (Mesa 22.3) leaves the loop after one iteration, so it gets unrolled
 * code. */
void make_tail(Node node, const ivec2 tile, const int layer, TEXEL sums)
{
    bool is_there = LANES_ID == 0u, goes_on = true;
    BROUGHT own = brought_of(sums);
    if (IS_GPU) {
        for (int from = FIRST_LEVELS; goes_on && from < n_levels - 1;) {
            goes_on = make_round(node, layer, is_there, own);
            from += levels_per_round;
            node = node_of(from, tile, layer);
        }
        return;
    }
    [[unroll]] for (int step = 0; step < MAX_STEPS; step++) {
        int from = FIRST_LEVELS + levels_per_round * step;
        if (from < n_levels - 1) {
            make_round(node_of(from, tile, layer), layer, is_there, own);
        }
    }
}

#else
/* Through slots: cells of 2^n x 2^n texels in Morton order, where n is levels_per_round, 3 or 4. Whoever fills the last
 * slot of a cell reduces the cell to one texel and continues with that texel. */
shared bool is_last_of_cell;

/* Broadcasts the first invocation's result to all invocations that may continue. */
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

/* Makes what the first invocation acquired visible to all invocations that continue. */
void acquire_cell()
{
    if (HAS_WIDE_LANES) {
        controlBarrier(gl_ScopeSubgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
        return;
    }
    acquire_hand_off();
}

/* The bits of a number up to 255, each followed by a zero. */
uint spread(const int v)
{
    uint bits = uint(v);
    bits = (bits | bits << 4) & 0x0f0fu;
    bits = (bits | bits << 2) & 0x3333u;
    return (bits | bits << 1) & 0x5555u;
}

/* Reduces four slots from `first` on to a texel one level below `from`. */
TEXEL reduce_4_slots(const int from, const uint first)
{
    return join_four(equal(extent_of(from), ivec2(1)), slot[first], slot[first + 1u], slot[first + 2u], slot[first + 3u]);
}

/* At most three cells of three levels, or two cells of four levels, follow one another. Each store below lists the
 * levels that its cells can be on. */
DEFINE_STORE(store_first_of_four, STORE_ONE(7) STORE_ONE(11))
DEFINE_STORE(store_first, STORE_ONE(7) STORE_ONE(8) STORE_ONE(10) STORE_ONE(12) STORE_ONE(13))
DEFINE_STORE(store_second, STORE_ONE(8) STORE_ONE(9) STORE_ONE(11) STORE_ONE(13) STORE_ONE(14))
DEFINE_STORE(store_third, STORE_ONE(9) STORE_ONE(10) STORE_ONE(12) STORE_ONE(14) STORE_ONE(15))

/* Reduces 16 slots to texel `at`, two levels below `from`. Also stores the level in between. */
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
        if (INDEX < 1u << 2 * levels_per_round) {
            cells[INDEX] = slot[first + INDEX];
        }
        return make_levels_by_cells(from, from + levels_per_round, from + levels_per_round, cell, layer);
    }
    uint lane = LANE & 15u, i = first + (lane << 2 * (levels_per_round - 2));
    TEXEL texel;
    if (levels_per_round == 3) {
        texel = reduce_4_slots(from, i);
    } else {
        texel = reduce_16_slots(from, i, cell * 4 + place(lane), layer);
    }
    int n = from + levels_per_round - 2;
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

/* The cell and slot of a texel of level `from`. */
struct Node {
    int from;
    ivec2 cell;
    uint first, slot, n_slots; /* the cell's */
};

Node node_of(const int step, const ivec2 at, const int layer)
{
    Node node;
    node.from = FIRST_LEVELS + levels_per_round * step;
    node.cell = at >> levels_per_round;
    ivec2 extent = extent_of(node.from), n = min(extent, ivec2(1 << levels_per_round)), within = at & (1 << levels_per_round) - 1;
    node.first = uint(layer) * n_nodes + nodes[step] +
                 (uint(node.cell.y * max(extent.x >> levels_per_round, 1) + node.cell.x) << 2 * levels_per_round);
    node.slot = node.first + (spread(within.x) | spread(within.y) << 1);
    node.n_slots = uint(n.x * n.y);
    return node;
}

/* The node where make_tail() starts, computed early, as for words. */
Node start_of_tail(const ivec2 tile, const int layer)
{
    Node node = node_of(0, tile, layer);
    node.first = subgroupShuffleXor(node.first, 0u);
    node.slot = subgroupShuffleXor(node.slot, 0u);
    node.n_slots = subgroupShuffleXor(node.n_slots, 0u);
    return node;
}

/* Puts a texel, as sums, into its cell. Returns true if it filled the cell; `sums` is then the texel that the cell
 * makes. */
bool make_round(const Node node, const int layer, inout TEXEL sums)
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

void make_tail(Node node, const ivec2 tile, const int layer, TEXEL sums)
{
    bool goes_on = true;
    if (IS_GPU) {
        for (int step = 1; goes_on && node.from < n_levels - 1; step++) {
            goes_on = make_round(node, layer, sums);
            node = node_of(step, node.cell, layer);
        }
        return;
    }
    [[unroll]] for (int step = 1; step <= 3; step++) {
        if (goes_on && node.from < n_levels - 1) {
            goes_on = make_round(node, layer, sums);
        }
        node = node_of(step, node.cell, layer);
    }
}

#endif
