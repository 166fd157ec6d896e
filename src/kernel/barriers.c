/* Places barriers where accesses meet. */
#include "kernel/plan.h"

/* Layers [first, last] of a level; none where first > last. */
struct layers {
    uint32_t first, last;
};

static const struct layers no_layers = {UINT32_MAX, 0};

static bool do_meet(struct layers a, struct layers b)
{
    return a.first <= b.last && b.first <= a.last;
}

static void add_layers(struct layers *to, struct layers more)
{
    to->first = more.first < to->first ? more.first : to->first;
    to->last = more.last > to->last ? more.last : to->last;
}

/* What a dispatch does with levels and buffers; or what all have done since the last barrier
 * that made them wait. */
struct uses {
    struct {
        struct layers read, written;
        bool is_general;
    } level[MB_MAX_LEVELS];
    uint32_t buffers, written; /* bits; the latter of those that may be written */
};

static void uses_init(struct uses *uses)
{
    *uses = (struct uses){.buffers = 0};
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        uses->level[level].read = uses->level[level].written = no_layers;
    }
}

static void add_uses(struct uses *uses, const struct uses *more)
{
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        add_layers(&uses->level[level].read, more->level[level].read);
        add_layers(&uses->level[level].written, more->level[level].written);
    }
    uses->written |= more->written;
}

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
        const struct layers layers = binding->use->is_arrayed
                                         ? (struct layers){0, UINT32_MAX - 1}
                                         : (struct layers){binding->layer, binding->layer};
        for (uint32_t k = 0; k < binding->n_views * binding->n_levels; k++) {
            const uint32_t level =
                binding->first_level[k / binding->n_levels] + k % binding->n_levels;
            binding->is_general |= is_storage || uses->level[level].is_general;
            uses->level[level].is_general |= binding->is_general;
            add_layers(is_storage && !binding->is_read ? &uses->level[level].written
                                                       : &uses->level[level].read,
                       layers);
        }
        has_changed = has_changed || (binding->is_general && !was_general);
        if (binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
            uses->buffers |= 1u << binding->buffer;
            uses->written |= binding->is_read ? 0 : 1u << binding->buffer;
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
    struct uses uses;
    uses_init(&uses);
    while (find_uses(dispatch, &uses)) {
    }
    uses.buffers |= addressed; /* a buffer by address may be used by any */
    uses.written |= addressed;
    barriers->has_memory = (uses.buffers & before->written) != 0;
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        const struct layers read = uses.level[level].read, written = uses.level[level].written;
        const bool is_used = read.first <= read.last || written.first <= written.last;
        const enum mb_level_state state =
            uses.level[level].is_general ? MB_LEVEL_GENERAL : MB_LEVEL_READABLE;
        if (is_used && states[level] != state) {
            add_change(barriers, level, states[level], state);
            states[level] = state;
            before->level[level].read = before->level[level].written = no_layers;
        }
        barriers->has_memory |= do_meet(before->level[level].written, read) ||
                                do_meet(before->level[level].written, written) ||
                                do_meet(before->level[level].read, written);
    }
    if (barriers->has_memory) {
        uses_init(before);
    }
    add_uses(before, &uses);
}

void mb_kernel_place_barriers(struct mb_kernel_plan *plan, uint32_t n_levels)
{
    enum mb_level_state states[MB_MAX_LEVELS] = {[0] = MB_LEVEL_READABLE};
    struct uses before;
    uint32_t addressed = 0;
    uses_init(&before);
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
