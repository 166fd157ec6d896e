/* Slots in which tiles leave their parts of texels that they share, and counts of those that have: for all
 * that words.glsl cannot add up. Arrivals are counted with release, by who left a part or after a barrier that
 * orders what others of the workgroup left; who is the last acquires what all left, and sets the count back to
 * zero. */

#ifdef SLOTS
layout(set = 0, binding = 2) nonprivate buffer Slots
{
    TEXEL slot[]; /* layer, level, row, column, tile of those that share it */
};
#endif
layout(set = 0, binding = 3) nonprivate buffer Arrivals
{
    uint n_arrived[]; /* by the first slot of a texel; zero between runs */
};

/* What the invocations of a workgroup have left comes before what any of them counts. */
void leave_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

/* Count a part in: true if all `n` are there; then they are visible to this invocation. */
bool arrive_is_last(const uint first_slot, const uint n)
{
    uint n_before = atomicAdd(n_arrived[first_slot], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    bool is_last = n_before == n - 1u;
    if (is_last) {
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,
                      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
        atomicStore(n_arrived[first_slot], 0u, gl_ScopeDevice, 0, 0);
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
