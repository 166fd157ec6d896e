/* The levels below those that tiles make, of any size, in one round trip to memory: each tile adds its share
 * to every texel that it has a part in.
 *
 * The box filter is linear, so that a texel is the sum of what each tile would make of it were all
 * other tiles black. What a tile makes so of a level are few texels: those that weigh any of its own.
 * Along one axis, of eight texels of level 3 in tile t, where all sizes are odd:
 *
 *     level 3   8t . . . . . . 8t+7
 *     level 4   4t-1 4t . . 4t+3       5, the outer of which neighbours have a part in, too
 *     level 5   2t-1 2t 2t+1           3
 *     level 6   t-1  t                 2, and no more in any level below
 *
 * A texel that no other tile has a part in is stored. Of the others each channel has a 64-bit word,
 * to which every tile adds its share once:
 *
 *     bits    63..40   39..0
 *     word    count    sum, with 30 bits below the binary point
 *
 * Who adds the last has the sum as the atomic's result: no other data is handed on, so that nothing
 * has to be released or acquired. Sums of integers are the same in whatever order, and a share is
 * rounded by less than 2^-30.
 *
 * Relaxed atomics on different words have no common order, so that the channels of a texel may find
 * their last in different workgroups. Those that are not together in one pair of lanes, which have
 * two channels each, leave their sums in the words and count themselves in one word more; whoever
 * is the last there (with acquire-release) takes all four. Who takes a word sets it back to zero. */
#ifndef SHARE_GLSL
#define SHARE_GLSL

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

/* What the tile makes of a level and of the next, by turns: texel, channels r and g or b and a. */
shared vec2 parts[2 * 64 * 2];

void leave_part(uint at, vec4 texel)
{
    parts[2u * at] = texel.rg;
    parts[2u * at + 1u] = texel.ba;
}

/* Texels per axis that a tile has a part in, at most. */
int share_width(int level)
{
    return level == 4 ? 5 : level == 5 ? 3 : 2;
}

/* Invocations are spread over the levels, two for each texel: level 4 begins at 0. */
int first_of_level(int level)
{
    return 2 * (level == 4 ? 0 : level == 5 ? 25 : 34 + 4 * (level - 6));
}

int level_of(uint index)
{
    return index < 50u ? 4 : index < 68u ? 5 : 6 + int(index - 68u >> 3);
}

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

Range range_below(Range range, int level)
{
    ivec2 above = level_extent(base_extent, level - 1);
    return Range(max(range.first - (above & 1) >> 1, ivec2(0)),
                 min(range.last >> 1, level_extent(base_extent, level) - 1));
}

Range range_of_tile(ivec2 tile)
{
    ivec2 first = tile * TILE_WIDTH;
    return Range(first, min(first + TILE_WIDTH - 1,
                            level_extent(base_extent, FIRST_LEVELS) - 1));
}

/* The taps of one axis that lie within what the tile has: where, from its first, and their weights. */
struct Within {
    ivec3 at;
    vec3 weight;
};

Within taps_within(int at, int n, int first, int last)
{
    ivec3 from = 2 * at + ivec3(0, 1, 2);
    bvec3 is_own = bvec3(from.x >= first && from.x <= last, from.y >= first && from.y <= last,
                         from.z >= first && from.z <= last);
    return Within(clamp(from, first, last) - first, mix(vec3(0.0), box_weights(at, n), is_own));
}

vec2 part_of_row(int row, ivec3 columns, vec3 weight)
{
    return weight.x * parts[row + 2 * columns.x] + weight.y * parts[row + 2 * columns.y] +
           weight.z * parts[row + 2 * columns.z];
}

/* Two channels of a texel, of what the tile has of the level above. */
vec2 part_of(ivec2 at, int level, Range above, int pitch, int offset)
{
    ivec2 n = level_extent(base_extent, level - 1);
    Within x = taps_within(at.x, n.x, above.first.x, above.last.x);
    Within y = taps_within(at.y, n.y, above.first.y, above.last.y);
    ivec3 row = offset + 2 * pitch * y.at;
    return y.weight.x * part_of_row(row.x, x.at, x.weight) +
           y.weight.y * part_of_row(row.y, x.at, x.weight) +
           y.weight.z * part_of_row(row.z, x.at, x.weight);
}

/* How many tiles have a part in a texel. */
uint n_sharing(ivec2 at, int level)
{
    int shift = findLSB(TILE_WIDTH);
    ivec2 first = at << level - FIRST_LEVELS, last = at;
    for (int above = level - 1; above >= FIRST_LEVELS; above--) {
        ivec2 extent = level_extent(base_extent, above);
        last = min(2 * last + 1 + (extent & 1), extent - 1);
    }
    ivec2 n = (last >> shift) - (first >> shift) + 1;
    return uint(n.x * n.y);
}

/* What one invocation has to add. */
struct Share {
    bool is_there;
    int level;
    ivec2 at;
    vec2 part;
};

uint node_of(Share share, int layer)
{
    return uint(layer) * n_nodes + first_node(share.level - FIRST_LEVELS - 1) +
           uint(share.at.y * level_extent(base_extent, share.level).x + share.at.x);
}

uint64_t word_of(float part)
{
    return uint64_t(uint(part * ONE + 0.5)) | uint64_t(1) << COUNT_SHIFT;
}

float part_of_word(uint64_t word)
{
    return float(uint(word)) * (1.0 / ONE);
}

/* Add to the words from `word` on: whether each was the last; then the part is the whole. */
bvec2 add_is_last(inout vec2 part, uint word, uint n)
{
    uint64_t first = word_of(part.x), second = word_of(part.y);
    first += atomicAdd(share_word[word], first, gl_ScopeDevice, 0, 0);
    second += atomicAdd(share_word[word + 1u], second, gl_ScopeDevice, 0, 0);
    part = vec2(part_of_word(first), part_of_word(second));
    return equal(uvec2(first >> COUNT_SHIFT, second >> COUNT_SHIFT), uvec2(n));
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

/* Count channels that are complete but not together: true if that makes four; then all of them. */
bool meet(uint n_complete, uint node, inout vec4 texel)
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

/* By pairs of lanes, the channels of one texel: store it if all are together by now. */
void add_share(Share share, int layer, uint pair)
{
    uint n = 0u, node = 0u, n_complete = 0u;
    if (share.is_there) {
        n = n_sharing(share.at, share.level);
        node = node_of(share, layer);
        n_complete = 2u;
        if (n > 1u) {
            bvec2 is_last = add_is_last(share.part, N_CHANNELS * node + 2u * pair, n);
            n_complete = uint(is_last.x) + uint(is_last.y);
        }
    }
    uint n_together = n_complete + subgroupQuadSwapHorizontal(n_complete);
    vec4 texel = vec4(share.part, subgroupQuadSwapHorizontal(share.part));
    bool is_whole = false;
    if (n_together == N_CHANNELS) {
        is_whole = pair == 0u;
        if (n > 1u) {
            clear_word(N_CHANNELS * node + 2u * pair);
            clear_word(N_CHANNELS * node + 2u * pair + 1u);
        }
    } else if (n_complete > 0u) {
        is_whole = meet(n_complete, node, texel);
    }
    if (is_whole) {
        store(share.level, share.at, layer, texel);
    }
}

/* From a tile's texels, which lie in the first half of parts[], by the whole workgroup. */
void share_tile(ivec2 tile, int layer, uint index)
{
    Share share = Share(false, level_of(index), ivec2(0), vec2(0.0));
    int i = int(index) - first_of_level(share.level), width = share_width(share.level);
    ivec2 place = ivec2((i >> 1) % width, (i >> 1) / width);
    Range above = range_of_tile(tile);
    int pitch = TILE_WIDTH, from = 0;
    for (int level = FIRST_LEVELS + 1; level < n_levels; level++) {
        barrier();
        Range own = range_below(above, level);
        if (share.level == level) {
            share.at = own.first + place;
            share.is_there = place.y < width && all(lessThanEqual(share.at, own.last));
            if (share.is_there) {
                share.part = part_of(share.at, level, above, pitch, from + (i & 1));
                parts[(from ^ 128) + i] = share.part;
            }
        }
        above = own;
        pitch = share_width(level);
        from ^= 128;
    }
    add_share(share, layer, index & 1u);
}

#endif
