/* Makes the levels below a tile's own. First the tile makes its partials of these levels, level by level. Then all
 * invocations at once contribute the partials of texels that other tiles contribute to as well: through slots or words.
 *
 * An invocation makes up to two texels of the first level below, and one of all further levels together; for small
 * tiles, one of all levels together (set_strips() in spd_tree_plan.c makes sure of that). Positions and weights are
 * computed before the texels to be weighted are ready. */

/* The most texels n levels below a tile's own, along an axis: each of them covers 2^n + c texels (sharing.glsl), and c
 * is less than 2^n. The bound also holds for the texels at the edges that other tiles may contribute to: a single level
 * may have one more or less, but all levels together never have too many. */
#define MOST_OF_AXIS(size, n) (((size) - 3 >> (n)) + 3)
#define MOST_EVER(n) (MOST_OF_AXIS(MAX_TILE_X, n) * MOST_OF_AXIS(MAX_TILE_Y, n))
#ifdef EVEN /* as if tiles were never smaller */
#define MOST(n) MOST_EVER(n)
#else
#define MOST(n) (MOST_OF_AXIS(TILE_X, n) * MOST_OF_AXIS(TILE_Y, n))
#endif

/* Counts all levels of an image 32768 texels wide; the lowest levels have 3x3 texels each. */
const int MOST_BELOW = 12;
const int N_OF_TILE = MAX_TILE_X * MAX_TILE_Y;
#ifdef UPDATES /* updates have no shared texels */
const int N_FURTHER = 0, N_COMMON = 1;
#else
const int N_FURTHER = MOST_EVER(1) + MOST_EVER(2) + MOST_EVER(3) + MOST_EVER(4) + MOST_EVER(5) + 7 * 9;
const int N_COMMON = N_FURTHER < N_INVOCATIONS ? N_FURTHER : N_INVOCATIONS; /* at the edges of a tile: 235 at most */
#endif
#ifdef EVEN /* small tiles, with one invocation for each further texel */
#define HAS_PARTIALS (!HAS_TAIL && n_levels > FIRST_LEVELS + 1) /* otherwise there is nothing to keep */
#define IS_SMALL true
const int N_PARTIALS = HAS_TAIL ? 1 : N_OF_TILE + N_FURTHER;
#else
#define HAS_PARTIALS (n_levels > FIRST_LEVELS + 1)
#define IS_SMALL false
const int N_PARTIALS = N_OF_TILE > N_FURTHER ? N_OF_TILE : N_FURTHER;
#endif
const int LOWEST = IS_SMALL ? 1 : 2; /* first level with one invocation per texel */

/* The tile's texels of level FIRST_LEVELS and its partials of all further levels. The partials overwrite the texels or,
 * if there is an invocation for each partial, follow them. */
shared TEXEL partials[N_PARTIALS];

/* The texels that several tiles contribute to. First word: x, and y << 16. Second word: three fields, namely the number
 * of levels below the tiles' levels, the index in partials[] << 4, and the number of tiles << 16 (at most what words
 * can count). */
shared uvec2 common_texel[N_COMMON];
shared uint n_common;

/* The tile's texels of a level, and where they lie in partials[], in rows of `pitch`. */
struct Held {
    Range range;
    int first_partial, pitch;
};

/* A texel `n` levels below the tiles' levels to which a tile contributes, and how to compute the contribution, as far
 * as that does not depend on texel values. */
struct Partial {
    int n; /* 0: none */
    ivec2 at;
    uint n_tiles; /* that contribute to it */
    int to;
    ivec3 rows, columns; /* of its taps, in partials[] */
    vec3 along_x, along_y;
};

/* Even columns of a row come first and odd ones after them, so that lanes that weight every second column read
 * consecutive words. */
int column_of(const int x, const int pitch)
{
    return (x >> 1) + ((x & 1) != 0 ? pitch + 1 >> 1 : 0);
}

void leave_partial(const ivec2 at, const TEXEL texel)
{
    partials[at.y * TILE_X + column_of(at.x, TILE_X)] = halved(texel);
}

/* The texels that the tile holds of a level. All rows have the largest pitch, so that positions are the same for every
 * tile. */
Held held_by_tile(const ivec2 tile, const int n, const int first_partial)
{
    return Held(range_of_tile(tile, n), first_partial, n == 0 ? TILE_X : MOST_OF_AXIS(MAX_TILE_X, n));
}

/* The `i`-th texel of a level that the tile contributes to, from the tile's texels of the level above. */
Partial partial_at(const int i, const int n, const Held own, const Held above)
{
    Partial part;
    part.n = 0;
    int y = int((float(i) + 0.5) / float(own.pitch)), x = i - y * own.pitch;
    part.at = own.range.first + ivec2(x, y);
    if (any(greaterThan(part.at, own.range.last))) {
        return part;
    }
    part.n = n;
    part.n_tiles = n_sharing(part.at, n);
    part.to = own.first_partial + y * own.pitch + column_of(x, own.pitch);
    ivec2 extent = extent_of(FIRST_LEVELS + n - 1);
    Taps taps_x = taps_within(part.at.x, extent.x, above.range.first.x, above.range.last.x);
    Taps taps_y = taps_within(part.at.y, extent.y, above.range.first.y, above.range.last.y);
    part.rows = above.first_partial + taps_y.at * above.pitch;
    for (int k = 0; k < 3; k++) {
        part.columns[k] = column_of(taps_x.at[k], above.pitch);
    }
    part.along_x = taps_x.weight;
    part.along_y = taps_y.weight;
    return part;
}

/* The `i`-th texel of all levels that are LOWEST or more below the tiles' levels, counting each level's maximum. */
Partial partial_below(const ivec2 tile, int i)
{
    int n = LOWEST, before = 0, first = IS_SMALL ? N_OF_TILE : MOST(1), next = first;
    i += first;
    [[unroll]] for (int k = 2; k <= MOST_BELOW; k++) {
        if (k > LOWEST) {
            int last = next;
            next += MOST(k - 1);
            if (i >= next) {
                n = k;
                before = last;
                first = next;
            }
        }
    }
    if (FIRST_LEVELS + n >= n_levels) {
        Partial none;
        none.n = 0;
        return none;
    }
    return partial_at(i - first, n, held_by_tile(tile, n, first), held_by_tile(tile, n - 1, before));
}

TEXEL reduce_row_of_partials(const Partial part, const int row)
{
    return reduce_partial(part.along_x, partials[row + part.columns.x], partials[row + part.columns.y],
                       partials[row + part.columns.z]);
}

TEXEL make_partial(const Partial part)
{
    if (part.n == 0) {
        return TEXEL(0.0);
    }
    return reduce_partial(part.along_y, reduce_row_of_partials(part, part.rows.x),
                       reduce_row_of_partials(part, part.rows.y), reduce_row_of_partials(part, part.rows.z));
}

/* Keeps the texel for the levels below. */
void keep_partial(const Partial part, const TEXEL texel)
{
    if (part.n > 0) {
        partials[part.to] = texel;
    }
}

/* Stores the texel if no other tile contributes to it; otherwise lists it as common. */
void finish_partial(const Partial part, const TEXEL texel, const int layer)
{
    if (part.n == 0) {
        return;
    }
    if (part.n_tiles == 1u) {
        store_below(FIRST_LEVELS + part.n, part.at, layer, doubled(texel));
    } else {
        uint to = atomicAdd(n_common, 1u, gl_ScopeWorkgroup, 0, 0);
        common_texel[to] = uvec2(part.at.x | part.at.y << 16,
                                 part.n | part.to << 4 | int(part.n_tiles << 16));
    }
}

/* An entry of common_texel[]. */
struct Common {
    ivec2 at;
    int n;
    uint part; /* in partials[] */
};

Common common_of(const uvec2 word)
{
    return Common(ivec2(word.x & 0xffffu, word.x >> 16), int(word.y & 15u), word.y >> 4 & 0xfffu);
}

#ifdef EXTREME
/* Contributes to common texels through ordered words. */
void share_common(const ivec2 tile, const int layer, const uint index)
{
    if (index < n_common) {
        Common c = common_of(common_texel[index]);
        uint node = node_of_texel(c.n, c.at, layer, 1u);
        bring_extreme(node, partials[c.part]);
        if (arrive_is_last(node, n_sharing(c.at, c.n))) {
            store_below(FIRST_LEVELS + c.n, c.at, layer, take_extreme(node));
        }
    }
}

#elif defined(SLOTS)
/* Through slots: each tile writes its partials and increments the count of each texel. The last tile to arrive joins
 * the partials of all tiles, in a fixed order: few by one invocation, many by a subgroup or the workgroup. */
#define MANY 4u

shared uint complete[N_COMMON]; /* indices in common_texel[] of texels whose many partials have all arrived */
shared uint n_complete;

uint first_slot(const Common c, const int layer)
{
    return node_of_texel(c.n, c.at, layer, most_sharing(c.n));
}

void leave_common(const uint i, const ivec2 tile, const int layer)
{
    Common c = common_of(common_texel[i]);
    Range tiles = tiles_sharing(c.at, c.n);
    ivec2 p = tile - tiles.first;
    slot[first_slot(c, layer) + uint(p.y * (tiles.last.x - tiles.first.x + 1) + p.x)] = partials[c.part];
}

void count_common(const uint i, const int layer)
{
    Common c = common_of(common_texel[i]);
    uint first = first_slot(c, layer), n_tiles = n_sharing(c.at, c.n);
    if (!arrive_is_last(first, n_tiles)) {
        return;
    }
    if (n_tiles > MANY) {
        complete[atomicAdd(n_complete, 1u, gl_ScopeWorkgroup, 0, 0)] = i;
        return;
    }
    TEXEL part[MANY];
    [[unroll]] for (uint k = 0u; k < MANY; k++) { /* all loads at once, because latency dominates */
        part[k] = slot[first + min(k, n_tiles - 1u)];
    }
    [[unroll]] for (uint k = 1u; k < MANY; k++) {
        if (k < n_tiles) {
            part[0] = join_two(part[0], part[k]);
        }
    }
    store_below(FIRST_LEVELS + c.n, c.at, layer, doubled(part[0]));
}

/* Joins many partials by SUBGROUP_SIZE lanes. */
void join_many(const uint i, const int layer)
{
    Common c = common_of(common_texel[i]);
    uint first = first_slot(c, layer), n_tiles = n_sharing(c.at, c.n);
    TEXEL texel = IS_EXTREME ? slot[first] : TEXEL(0.0);
    for (uint done = 0u; done < n_tiles; done += 4u * SUBGROUP_SIZE) {
        TEXEL part[4];
        [[unroll]] for (uint k = 0u; k < 4u; k++) {
            part[k] = slot[first + min(done + k * SUBGROUP_SIZE + LANE, n_tiles - 1u)];
        }
        [[unroll]] for (uint k = 0u; k < 4u; k++) {
            if (done + k * SUBGROUP_SIZE + LANE < n_tiles) {
                texel = join_two(texel, part[k]);
            }
        }
    }
    for (uint mask = SUBGROUP_SIZE / 2; mask > 0u; mask >>= 1) {
        texel = join_two(texel, from_lane_xor(texel, mask));
    }
    if (LANE == 0u) {
        store_below(FIRST_LEVELS + c.n, c.at, layer, doubled(texel));
    }
}

void share_common(const ivec2 tile, const int layer, const uint index)
{
    if (index == 0u) {
        n_complete = 0u;
    }
    if (index < n_common) {
        leave_common(index, tile, layer);
    }
    leave_hand_off();
    if (index < n_common) {
        count_common(index, layer);
    }
    barrier();
    if (n_complete == 0u) {
        return;
    }
    acquire_hand_off();
#ifdef SUBGROUPS
    for (uint k = LANES_ID; k < n_complete; k += N_INVOCATIONS / SUBGROUP_SIZE) {
        join_many(complete[k], layer);
    }
#else
    for (uint k = 0u; k < n_complete; k++) { /* every group of lanes makes the same texels */
        join_many(complete[k], layer);
    }
#endif
}

#else
/* Contributes one word of a common texel. Adjacent lanes contribute the words of one texel in one instruction. */
void bring_word(const uint i, const int layer)
{
    uint n_words = words_of_texel();
    bool is_there = i < n_words * n_common;
    uvec2 packed = uvec2(0u, 1u); /* there may be no common texel at all */
    if (is_there) {
        packed = common_texel[i / n_words];
    }
    Common c = common_of(packed);
    uint word = i % n_words, node = node_of_texel(c.n, c.at, layer, 1u);
    vec2 part = pair_of_texel(partials[c.part] * UNIT, word);
    bool is_last = is_there && add_pair_is_last(part, n_words * node + word, packed.y >> 16);
    TEXEL texel;
    if (meet(is_last, node, word, part, texel)) {
        store_below(FIRST_LEVELS + c.n, c.at, layer, texel / UNIT);
    }
}

void share_common(const ivec2 tile, const int layer, const uint index)
{
    if (IS_GPU) {
        for (uint first = 0u; first < words_of_texel() * n_common; first += N_INVOCATIONS) {
            bring_word(first + index, layer);
        }
        return;
    }
    const int n_rounds = (CHANNELS * N_COMMON + N_INVOCATIONS - 1) / N_INVOCATIONS;
    for (int i = 0; i < n_rounds; i++) {
        bring_word(uint(i * N_INVOCATIONS) + index, layer);
    }
}

#endif

/* Makes the first level below: up to two texels per invocation. */
void make_first_below(const ivec2 tile, const int layer, const int i)
{
    Held of_tile = held_by_tile(tile, 0, 0), below = held_by_tile(tile, 1, 0);
    Partial first = partial_at(i, 1, below, of_tile), second = partial_at(i + N_INVOCATIONS, 1, below, of_tile);
    barrier();
    TEXEL first_texel = make_partial(first), second_texel = make_partial(second);
    barrier();
    keep_partial(first, first_texel);
    keep_partial(second, second_texel);
    finish_partial(first, first_texel, layer);
    finish_partial(second, second_texel, layer);
}

void share_tile(const ivec2 tile, const int layer, const uint index)
{
    int i = int(index);
    Partial further = partial_below(tile, i);
    TEXEL texel = TEXEL(0.0);
    if (i == 0) {
        n_common = 0u;
    }
    if (!IS_SMALL) {
        make_first_below(tile, layer, i);
    }
    for (int n = LOWEST; FIRST_LEVELS + n < n_levels; n++) {
        barrier();
        if (further.n == n) {
            texel = make_partial(further);
            keep_partial(further, texel);
        }
    }
    finish_partial(further, texel, layer);
    barrier();
    share_common(tile, layer, index);
}
