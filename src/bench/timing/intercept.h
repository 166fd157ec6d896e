/* Recording a strategy's commands as something else than they are: without their work, or with
 * a stamp around each. Every strategy records through volk's function pointers, so that the
 * harness can stand in for a command without the strategy's knowing. One thread records. */
#pragma once

#include "strategy.h"
#include "vk/timer.h"

/* The null twin: the same dispatches, draws, blits and barriers, with no work. A dispatch
 * starts as many workgroups of `null_pipeline`, an empty kernel of the same workgroup size; a
 * blit moves one texel; a draw has no vertices. */
void mb_hook_record_null(const struct mb_strategy *strategy, const void *state,
                         VkPipeline null_pipeline, VkCommandBuffer cmd);

/* A stamp before and after each dispatch, draw and blit: pair first_pair + i of `timer` for the
 * i-th, at most `n_pairs` of them. Returns how many there were. */
uint32_t mb_hook_record_stamped(const struct mb_strategy *strategy, const void *state,
                                const struct mb_timer *timer, uint32_t first_pair,
                                uint32_t n_pairs, VkCommandBuffer cmd);
