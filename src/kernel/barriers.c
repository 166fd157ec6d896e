/* Places barriers where accesses meet. */
#include "kernel/plan.h"

/* What a dispatch does with levels and buffers; or what all have done since the last barrier
 * that made them wait. A bit for each level and each buffer. */
struct uses {
    uint32_t read, written; /* levels */
    uint32_t general;       /* levels in GENERAL */
    uint32_t buffers, written_buffers;
};

/* A storage image that is not only read counts as written: a read besides makes no difference
 * then. What is sampled where it is stored to as well is in GENERAL for both, and with it all
 * that the same binding shows. True where that is found of another one. */
static bool find_uses(struct mb_kernel_dispatch *dispatch, struct uses *uses)
{
    bool has_changed = false;
    for (uint32_t i = 0; i < dispatch->n_bindings; i++) {
        struct mb_kernel_binding *binding = &dispatch->bindings[i];
        const bool is_storage = binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        const bool was_general = binding->is_general;
        for (uint32_t k = 0; k < binding->n_views * binding->n_levels; k++) {
            const uint32_t level =
                binding->first_level[k / binding->n_levels] + k % binding->n_levels;
            binding->is_general |= is_storage || (uses->general >> level & 1u);
            uses->general |= binding->is_general ? 1u << level : 0;
            *(is_storage && !binding->is_read ? &uses->written : &uses->read) |= 1u << level;
        }
        has_changed = has_changed || (binding->is_general && !was_general);
        if (binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
            uses->buffers |= 1u << binding->buffer;
            uses->written_buffers |= binding->is_read ? 0 : 1u << binding->buffer;
        }
    }
    return has_changed;
}

/* Append a change of one level, to the last one where that is alike and beside it. */
static void add_change(struct mb_kernel_barriers *barriers, uint32_t level,
                       enum mb_level_state from, enum mb_level_state to)
{
    struct mb_kernel_barrier *last =
        barriers->n_levels > 0 ? &barriers->levels[barriers->n_levels - 1] : NULL;
    if (last && last->from == from && last->to == to &&
        last->first_level + last->n_levels == (int)level) {
        last->n_levels++;
        return;
    }
    barriers->levels[barriers->n_levels++] =
        (struct mb_kernel_barrier){(uint8_t)level, 1, from, to};
}

static void place_barriers(struct uses *before, enum mb_level_state states[MB_MAX_LEVELS],
                           uint32_t addressed, struct mb_kernel_dispatch *dispatch)
{
    struct mb_kernel_barriers *barriers = &dispatch->before;
    struct uses uses = {.read = 0};
    while (find_uses(dispatch, &uses)) {
    }
    uses.buffers |= addressed; /* a buffer by address may be used by any */
    uses.written_buffers |= addressed;
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        const uint32_t bit = 1u << level;
        const enum mb_level_state state =
            uses.general & bit ? MB_LEVEL_GENERAL : MB_LEVEL_READABLE;
        if ((uses.read | uses.written) & bit && states[level] != state) {
            add_change(barriers, level, states[level], state);
            states[level] = state;
            before->read &= ~bit;
            before->written &= ~bit;
        }
    }
    barriers->has_memory = (uses.buffers & before->written_buffers) != 0 ||
                           (before->written & (uses.read | uses.written)) != 0 ||
                           (before->read & uses.written) != 0;
    if (barriers->has_memory) {
        *before = (struct uses){.read = 0};
    }
    before->read |= uses.read;
    before->written |= uses.written;
    before->written_buffers |= uses.written_buffers;
}

void mb_kernel_place_barriers(struct mb_kernel_plan *plan, uint32_t n_levels)
{
    enum mb_level_state states[MB_MAX_LEVELS] = {[0] = MB_LEVEL_READABLE};
    struct uses before = {.read = 0};
    uint32_t addressed = 0;
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        addressed |= plan->buffers[i].is_addressed ? 1u << i : 0;
    }
    for (uint32_t level = 1; level < n_levels; level++) {
        add_change(&plan->opening, level, MB_LEVEL_UNDEFINED, MB_LEVEL_GENERAL);
        states[level] = MB_LEVEL_GENERAL;
    }
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        place_barriers(&before, states, addressed, &plan->dispatches[i]);
    }
    for (uint32_t level = 0; level < n_levels; level++) {
        if (states[level] == MB_LEVEL_GENERAL) {
            add_change(&plan->closing, level, MB_LEVEL_GENERAL, MB_LEVEL_READABLE);
        }
    }
}
