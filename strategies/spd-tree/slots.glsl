/* Slots in which tiles leave their parts of texels that they share, and counts of those that have: for all
 * that words.glsl cannot add up. Arrivals are counted with release, by who left a part or after a barrier that
 * orders what others of the workgroup left; who is the last acquires what all left, and sets the count back to
 * zero. */
#ifndef SLOTS_GLSL
#define SLOTS_GLSL

layout(set = 0, binding = 2) nonprivate buffer Slots /* in place of the hand-off */
{
    TEXEL slot[]; /* layer, tile, part */
};
layout(set = 0, binding = 3) nonprivate buffer Arrivals /* in place of counters */
{
    uint n_arrived[]; /* layer, level, row, column; zero between runs */
};

uint first_slot(ivec2 tile, int layer, uint n_slots)
{
    uint row = uint(layer) * gl_NumWorkGroups.y + uint(tile.y);
    return (row * gl_NumWorkGroups.x + uint(tile.x)) * n_slots;
}

void leave_slot(ivec2 tile, int layer, uint n_slots, uint i, TEXEL part)
{
    slot[first_slot(tile, layer, n_slots) + i] = part;
}

TEXEL take_slot(ivec2 tile, int layer, uint n_slots, uint i)
{
    return slot[first_slot(tile, layer, n_slots) + i];
}

/* What the invocations of a workgroup have left comes before what any of them counts. */
void leave_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

/* Count a part in: true if all `n` are there; then they are visible to this invocation. */
bool arrive_is_last(uint node, uint n)
{
    uint n_before = atomicAdd(n_arrived[node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    bool is_last = n_before == n - 1u;
    if (is_last) {
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,
                      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
        atomicStore(n_arrived[node], 0u, gl_ScopeDevice, 0, 0);
    }
    return is_last;
}

/* What one invocation acquired becomes visible to all of the workgroup. */
void acquire_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

#endif
