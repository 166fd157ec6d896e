/* The levels below those that a tile makes: its parts of them, one level after the other, and then its
 * share of every texel that others have a part in, too, by all invocations at once: by slots, or of averages
 * of rgba8 by words.
 *
 * Of the first level below there are up to two texels for each invocation, of all further ones together
 * one, and of small tiles one of all (set_strips() of spd_tree_plan.c sees to it): where they lie and
 * what they weigh is worked out before there is anything to weigh. */

/* So many texels, at most, n levels below those of a tile: each takes 2^n + c (sharing.glsl), and c is less than
 * 2^n. And of them within those at the edges that others may have a part in: a texel more or less for a
 * level by itself, but never too many of all levels together. */
#define MOST_OF_AXIS(size, n) (((size) - 3 >> (n)) + 3)
#define MOST_EVER(n) (MOST_OF_AXIS(MAX_TILE_X, n) * MOST_OF_AXIS(MAX_TILE_Y, n))
#ifdef EVEN /* as if tiles were never smaller */
#define MOST(n) MOST_EVER(n)
#else
#define MOST(n) (MOST_OF_AXIS(TILE_X, n) * MOST_OF_AXIS(TILE_Y, n))
#endif

/* Of all levels down to the last of 32768 texels; of the lowest ones 3x3 each. */
const int MOST_BELOW = 12;
const int N_OF_TILE = MAX_TILE_X * MAX_TILE_Y;
#ifdef UPDATES /* which share nothing */
const int N_FURTHER = 0, N_COMMON = 1;
#else
const int N_FURTHER = MOST_EVER(1) + MOST_EVER(2) + MOST_EVER(3) + MOST_EVER(4) + MOST_EVER(5) + 7 * 9;
const int N_COMMON = N_FURTHER < N_INVOCATIONS ? N_FURTHER : N_INVOCATIONS; /* at the edges of a tile: 235 at most */
#endif
#ifdef EVEN /* small tiles, whose further texels have an invocation each */
#define HAS_PARTS (!IS_CLIMBING && n_levels > FIRST_LEVELS + 1) /* else there is nothing to keep */
#define IS_SMALL true
const int N_PARTS = IS_CLIMBING ? 1 : N_OF_TILE + N_FURTHER;
#else
#define HAS_PARTS (n_levels > FIRST_LEVELS + 1)
#define IS_SMALL false
const int N_PARTS = N_OF_TILE > N_FURTHER ? N_OF_TILE : N_FURTHER;
#endif
const int LOWEST = IS_SMALL ? 1 : 2; /* of the levels that have an invocation for each texel */

/* What the tile has of level FIRST_LEVELS, and of all further ones: in its place, or, where there is an invocation for
 * each of these, behind it. */
shared TEXEL parts[N_PARTS];

/* Of the texels that several tiles have a part in: x and y << 16; and how many levels below those of tiles
 * they are, << 4, where in parts[], and << 16, how many tiles share them, as far as words count. */
shared uvec2 common_texel[N_COMMON];
shared uint n_common;

/* What the tile has of a level: the texels, and where they lie in parts[], in rows of `pitch`. */
struct Held {
    Range range;
    int first_part, pitch;
};

/* A texel `n` levels below those of tiles, of which a tile has a part, and how it comes by it: all that does
 * not depend on texels. */
struct Part {
    int n; /* 0 if there is none */
    ivec2 at;
    uint n_tiles; /* that share it */
    int to;
    ivec3 rows, columns; /* in parts[], of what it weighs */
    vec3 along_x, along_y;
};

/* Of a row of parts: even columns come first and odd ones after them, so that lanes that weigh every second
 * one read one after the other. */
int column_of(const int x, const int pitch)
{
    return (x >> 1) + ((x & 1) != 0 ? pitch + 1 >> 1 : 0);
}

void leave_part(const ivec2 at, const TEXEL texel)
{
    parts[at.y * TILE_X + column_of(at.x, TILE_X)] = halved(texel);
}

/* Rows are as long as they may get, so that where parts lie does not depend on the tile. */
Held held_by_tile(const ivec2 tile, const int n, const int first_part)
{
    return Held(range_of_tile(tile, n), first_part, n == 0 ? TILE_X : MOST_OF_AXIS(MAX_TILE_X, n));
}

/* The `i`-th that the tile has of a level, from what it has of the level above. */
Part part_at(const int i, const int n, const Held own, const Held above)
{
    Part part;
    part.n = 0;
    int y = int((float(i) + 0.5) / float(own.pitch)), x = i - y * own.pitch;
    part.at = own.range.first + ivec2(x, y);
    if (any(greaterThan(part.at, own.range.last))) {
        return part;
    }
    part.n = n;
    part.n_tiles = n_sharing(part.at, n);
    part.to = own.first_part + y * own.pitch + column_of(x, own.pitch);
    ivec2 extent = extent_of(FIRST_LEVELS + n - 1);
    Taps taps_x = taps_within(part.at.x, extent.x, above.range.first.x, above.range.last.x);
    Taps taps_y = taps_within(part.at.y, extent.y, above.range.first.y, above.range.last.y);
    part.rows = above.first_part + taps_y.at * above.pitch;
    for (int k = 0; k < 3; k++) {
        part.columns[k] = column_of(taps_x.at[k], above.pitch);
    }
    part.along_x = taps_x.weight;
    part.along_y = taps_y.weight;
    return part;
}

/* The `i`-th of all levels from LOWEST on below those of tiles, as many of each as there may be. */
Part part_below(const ivec2 tile, int i)
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
        Part none;
        none.n = 0;
        return none;
    }
    return part_at(i - first, n, held_by_tile(tile, n, first), held_by_tile(tile, n - 1, before));
}

TEXEL reduce_row_of_parts(const Part part, const int row)
{
    return reduce_part(part.along_x, parts[row + part.columns.x], parts[row + part.columns.y],
                       parts[row + part.columns.z]);
}

TEXEL make_part(const Part part)
{
    if (part.n == 0) {
        return TEXEL(0.0);
    }
    return reduce_part(part.along_y, reduce_row_of_parts(part, part.rows.x),
                       reduce_row_of_parts(part, part.rows.y), reduce_row_of_parts(part, part.rows.z));
}

/* To the levels below. */
void keep_part(const Part part, const TEXEL texel)
{
    if (part.n > 0) {
        parts[part.to] = texel;
    }
}

/* Store it, if it is the tile's alone; else it has to be shared. */
void finish_part(const Part part, const TEXEL texel, const int layer)
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

/* A texel that tiles share, of common_texel[]. */
struct Common {
    ivec2 at;
    int n;
    uint part; /* in parts[] */
};

Common common_of(const uvec2 word)
{
    return Common(ivec2(word.x & 0xffffu, word.x >> 16), int(word.y & 15u), word.y >> 4 & 0xfffu);
}

#ifdef EXTREME
/* Ordered words. */
void share_common(const ivec2 tile, const int layer, const uint index)
{
    if (index < n_common) {
        Common c = common_of(common_texel[index]);
        uint node = node_of_texel(c.n, c.at, layer, 1u);
        bring_extreme(node, parts[c.part]);
        if (arrive_is_last(node, n_sharing(c.at, c.n))) {
            store_below(FIRST_LEVELS + c.n, c.at, layer, take_extreme(node));
        }
    }
}

#elif defined(SLOTS)
/* Slots: each tile leaves its parts, and counts itself in for each; who is last joins those of all
 * that share the texel, in a fixed order: few by itself, many by a subgroup or the workgroup. */
#define MANY 4u

shared uint complete[N_COMMON]; /* of texels that many share and that have all parts now, in common_texel[] */
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
    slot[first_slot(c, layer) + uint(p.y * (tiles.last.x - tiles.first.x + 1) + p.x)] = parts[c.part];
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
    [[unroll]] for (uint k = 0u; k < MANY; k++) { /* at once: what takes time is the way there */
        part[k] = slot[first + min(k, n_tiles - 1u)];
    }
    [[unroll]] for (uint k = 1u; k < MANY; k++) {
        if (k < n_tiles) {
            part[0] = join_two(part[0], part[k]);
        }
    }
    store_below(FIRST_LEVELS + c.n, c.at, layer, doubled(part[0]));
}

/* By as many lanes as exchange texels. */
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
    for (uint k = 0u; k < n_complete; k++) { /* each LANES_ID makes the same */
        join_many(complete[k], layer);
    }
#endif
}

#else
/* What is one word's of a texel that tiles have in common: lanes next to each other bring those of one texel by
 * one instruction. */
void bring_word(const uint i, const int layer)
{
    uint n_words = words_of_texel();
    bool is_there = i < n_words * n_common;
    uvec2 packed = uvec2(0u, 1u); /* there may be none at all */
    if (is_there) {
        packed = common_texel[i / n_words];
    }
    Common c = common_of(packed);
    uint word = i % n_words, node = node_of_texel(c.n, c.at, layer, 1u);
    vec2 part = pair_of_texel(parts[c.part] * UNIT, word);
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

/* Of the first level below, up to two for each invocation. */
void make_first_below(const ivec2 tile, const int layer, const int i)
{
    Held of_tile = held_by_tile(tile, 0, 0), below = held_by_tile(tile, 1, 0);
    Part first = part_at(i, 1, below, of_tile), second = part_at(i + N_INVOCATIONS, 1, below, of_tile);
    barrier();
    TEXEL first_texel = make_part(first), second_texel = make_part(second);
    barrier();
    keep_part(first, first_texel);
    keep_part(second, second_texel);
    finish_part(first, first_texel, layer);
    finish_part(second, second_texel, layer);
}

void share_tile(const ivec2 tile, const int layer, const uint index)
{
    int i = int(index);
    Part further = part_below(tile, i);
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
            texel = make_part(further);
            keep_part(further, texel);
        }
    }
    finish_part(further, texel, layer);
    barrier();
    share_common(tile, layer, index);
}
