/* Updates: only tiles that a changed rectangle reaches are made, and only texels that it reaches are stored. The last
 * tile's workgroup makes the levels below, one after the other, from what is stored of each, or was to be, so that the
 * same comes of it whatever else was made. */
#ifndef UPDATE_GLSL
#define UPDATE_GLSL

#define MAX_LEVELS 16

layout(constant_id = 23) const uint N_RECTS = 1;

/* The levels as they are stored; [0] is level 1. */
#ifdef RAW
layout(set = 0, binding = 4) uniform usampler2DArray stored[15];
#else
layout(set = 0, binding = 4) uniform sampler2DArray stored[15];
#endif
layout(set = 0, binding = 5) readonly buffer Cones
{
    ivec4 cones[]; /* [rectangle][MAX_LEVELS]: corners, included, of what it reaches */
};
layout(set = 0, binding = 6) readonly buffer Tiles
{
    uint tiles[]; /* that are made: x and y << 16 */
};

shared bool is_last_tile;

ivec2 listed_tile()
{
    uint tile = tiles[min(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, n_tiles - 1u)];
    return ivec2(tile & 0xffffu, tile >> 16);
}

bool is_to_be_written(int level, ivec2 at)
{
    bool is_reached = false;
    for (uint i = 0u; i < N_RECTS; i++) {
        ivec4 cone = cones[i * MAX_LEVELS + level];
        bool is_inside = all(lessThanEqual(ivec4(cone.xy, at), ivec4(at, cone.zw)));
        is_reached = is_reached || is_inside;
    }
    return is_reached;
}

#define STORED_LEVEL(n)                                                                             \
    case n: return texelFetch(stored[n - 1], at, 0);
STORED fetch_level(int level, ivec3 at)
{
    switch (level) {
        STORED_LEVEL(1)
        STORED_LEVEL(2)
        STORED_LEVEL(3)
        STORED_LEVEL(4)
        STORED_LEVEL(5)
        STORED_LEVEL(6)
        STORED_LEVEL(7)
        STORED_LEVEL(8)
        STORED_LEVEL(9)
        STORED_LEVEL(10)
        STORED_LEVEL(11)
        STORED_LEVEL(12)
        STORED_LEVEL(13)
    default: return texelFetch(stored[13], at, 0);
    }
}

FETCHED fetched_of(STORED texel)
{
#if RAW == 1 || !defined(RAW) && CHANNELS == 1
    return texel.x;
#elif RAW == 2 || !defined(RAW) && CHANNELS == 2
    return texel.xy;
#else
    return texel;
#endif
}

/* As it is once stored and read again. */
TEXEL reread(ENCODED texel)
{
#ifdef RAW
    return unbiased(decode(texel));
#else
    return unbiased(decode(FETCHED(texel)));
#endif
}

uint place_of(int level, ivec2 at, int layer)
{
    return uint(layer) * n_nodes + first_node(level - FIRST_LEVELS) + uint(at.y * extent_of(level).x + at.x);
}

/* What the tile has of its last level, for whoever is the last. */
void leave_tile(ivec2 tile, int layer, uint index)
{
    for (uint first = 0u; first < uint(TILE_X * TILE_Y); first += N_INVOCATIONS) {
        uint i = first + index;
        ivec2 in_tile = ivec2(i % uint(TILE_X), i / uint(TILE_X)), at = tile * TILE_SIZE + in_tile;
        if (i < uint(TILE_X * TILE_Y) && all(lessThan(at, extent_of(FIRST_LEVELS)))) {
            TEXEL part = parts[in_tile.y * TILE_X + column_of(in_tile.x, TILE_X)];
            slot[place_of(FIRST_LEVELS, at, layer)] = reread(encode(doubled(part)));
        }
    }
}

TEXEL load_stored(int level, ivec2 at, int layer)
{
    at = min(at, extent_of(level) - 1);
    if (is_to_be_written(level, at)) {
        return halved(slot[place_of(level, at, layer)]);
    }
    return halved(unbiased(decode(fetched_of(fetch_level(level, ivec3(at, layer))))));
}

TEXEL reduce_stored_row(int level, ivec2 at, int layer, vec3 weights)
{
    return reduce_part(weights, load_stored(level, at, layer), load_stored(level, at + ivec2(1, 0), layer),
                       load_stored(level, at + ivec2(2, 0), layer));
}

void make_stored(int level, ivec2 at, int layer)
{
    ivec2 extent = extent_of(level - 1);
    vec3 along_x = box_weights(at.x, extent.x), along_y = box_weights(at.y, extent.y);
    TEXEL part = reduce_part(along_y, reduce_stored_row(level - 1, 2 * at, layer, along_x),
                             reduce_stored_row(level - 1, 2 * at + ivec2(0, 1), layer, along_x),
                             reduce_stored_row(level - 1, 2 * at + ivec2(0, 2), layer, along_x));
    ENCODED texel = encode(doubled(part));
    store_encoded(level, at, layer, texel);
    if (level + 1 < N_LEVELS) {
        slot[place_of(level, at, layer)] = reread(texel);
    }
}

/* What the rectangles reach of a level, by all of the workgroup. */
void make_stored_level(int level, int layer, uint index)
{
    for (uint r = 0u; r < N_RECTS; r++) {
        ivec4 cone = cones[r * MAX_LEVELS + level];
        ivec2 n = cone.zw - cone.xy + 1;
        for (int first = 0; first < n.x * n.y; first += N_INVOCATIONS) {
            int i = first + int(index);
            if (i < n.x * n.y) {
                make_stored(level, cone.xy + ivec2(i % n.x, i / n.x), layer);
            }
        }
    }
}

void finish_update(ivec2 tile, int layer, uint index)
{
    barrier();
    leave_tile(tile, layer, index);
    leave_hand_off();
    if (index == 0u) {
        is_last_tile = arrive_is_last(uint(layer), n_tiles);
    }
    barrier();
    if (!is_last_tile) {
        return;
    }
    acquire_hand_off();
    for (int level = FIRST_LEVELS + 1; level < N_LEVELS; level++) {
        make_stored_level(level, layer, index);
        leave_hand_off();
    }
}

#endif
