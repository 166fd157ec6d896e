/* Standing in for volk's function pointers while a strategy records. */
#include "bench/timing/intercept.h"

/* The commands that do a strategy's work. */
struct commands {
    PFN_vkCmdDispatch dispatch;
    PFN_vkCmdDraw draw;
    PFN_vkCmdBlitImage blit;
};

static struct commands real;
static VkPipeline null_pipeline;
static struct {
    const struct mb_timer *timer;
    uint32_t first_pair, n_pairs, n_used;
} stamps;

static struct commands current(void)
{
    return (struct commands){vkCmdDispatch, vkCmdDraw, vkCmdBlitImage};
}

static void install(const struct commands *commands)
{
    vkCmdDispatch = commands->dispatch;
    vkCmdDraw = commands->draw;
    vkCmdBlitImage = commands->blit;
}

static void null_dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, null_pipeline);
    real.dispatch(cmd, x, y, z);
}

static void null_draw(VkCommandBuffer cmd, uint32_t n_vertices, uint32_t n_instances,
                      uint32_t first_vertex, uint32_t first_instance)
{
    real.draw(cmd, 0, n_instances, first_vertex, first_instance);
}

static VkOffset3D behind(VkOffset3D texel)
{
    return (VkOffset3D){texel.x + 1, texel.y + 1, 1};
}

/* One region at a time: how many there are does not change what is done with each. One texel of
 * it: an update leaves all beside its region as it is.
 * long: the parameters are those of vkCmdBlitImage. */
static void null_blit(VkCommandBuffer cmd, VkImage from, VkImageLayout from_layout, VkImage to,
                      VkImageLayout to_layout, uint32_t n_regions, const VkImageBlit *regions,
                      VkFilter filter)
{
    for (uint32_t i = 0; i < n_regions; i++) {
        VkImageBlit region = regions[i];
        region.srcOffsets[1] = behind(region.srcOffsets[0]);
        region.dstOffsets[1] = behind(region.dstOffsets[0]);
        real.blit(cmd, from, from_layout, to, to_layout, 1, &region, filter);
    }
}

void mb_hook_record_null(const struct mb_strategy *strategy, const void *state,
                         VkPipeline pipeline, VkCommandBuffer cmd)
{
    static const struct commands nulls = {null_dispatch, null_draw, null_blit};
    real = current();
    null_pipeline = pipeline;
    install(&nulls);
    strategy->record(state, cmd);
    install(&real);
}

/* A stamp waits for all before it and holds up nothing after it, but the strategy's own
 * barriers stand between its commands: what a pair encloses is that command alone. */
static bool open_stamp(VkCommandBuffer cmd)
{
    if (stamps.n_used >= stamps.n_pairs) {
        return false;
    }
    mb_timer_stamp(stamps.timer, cmd, 2 * (stamps.first_pair + stamps.n_used));
    return true;
}

static void close_stamp(VkCommandBuffer cmd, bool is_open)
{
    if (is_open) {
        mb_timer_stamp(stamps.timer, cmd, 2 * (stamps.first_pair + stamps.n_used) + 1);
    }
    stamps.n_used++;
}

static void stamped_dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
    bool is_open = open_stamp(cmd);
    real.dispatch(cmd, x, y, z);
    close_stamp(cmd, is_open);
}

static void stamped_draw(VkCommandBuffer cmd, uint32_t n_vertices, uint32_t n_instances,
                         uint32_t first_vertex, uint32_t first_instance)
{
    bool is_open = open_stamp(cmd);
    real.draw(cmd, n_vertices, n_instances, first_vertex, first_instance);
    close_stamp(cmd, is_open);
}

/* long: the parameters are those of vkCmdBlitImage. */
static void stamped_blit(VkCommandBuffer cmd, VkImage from, VkImageLayout from_layout,
                         VkImage to, VkImageLayout to_layout, uint32_t n_regions,
                         const VkImageBlit *regions, VkFilter filter)
{
    bool is_open = open_stamp(cmd);
    real.blit(cmd, from, from_layout, to, to_layout, n_regions, regions, filter);
    close_stamp(cmd, is_open);
}

uint32_t mb_hook_record_stamped(const struct mb_strategy *strategy, const void *state,
                                const struct mb_timer *timer, uint32_t first_pair,
                                uint32_t n_pairs, VkCommandBuffer cmd)
{
    static const struct commands stamped = {stamped_dispatch, stamped_draw, stamped_blit};
    real = current();
    stamps.timer = timer;
    stamps.first_pair = first_pair;
    stamps.n_pairs = n_pairs;
    stamps.n_used = 0;
    install(&stamped);
    strategy->record(state, cmd);
    install(&real);
    return stamps.n_used;
}
