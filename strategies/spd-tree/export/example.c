/* Every mip level of an image by one dispatch; example_host.h has what an engine has anyway. */
#include "example_host.h"

/* Once for all images whose constants are the same. */
static void make_pipeline(struct vk_min *vk, const struct spd_tree_constants *values)
{
    VkDescriptorSetLayoutBinding bindings[SPD_TREE_N_BINDINGS];
    VkSpecializationMapEntry entries[SPD_TREE_N_CONSTANTS];
    const VkSpecializationInfo info = {SPD_TREE_N_CONSTANTS, entries, sizeof *values, values};
    spd_tree_bindings(bindings);
    spd_tree_map_entries(entries);
    vk_min_layouts(vk, bindings, SPD_TREE_N_BINDINGS, sizeof(struct spd_tree_push));
    vk_min_pipeline(vk, "spd_tree.spv", &info);
}

/* Once for an image; each dispatch leaves the counters at zero. */
static void bind(const struct vk_min *vk, VkBuffer hand_off, VkBuffer counters)
{
    struct spd_tree_writes writes;
    struct spd_tree_resources resources = {.n_levels = vk->n_views,
                                           .base_layout = VK_IMAGE_LAYOUT_GENERAL,
                                           .sampler = vk->sampler,
                                           .hand_off = hand_off,
                                           .counters = counters};
    memcpy(resources.level, vk->views, vk->n_views * sizeof *vk->views);
    spd_tree_fill_writes(&writes, vk->set, &resources);
    vkUpdateDescriptorSets(vk->device, SPD_TREE_N_BINDINGS, writes.write, 0, NULL);
    vkCmdFillBuffer(vk->cmd, counters, 0, VK_WHOLE_SIZE, 0);
}

/* Each time that level 0 is new, with a barrier before and after. */
static void make_mips(const struct vk_min *vk, const struct spd_tree_plan *plan)
{
    vkCmdBindPipeline(vk->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, vk->pipeline);
    vkCmdBindDescriptorSets(vk->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set,
                            0, NULL);
    vkCmdPushConstants(vk->cmd, vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof plan->push,
                       &plan->push);
    vkCmdDispatch(vk->cmd, plan->n_groups[0], plan->n_groups[1], plan->n_groups[2]);
}

int main(int argc, char **argv)
{
    struct host host = host_parse(argc, argv);
    struct vk_min *vk = &host.vk;
    struct spd_tree_plan plan;
    host_open(&host, spd_tree_plan_init(&plan, host.width, host.height, host.n_levels, 1));
    const VkBuffer hand_off = vk_min_buffer(vk, plan.hand_off_bytes, NULL);
    const VkBuffer counters = vk_min_buffer(vk, plan.counter_bytes, NULL);
    const struct spd_tree_constants constants = spd_tree_constants_of(&plan, host.format);
    make_pipeline(vk, &constants);
    if (!vk->failed) {
        bind(vk, hand_off, counters);
        host_upload(&host);
        make_mips(vk, &plan);
        host_download(&host);
    }
    return host_close(&host);
}
