/* Places barriers where accesses meet. */
#include "kernel/barriers.h"

#include <string.h>

#define ALL_LAYERS (UINT32_MAX - 1) /* the last one of any image */

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

/* What is known of the levels and buffers before a dispatch. Accesses are those since the last
 * barrier that made them wait. */
struct tracker {
    enum mb_level_state state[MB_MAX_LEVELS];
    struct layers read[MB_MAX_LEVELS], written[MB_MAX_LEVELS];
    bool is_written[MB_MAX_KERNEL_BUFFERS]; /* buffers */
};

/* What a dispatch does with each level. */
struct uses {
    bool is_general[MB_MAX_LEVELS];
    struct layers read[MB_MAX_LEVELS], written[MB_MAX_LEVELS];
};

static void clear_layers(struct layers layers[MB_MAX_LEVELS])
{
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        layers[level] = no_layers;
    }
}

/* A storage image that is not only read is taken to be written; that it is read as well makes
 * no difference then. */
static void find_uses(const struct mb_kernel_dispatch *dispatch, struct uses *uses)
{
    *uses = (struct uses){.is_general = {false}};
    clear_layers(uses->read);
    clear_layers(uses->written);
    for (uint32_t i = 0; i < dispatch->n_bindings; i++) {
        const struct mb_kernel_binding *binding = &dispatch->bindings[i];
        for (uint32_t k = 0; k < binding->n_views; k++) {
            const struct mb_kernel_view *view = &binding->views[k];
            const struct layers layers = {view->is_2d ? view->layer : 0,
                                          view->is_2d ? view->layer : ALL_LAYERS};
            for (uint32_t l = 0; l < view->n_levels; l++) {
                const uint32_t level = view->first_level + l;
                const bool is_written = view->is_storage && !binding->is_read;
                uses->is_general[level] |= view->is_storage || binding->is_general;
                add_layers(is_written ? &uses->written[level] : &uses->read[level], layers);
            }
        }
    }
}

static bool is_used(const struct uses *uses, uint32_t level)
{
    return uses->read[level].first <= uses->read[level].last ||
           uses->written[level].first <= uses->written[level].last;
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

/* What is sampled where it is stored to as well is in GENERAL for both, and with it all that
 * the same binding shows. True if that changed anything. */
static bool settle_layouts(struct mb_kernel_dispatch *dispatch, const struct uses *uses)
{
    bool has_changed = false;
    for (uint32_t i = 0; i < dispatch->n_bindings; i++) {
        struct mb_kernel_binding *binding = &dispatch->bindings[i];
        const bool was_general = binding->is_general;
        for (uint32_t k = 0; k < binding->n_views; k++) {
            for (uint32_t l = 0; l < binding->views[k].n_levels; l++) {
                binding->is_general |= uses->is_general[binding->views[k].first_level + l];
            }
        }
        has_changed = has_changed || binding->is_general != was_general;
    }
    return has_changed;
}

/* Whether a dispatch has a buffer that one before it may have written, or may write what that
 * one has; what is written now is noted in `is_written`. */
static bool shares_buffers(const struct tracker *tracker, const struct mb_kernel_plan *plan,
                           const struct mb_kernel_dispatch *dispatch,
                           bool is_written[MB_MAX_KERNEL_BUFFERS])
{
    bool is_shared = false;
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        bool is_bound = plan->buffers[i].is_addressed;
        is_written[i] = is_bound;
        for (uint32_t k = 0; k < dispatch->n_bindings; k++) {
            const struct mb_kernel_binding *binding = &dispatch->bindings[k];
            const bool is_storage = binding->buffer == i &&
                                    binding->place.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            is_bound |= is_storage;
            is_written[i] |= is_storage && !binding->is_read;
        }
        is_shared |= is_bound && tracker->is_written[i];
    }
    return is_shared;
}

/* A dispatch that another one's accesses to a level, in one state, must have ended before. */
static bool must_wait(const struct tracker *tracker, const struct uses *uses, uint32_t level)
{
    return do_meet(tracker->written[level], uses->read[level]) ||
           do_meet(tracker->written[level], uses->written[level]) ||
           do_meet(tracker->read[level], uses->written[level]);
}

static void place_barriers(struct tracker *tracker, const struct mb_kernel_plan *plan,
                           struct mb_kernel_dispatch *dispatch)
{
    struct mb_kernel_barriers *before = &dispatch->before;
    struct uses uses;
    bool is_written[MB_MAX_KERNEL_BUFFERS] = {false};
    do {
        find_uses(dispatch, &uses);
    } while (settle_layouts(dispatch, &uses));
    before->has_memory = shares_buffers(tracker, plan, dispatch, is_written);
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        const enum mb_level_state state =
            uses.is_general[level] ? MB_LEVEL_GENERAL : MB_LEVEL_READABLE;
        if (is_used(&uses, level) && tracker->state[level] != state) {
            add_change(before, level, tracker->state[level], state);
            tracker->state[level] = state;
            tracker->read[level] = tracker->written[level] = no_layers;
        } else {
            before->has_memory |= must_wait(tracker, &uses, level);
        }
    }
    before->has_memory = before->has_memory && !dispatch->needs_no_barrier;
    if (before->has_memory) {
        clear_layers(tracker->read);
        clear_layers(tracker->written);
        memset(tracker->is_written, 0, sizeof tracker->is_written);
    }
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        add_layers(&tracker->read[level], uses.read[level]);
        add_layers(&tracker->written[level], uses.written[level]);
    }
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        tracker->is_written[i] |= is_written[i];
    }
}

bool mb_kernel_writes(const struct mb_kernel_plan *plan, uint32_t level)
{
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        struct uses uses;
        find_uses(&plan->dispatches[i], &uses);
        if (uses.written[level].first <= uses.written[level].last) {
            return true;
        }
    }
    return false;
}

void mb_kernel_place_barriers(struct mb_kernel_plan *plan, uint32_t n_levels)
{
    struct tracker tracker = {.state = {[0] = MB_LEVEL_READABLE}};
    clear_layers(tracker.read);
    clear_layers(tracker.written);
    for (uint32_t level = 1; level < n_levels; level++) {
        add_change(&plan->opening, level, MB_LEVEL_UNDEFINED, MB_LEVEL_GENERAL);
        tracker.state[level] = MB_LEVEL_GENERAL;
    }
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        place_barriers(&tracker, plan, &plan->dispatches[i]);
    }
    for (uint32_t level = 0; level < n_levels; level++) {
        if (tracker.state[level] == MB_LEVEL_GENERAL) {
            add_change(&plan->closing, level, MB_LEVEL_GENERAL, MB_LEVEL_READABLE);
        }
    }
}
