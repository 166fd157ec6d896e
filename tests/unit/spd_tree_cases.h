/* Devices and formats for the tests of the planner of spd-tree. */
#pragma once

#include "../../strategies/spd-tree/lib/spd_tree_plan.c"

#include "image/filter.h"
#include "image/pyramid.h"

/* Texels of level `from` that texel `x` of level `to` has taps in: [*first, *end). */
static void taps_of(uint32_t base, uint32_t from, uint32_t to, uint32_t x, uint32_t *first,
                    uint32_t *end)
{
    uint32_t low = x, high = x;
    for (uint32_t level = to; level > from; level--) {
        const uint32_t size = spd_tree_size_of_level(base, level - 1);
        const struct mb_taps last = mb_filter_taps(MB_POLICY_BOX, size, high);
        low = mb_filter_taps(MB_POLICY_BOX, size, low).first;
        high = last.first + last.n_taps - 1;
    }
    *first = low;
    *end = high + 1;
}

#define SUBGROUPS(size)                                                                        \
    .has_shuffles = true, .has_full_subgroups = true, .subgroup_size = (size),                 \
    .min_subgroup_size = (size), .max_subgroup_size = (size)
#define BUFFERS(log2) .max_buffer_bytes = UINT64_C(1) << (log2)
static const struct spd_tree_device devices[] = {
    {SUBGROUPS(32), .has_int64_atomics = true, .n_cores = 132, .max_shared_bytes = 49152,
     BUFFERS(32)},
    {SUBGROUPS(64), .has_int64_atomics = true, .n_cores = 60, .max_shared_bytes = 65536,
     BUFFERS(32)},
    {SUBGROUPS(16), .max_shared_bytes = 32768, BUFFERS(30)},
    {SUBGROUPS(8), .has_int64_atomics = true, .n_cores = 4, .max_shared_bytes = 32768,
     BUFFERS(27), .is_cpu = true},
    {SUBGROUPS(4), .has_int64_atomics = true, .n_cores = 2, .max_shared_bytes = 32768,
     BUFFERS(27), .is_cpu = true},
    {.has_int64_atomics = true, .n_cores = 10, .max_shared_bytes = 32768, BUFFERS(32)},
    /* Intel */
    {.is_intel = true,
     .has_shuffles = true,
     .has_full_subgroups = true,
     .has_int64_atomics = true,
     .subgroup_size = 32,
     .min_subgroup_size = 8,
     .max_subgroup_size = 32,
     .max_workgroup_subgroups = 64,
     .max_shared_bytes = 65536,
     BUFFERS(32)},
    {SUBGROUPS(128), .has_int64_atomics = true, .n_cores = 6, .max_shared_bytes = 16384,
     BUFFERS(30)},
};

static const struct spd_tree_format formats[] = {
    {SPD_TREE_UNORM8, 4},  {SPD_TREE_FLOAT32, 4},    {SPD_TREE_SRGB8, 4},
    {SPD_TREE_UNORM8, 1},  {SPD_TREE_FLOAT11_10, 3}, {SPD_TREE_UNORM10_2, 4},
    {SPD_TREE_UNORM8, 2},  {SPD_TREE_FLOAT16, 4},    {SPD_TREE_FLOAT32, 1},
    {SPD_TREE_FLOAT32, 2},
};
