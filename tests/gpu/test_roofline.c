/* The roofline, the probe and the evictor on a device: every kernel moves what it is counted
 * for, and every figure is one. */
#include <math.h>

#include "base/alloc.h"
#include "bench/roofline/roofline.h"
#include "bench/roofline/traffic.h"
#include "bench/timing/calibration.h"
#include "harness.h"
#include "readback.h"
#include "vk/barrier.h"

/* The texels of an image, packed. */
static void record_image_copy(struct readback *r, const struct mb_vk_image *image,
                              const struct mb_access *state)
{
    const struct mb_layout *layout = &image->layout;
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layout->n_layers},
        .imageExtent = {layout->base.width, layout->base.height, 1},
    };
    mb_barrier_levels(r->submission.cmd, image, 0, 1, state, &mb_access_transfer_read);
    vkCmdCopyImageToBuffer(r->submission.cmd, image->image,
                           VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, r->buffer.buffer, 1, &region);
    mb_barrier_levels(r->submission.cmd, image, 0, 1, &mb_access_transfer_read, state);
}

/* A pass is counted as what it reads and writes. */
static uint64_t expected_bytes(const struct mb_field *field)
{
    const struct mb_layout *layout = &field->image[MB_TARGET].layout;
    const uint64_t row_bytes = 4 * (uint64_t)layout->base.width * layout->n_layers;
    return field->is_image ? 4 * row_bytes * (layout->base.height / 3)
                           : field->buffer[MB_TARGET].size_bytes;
}

/* A way to make traffic. */
struct variant {
    enum mb_traffic traffic;
    uint32_t workgroup_size, n_items;
};

/* Wipe the target, run one variant over it, and read it back. */
static void run_variant(struct readback *r, struct mb_field *field,
                        const struct variant *variant, uint32_t n_passes)
{
    struct mb_err err = {0};
    VkCommandBuffer cmd = r->submission.cmd;
    CHECK_EQ_INT(mb_field_choose(field, variant->traffic, variant->workgroup_size,
                                 variant->n_items, &err),
                 MB_OK);
    field->stores_sums = true;
    CHECK_EQ_INT(field->pass_bytes, expected_bytes(field));
    readback_begin(r);
    if (field->is_image) {
        const VkClearColorValue zero = {.float32 = {0.0f, 0.0f, 0.0f, 0.0f}};
        const VkImageSubresourceRange all = {
            .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
            .levelCount = 1,
            .layerCount = field->image[MB_TARGET].layout.n_layers,
        };
        vkCmdClearColorImage(cmd, field->image[MB_TARGET].image, VK_IMAGE_LAYOUT_GENERAL, &zero,
                             1, &all);
    } else {
        vkCmdFillBuffer(cmd, field->buffer[MB_TARGET].buffer, 0, VK_WHOLE_SIZE, 0);
    }
    mb_barrier_full(cmd);
    mb_field_record(field, cmd, n_passes);
    mb_barrier_full(cmd);
    if (field->is_image) {
        record_image_copy(r, &field->image[MB_TARGET], &mb_access_compute_read_write);
    } else {
        readback_copy(r, field->buffer[MB_TARGET].buffer);
    }
    readback_run(r);
}

/* Word `i` of what a kernel leaves of `n_words` of the source in the target. */
static uint32_t expected_word(const struct variant *variant, uint32_t i, uint32_t n_words)
{
    const uint32_t n_vectors = n_words / 4;
    const uint32_t vector = i / 4, channel = i % 4;
    const uint32_t group = vector / variant->workgroup_size;
    const uint32_t first =
        group * variant->workgroup_size * variant->n_items + vector % variant->workgroup_size;
    uint32_t sum = 0;
    if (variant->traffic == MB_TRAFFIC_MIX) {
        return vector >= n_vectors / 4 ? 0
                                       : noise_channel(vector, channel) ^
                                             noise_channel(vector + n_vectors / 4, channel) ^
                                             noise_channel(vector + n_vectors / 2, channel);
    }
    for (uint32_t k = 0; k < variant->n_items && vector < n_vectors / variant->n_items; k++) {
        sum ^= noise_channel(first + k * variant->workgroup_size, channel);
    }
    return sum;
}

/* The `i`th of each kind of traffic by workgroups of several sizes. False at the end. */
static bool next_variant(const struct mb_field *field, uint32_t *i, struct variant *variant)
{
    static const enum mb_traffic kinds[] = {MB_TRAFFIC_MIX, MB_TRAFFIC_READ};
    static const uint32_t sizes[][2] = {{64, 4}, {128, 8}, {1024, 2}, {256, 1}};
    const uint32_t n_kinds = field->is_image ? 1 : 2;
    for (; *i < n_kinds * MB_COUNTOF(sizes); ++*i) {
        *variant = (struct variant){
            .traffic = kinds[*i % n_kinds],
            .workgroup_size = sizes[*i / n_kinds][0],
            .n_items = sizes[*i / n_kinds][1],
        };
        if (variant->workgroup_size <= field->gpu->info.limits.maxComputeWorkGroupInvocations) {
            ++*i;
            return true;
        }
    }
    return false;
}

static void report_wrong(const struct variant *variant, uint32_t n_wrong)
{
    if (n_wrong > 0) {
        printf("traffic %d, %u x %u: %u are wrong\n", variant->traffic, variant->workgroup_size,
               variant->n_items, n_wrong);
    }
    CHECK_EQ_INT(n_wrong, 0);
}

static void test_buffers(struct mb_gpu *gpu)
{
    const uint64_t n_bytes = MB_TRAFFIC_UNIT_BYTES;
    const uint32_t n_words = (uint32_t)(n_bytes / 4);
    struct mb_field field;
    struct readback r;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_field_init_buffers(&field, gpu, n_bytes, n_bytes, &err), MB_OK);
    if (!readback_init(&r, gpu, n_bytes)) {
        return;
    }
    const uint32_t *words = r.buffer.mapped;
    struct variant variant;
    for (uint32_t i = 0; next_variant(&field, &i, &variant);) {
        uint32_t n_wrong = 0;
        run_variant(&r, &field, &variant, 1 + i % 3);
        for (uint32_t word = 0; word < n_words; word++) {
            n_wrong += words[word] != expected_word(&variant, word, n_words);
        }
        report_wrong(&variant, n_wrong);
    }
    readback_finish(&r);
    mb_field_finish(&field);
}

/* Texels of the images: rgba8, sizes that no tile divides, two layers. */
struct texels {
    struct mb_extent extent;
    uint32_t n_layers;
    uint8_t *source; /* [layer][y][x][channel] */
};

static uint8_t source_code(const struct texels *t, uint32_t layer, uint32_t y, uint32_t x,
                           uint32_t channel)
{
    return t
        ->source[(((size_t)layer * t->extent.height + y) * t->extent.width + x) * 4 + channel];
}

static uint8_t max_of_min(uint8_t a, uint8_t b, uint8_t c)
{
    const uint8_t least = b < c ? b : c;
    return a > least ? a : least;
}

/* Code that a channel of the target must have. */
static uint8_t expected_code(const struct texels *t, const uint32_t at[4])
{
    const uint32_t layer = at[0], y = at[1], x = at[2], channel = at[3];
    return y >= t->extent.height / 3 ? 0
                                     : max_of_min(source_code(t, layer, 3 * y, x, channel),
                                                  source_code(t, layer, 3 * y + 1, x, channel),
                                                  source_code(t, layer, 3 * y + 2, x, channel));
}

static uint32_t count_wrong(const struct texels *t, const uint8_t *codes)
{
    const uint32_t row_codes = t->extent.width * 4;
    uint32_t n_wrong = 0;
    for (uint32_t i = 0; i < t->n_layers * t->extent.height * row_codes; i++) {
        const uint32_t row = i / row_codes;
        const uint32_t at[4] = {row / t->extent.height, row % t->extent.height,
                                i % row_codes / 4, i % 4};
        n_wrong += codes[i] != expected_code(t, at);
    }
    return n_wrong;
}

/* The source is noise as the host makes it, to a code: the conversion to UNORM may be 0.6 of
 * one off (Direct3D's rule; on an H200 one in fifty is more than 0.51 off). */
static void read_source(struct readback *r, const struct mb_field *field, struct texels *t)
{
    const size_t n_bytes = (size_t)r->buffer.size_bytes;
    uint32_t n_wrong = 0;
    readback_begin(r);
    record_image_copy(r, &field->image[MB_SOURCE], &mb_access_readable);
    readback_run(r);
    memcpy(t->source, r->buffer.mapped, n_bytes);
    for (uint32_t i = 0; i < n_bytes; i++) {
        const double noise = (noise_channel(i / 4, i % 4) >> 8) / 16777216.0;
        n_wrong += fabs(t->source[i] - 255.0 * noise) > 0.6;
    }
    CHECK_EQ_INT(n_wrong, 0);
}

static void test_images(struct mb_gpu *gpu)
{
    struct texels t = {.extent = {203, 157}, .n_layers = 2};
    struct mb_layout layout;
    struct mb_field field;
    struct readback r;
    struct mb_err err = {0};
    mb_layout_init(&layout, mb_format_find("rgba8"), t.extent, t.n_layers, 1);
    CHECK_EQ_INT(mb_field_init_images(&field, gpu, &layout, &err), MB_OK);
    t.source = mb_alloc(layout.n_layers, layout.level_layer_bytes[0]);
    if (!t.source || !readback_init(&r, gpu, layout.n_layers * layout.level_layer_bytes[0])) {
        return;
    }
    read_source(&r, &field, &t);
    struct variant variant;
    for (uint32_t i = 0; next_variant(&field, &i, &variant);) {
        run_variant(&r, &field, &variant, 1 + i % 2);
        report_wrong(&variant, count_wrong(&t, r.buffer.mapped));
    }
    readback_finish(&r);
    mb_free(t.source);
    mb_field_finish(&field);
}

static void measure(const struct mb_gpu *gpu, uint64_t l2_bytes, struct mb_roofline *roofline)
{
    struct mb_err err = {0};
    const struct mb_settings settings = {.roofline = true, .l2_bytes = l2_bytes};
    CHECK_EQ_INT(mb_roofline_measure(gpu, &settings, roofline, &err), MB_OK);
    CHECK(isfinite(roofline->ceiling_gbps) && roofline->ceiling_gbps > 0.0);
    CHECK(isfinite(roofline->null_dispatch_ns) && roofline->null_dispatch_ns > 0.0);
    CHECK(isfinite(roofline->null_barrier_ns) &&
          roofline->null_barrier_ns > -roofline->null_dispatch_ns);
    printf("%.1f GB/s, null dispatch %.0f ns, barrier %.0f ns, cache %.1f MiB (%s)\n",
           roofline->ceiling_gbps, roofline->null_dispatch_ns, roofline->null_barrier_ns,
           (double)roofline->llc_bytes / 0x1p20, roofline->llc_source);
}

static void test_measure(struct mb_gpu *gpu)
{
    struct mb_roofline roofline;
    const bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    measure(gpu, 0, &roofline);
    CHECK(!is_cpu || strcmp(roofline.llc_source, "assumed") == 0);
    measure(gpu, 3 << 20, &roofline);
    CHECK_EQ_INT(roofline.llc_bytes, 3 << 20);
    CHECK_EQ_STR(roofline.llc_source, "given");
}

#define LIMIT_BYTES (UINT64_C(8) << 20)

static PFN_vkCreateBuffer create_buffer;
static unsigned n_at_limit, n_beyond;

static VKAPI_ATTR VkResult VKAPI_CALL watch_buffers(VkDevice device,
                                                    const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkBuffer *buffer)
{
    n_at_limit += info->size == LIMIT_BYTES;
    n_beyond += info->size > LIMIT_BYTES;
    return create_buffer(device, info, allocator, buffer);
}

/* What a GPU does, whatever this device is, but within 8 MiB: the sweep, and all variants. */
static void test_gpu_path(struct mb_gpu *gpu)
{
    struct mb_roofline roofline;
    struct mb_gpu small = *gpu;
    small.info.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    /* A device may say 2^n - 1, which is no multiple of anything. */
    small.info.limits.maxStorageBufferRange = LIMIT_BYTES + 1;
    small.info.max_allocation_bytes = LIMIT_BYTES + 4096;
    create_buffer = vkCreateBuffer;
    vkCreateBuffer = watch_buffers;
    measure(&small, 0, &roofline);
    vkCreateBuffer = create_buffer;
    CHECK_EQ_INT(n_beyond, 0);
    CHECK_EQ_INT(n_at_limit, 4); /* both sides of the reads, and of mixed traffic */
}

/* Without timestamps there is no roofline, and never a made-up one. */
static void test_refusals(struct mb_gpu *gpu)
{
    struct mb_err err = {0};
    struct mb_gpu blind = *gpu;
    struct mb_roofline roofline;
    blind.info.timestamp_valid_bits = 0;
    const struct mb_settings settings = {.roofline = true};
    CHECK_EQ_INT(mb_roofline_measure(&blind, &settings, &roofline, &err), MB_UNSUPPORTED);
    CHECK(isnan(roofline.ceiling_gbps));
}

static enum { CLOCK_STOPPED, CLOCK_AHEAD, CLOCK_ONCE_BACKWARD } lie;
static unsigned n_reads;

/* Pairs are read in one call. */
static VKAPI_ATTR VkResult VKAPI_CALL get_false_stamps(VkDevice device, VkQueryPool pool,
                                                       uint32_t first, uint32_t n,
                                                       size_t n_bytes, void *data,
                                                       VkDeviceSize stride_bytes,
                                                       VkQueryResultFlags flags)
{
    const VkResult result =
        REAL(vkGetQueryPoolResults)(device, pool, first, n, n_bytes, data, stride_bytes, flags);
    uint64_t *stamps = data;
    for (uint32_t i = 0; i < n && lie == CLOCK_STOPPED; i++) {
        stamps[i] = 1000;
    }
    if (lie == CLOCK_AHEAD && n == 2) {
        stamps[1] += UINT64_C(10000000000000);
    } else if (lie == CLOCK_ONCE_BACKWARD && n_reads++ == 0) {
        stamps[1] = 0;
    }
    return result;
}

/* What the host did not see is no figure, and nothing grows until a clock moves that stands. */
static void check_clock(struct mb_gpu *gpu, struct mb_field *field, struct mb_probe *probe)
{
    struct mb_err err = {0};
    struct mb_timer_marks marks;
    struct mb_roofline roofline;
    double duration_ns, gbps;
    const struct mb_settings settings = {.roofline = true};
    CHECK_EQ_INT(mb_field_choose(field, MB_TRAFFIC_READ, 128, 4, &err), MB_OK);
    lie = CLOCK_STOPPED;
    CHECK_EQ_INT(mb_field_time(field, 1e6, &gbps, &err), MB_OK);
    CHECK(isnan(gbps));
    CHECK_EQ_INT(mb_timer_measure_marks(gpu, &marks, &err), MB_FAILED);
    CHECK(strstr(err.text, "never advance") != NULL);
    lie = CLOCK_AHEAD;
    CHECK_EQ_INT(mb_field_time(field, 1e6, &gbps, &err), MB_FAILED);
    CHECK(err.code == MB_ERRC_RUNTIME && strstr(err.text, "the host waited") != NULL);
    CHECK_EQ_INT(mb_probe_run(probe, &duration_ns, &err), MB_FAILED);
    CHECK_EQ_INT(mb_timer_measure_marks(gpu, &marks, &err), MB_FAILED);
    CHECK_EQ_INT(mb_roofline_measure(gpu, &settings, &roofline, &err), MB_FAILED);
    lie = CLOCK_ONCE_BACKWARD;
    CHECK_EQ_INT(mb_probe_run(probe, &duration_ns, &err), MB_OK);
    CHECK_EQ_INT(n_reads, 2);
}

static void test_false_clock(struct mb_gpu *gpu)
{
    struct mb_err err = {0};
    struct mb_field field = {0};
    struct mb_probe probe = {0};
    CHECK_EQ_INT(mb_field_init_buffers(&field, gpu, 1 << 20, 1 << 20, &err), MB_OK);
    CHECK_EQ_INT(mb_probe_init(&probe, gpu, &err), MB_OK);
    STAND_IN(vkGetQueryPoolResults, get_false_stamps);
    check_clock(gpu, &field, &probe);
    stand_ins_end();
    mb_probe_finish(&probe);
    mb_field_finish(&field);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_buffers, test_images, test_measure, test_gpu_path,
                             test_refusals, test_false_clock);
}
