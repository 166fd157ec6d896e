/* If several tiles contribute to a texel, each leaves its partial in a slot and counts its arrival at the texel. Slots
 * serve the reductions and formats that words.glsl cannot add up. An arrival is counted with release semantics, by the
 * invocation that wrote the partial or after a barrier that orders the writes of the workgroup. The last to arrive
 * acquires what all have written and resets the count to zero. */

#ifdef SLOTS
layout(set = 0, binding = 2) nonprivate buffer Slots
{
    TEXEL slot[]; /* by layer, level, row, column, contributing tile */
};
#endif
layout(set = 0, binding = 3) nonprivate buffer Arrivals
{
    uint n_arrived[]; /* by a texel's first slot; zero between runs */
};

/* Orders the earlier writes of the whole workgroup before any arrival that one of its invocations counts. */
void leave_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

/* Counts an arrival. Returns true if all `n` have arrived; their writes are then visible to this invocation. */
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

/* Makes what one invocation acquired visible to the whole workgroup. */
void acquire_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}
