/* Updates: only tiles that a changed rectangle reaches are made, and only texels that it reaches are stored. The last
 * tile's workgroup makes the levels below, one after the other, from what is stored of each, or was to be, so that the
 * same comes of it whatever else was made. Of levels that are small enough it holds all that this takes in shared
 * memory: what no rectangle reaches is fetched at once for all of them. */
#ifndef UPDATE_GLSL
#define UPDATE_GLSL

#define MAX_LEVELS 16

layout(constant_id = 23) const uint N_RECTS = 1;
layout(constant_id = 25) const int N_HELD = 1; /* texels that there is room for */

/* The levels as they are stored; [0] is level 1. */
#ifdef RAW
layout(set = 0, binding = 4) uniform usampler2DArray stored[15];
#else
layout(set = 0, binding = 4) uniform sampler2DArray stored[15];
#endif
layout(set = 0, binding = 5) readonly buffer Cones
{
    ivec4 cones[]; /* [rectangle][MAX_LEVELS]: corners, included, of what it reaches; and last, boxes */
};
layout(set = 0, binding = 2) nonprivate buffer Codes /* in place of slots */
{
    ENCODED code[]; /* layer, level from FIRST_LEVELS on, row, column: what is made, or next to it, as it is stored */
};
layout(set = 0, binding = 6) readonly buffer Tiles
{
    uint tiles[]; /* that are made: x and y << 16 */
};

shared bool is_last_tile;
shared ENCODED held[N_HELD]; /* as it is stored */

/* Of a level, what the next one takes of it, where that lies in held[], below zero: nowhere; and what makes averages
 * of its texels as the next one weighs them. */
struct Box {
    ivec2 corner, size;
    int first;
    float scale;
};

shared Box boxes[MAX_LEVELS];

void prepare_boxes(uint index)
{
    if (index < MAX_LEVELS) {
        ivec4 box = cones[N_RECTS * MAX_LEVELS + index];
        boxes[index] = Box(box.xy & 0xffff, box.xy >> 16 & 0xffff, box.z, intBitsToFloat(box.w));
    }
}

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
STORED fetch_stored(int level, ivec3 at)
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

ENCODED encoded_of(STORED texel)
{
#if RAW == 1 || !defined(RAW) && CHANNELS == 1
    return texel.x;
#elif RAW == 2 || !defined(RAW) && CHANNELS == 2
    return texel.xy;
#else
    return texel;
#endif
}

/* As it is stored. */
ENCODED fetch_level(int level, ivec2 at, int layer)
{
    return encoded_of(fetch_stored(level, ivec3(at, layer)));
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
            code[place_of(FIRST_LEVELS, at, layer)] = encode(doubled(part));
        }
    }
}

/* What a texel is made of: of the level above two texels along an axis, or where that is odd three. An axis of one
 * texel is its own neighbour. */
struct Footprint {
    bvec2 is_odd;
    vec3 along_x, along_y;
    float scale;
};

Footprint footprint_of(int level, ivec2 at)
{
    ivec2 extent = max(extent_of(level - 1), 2);
    return Footprint(notEqual(extent & 1, ivec2(0)), weights_of(axis_of(extent.x), float(at.x)),
                     weights_of(axis_of(extent.y), float(at.y)), boxes[level - 1].scale);
}

TEXEL reduce_codes(Footprint f, ENCODED a, ENCODED b, ENCODED c)
{
    return reduce_taps(Has(true, f.is_odd.x), true, f.along_x, unbiased(decode(a)), unbiased(decode(b)),
                       unbiased(decode(c)), 1.0);
}

int place_in(Box box, ivec2 at)
{
    at -= box.corner;
    return box.first + at.y * box.size.x + at.x;
}

/* Where the `k`-th of 3x3 texels lies; what is not weighed is one of the others. */
ivec2 tap_at(Footprint f, ivec2 at, ivec2 last, int k)
{
    return min(2 * at + ivec2(f.is_odd.x ? k % 3 : k % 3 & 1, f.is_odd.y ? k / 3 : k / 3 & 1), last);
}

/* A texel from the level above, be that held or left: by the same instructions, so that both make the same of it. All
 * is fetched at once, as what takes time is the way there. */
void make_below_tiles(int level, ivec2 at, int layer, bool is_held)
{
    Footprint f = footprint_of(level, at);
    ivec2 last = extent_of(level - 1) - 1;
    ENCODED tap[9];
    if (is_held) {
        Box above = boxes[level - 1];
        [[unroll]] for (int k = 0; k < 9; k++) {
            tap[k] = held[place_in(above, tap_at(f, at, last, k))];
        }
    } else {
        uint first = place_of(level - 1, ivec2(0), layer);
        [[unroll]] for (int k = 0; k < 9; k++) {
            ivec2 from = tap_at(f, at, last, k);
            tap[k] = code[first + uint(from.y * (last.x + 1) + from.x)];
        }
    }
    TEXEL reduced = reduce_taps(Has(true, f.is_odd.y), false, f.along_y, reduce_codes(f, tap[0], tap[1], tap[2]),
                                reduce_codes(f, tap[3], tap[4], tap[5]), reduce_codes(f, tap[6], tap[7], tap[8]),
                                f.scale);
    ENCODED made = encode(scale_of_carried(f.scale) * reduced);
    store_any(level, at, layer, stored_of(made));
    if (level + 1 == n_levels) {
        return;
    }
    if (is_held) {
        held[place_in(boxes[level], at)] = made;
    } else {
        code[place_of(level, at, layer)] = made;
    }
}

/* Of a level, the texels that are made: all, of one rectangle, else within corners. */
struct Made {
    ivec2 first, n;
};

Made made_of(int level)
{
    Box above = boxes[level - 1];
    return Made(above.corner >> 1, max(above.size >> 1, 1));
}

bool is_made(int level, ivec2 at)
{
    Made made = made_of(level);
    return all(lessThan(uvec2(at - made.first), uvec2(made.n))) && (N_RECTS == 1u || is_to_be_written(level, at));
}

/* What a rectangle reaches. */
Made made_by(int level, uint rectangle)
{
    if (N_RECTS == 1u) {
        return made_of(level);
    }
    ivec4 cone = cones[rectangle * MAX_LEVELS + level];
    return Made(cone.xy, cone.zw - cone.xy + 1);
}

/* By all of the workgroup. */
void make_level(int level, int layer, uint index, bool is_held)
{
    for (uint r = 0u; r < N_RECTS; r++) {
        Made made = made_by(level, r);
        for (int first = 0; first < made.n.x * made.n.y; first += N_INVOCATIONS) {
            uint i = uint(first) + index, y = i / uint(made.n.x);
            ivec2 in_made = ivec2(i - y * uint(made.n.x), y);
            if (in_made.y < made.n.y) {
                make_below_tiles(level, made.first + in_made, layer, is_held);
            }
        }
    }
}

/* Leave what is not made of what the next level takes: two texels, at most, on each side of what is. */
void leave_border(int level, int layer, uint index)
{
    ivec2 extent = extent_of(level);
    for (uint r = 0u; r < N_RECTS; r++) {
        Made next = made_by(level + 1, r);
        ivec2 corner = 2 * next.first, n = min(2 * next.n + (extent & 1), extent);
        for (int first = 0; first < 4 * (n.x + n.y); first += N_INVOCATIONS) {
            int i = first + int(index);
            bool is_row = i < 4 * n.x;
            int j = is_row ? i : i - 4 * n.x, length = is_row ? n.x : n.y, side = j / length, along = j % length;
            int across = side < 2 ? side : (is_row ? n.y : n.x) + 1 - side;
            ivec2 at = corner + (is_row ? ivec2(along, across) : ivec2(across, along));
            bool is_within = all(lessThan(uvec2(at - corner), uvec2(n)));
            bool is_new = (side < 2 || across >= 2) && (is_row || along >= 2 && along < length - 2);
            if (side < 4 && is_within && is_new && !is_to_be_written(level, at)) {
                code[place_of(level, at, layer)] = fetch_level(level, at, layer);
            }
        }
    }
}

/* All of level `first`, and of the levels below it what is not made. */
void hold_levels(int first, int layer, uint index)
{
    Box whole = boxes[first];
    int n = whole.first + whole.size.x * whole.size.y;
    for (int k = 0; k < n; k += N_INVOCATIONS) {
        int i = k + int(index), level = first;
        for (int j = first; j + 2 < n_levels; j++) {
            level += int(i < boxes[j].first); /* those further down come first */
        }
        Box box = boxes[level];
        uint in_box = uint(i - box.first), y = in_box / uint(box.size.x);
        ivec2 at = box.corner + ivec2(in_box - y * uint(box.size.x), y);
        bool is_own = is_made(level, at);
        if (i < n && is_own && level == first) {
            held[i] = code[place_of(level, at, layer)];
        }
        if (i < n && !is_own) {
            held[i] = fetch_level(level, at, layer);
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
    prepare_boxes(index);
    barrier();
    if (!is_last_tile) {
        return;
    }
    acquire_hand_off();
    int first_held = FIRST_LEVELS;
    for (int k = FIRST_LEVELS; k + 1 < n_levels; k++) {
        first_held += int(boxes[k].first < 0);
    }
    for (int level = FIRST_LEVELS + 1; level < n_levels; level++) {
        if (level == first_held + 1) {
            hold_levels(first_held, layer, index);
        } else if (level <= first_held) {
            leave_border(level - 1, layer, index);
        }
        if (level <= first_held + 1) {
            leave_hand_off();
        }
        make_level(level, layer, index, level > first_held);
        if (level <= first_held) {
            leave_hand_off();
        } else {
            barrier();
        }
    }
}

#endif
