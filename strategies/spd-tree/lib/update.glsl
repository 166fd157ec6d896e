/* Updates after a rectangle of level 0 changed. Only the tiles that the rectangle affects run, and they store only the
 * texels that it affects. The workgroup of the last tile makes the levels below one after the other, from encoded
 * texels, so that the result does not depend on which other texels are made. For levels that are small enough, this
 * workgroup holds all texels that it reads in shared memory, and fetches at once all texels that the rectangle does not
 * affect. */

#define MAX_LEVELS 16

layout(constant_id = 25) const int N_HELD = 1; /* texels that fit into held[] */

/* The stored levels; stored[0] is level 1. */
#ifdef RAW
layout(set = 0, binding = 4) uniform usampler2DArray stored[14];
#else
layout(set = 0, binding = 4) uniform sampler2DArray stored[14];
#endif
layout(set = 0, binding = 2) nonprivate buffer Codes /* takes the place of the slots */
{
    ENCODED code[]; /* by layer, level from FIRST_LEVELS on, row, column; encoded */
};

shared bool is_last_tile;
shared ENCODED held[N_HELD]; /* encoded */

/* A rectangle of texels of a level. */
struct Box {
    ivec2 corner, size;
};

/* For levels from FIRST_LEVELS on. made_of: the texels that are made; boxes: the texels that the next level reads;
 * held_from: the box's start in held[], or -1; place: the level's start in code[]. */
shared Box made_of[MAX_LEVELS], boxes[MAX_LEVELS];
shared int held_from[MAX_LEVELS], place[MAX_LEVELS];

/* Steps from the corners of the affected region of a level to those of the next level: texel x covers 2x and 2x + 1 of
 * the level above, and 2x + 2 if that level is odd. */
void step_down(const int level, inout ivec2 first, inout ivec2 last)
{
    first = max(first - (extent_of(level) & 1), 0) >> 1;
    last = min(last >> 1, extent_of(level + 1) - 1);
}

bool is_within(const Box box, const ivec2 at)
{
    return all(lessThan(uvec2(at - box.corner), uvec2(box.size)));
}

Box written[FIRST_LEVELS + 1]; /* of the levels that tiles make */

bool is_to_be_written(const int level, const ivec2 at)
{
    return is_within(written[level], at);
}

/* Sets the boxes. All invocations run the loops: on llvmpipe, an invocation that runs none would pass the barrier after
 * the loops. The last level's box comes first in held[]. If a level does not fit, neither this level nor any level
 * above is held. */
void prepare_boxes(const uint index)
{
    ivec2 first = ivec2(changed[0], changed[1]), last = ivec2(changed[2], changed[3]);
    int from = 0, n = 0;
    for (int level = 0; level < n_levels; level++) {
        ivec2 extent = extent_of(level), next_first = first, next_last = last;
        step_down(level, next_first, next_last);
        if (index == 0u && level >= FIRST_LEVELS) {
            made_of[level] = Box(first, last - first + 1);
            boxes[level] = Box(2 * next_first,
                               min(2 * (next_last - next_first + 1) + (extent & 1), extent - 2 * next_first));
            place[level] = from;
        }
        from += level >= FIRST_LEVELS ? extent.x * extent.y : 0;
        first = next_first;
        last = next_last;
    }
    for (int level = n_levels - 2; level >= FIRST_LEVELS; level--) {
        if (index == 0u) {
            int n_texels = boxes[level].size.x * boxes[level].size.y;
            n = n >= 0 && n + n_texels <= N_HELD ? n + n_texels : -1;
            held_from[level] = n < 0 ? -1 : n - n_texels;
        }
    }
}

/* The tile of this workgroup among those that the rectangle affects. Also sets what tiles store. */
ivec2 tile_of_update()
{
    ivec2 first = ivec2(changed[0], changed[1]), last = ivec2(changed[2], changed[3]);
    [[unroll]] for (int level = 0; level <= FIRST_LEVELS; level++) {
        written[level] = Box(first, last - first + 1);
        step_down(level, first, last);
    }
    return ivec2(gl_WorkGroupID.xy) + ivec2(first_tile & 0xffffu, first_tile >> 16);
}

#define STORED_LEVEL(n)                                                                             \
    case n: return texelFetch(stored[n - 1], at, 0);
STORED fetch_stored(const int level, const ivec3 at)
{
    switch (level) {
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

/* Fetches a stored texel, encoded. */
ENCODED fetch_level(const int level, const ivec2 at, const int layer)
{
    return ENCODED_IN(fetch_stored(level, ivec3(at, layer)));
}

uint place_of(const int level, const ivec2 at, const int layer)
{
    return uint(layer) * n_nodes + uint(place[level] + at.y * extent_of(level).x + at.x);
}

/* Leaves the tile's texels of its last level for the last tile. */
void leave_tile(const ivec2 tile, const int layer, const uint index)
{
    for (uint first = 0u; first < uint(TILE_X * TILE_Y); first += N_INVOCATIONS) {
        uint i = first + index;
        ivec2 in_tile = ivec2(i % uint(TILE_X), i / uint(TILE_X)), at = tile * TILE_SIZE + in_tile;
        if (i < uint(TILE_X * TILE_Y) && all(lessThan(at, extent_of(FIRST_LEVELS)))) {
            TEXEL part = partials[in_tile.y * TILE_X + column_of(in_tile.x, TILE_X)];
            code[place_of(FIRST_LEVELS, at, layer)] = encode(doubled(part));
        }
    }
}

/* The taps of a texel: two texels of the level above along an axis, or three where that level is odd. The neighbour
 * along an axis of one texel is the texel itself. */
struct Footprint {
    bvec2 is_odd;
    vec3 along_x, along_y;
    float scale;
};

Footprint footprint_of(const int level, const ivec2 at)
{
    ivec2 extent = max(extent_of(level - 1), 2);
    return Footprint(notEqual(extent & 1, ivec2(0)), weights_of(axis_of(extent.x), float(at.x)),
                     weights_of(axis_of(extent.y), float(at.y)), uintBitsToFloat(nodes[level - 1 - FIRST_LEVELS]));
}

TEXEL reduce_codes(const Footprint f, const ENCODED a, const ENCODED b, const ENCODED c)
{
    return reduce_taps(Has(true, f.is_odd.x), true, f.along_x, unbiased(decode(a)), unbiased(decode(b)),
                       unbiased(decode(c)), 1.0);
}

int place_held(const int level, ivec2 at)
{
    at -= boxes[level].corner;
    return held_from[level] + at.y * boxes[level].size.x + at.x;
}

/* The position of the `k`-th of 3x3 taps; unused taps repeat another one. */
ivec2 tap_at(const Footprint f, const ivec2 at, const ivec2 last, const int k)
{
    return min(2 * at + ivec2(f.is_odd.x ? k % 3 : k % 3 & 1, f.is_odd.y ? k / 3 : k / 3 & 1), last);
}

/* Makes a texel from the level above, held or not, with the same instructions, so that the result is the same. All taps
 * are loaded at once, because latency dominates. */
void make_below_tiles(const int level, const ivec2 at, const int layer, const bool is_held)
{
    Footprint f = footprint_of(level, at);
    ivec2 last = extent_of(level - 1) - 1;
    ENCODED tap[9];
    if (is_held) {
        [[unroll]] for (int k = 0; k < 9; k++) {
            tap[k] = held[place_held(level - 1, tap_at(f, at, last, k))];
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
        held[place_held(level, at)] = made;
    } else {
        code[place_of(level, at, layer)] = made;
    }
}

/* Makes a level; run by the whole workgroup. */
void make_level(const int level, const int layer, const uint index, const bool is_held)
{
    Box made = made_of[level];
    for (int first = 0; first < made.size.x * made.size.y; first += N_INVOCATIONS) {
        uint i = uint(first) + index, y = i / uint(made.size.x);
        ivec2 in_made = ivec2(i - y * uint(made.size.x), y);
        if (in_made.y < made.size.y) {
            make_below_tiles(level, made.corner + in_made, layer, is_held);
        }
    }
}

/* Copies to code[] the texels that the next level reads but the update does not make: at most two on each side. */
void leave_border(const int level, const int layer, const uint index)
{
    Box box = boxes[level], made = made_of[level];
    ivec2 n = box.size;
    for (int first = 0; first < 4 * (n.x + n.y); first += N_INVOCATIONS) {
        int i = first + int(index);
        bool is_row = i < 4 * n.x;
        int j = is_row ? i : i - 4 * n.x, length = is_row ? n.x : n.y, side = j / length, along = j % length;
        int across = side < 2 ? side : (is_row ? n.y : n.x) + 1 - side;
        ivec2 at = box.corner + (is_row ? ivec2(along, across) : ivec2(across, along));
        bool is_new = (side < 2 || across >= 2) && (is_row || along >= 2 && along < length - 2);
        if (side < 4 && is_new && is_within(box, at) && !is_within(made, at)) {
            code[place_of(level, at, layer)] = fetch_level(level, at, layer);
        }
    }
}

/* Loads into held[] the whole box of level `first`, and those texels of each lower level's box that the update does not
 * make. */
void hold_levels(const int first, const int layer, const uint index)
{
    int n = held_from[first] + boxes[first].size.x * boxes[first].size.y;
    for (int k = 0; k < n; k += N_INVOCATIONS) {
        int i = k + int(index), level = first;
        for (int j = first; j + 2 < n_levels; j++) {
            level += int(i < held_from[j]); /* lower levels come first */
        }
        Box box = boxes[level];
        uint in_box = uint(i - held_from[level]), y = in_box / uint(box.size.x);
        ivec2 at = box.corner + ivec2(in_box - y * uint(box.size.x), y);
        bool is_own = is_within(made_of[level], at);
        if (i < n && is_own && level == first) {
            held[i] = code[place_of(level, at, layer)];
        }
        if (i < n && !is_own) {
            held[i] = fetch_level(level, at, layer);
        }
    }
}

void finish_update(const ivec2 tile, const int layer, const uint index)
{
    prepare_boxes(index);
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
    int first_held = FIRST_LEVELS;
    for (int k = FIRST_LEVELS; k + 1 < n_levels; k++) {
        first_held += int(held_from[k] < 0);
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
