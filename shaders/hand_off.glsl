/* Hands level 6 of every 64x64 tile to the workgroup that finishes last, for kernels that make
 * all levels in one dispatch. Such kernels enable GL_KHR_memory_scope_semantics and the Vulkan
 * memory model.
 *
 * The invocation that made the texel writes it and then adds to the counter with release
 * semantics at device scope. No barrier is needed between the two, and adds by others continue
 * its release sequence. If the add shows that the workgroup is the last one, this invocation
 * alone acquires and resets the counter to zero for the next run. If the rest of the workgroup
 * also reads the texels, all call acquire_hand_off() first: its control barrier covers buffer
 * memory at device scope, so what was acquired is visible to all of them.
 *
 * An update dispatches the tiles that the changed rectangle touches. Of the other tiles, level
 * 6 exists only as stored. So that an update of any rectangle gives the same bits, its tiles
 * round their texel as a store would, and stored texels go through the same arithmetic
 * (as_stored). A run that is no update does not round: levels from 7 on may differ from it. */
#ifndef HAND_OFF_GLSL
#define HAND_OFF_GLSL

#include "levels.glsl"

#define TAIL_PITCH 64     /* texels of level 6 per row in the hand-off buffer */
#define TAIL_TEXELS 4096  /* per slice */

layout(set = 0, binding = 2) nonprivate buffer HandOff
{
    vec4 hand_off[]; /* slice, row, column of level 6 */
};
layout(set = 0, binding = 3) nonprivate buffer Counter
{
    uint counter[]; /* per slice: workgroups done */
};

layout(set = 0, binding = 4) uniform sampler2DArray stored_level6; /* for updates */

/* Writes the tile's texel of level 6 and counts the tile; one invocation calls this. Returns
 * true if all `n_tiles` of the slice are counted; the caller then sees their texels. */
bool count_is_last(vec4 texel, ivec2 tile, int slice, uint n_tiles)
{
    hand_off[slice * TAIL_TEXELS + tile.y * TAIL_PITCH + tile.x] =
        IS_UPDATE ? as_stored(texel) : texel;
    uint done = atomicAdd(counter[slice], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                          gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    bool is_last = done == n_tiles - 1u;
    if (is_last) {
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,
                      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
        atomicStore(counter[slice], 0u, gl_ScopeDevice, 0, 0);
    }
    return is_last;
}

/* Makes what one invocation acquired visible to its whole workgroup. Only the last workgroup
 * calls this: at device scope the barrier waits for every store of the workgroup. */
void acquire_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

/* Texel `at` of level 6, of size `extent`; `tiles`: the first (x, y) and last (z, w) tile that
 * an update dispatches. */
vec4 load_level6(ivec2 at, ivec2 extent, ivec4 tiles, int slice)
{
    if (IS_UPDATE && any(bvec4(lessThan(at, tiles.xy), greaterThan(at, tiles.zw)))) {
        ivec2 p = min(at, extent - 1);
        return as_stored(loaded(texelFetch(stored_level6, ivec3(p, slice), 0)));
    }
    return hand_off[slice * TAIL_TEXELS + at.y * TAIL_PITCH + at.x];
}

#endif
