/* The shares that tiles have in the texels of the levels below theirs, and words that add them up.
 *
 * The box filter is linear, so that a texel is the sum of what each tile would make of it were all
 * other tiles black. What a tile makes so of a level are few texels: those that weigh any of its own.
 *
 * Each channel of a texel that several tiles share has a 64-bit word, to which every one of them adds its
 * share once:
 *
 *     bits    63..40   39..0
 *     word    count    sum, with 30 bits below the binary point
 *
 * Who adds the last has the sum as the atomic's result: no other data is handed on, so that nothing
 * has to be released or acquired. Sums of integers are the same in whatever order, and a share is
 * rounded by less than 2^-30.
 *
 * Relaxed atomics on different words have no common order, so that the channels of a texel may find
 * their last in different workgroups. That is rare. Who completes some, but not all, leaves their
 * sums in the words and counts them in one word more; whoever is the last there (with
 * acquire-release) takes all four. Who takes a word sets it back to zero. */
#ifndef WORDS_GLSL
#define WORDS_GLSL

#define N_CHANNELS 4
#define COUNT_SHIFT 40
#define ONE 1073741824.0 /* 2^30 */

layout(set = 0, binding = 2) nonprivate buffer Shares /* in place of the hand-off */
{
    uint64_t share_word[]; /* layer, level, row, column, channel; zero between runs */
};
layout(set = 0, binding = 3) nonprivate buffer Meetings /* in place of counters */
{
    uint n_met[]; /* layer, level, row, column: channels; zero between runs */
};

/* Weights of the texels 2 * at, 2 * at + 1 and 2 * at + 2 of an axis of n; see box.glsl. */
vec3 box_weights(int at, int n)
{
    int half_n = n >> 1;
    vec3 odd = vec3(half_n - at, half_n, at + 1) * (1.0 / float(n));
    return n == 1 ? vec3(1.0, 0.0, 0.0) : (n & 1) == 0 ? vec3(0.5, 0.5, 0.0) : odd;
}

/* Texels of a level that a tile makes or has a part in, corners included. */
struct Range {
    ivec2 first, last;
};

/* Of level F, that tiles make last, texel x of `n` levels further down weighs those from 2^n x to
 *
 *     2^n x + 2^n - 1 + c
 *
 * where c, what odd sizes add, is made of their lowest bits: level F + i adds 2^i if its size is odd,
 * which is bit i of the size of level F. */
ivec2 added_by_odd_sizes(int n)
{
    return level_extent(base_extent, FIRST_LEVELS) & (1 << n) - 1;
}

/* Of `n` levels below those of tiles. */
Range range_of_tile(ivec2 tile, int n)
{
    ivec2 first = tile * TILE_SIZE;
    return Range(max(first - added_by_odd_sizes(n) >> n, ivec2(0)),
                 min(first + TILE_SIZE - 1 >> n,
                     level_extent(base_extent, FIRST_LEVELS + n) - 1));
}

/* How many tiles have a part in a texel of `n` levels below those of tiles. */
uint n_sharing(ivec2 at, int n)
{
    ivec2 first = at << n;
    ivec2 last = min(first + (1 << n) - 1 + added_by_odd_sizes(n),
                     level_extent(base_extent, FIRST_LEVELS) - 1);
    uvec2 size = uvec2(TILE_SIZE), n_tiles = uvec2(last) / size - uvec2(first) / size + 1u;
    return n_tiles.x * n_tiles.y;
}

/* The taps of one axis that lie within what the tile has: where, from its first, and their weights. */
struct Taps {
    ivec3 at;
    vec3 weight;
};

Taps taps_within(int at, int n, int first, int last)
{
    ivec3 from = 2 * at + ivec3(0, 1, 2);
    bvec3 is_own = bvec3(from.x >= first && from.x <= last, from.y >= first && from.y <= last,
                         from.z >= first && from.z <= last);
    return Taps(clamp(from, first, last) - first, mix(vec3(0.0), box_weights(at, n), is_own));
}

uint64_t word_of(float part)
{
    return uint64_t(uint(part * ONE + 0.5)) | uint64_t(1) << COUNT_SHIFT;
}

float part_of_word(uint64_t word)
{
    return float(uint(word)) * (1.0 / ONE);
}

/* Add to a word: true if that was the last of n; then the part is the whole. */
bool add_is_last(inout float part, uint word, uint n)
{
    uint64_t sum = word_of(part);
    sum += atomicAdd(share_word[word], sum, gl_ScopeDevice, 0, 0);
    part = part_of_word(sum);
    return uint(sum >> COUNT_SHIFT) == n;
}

void clear_word(uint word)
{
    atomicStore(share_word[word], uint64_t(0), gl_ScopeDevice, 0, 0);
}

float take(uint word)
{
    uint64_t sum = atomicLoad(share_word[word], gl_ScopeDevice, 0, 0);
    clear_word(word);
    return part_of_word(sum);
}

/* Count channels, not all, that are complete: true if that makes four; then all of them. */
bool meet(uint node, uint n_complete, inout vec4 texel)
{
    uint n = n_complete + atomicAdd(n_met[node], n_complete, gl_ScopeDevice,
                                    gl_StorageSemanticsBuffer,
                                    gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                                        gl_SemanticsMakeVisible);
    if (n != N_CHANNELS) {
        return false;
    }
    atomicStore(n_met[node], 0u, gl_ScopeDevice, 0, 0);
    uint word = N_CHANNELS * node;
    texel = vec4(take(word), take(word + 1u), take(word + 2u), take(word + 3u));
    return true;
}

#endif
