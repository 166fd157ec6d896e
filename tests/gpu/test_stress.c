/* Single-dispatch strategies, again and again: what a missing release or acquire, a counter
 * that is not re-armed, or a workgroup that finishes too early breaks is broken once in many
 * thousands of runs, if at all, and only while the content changes.
 *
 * Each iteration gives level 0 another content, mostly poisons the other levels with a colour
 * of its own, runs the strategy's commands once or, a full barrier between, several times, and
 * compares every texel on the device with what the strategy made of that content before, which
 * the golden model approved. The arithmetic is deterministic: a bit that differs is a mistake.
 *
 * usage: test_stress [STRATEGY...]; by default the default row and every single change of a
 * parameter of each strategy that says it needs one dispatch, and some of more changes.
 * MB_STRESS_DISPATCHES says how many dispatches in all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/plan.h"
#include "harness.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

#define MAX_SPECS     128
#define N_BATCHES     4u
#define MAX_STEPS     64u
#define MIN_STEPS     4u
#define REPEAT_RUNS   3u
#define N_CONTENTS    8u
#define N_INVOCATIONS 256u /* as in image_diff.comp */

extern const struct mb_shader mb_spv_image_diff;

struct stress_shape {
    const char *format;
    struct mb_extent extent;
    uint32_t n_layers;
    uint32_t n_levels; /* to be made; 0: all */
    uint32_t weight;   /* of its share in the dispatches */
    enum mb_reduce reduce;
};

/* Below and above the hand-off (64x64 texels, seven levels), one tile and many, odd and even,
 * layers with a counter each, and what tiles hand on in each way: averages of codes, averages
 * of floats, and extremes. */
static const struct stress_shape software_shapes[] = {
    {"rgba8", {64, 64}, 6, 0, 6, MB_REDUCE_AVG},
    {"rgba8", {129, 65}, 1, 0, 6, MB_REDUCE_AVG},
    {"rgba8", {128, 128}, 1, 0, 12, MB_REDUCE_AVG},
    {"r32f", {96, 65}, 2, 6, 6, MB_REDUCE_AVG},
    {"rgba16f", {96, 160}, 1, 0, 3, MB_REDUCE_AVG},
    {"r32f", {200, 72}, 1, 0, 3, MB_REDUCE_MAX},
};
static const struct stress_shape gpu_shapes[] = {
    {"rgba8", {64, 64}, 6, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {257, 129}, 1, 0, 1, MB_REDUCE_AVG},
    {"r32f", {320, 192}, 2, 6, 1, MB_REDUCE_AVG},
    {"rgba8", {4096, 16}, 1, 0, 1, MB_REDUCE_AVG},
    {"rgba16f", {320, 192}, 1, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {512, 512}, 1, 0, 1, MB_REDUCE_AVG},
    {"rgba8-srgb", {512, 512}, 1, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {8192, 8}, 1, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {8192, 8}, 3, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {8192, 8}, 9, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {256, 256}, 3, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {256, 256}, 1, 0, 1, MB_REDUCE_AVG},
    {"rgba8", {1201, 901}, 1, 0, 1, MB_REDUCE_AVG},
    {"r32f", {640, 360}, 1, 0, 1, MB_REDUCE_MAX},
    {"rgba8", {640, 360}, 2, 0, 1, MB_REDUCE_MIN},
};

/* What the comparisons of a submission found; of the rest than n_texels, the first one. */
struct diff_report {
    uint32_t n_texels; /* that differ */
    uint32_t tag;      /* of the comparison that found the first */
    uint32_t level, layer, x, y;
    uint32_t got[4], wanted[4]; /* bits of floats */
};

struct image_diff {
    const struct mb_gpu *gpu;
    struct mb_pipeline compute;
    VkSampler sampler;
    VkImageView views[1 + N_CONTENTS]; /* all levels of the image, and of what is wanted */
    struct mb_buffer report;
    uint32_t n_groups;
    uint32_t n_layers;
};

/* One image, several contents for its level 0, and for each the chain that it must lead to, on
 * the device. */
struct stress_bench {
    const struct mb_gpu *gpu;
    struct mb_layout layout;
    struct mb_test_image test_image;
    void *texels[N_CONTENTS]; /* level 0 of all layers: noise of different seeds; owned */
    struct mb_reference golden[N_CONTENTS];
    struct mb_vk_image reference[N_CONTENTS];
    struct image_diff diff; /* of the test_image's image and a reference */
    struct mb_submission submission;
};

/* Of one layer, from level `first` on. */
static uint32_t count_texels(const struct mb_layout *layout, uint32_t first)
{
    uint32_t n_texels = 0;
    for (uint32_t level = first; level < layout->n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        n_texels += extent.width * extent.height;
    }
    return n_texels;
}

/* The queue must be idle. Accepts zero. */
static void diff_finish(struct image_diff *diff)
{
    mb_pipeline_finish(&diff->compute);
    mb_sampler_destroy(diff->gpu, diff->sampler);
    for (uint32_t i = 0; diff->gpu && i < MB_COUNTOF(diff->views); i++) {
        vkDestroyImageView(diff->gpu->device, diff->views[i], NULL);
    }
    mb_buffer_finish(&diff->report);
    *diff = (struct image_diff){0};
}

/* Compare `image` with any of `n_wanted` <= N_CONTENTS images of the same format, extent,
 * layers and levels. At a comparison all are in SHADER_READ_ONLY_OPTIMAL. */
static enum mb_status diff_init(struct image_diff *diff, const struct mb_vk_image *image,
                                const struct mb_vk_image *wanted, uint32_t n_wanted,
                                struct mb_err *err)
{
    const struct mb_sampler_options nearest = {.address = MB_SAMPLER_ADDRESS};
    enum mb_status status = MB_OK;
    const struct mb_gpu *gpu = image->gpu;
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_image_diff,
        .push_constant_bytes = sizeof(uint32_t),
        .n_copies = n_wanted,
        .name = "image diff",
    };
    const struct mb_view all = {
        .format = image->layout.format->vk_format,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
        .n_levels = image->layout.n_levels,
        .n_layers = image->layout.n_layers,
    };
    *diff = (struct image_diff){
        .gpu = gpu,
        .n_groups = (count_texels(&image->layout, 0) + N_INVOCATIONS - 1) / N_INVOCATIONS,
        .n_layers = image->layout.n_layers};
    MB_TRY(mb_sampler_create(gpu, &nearest, &diff->sampler, err));
    MB_TRY(mb_buffer_init(&diff->report, gpu, MB_BUFFER_READBACK, sizeof(struct diff_report),
                          "image diff report", err));
    MB_TRY(mb_pipeline_init(&diff->compute, gpu, &options, err));
    MB_TRY(mb_vk_image_create_view(image, &all, &diff->views[0], err));
    for (uint32_t i = 0; i < n_wanted; i++) {
        MB_TRY(mb_vk_image_create_view(&wanted[i], &all, &diff->views[1 + i], err));
        const struct mb_descriptor descriptors[] = {
            {.binding = 0, .sampler = diff->sampler, .views = &diff->views[0]},
            {.binding = 1, .sampler = diff->sampler, .views = &diff->views[1 + i]},
            {.binding = 2, .buffer = &diff->report},
        };
        mb_pipeline_bind(&diff->compute, i, descriptors, MB_COUNTOF(descriptors));
    }
    memset(diff->report.mapped, 0, sizeof(struct diff_report));
    return MB_OK;
fail:
    diff_finish(diff);
    return status;
}

/* Compare with wanted[index]. Full barriers before and after are the caller's. */
static void diff_record(const struct image_diff *diff, uint32_t index, uint32_t tag,
                        VkCommandBuffer cmd)
{
    const struct mb_dispatch dispatch = {
        .copy = index,
        .push = &tag,
        .n_groups = {diff->n_groups, 1, diff->n_layers},
    };
    mb_pipeline_dispatch(&diff->compute, cmd, &dispatch);
}

/* After the last comparison of a submission: the host may read the report then. */
static void diff_record_end(VkCommandBuffer cmd)
{
    const VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &to_host, 0, NULL, 0, NULL);
}

/* The report of all submissions since the last call, and an empty one for the next. */
static struct diff_report diff_take(const struct image_diff *diff)
{
    struct diff_report report;
    memcpy(&report, diff->report.mapped, sizeof report);
    memset(diff->report.mapped, 0, sizeof report);
    return report;
}

/* One line: where, and both values. */
static void diff_describe(const struct diff_report *report, char *out, size_t out_bytes)
{
    float got[4], wanted[4];
    memcpy(got, report->got, sizeof got);
    memcpy(wanted, report->wanted, sizeof wanted);
    snprintf(out, out_bytes,
             "%u texels differ; first: level %u, layer %u, x %u, y %u: wanted "
             "(%.9g, %.9g, %.9g, %.9g), got (%.9g, %.9g, %.9g, %.9g)",
             report->n_texels, report->level, report->layer, report->x, report->y,
             (double)wanted[0], (double)wanted[1], (double)wanted[2], (double)wanted[3],
             (double)got[0], (double)got[1], (double)got[2], (double)got[3]);
}

/* Noise in [0, 1) in every channel; owned by the caller. */
static void *make_noise(const struct mb_layout *layout, uint64_t seed)
{
    const size_t n_texels = (size_t)layout->base.width * layout->base.height * layout->n_layers;
    double *values = mb_alloc(n_texels, 4 * sizeof *values);
    void *texels = mb_alloc(n_texels, layout->format->texel_bytes);
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    for (size_t i = 0; values && i < 4 * n_texels; i++) {
        values[i] = check_random_unit(&rng);
    }
    if (values && texels) {
        mb_format_encode(layout->format, values, n_texels, texels);
        mb_free(values);
        return texels;
    }
    mb_free(values);
    mb_free(texels);
    return NULL;
}

static enum mb_status make_contents(struct stress_bench *bench, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_vk_image_options options = {
        .layout = &bench->layout,
        .n_levels = bench->layout.n_levels,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_SAMPLED_BIT,
        .name = "reference",
    };
    for (uint32_t i = 0; i < N_CONTENTS; i++) {
        bench->texels[i] = make_noise(&bench->layout, i + 1);
        if (!bench->texels[i]) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "contents: out of memory");
        }
        mb_reference_init(&bench->golden[i], &bench->layout, bench->texels[i]);
        MB_TRY(mb_vk_image_init(&bench->reference[i], bench->gpu, &options, err));
    }
fail:
    return status;
}

/* The queue must be idle. */
static void bench_finish(struct stress_bench *bench)
{
    mb_submission_finish(&bench->submission);
    diff_finish(&bench->diff);
    mb_test_image_finish(&bench->test_image);
    for (uint32_t i = 0; i < N_CONTENTS; i++) {
        mb_vk_image_finish(&bench->reference[i]);
        mb_reference_finish(&bench->golden[i]);
        mb_free(bench->texels[i]);
    }
    *bench = (struct stress_bench){0};
}

/* UNSUPPORTED if the device cannot make the image. After a failure nothing is left. */
static enum mb_status bench_init(struct stress_bench *bench, const struct mb_gpu *gpu,
                                 const struct stress_shape *shape, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    *bench = (struct stress_bench){.gpu = gpu};
    mb_layout_init(&bench->layout, mb_format_find(shape->format), shape->extent,
                   shape->n_layers,
                   shape->n_levels > 0 ? shape->n_levels : mb_full_level_count(shape->extent));
    MB_TRY(make_contents(bench, err));
    const struct mb_vk_image_options options = {
        .layout = &bench->layout,
        .n_levels = bench->layout.n_levels,
        .usage = mb_test_image_usage(gpu, bench->layout.format),
        .is_raw = true,
        .name = "image",
    };
    MB_TRY(mb_test_image_init(&bench->test_image, gpu, &options, bench->texels[0], err));
    MB_TRY(
        diff_init(&bench->diff, &bench->test_image.image, bench->reference, N_CONTENTS, err));
    MB_TRY(mb_submission_init(&bench->submission, gpu, "stress bench", err));
    return MB_OK;
fail:
    bench_finish(bench);
    return status;
}

/* Copy the test_image's image to a reference. */
static enum mb_status keep(struct stress_bench *bench, uint32_t content, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(mb_submission_begin(&bench->submission, err));
    mb_record_image_copy(bench->submission.cmd, &bench->test_image.image,
                         &bench->reference[content], bench->layout.n_levels);
    MB_TRY(mb_submission_run(&bench->submission, err));
fail:
    return status;
}

/* Make the chain of every content once by a recorded instance, over poison, verify it against
 * the golden model and keep it as the content's reference. MB_ERRC_VERIFY, naming the content
 * and its first bad texel, if one is wrong. */
static enum mb_status bench_refer(struct stress_bench *bench, struct mb_instance *instance,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_test_image *test_image = &bench->test_image;
    for (uint32_t i = 0; i < N_CONTENTS; i++) {
        struct mb_verdict verdict = {0};
        MB_TRY(mb_test_image_upload(test_image, bench->texels[i], 1, err));
        MB_TRY(mb_test_image_poison(test_image, i % MB_N_POISONS, err));
        MB_TRY(mb_submission_run(&instance->submission, err));
        MB_TRY(mb_test_image_read(test_image, err));
        MB_TRY(mb_verify(&bench->golden[i], test_image->readback.mapped,
                         &instance->work.tolerance, &verdict, err));
        if (!verdict.pass) {
            return MB_FAIL(
                err, MB_ERRC_VERIFY, "reference of content %u: %s", i,
                mb_bad_texel_describe(&verdict.first_bad, bench->golden[i].layout.format).s);
        }
        MB_TRY(keep(bench, i, err));
    }
fail:
    return status;
}

/* Flip the lowest bit of the last texel of `level`, in the last layer, of the last content's
 * reference; without `is_wrong`, restore it. Until the next bench_refer. */
static enum mb_status bench_plant(struct stress_bench *bench, uint32_t level, bool is_wrong,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_layout *layout = &bench->layout;
    const uint32_t layer = layout->n_layers - 1, n_bytes = layout->format->texel_bytes;
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    /* The last content's chain is the one that was read back last. */
    const uint8_t *texels =
        mb_layout_level(layout, bench->test_image.readback.mapped, level, layer);
    const struct mb_vk_image *reference = &bench->reference[N_CONTENTS - 1];
    VkCommandBuffer cmd = bench->submission.cmd;
    struct mb_buffer upload = {0};
    MB_TRY(mb_buffer_init(&upload, bench->gpu, MB_BUFFER_UPLOAD, n_bytes, "planted", err));
    uint8_t *texel = upload.mapped;
    memcpy(texel, texels + layout->level_layer_bytes[level] - n_bytes, n_bytes);
    texel[0] = (uint8_t)(texel[0] ^ (is_wrong ? 1u : 0u));
    MB_TRY(mb_submission_begin(&bench->submission, err));
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1},
        .imageOffset = {(int32_t)extent.width - 1, (int32_t)extent.height - 1, 0},
        .imageExtent = {1, 1, 1},
    };
    mb_barrier_levels(cmd, reference, level, 1, &mb_access_readable, &mb_access_transfer_write);
    vkCmdCopyBufferToImage(cmd, upload.buffer, reference->image,
                           mb_access_transfer_write.layout, 1, &region);
    mb_barrier_levels(cmd, reference, level, 1, &mb_access_transfer_write, &mb_access_readable);
    MB_TRY(mb_submission_run(&bench->submission, err));
fail:
    mb_buffer_finish(&upload);
    return status;
}

/* Commands that fill levels 1.. with a colour; full barriers before and after are the caller's.
 */
static void bench_record_poison(const struct stress_bench *bench, const float color[4],
                                VkCommandBuffer cmd)
{
    const struct mb_vk_image *image = &bench->test_image.image;
    const uint32_t n_levels = bench->layout.n_levels - 1;
    const VkClearColorValue value = {.float32 = {color[0], color[1], color[2], color[3]}};
    const VkImageSubresourceRange range = {
        .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
        .baseMipLevel = 1,
        .levelCount = n_levels,
        .layerCount = bench->layout.n_layers,
    };
    mb_barrier_levels(cmd, image, 1, n_levels, &mb_access_undefined, &mb_access_transfer_write);
    vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1,
                         &range);
    mb_barrier_levels(cmd, image, 1, n_levels, &mb_access_transfer_write, &mb_access_readable);
}

struct step {
    uint32_t content;
    uint32_t n_runs; /* 0: the poison stays */
    bool is_poisoned;
    float poison[4];
};

/* A command buffer of many steps. Each begins with content 0 and none ends with it, so that any
 * may follow any without a content coming twice in a row. */
struct batch {
    struct mb_submission submission;
    uint32_t n_steps;
    uint32_t n_dispatches;
};

struct context {
    const struct mb_gpu *gpu;
    struct mb_variant *rows;
    size_t n_rows;
    const char *const
        *names; /* of rows that were asked for, up to NULL: each goes everywhere */
    struct mb_instance *instances; /* one per row */
    struct mb_rng rng;
    struct stress_bench bench;
    enum mb_reduce reduce;
    uint64_t n_wanted;
    uint64_t n_dispatches, n_iterations, n_bad_texels;
};

static void record_step(const struct stress_bench *bench, const struct mb_instance *instance,
                        const struct step *step, uint32_t tag, VkCommandBuffer cmd)
{
    mb_barrier_full(cmd);
    mb_record_image_copy(cmd, &bench->reference[step->content], &bench->test_image.image, 1);
    mb_instance_record_source(instance, cmd);
    if (step->is_poisoned) {
        bench_record_poison(bench, step->poison, cmd);
    }
    for (uint32_t i = 0; i < step->n_runs; i++) {
        mb_barrier_full(cmd);
        instance->strategy->record(instance->state, cmd);
    }
    mb_barrier_full(cmd);
    diff_record(&bench->diff, step->content, tag, cmd);
}

static enum mb_status begin_batch(struct batch *batch, const struct mb_gpu *gpu,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    *batch = (struct batch){0};
    MB_TRY(mb_submission_init(&batch->submission, gpu, "stress", err));
fail:
    return status;
}

static enum mb_status end_batch(struct batch *batch, struct mb_err *err)
{
    diff_record_end(batch->submission.cmd);
    return mb_submission_end(&batch->submission, err);
}

/* A content that is not the last one, nor 0 at the end. */
static uint32_t pick_content(struct mb_rng *rng, uint32_t last, bool is_first, bool is_end)
{
    uint32_t content = 0;
    while (!is_first && (content == last || (is_end && content == 0))) {
        content = mb_rng_below(rng, N_CONTENTS);
    }
    return content;
}

/* Three of four steps start from poison, the others from the chain of the content before; one
 * of four runs the strategy over its own output. */
static enum mb_status make_batch(struct context *c, const struct mb_instance *instance,
                                 uint32_t n_steps, struct batch *batch, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct step step = {0};
    MB_TRY(begin_batch(batch, c->gpu, err));
    batch->n_steps = n_steps;
    for (uint32_t i = 0; i < n_steps; i++) {
        step.content = pick_content(&c->rng, step.content, i == 0, i + 1 == n_steps);
        step.is_poisoned = mb_rng_below(&c->rng, 4) > 0;
        step.n_runs = mb_rng_below(&c->rng, 4) > 0 ? 1 : REPEAT_RUNS;
        for (uint32_t channel = 0; channel < 4; channel++) {
            step.poison[channel] = (float)check_random_unit(&c->rng);
        }
        record_step(&c->bench, instance, &step, i, batch->submission.cmd);
        batch->n_dispatches += step.n_runs * instance->work.n_dispatches;
    }
    MB_TRY(end_batch(batch, err));
fail:
    return status;
}

/* Run one step, of the last content and over poison, by itself. */
static enum mb_status run_step(struct context *c, const struct mb_instance *instance,
                               uint32_t n_runs, struct diff_report *report, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct batch batch;
    const struct step step = {
        .content = N_CONTENTS - 1,
        .n_runs = n_runs,
        .is_poisoned = true,
        .poison = {0.0f, 1.0f, 0.0f, 1.0f},
    };
    MB_TRY(begin_batch(&batch, c->gpu, err));
    record_step(&c->bench, instance, &step, 0, batch.submission.cmd);
    MB_TRY(end_batch(&batch, err));
    MB_TRY(mb_submission_run(&batch.submission, err));
    *report = diff_take(&c->bench.diff);
    c->n_dispatches += n_runs * instance->work.n_dispatches;
fail:
    mb_submission_finish(&batch.submission);
    return status;
}

/* One wrong bit in a reference is found, where it is, and nothing else. */
static enum mb_status check_planted(struct context *c, const struct mb_instance *instance,
                                    uint32_t level, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_extent extent = mb_level_extent(c->bench.layout.base, level);
    struct diff_report report;
    MB_TRY(bench_plant(&c->bench, level, true, err));
    MB_TRY(run_step(c, instance, 1, &report, err));
    CHECK_EQ_INT(report.n_texels, 1);
    CHECK_EQ_INT(report.level, level);
    CHECK_EQ_INT(report.layer, c->bench.layout.n_layers - 1);
    CHECK_EQ_INT(report.x, extent.width - 1);
    CHECK_EQ_INT(report.y, extent.height - 1);
    MB_TRY(bench_plant(&c->bench, level, false, err));
    MB_TRY(run_step(c, instance, 1, &report, err));
    CHECK_EQ_INT(report.n_texels, 0);
fail:
    return status;
}

/* Poison that no run takes away is found in every texel of every level but the first: no noise
 * averages to its colour. */
static enum mb_status check_poison(struct context *c, const struct mb_instance *instance,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_layout *layout = &c->bench.layout;
    struct diff_report report;
    MB_TRY(run_step(c, instance, 0, &report, err));
    CHECK_EQ_INT(report.n_texels, count_texels(layout, 1) * layout->n_layers);
fail:
    return status;
}

/* Run batches in a random order until `n_wanted` dispatches are done or one is wrong. */
static enum mb_status run_batches(struct context *c, struct batch batches[N_BATCHES],
                                  const char *label, uint64_t n_wanted, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    uint64_t n_iterations = 0;
    for (uint64_t n_done = 0; n_done < n_wanted;) {
        struct batch *batch = &batches[mb_rng_below(&c->rng, N_BATCHES)];
        MB_TRY(mb_submission_run(&batch->submission, err));
        const struct diff_report report = diff_take(&c->bench.diff);
        c->n_bad_texels += report.n_texels;
        CHECK_EQ_INT(report.n_texels, 0);
        if (report.n_texels > 0) {
            char where[512];
            diff_describe(&report, where, sizeof where);
            fprintf(stderr, "%s, iteration %llu: %s\n", label,
                    (unsigned long long)n_iterations + report.tag, where);
            break;
        }
        n_iterations += batch->n_steps;
        n_done += batch->n_dispatches;
        c->n_dispatches += batch->n_dispatches;
    }
    c->n_iterations += n_iterations;
fail:
    return status;
}

static enum mb_status stress_row(struct context *c, struct mb_instance *instance,
                                 const char *label, uint64_t n_wanted, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct batch batches[N_BATCHES] = {0};
    const uint64_t share = n_wanted / (2 * N_BATCHES);
    const uint32_t n_steps = share < MIN_STEPS   ? MIN_STEPS
                             : share > MAX_STEPS ? MAX_STEPS
                                                 : (uint32_t)share;
    MB_TRY(bench_refer(&c->bench, instance, err));
    MB_TRY(check_poison(c, instance, err));
    MB_TRY(check_planted(c, instance, 1, err));
    MB_TRY(check_planted(c, instance, c->bench.layout.n_levels - 1, err));
    for (uint32_t i = 0; i < N_BATCHES; i++) {
        MB_TRY(make_batch(c, instance, n_steps, &batches[i], err));
    }
    MB_TRY(run_batches(c, batches, label, n_wanted, err));
fail:
    for (uint32_t i = 0; i < N_BATCHES; i++) {
        mb_submission_finish(&batches[i].submission);
    }
    return status;
}

static void describe(const struct context *c, const struct mb_variant *row, char *out,
                     size_t out_bytes)
{
    const struct mb_layout *layout = &c->bench.layout;
    snprintf(out, out_bytes, "%s on %ux%u %s, %u layers, %u levels", mb_test_label(row),
             layout->base.width, layout->base.height, layout->format->name, layout->n_layers,
             layout->n_levels);
}

/* Set up the rows that make this chain in one dispatch, in turn where compiling takes long;
 * returns how many there are. */
static size_t prepare_rows(struct context *c, uint32_t index)
{
    size_t n_ready = 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        struct mb_err err = {0};
        if (!c->names[0] && mb_test_leaves_out(c->gpu, &c->rows[i], index)) {
            continue;
        }
        char label[192];
        struct mb_instance *instance = &c->instances[i];
        struct mb_task task = mb_test_whole(c->bench.layout.base);
        task.reduce = c->reduce;
        enum mb_status status =
            mb_test_instance(instance, &c->bench.test_image, &c->rows[i], &task, &err);
        if (status == MB_OK) {
            status = mb_instance_record(instance, &err);
        }
        if (status == MB_OK && instance->work.n_dispatches != 1) {
            mb_instance_finish(instance);
        }
        if (status != MB_OK) {
            describe(c, &c->rows[i], label, sizeof label);
            printf("skipped %s: %s\n", label, err.text);
        }
        CHECK(status != MB_FAILED);
        n_ready += instance->strategy != NULL;
    }
    return n_ready;
}

/* Every row on one shape, the `index`th, about `n_wanted` dispatches in all. */
static void stress_shape(struct context *c, const struct stress_shape *shape, uint32_t index,
                         uint64_t n_wanted)
{
    struct mb_err err = {0};
    const uint64_t start_ns = mb_now_ns(), n_before = c->n_dispatches;
    const bool is_ready = bench_init(&c->bench, c->gpu, shape, &err) == MB_OK;
    CHECK(is_ready);
    if (!is_ready) {
        fprintf(stderr, "%ux%u: %s\n", shape->extent.width, shape->extent.height, err.text);
        return;
    }
    c->reduce = shape->reduce;
    const size_t n_ready = prepare_rows(c, index);
    for (size_t i = 0; i < c->n_rows; i++) {
        struct mb_instance *instance = &c->instances[i];
        if (!instance->strategy) {
            continue;
        }
        char label[192];
        describe(c, &c->rows[i], label, sizeof label);
        const enum mb_status status =
            stress_row(c, instance, label, (n_wanted + n_ready - 1) / n_ready, &err);
        if (status != MB_OK) {
            fprintf(stderr, "%s: %s\n", label, err.text);
        }
        CHECK_EQ_INT(status, MB_OK);
    }
    for (size_t i = 0; i < c->n_rows; i++) {
        mb_instance_finish(&c->instances[i]);
    }
    bench_finish(&c->bench);
    printf("%4ux%-4u %-7s %u layers: %2zu rows, %8llu dispatches, %.1f s\n",
           shape->extent.width, shape->extent.height, shape->format, shape->n_layers, n_ready,
           (unsigned long long)(c->n_dispatches - n_before),
           (double)(mb_now_ns() - start_ns) * 1e-9);
    fflush(stdout);
}

/* The default row of every strategy, one for every other value of each parameter, and what
 * takes more than one change. */
static size_t make_specs(char specs[MAX_SPECS][96])
{
    static const char *const more[] = {
        "spd:wave=off:order=linear", "spd-tree:shape=strips:rows=1",
        "spd-tree:shape=strips:rows=2", "spd-tree:shape=strips:wave=off"};
    size_t n_specs = 0;
    for (size_t i = 0; i < MB_COUNTOF(more); i++) {
        snprintf(specs[n_specs++], sizeof specs[0], "%s", more[i]);
    }
    for (const struct mb_strategy *const *s = mb_strategies; *s && n_specs < MAX_SPECS; s++) {
        snprintf(specs[n_specs++], sizeof specs[0], "%s", (*s)->name);
        for (const struct mb_param *p = (*s)->params; p && p->name; p++) {
            for (size_t i = 1; !p->is_diagnostic && p->values[i] && n_specs < MAX_SPECS; i++) {
                snprintf(specs[n_specs++], sizeof specs[0], "%s:%s=%s", (*s)->name, p->name,
                         p->values[i]);
            }
        }
    }
    CHECK(n_specs < MAX_SPECS);
    return n_specs;
}

/* Without those whose values contradict each other, as a single change may. */
static void leave_contradictory(struct context *c)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct mb_strategy *strategy = c->rows[i].strategy;
        if (!strategy->contradiction || !strategy->contradiction(&c->rows[i].params)) {
            c->rows[n_kept++] = c->rows[i];
        }
    }
    c->n_rows = n_kept;
}

static bool make_rows(struct context *c)
{
    static char specs[MAX_SPECS][96];
    const char *pointers[MAX_SPECS + 1] = {NULL};
    const size_t n_specs = make_specs(specs);
    for (size_t i = 0; i < n_specs; i++) {
        pointers[i] = specs[i];
    }
    c->rows = mb_test_plan(c->names[0] ? c->names : pointers, &c->n_rows);
    leave_contradictory(c);
    c->instances = mb_alloc(c->n_rows, sizeof *c->instances);
    return c->instances != NULL && c->n_rows > 0;
}

/* How many dispatches are asked for, in all. */
static bool read_n_wanted(struct context *c, bool is_software)
{
    const char *text = getenv("MB_STRESS_DISPATCHES");
    if (text) {
        const bool is_number = mb_parse_u64(text, &c->n_wanted) && c->n_wanted > 0;
        if (!is_number) {
            fprintf(stderr, "MB_STRESS_DISPATCHES=%s is no number of dispatches\n", text);
        }
        return is_number;
    }
    c->n_wanted = mb_test_is_quick()                  ? 500
                  : mb_test_is_full() && !is_software ? 1000000
                  : mb_test_is_full() || !is_software ? 10000
                                                      : 1500;
    return true;
}

static void stress_all(struct context *c, bool is_software)
{
    const struct stress_shape *shapes = is_software ? software_shapes : gpu_shapes;
    const size_t n_all = is_software ? MB_COUNTOF(software_shapes) : MB_COUNTOF(gpu_shapes);
    const size_t n_shapes = mb_test_is_quick() ? 2 : n_all;
    uint32_t weight_left = 0;
    for (size_t i = 0; i < n_shapes; i++) {
        weight_left += shapes[i].weight;
    }
    for (size_t i = n_shapes; i < n_all; i++) {
        mb_test_leave_out("shapes of images, in the short form");
    }
    /* What a shape leaves undone, since a row refuses it, goes to those after it. */
    for (uint32_t i = 0; i < n_shapes; i++) {
        const uint64_t n_left =
            c->n_wanted > c->n_dispatches ? c->n_wanted - c->n_dispatches : 1;
        stress_shape(c, &shapes[i], i,
                     (n_left * shapes[i].weight + weight_left - 1) / weight_left);
        weight_left -= shapes[i].weight;
    }
    printf("%llu dispatches, %llu iterations, %llu mismatches\n",
           (unsigned long long)c->n_dispatches, (unsigned long long)c->n_iterations,
           (unsigned long long)c->n_bad_texels);
}

static const char *const *row_names;

static void test_stress(struct mb_gpu *gpu)
{
    static struct context c;
    const bool is_software = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    c.gpu = gpu;
    c.names = row_names;
    mb_rng_init(&c.rng, 1);
    const bool is_ready = read_n_wanted(&c, is_software) && make_rows(&c);
    CHECK(is_ready);
    if (is_ready) {
        printf("%s, %llu dispatches\n", gpu->info.name, (unsigned long long)c.n_wanted);
        stress_all(&c, is_software);
    }
    mb_free(c.instances);
    mb_free(c.rows);
    if (is_ready && c.n_dispatches == 0 &&
        !gpu->info.features.v12.vulkanMemoryModelDeviceScope) {
        mb_test_skip("the device lacks the Vulkan memory model with device scope");
        return;
    }
    CHECK(c.n_dispatches >= c.n_wanted);
}

int main(int argc, char **argv)
{
    row_names = (const char *const *)argv + (argc > 0);
    return MB_TEST_ON_DEVICE(test_stress);
}
