/* @NAME@: makes all mip levels by one dispatch.
 *
 * A workgroup of 256 invocations makes levels 1 to 6 of a tile of 64x64 texels of level 0, stores its
 * one texel of level 6 in a buffer, and increments a counter. The last workgroup to do so finds all
 * of level 6 in the buffer, at most 64x64 texels, and makes levels 7 to 12 from it as from a tile:
 *
 *     64x64    4x4 texels an invocation
 *     32x32    2x2 texels an invocation, in registers
 *     16x16    one texel an invocation, stored in shared memory
 *     8x8 ...  one texel from four in shared memory, by a quarter as many invocations each time
 *
 * Workgroups do not wait for each other: Vulkan does not promise that all of them run at once, so a
 * loop that waits for another workgroup may never end.
 *
 * Odd sizes: the last row and column are dropped (policy "floor" in the manifest). For six exact
 * levels, a tile would need more than 64x64 texels. */
#version 460
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model

layout(local_size_x = 256) in;

/* The elements of levels[] beyond the last level are bound to the last level, so that every element
 * has a view: store nothing through them. */
layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[12]; /* level 1 is [0] */

/* Nonprivate: some invocations write these buffers, others read them. */
layout(set = 0, binding = 2) nonprivate buffer Level6
{
    vec4 level6[]; /* layer, row, column */
};
layout(set = 0, binding = 3) nonprivate buffer Counter
{
    uint counter[]; /* for each layer, workgroups that are done; 0 before and after a run */
};

layout(push_constant) uniform Push
{
    ivec2 base_size;
    int n_levels; /* to make */
};

shared vec4 cells[16][16];
shared bool is_last;

ivec2 size_of(int level)
{
    return max(base_size >> level, ivec2(1));
}

vec4 fetch(int level, ivec2 at, int layer)
{
    at = min(at, size_of(level) - 1);
    if (level == 6) {
        return level6[(layer * 64 + at.y) * 64 + at.x];
    }
    return texelFetch(source, ivec3(at, layer), 0);
}

#define STORE(n) case n: imageStore(levels[n - 1], p, texel); break;

/* Store a texel. Indices into levels[] are constant: dynamic indices are an optional feature. Stores
 * beyond the size of a level do nothing on any device. */
void store(int level, ivec2 at, int layer, vec4 texel)
{
    ivec3 p = ivec3(at, layer);
    if (level > n_levels) {
        return;
    }
    switch (level) {
        STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6)
        STORE(7) STORE(8) STORE(9) STORE(10) STORE(11) STORE(12)
    }
}

/* The average of 2x2 texels of a level, or of 1x2 or 2x1 if the level is one texel wide or high. */
vec4 average(int level, vec4 v00, vec4 v10, vec4 v01, vec4 v11)
{
    ivec2 size = size_of(level);
    vec4 row0 = size.x == 1 ? v00 : 0.5 * (v00 + v10);
    vec4 row1 = size.x == 1 ? v01 : 0.5 * (v01 + v11);
    return size.y == 1 ? row0 : 0.5 * (row0 + row1);
}

/* Make six levels from a tile of level `top`, 0 or 6; level top + 6 is left in cells[0][0]. */
void make_six(int top, ivec2 tile, int layer)
{
    ivec2 own = ivec2(gl_LocalInvocationIndex % 16, gl_LocalInvocationIndex / 16);
    vec4 v[4];
    for (int i = 0; i < 4; i++) {
        ivec2 at = tile * 32 + own * 2 + ivec2(i & 1, i >> 1);
        v[i] = average(top, fetch(top, 2 * at, layer), fetch(top, 2 * at + ivec2(1, 0), layer),
                       fetch(top, 2 * at + ivec2(0, 1), layer), fetch(top, 2 * at + 1, layer));
        store(top + 1, at, layer, v[i]);
    }
    vec4 texel = average(top + 1, v[0], v[1], v[2], v[3]);
    store(top + 2, tile * 16 + own, layer, texel);
    cells[own.y][own.x] = texel;
    for (int level = top + 2, n = 8; n > 0; level++, n >>= 1) {
        bool is_active = own.x < n && own.y < n;
        ivec2 p = min(2 * own, ivec2(14));
        barrier(); /* all of this level is in the cells */
        texel = average(level, cells[p.y][p.x], cells[p.y][p.x + 1], cells[p.y + 1][p.x],
                        cells[p.y + 1][p.x + 1]);
        barrier(); /* all invocations have read this level */
        if (is_active) {
            cells[own.y][own.x] = texel;
            store(level + 1, tile * n + own, layer, texel);
        }
    }
}

/* Store level 6 of this tile, count this workgroup, and tell it whether it was the last.
 *
 * Memory model: invocation 0 stores the texel, and its atomicAdd releases that store at device scope.
 * If the atomicAdd returns that all other workgroups have counted, the memoryBarrier acquires their
 * stores, but for invocation 0 only; acquire() extends this to its workgroup. */
bool count_is_last(ivec2 tile, int layer)
{
    if (gl_LocalInvocationIndex == 0) {
        level6[(layer * 64 + tile.y) * 64 + tile.x] = cells[0][0];
        uint n_done = atomicAdd(counter[layer], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                                gl_SemanticsRelease | gl_SemanticsMakeAvailable);
        is_last = n_done == gl_NumWorkGroups.x * gl_NumWorkGroups.y - 1u;
        if (is_last) {
            memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,
                          gl_SemanticsAcquire | gl_SemanticsMakeVisible);
            atomicStore(counter[layer], 0u, gl_ScopeDevice, 0, 0); /* for the next run */
        }
    }
    barrier();
    return is_last;
}

/* Make what invocation 0 acquired visible to the whole workgroup. */
void acquire()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

void main()
{
    ivec2 tile = ivec2(gl_WorkGroupID.xy);
    int layer = int(gl_WorkGroupID.z);
    make_six(0, tile, layer);
    if (n_levels > 6 && count_is_last(tile, layer)) {
        acquire();
        make_six(6, ivec2(0), layer);
    }
}
