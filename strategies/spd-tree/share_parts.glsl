/* The levels below those that a tile makes: its parts of them, one level after the other, and then its
 * share of every texel that others have a part in, too, by all invocations at once. Of averages of 8-bit
 * codes.
 *
 * Of the first level below there are up to two texels for each invocation, of all further ones together
 * one (has_invocations() of strips.c sees to it): where they lie and what they weigh is worked out
 * before there is anything to weigh. */
#ifndef SHARE_PARTS_GLSL
#define SHARE_PARTS_GLSL
#include "codes.glsl"
#include "sharing.glsl"
#include "words.glsl"

/* So many texels, at most, n levels below those of a tile; and of them within those at the edges, two
 * wide, that others may have a part in. */
#define MOST(n) (((TILE_X >> n) + 3) * ((TILE_Y >> n) + 3))
#define WITHIN(n) (((TILE_X >> n) - 1) * ((TILE_Y >> n) - 1))

/* Of all levels down to the last of 32768 texels; of the lowest ones 3x3 each. */
const int N_OF_TILE = TILE_X * TILE_Y;
const int N_FURTHER = MOST(1) + MOST(2) + MOST(3) + MOST(4) + MOST(5) + 7 * 9;
const int N_COMMON = N_FURTHER - WITHIN(1) - WITHIN(2) - WITHIN(3) - WITHIN(4);

/* First what the tile has of level FIRST_LEVELS, and then, in its place, of all further ones. */
shared vec4 parts[N_OF_TILE > N_FURTHER ? N_OF_TILE : N_FURTHER];

/* Of the texels that several tiles have a part in: x and y << 16; and how many levels below those of tiles
 * they are, and where in parts[] << 4. */
shared uvec2 common_texel[N_COMMON];
shared uint n_common;

/* What the tile has of a level: the texels, and where they lie in parts[], in rows of `pitch`. */
struct Held {
    Range range;
    int first_part, end, pitch;
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

void leave_part(ivec2 at, vec4 texel)
{
    parts[at.y * TILE_X + at.x] = texel;
}

Held held_by_tile(ivec2 tile, int n, int first_part)
{
    Range range = range_of_tile(tile, n);
    ivec2 size = range.last - range.first + 1;
    return Held(range, first_part, first_part + size.x * size.y, size.x);
}

/* The `i`-th that the tile has of a level, from what it has of the level above. */
Part part_at(int i, int n, Held own, Held above)
{
    Part part;
    part.n = 0;
    if (i >= own.end - own.first_part) {
        return part;
    }
    part.n = n;
    ivec2 extent = level_extent(base_extent, FIRST_LEVELS + n - 1);
    int row = i / own.pitch;
    part.at = own.range.first + ivec2(i - row * own.pitch, row);
    part.n_tiles = n_sharing(part.at, n);
    part.to = own.first_part + i;
    Taps x = taps_within(part.at.x, extent.x, above.range.first.x, above.range.last.x);
    Taps y = taps_within(part.at.y, extent.y, above.range.first.y, above.range.last.y);
    part.rows = above.first_part + y.at * above.pitch;
    part.columns = x.at;
    part.along_x = x.weight;
    part.along_y = y.weight;
    return part;
}

/* The `i`-th of all levels from the second one below those of tiles on, `above` being the first. As often round
 * the loop for every invocation: those that never enter one pass the barrier behind it, where loops are
 * not safe. */
Part part_below(ivec2 tile, int i, Held above)
{
    int of = 2, to = above.end + i;
    Held own = held_by_tile(tile, of, above.end), next = own;
    for (int n = 3; FIRST_LEVELS + n < n_levels; n++) {
        Held last = next;
        next = held_by_tile(tile, n, last.end);
        if (to >= last.end) {
            of = n;
            above = last;
            own = next;
        }
    }
    Part part = part_at(to - own.first_part, of, own, above);
    if (FIRST_LEVELS + of >= n_levels) {
        part.n = 0;
    }
    return part;
}

vec4 weigh_row_of_parts(Part part, int row)
{
    return weigh(part.along_x, parts[row + part.columns.x], parts[row + part.columns.y],
                 parts[row + part.columns.z]);
}

vec4 weigh_part(Part part)
{
    if (part.n == 0) {
        return vec4(0.0);
    }
    return weigh(part.along_y, weigh_row_of_parts(part, part.rows.x),
                 weigh_row_of_parts(part, part.rows.y), weigh_row_of_parts(part, part.rows.z));
}

/* To the levels below. */
void keep_part(Part part, vec4 texel)
{
    if (part.n > 0) {
        parts[part.to] = texel;
    }
}

/* Store it, if it is the tile's alone. */
void finish_part(Part part, vec4 texel, int layer)
{
    if (part.n == 0) {
        return;
    }
    if (part.n_tiles == 1u) {
        store_bytes(FIRST_LEVELS + part.n, part.at, layer, bytes_of(texel));
    } else {
        uint to = atomicAdd(n_common, 1u, gl_ScopeWorkgroup, 0, 0);
        common_texel[to] = uvec2(part.at.x | part.at.y << 16, part.n | part.to << 4);
    }
}

/* One channel of a texel that tiles have in common: lanes 4i to 4i + 3 bring those of one texel by one
 * instruction. In words are numbers from 0 to 1. */
void share_channel(uint i, int layer)
{
    bool is_there = i < N_CHANNELS * n_common;
    uvec2 texel_of = uvec2(0u, 1u); /* there may be none at all */
    if (is_there) {
        texel_of = common_texel[i / N_CHANNELS];
    }
    uint channel = i % N_CHANNELS;
    ivec2 at = ivec2(texel_of.x & 0xffffu, texel_of.x >> 16);
    int n = int(texel_of.y & 15u);
    uint node = uint(layer) * n_nodes + first_node(n - 1) +
                uint(at.y * level_extent(base_extent, FIRST_LEVELS + n).x + at.x);
    float part = parts[texel_of.y >> 4][channel] * (1.0 / WHITE);
    bool is_last = is_there && add_is_last(part, N_CHANNELS * node + channel, n_sharing(at, n));
    vec4 texel;
    if (meet_in_quad(is_last, true, node, channel, part, texel)) {
        store_bytes(FIRST_LEVELS + n, at, layer, bytes_of(texel * WHITE));
    }
}

void share_common(int layer, uint index)
{
    if (IS_LOOP_SAFE) {
        for (uint first = 0u; first < N_CHANNELS * n_common; first += N_INVOCATIONS) {
            share_channel(first + index, layer);
        }
        return;
    }
    const int n_rounds = (N_CHANNELS * N_COMMON + N_INVOCATIONS - 1) / N_INVOCATIONS;
    [[unroll]] for (int i = 0; i < n_rounds; i++) {
        share_channel(uint(i * N_INVOCATIONS) + index, layer);
    }
}

void share_tile(ivec2 tile, int layer, uint index)
{
    int i = int(index);
    Held of_tile = Held(range_of_tile(tile, 0), 0, N_OF_TILE, TILE_X);
    Held below = held_by_tile(tile, 1, 0);
    Part first = part_at(i, 1, below, of_tile);
    Part second = part_at(i + N_INVOCATIONS, 1, below, of_tile);
    Part further = part_below(tile, i, below);
    if (i == 0) {
        n_common = 0u;
    }
    barrier();
    vec4 first_texel = weigh_part(first), second_texel = weigh_part(second), texel = vec4(0.0);
    barrier();
    keep_part(first, first_texel);
    keep_part(second, second_texel);
    finish_part(first, first_texel, layer);
    finish_part(second, second_texel, layer);
    for (int n = 2; FIRST_LEVELS + n < n_levels; n++) {
        barrier();
        if (further.n == n) {
            texel = weigh_part(further);
            keep_part(further, texel);
        }
    }
    finish_part(further, texel, layer);
    barrier();
    share_common(layer, index);
}

#endif
