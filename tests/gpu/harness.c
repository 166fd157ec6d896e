/* What the tests on a device share. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "image/image.h"
#include "image/pattern.h"
#include "strategy/needs.h"

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "0") != 0;
}

bool mb_test_is_quick(void)
{
    return MB_TEST_IS_SANITIZED || is_set("MB_TEST_QUICK");
}

bool mb_test_is_full(void)
{
    return is_set("MB_TEST_FULL");
}

int mb_test_open(struct mb_gpu *gpu, const struct mb_gpu_options *options)
{
    struct mb_err err = {0};
    struct mb_gpu_options used = *options;
    used.validate = used.validate || is_set("MB_TEST_VALIDATE");
    if (mb_gpu_init(gpu, &used, &err) == MB_OK) {
        return 0;
    }
    bool is_skip = err.code == MB_ERRC_DEVICE;
    printf("%s: %s\n", is_skip ? "skipped" : "failed", err.text);
    return is_skip ? MB_TEST_SKIP : 1;
}

static bool is_skipped;

void mb_test_skip(const char *reason)
{
    printf("skipped: %s\n", reason);
    is_skipped = true;
}

int mb_test_run_all(const char *file, mb_test_fn *const *tests)
{
    const struct mb_gpu_options options = {.selector = NULL};
    struct mb_gpu gpu;
    const int opened = mb_test_open(&gpu, &options);
    if (opened != 0) {
        return opened;
    }
    for (; *tests && !is_skipped; tests++) {
        (*tests)(&gpu);
    }
    mb_test_report_left_out();
    CHECK_EQ_INT(mb_gpu_finish(&gpu), 0);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    const int code = check_summary(file);
    return code == 0 && is_skipped ? MB_TEST_SKIP : code;
}

struct mb_variant *mb_test_plan_of(const struct mb_strategy *const *table,
                                   const char *const *specs, size_t *n_rows)
{
    struct mb_variant *rows = NULL;
    struct mb_err err = {0};
    size_t n_specs = 0;
    while (specs[n_specs]) {
        n_specs++;
    }
    *n_rows = 0;
    CHECK_EQ_INT(mb_plan_variants(table, specs, n_specs, &rows, n_rows, &err), MB_OK);
    CHECK_EQ_STR(err.text, "");
    return rows;
}

struct mb_variant *mb_test_plan(const char *const *specs, size_t *n_rows)
{
    return mb_test_plan_of(mb_strategies, specs, n_rows);
}

const char *mb_test_label(const struct mb_variant *row)
{
    static char label[MB_LABEL_BYTES];
    mb_variant_label(row, label, sizeof label);
    return label;
}

struct mb_layout mb_test_layout(const char *format, struct mb_extent extent, uint32_t n_layers)
{
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find(format), extent, n_layers,
                   mb_full_level_count(extent));
    return layout;
}

struct mb_task mb_test_whole(struct mb_extent extent)
{
    return (struct mb_task){.rect = mb_rect_whole(extent)};
}

bool mb_test_open_image(struct mb_test_image *test_image, const struct mb_gpu *gpu,
                        const struct mb_layout *layout, const void *texels)
{
    struct mb_err err = {.text = "no texels"};
    const struct mb_vk_image_options options = {
        .layout = layout,
        .n_levels = layout->n_levels,
        .is_cube = layout->n_layers == 6 && layout->base.width == layout->base.height,
        .usage = mb_test_image_usage(gpu, layout->format),
        .is_raw = true,
        .name = "image",
    };
    *test_image = (struct mb_test_image){0};
    const bool is_open =
        texels && mb_test_image_init(test_image, gpu, &options, texels, &err) == MB_OK;
    if (!is_open) {
        fprintf(stderr, "%ux%u %s: %s\n", layout->base.width, layout->base.height,
                layout->format->name, err.text);
    }
    CHECK(is_open);
    return is_open;
}

static bool never_interrupted(void *user)
{
    return false;
}

static void ignore_step(void *user, const char *label, const char *step)
{
}

static void ignore_block(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total)
{
}

static enum mb_status ignore_chain(void *user, const struct mb_case *c,
                                   struct mb_result *result, const void *block,
                                   struct mb_reference *reference, struct mb_err *err)
{
    return MB_OK;
}

const char *const mb_test_specs[] = {
    "blit",
    "raster:*",
    "compute:*",
    "subgroup:*",
    "spd",
    "spd:wave=quad",
    "spd:wave=off",
    "spd:load=texel",
    "spd:load=sampler:wave=quad",
    "spd:load=texel:wave=off:order=linear",
    "spd:lds=split",
    "spd:lds=packed:wave=quad",
    "spd:fp16=on",
    "spd:fp16=on:wave=quad:load=texel",
    "spd:fp16=on:lds=packed:wave=off:order=linear",
    "spd:counter=host",
    "spd:counter=host:slices=each:wave=off",
    "spd:source=separate",
    "spd:srgb=sqrt",
    "spd-metal:*",
    "spd-tree",
    "spd-tree:wave=off",
    "spd-tree:shape=even",
    "spd-tree:shape=strips",
    "spd-tree:shape=strips:wave=off",
    "spd-tree:shape=strips:rows=2",
    "spd-tree:shape=strips:rows=6",
    "spd-tree:source=separate",
    "spd-tree:source=depth",
    "separable",
    "separable:filter=lanczos",
    "separable:filter=gaussian",
    "separable:filter=gaussian16:workgroup=1024",
    "separable:workgroup=64",
    "separable:workgroup=128",
    "separable:workgroup=512",
    NULL,
};

const struct mb_hooks mb_test_hooks = {
    .is_interrupted = never_interrupted,
    .on_step = ignore_step,
    .on_block = ignore_block,
    .on_chain = ignore_chain,
};

/* Noise in every channel is what the formats are tried with; other patterns keep their own
 * alpha. */
void *mb_test_texels(const struct mb_layout *layout, const char *pattern)
{
    char spec[64];
    struct mb_image image;
    struct mb_err err;
    void *texels = NULL;
    snprintf(spec, sizeof spec, "pattern:%s:%ux%u", pattern, layout->base.width,
             layout->base.height);
    if (mb_pattern_make(&image, spec, 1, &err) == MB_OK) {
        texels = mb_image_encode_layers(&image, layout);
    }
    mb_image_finish(&image);
    return texels;
}

void mb_test_fill_case(const struct mb_test_case *test_case, struct mb_case *c)
{
    const struct mb_extent extent = test_case->extent;
    const uint32_t n_full = mb_full_level_count(extent);
    const bool is_update = !mb_rect_is_empty(test_case->rect);
    *c = (struct mb_case){
        .n_image_levels = n_full,
        .is_cube = test_case->is_cube,
        .task =
            {
                .reduce = test_case->reduce,
                .alpha = test_case->alpha,
                .is_update = is_update,
                .rect = is_update ? test_case->rect : mb_rect_whole(extent),
            },
    };
    snprintf(c->input, sizeof c->input, "pattern:noise");
    mb_layout_init(&c->layout, mb_format_find(test_case->format ? test_case->format : "rgba8"),
                   extent, test_case->n_layers > 0 ? test_case->n_layers : 1,
                   test_case->n_levels > 0 ? test_case->n_levels : n_full);
}

bool mb_test_run_case(const struct mb_gpu *gpu, const struct mb_variant *rows, size_t n_rows,
                      const struct mb_test_case *test_case, struct mb_case *c)
{
    const struct mb_settings settings = {
        .n_warmup = 1,
        .n_samples = 2,
        .seed = 1,
        .verify = true,
        .validate = gpu->validate,
    };
    /* What is tested here is not the time: calibration would take longer than a
     * case.
     */
    const struct mb_condition condition = {MB_CACHE_HOT, MB_MODE_LATENCY};
    struct mb_calibration calibration = {
        .gpu = gpu,
        .has_timer = gpu->info.timestamp_valid_bits > 0,
        .marks = {.granularity_ns = 1.0, .granularity_gcd_ns = 1.0, .empty_pair_ns = 1.0},
        .roofline = {.llc_bytes = 1, .ceiling_gbps = (double)NAN},
        .probe_ns = (double)NAN,
    };
    const struct mb_case_options options = {
        .calibration = &calibration,
        .settings = &settings,
        .hooks = &mb_test_hooks,
        .rows = rows,
        .n_rows = n_rows,
        .conditions = &condition,
        .n_conditions = 1,
        .shares_pipelines = true,
    };
    struct mb_err err = {0};
    bool is_complete = false;
    mb_test_fill_case(test_case, c);
    void *texels = mb_test_texels(&c->layout, "noise");
    if (!texels) {
        printf("failed: no texels\n");
        return false;
    }
    enum mb_status status = mb_case_run(&options, texels, c, &is_complete, &err);
    mb_calibration_finish(&calibration);
    mb_free(texels);
    if (status != MB_OK) {
        printf("failed: %s\n", err.text);
    }
    return status == MB_OK && is_complete;
}

enum mb_status mb_test_instance(struct mb_instance *instance,
                                const struct mb_test_image *test_image,
                                const struct mb_variant *row, const struct mb_task *task,
                                struct mb_err *err)
{
    const struct mb_vk_image *image = &test_image->image;
    const enum mb_status status =
        mb_variant_supports(row, image->gpu, &image->layout, task, err);
    return status == MB_OK ? mb_instance_init(instance, image, row, task, NULL, err) : status;
}

enum mb_status mb_test_run_chain(struct mb_test_image *test_image,
                                 const struct mb_instance *instance, uint32_t poison,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_submission *submission = &test_image->submission;
    MB_TRY(mb_submission_begin(submission, err));
    mb_record_poison(&test_image->image, test_image->full.n_levels, poison % MB_N_POISONS,
                     submission->cmd);
    instance->strategy->record(instance->state, submission->cmd);
    mb_test_image_record_read(test_image, submission->cmd);
    MB_TRY(mb_submission_run(submission, err));
fail:
    return status;
}

uint32_t mb_test_turn(const struct mb_gpu *gpu)
{
    const uint32_t size = gpu->info.subgroup_size; /* llvmpipe: 4, 8, 16 */
    return size <= 4 ? 0 : size <= 8 ? 1 : 2;
}

bool mb_test_takes_turns(const struct mb_gpu *gpu)
{
    return gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU && !mb_test_is_full();
}

static bool knows_subgroups(const struct mb_variant *row)
{
    static const char *const plain[] = {"blit", "raster", "compute", "separable"};
    bool is_plain = false;
    for (size_t i = 0; i < MB_COUNTOF(plain); i++) {
        is_plain = is_plain || strcmp(row->strategy->name, plain[i]) == 0;
    }
    return !is_plain;
}

bool mb_test_is_default(const struct mb_variant *row)
{
    static const struct mb_params defaults;
    return memcmp(&row->params, &defaults, sizeof defaults) == 0;
}

/* FNV-1a of the label. */
static uint32_t hash_label(const struct mb_variant *row)
{
    uint32_t hash = 2166136261u;
    for (const char *c = mb_test_label(row); *c != '\0'; c++) {
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    }
    return hash;
}

static bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

uint32_t mb_test_size_kind(struct mb_extent extent)
{
    return is_power_of_two(extent.width) + 2u * is_power_of_two(extent.height);
}

const char *mb_test_why_not(const struct mb_gpu *gpu, const struct mb_variant *row,
                            uint32_t place, uint32_t one_in)
{
    const uint32_t turn = mb_test_turn(gpu);
    if (!mb_test_takes_turns(gpu)) {
        return NULL;
    }
    if (turn != 1 && !knows_subgroups(row)) {
        return "kernels that know no subgroups, at another subgroup size than the usual one";
    }
    return (hash_label(row) % one_in + place + turn * ((one_in + 2) / 3)) % one_in == 0
               ? NULL
               : "in turn, as a software device takes long (MB_TEST_FULL=1 tries all)";
}

#define MAX_REASONS 16u

static struct {
    const char *reason;
    unsigned n_times;
} left_out[MAX_REASONS];

void mb_test_leave_out(const char *reason)
{
    size_t i = 0;
    while (i + 1 < MAX_REASONS && left_out[i].reason &&
           strcmp(left_out[i].reason, reason) != 0) {
        i++;
    }
    left_out[i].reason = reason;
    left_out[i].n_times++;
}

void mb_test_report_left_out(void)
{
    for (size_t i = 0; i < MAX_REASONS && left_out[i].reason; i++) {
        printf("left out %u times: %s\n", left_out[i].n_times, left_out[i].reason);
    }
}

bool mb_test_leaves_out(const struct mb_gpu *gpu, const struct mb_variant *row, uint32_t place)
{
    const char *reason = mb_test_why_not(gpu, row, place, mb_test_is_default(row) ? 1 : 3);
    if (reason) {
        mb_test_leave_out(reason);
    }
    return reason != NULL;
}

#define SPD_MAX_SIZE 4096u

/* What a variant of spd may refuse: halves for what they do not hold, what an image has not. */
static bool may_refuse_variant(const char *label, const struct mb_layout *layout,
                               const struct mb_task *task)
{
    const struct mb_format *format = layout->format;
    const bool is_half = strstr(label, "fp16=on") != NULL || strstr(label, "packed") != NULL;
    const bool is_held = mb_format_is_unorm(format) && mb_format_max_code(format, 0) <= 255.0;
    return (is_half && !is_held) ||
           (strstr(label, "fp16=on") != NULL &&
            mb_weighs_alpha(task->reduce, task->alpha, format)) ||
           (strstr(label, "slices=each") != NULL && layout->n_layers == 1) ||
           (strstr(label, "srgb=sqrt") != NULL && format->codec != MB_CODEC_SRGB8);
}

/* Whether both axes of the first levels are even, of which tiles of 64x64 make three or all. */
static bool are_first_even(const struct mb_layout *layout)
{
    bool are_even = true;
    for (uint32_t level = 0; level < 3 && level + 1 < layout->n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        are_even = are_even && extent.width % 2 == 0 && extent.height % 2 == 0;
    }
    return are_even;
}

/* Whether spd-tree has lanes exchange texels: for averages of codes, which it hands on by words
 * of 64 bits then, where these are. */
static bool uses_subgroups(const struct mb_gpu_info *info, const struct mb_layout *layout,
                           const struct mb_task *task)
{
    const bool has_words =
        info->features.core.features.shaderInt64 && info->features.v12.shaderBufferInt64Atomics;
    const bool has_codes = mb_format_is_unorm(layout->format) &&
                           task->reduce == MB_REDUCE_AVG &&
                           !mb_weighs_alpha(task->reduce, task->alpha, layout->format);
    return info->has_full_subgroups &&
           (info->subgroup_operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0 &&
           !task->is_update && (has_words || !has_codes);
}

/* And of spd-tree: tiles of 64x64 where sizes are odd or lanes exchange nothing, many rows, and
 * updates where lanes exchange nothing. */
static bool may_refuse_tree(const struct mb_gpu_info *info, const char *label,
                            const struct mb_layout *layout, const struct mb_task *task)
{
    return (strstr(label, "shape=even") != NULL &&
            (!are_first_even(layout) || !uses_subgroups(info, layout, task))) ||
           (strstr(label, "source=depth") != NULL &&
            strcmp(layout->format->name, "r32f") != 0) ||
           (strstr(label, "wave=off") != NULL && task->is_update) ||
           strstr(label, "rows=6") != NULL;
}

/* And any: lanes that subgroups of the device do not have. */
static bool may_refuse_lanes(const struct mb_gpu_info *info, const char *label)
{
    const char *lanes = strstr(label, "lanes=");
    const unsigned long n = lanes ? strtoul(lanes + strlen("lanes="), NULL, 10) : 0;
    return n > 0 && n != info->subgroup_size &&
           (n < info->min_subgroup_size || n > info->max_subgroup_size ||
            n * info->max_workgroup_subgroups < 256);
}

bool mb_test_may_refuse(const struct mb_gpu *gpu, const struct mb_variant *row,
                        const struct mb_layout *layout, const struct mb_task *task)
{
    char label[MB_LABEL_BYTES];
    const char *name = row->strategy->name;
    mb_variant_label(row, label, sizeof label);
    if (may_refuse_lanes(&gpu->info, label)) {
        return true;
    }
    if (strcmp(name, "blit") == 0) {
        struct mb_err why;
        const bool has_blit =
            mb_gpu_require_format(gpu, layout->format->vk_format,
                                  VK_FORMAT_FEATURE_BLIT_SRC_BIT |
                                      VK_FORMAT_FEATURE_BLIT_DST_BIT |
                                      VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
                                  "linear blit", &why) == MB_OK;
        return task->reduce != MB_REDUCE_AVG || mb_gpu_crashes_on_draws(&gpu->info) ||
               !has_blit || mb_weighs_alpha(task->reduce, task->alpha, layout->format) ||
               (task->is_update && !mb_policies_agree(layout->base, layout->n_levels));
    }
    if (strcmp(name, "separable") == 0) {
        return task->reduce != MB_REDUCE_AVG ||
               mb_weighs_alpha(task->reduce, task->alpha, layout->format);
    }
    if (strcmp(name, "raster") == 0 && mb_gpu_crashes_on_draws(&gpu->info)) {
        return true;
    }
    if (strcmp(name, "spd-tree") == 0) {
        return may_refuse_tree(&gpu->info, label, layout, task);
    }
    const bool is_spd = strcmp(name, "spd") == 0 || strcmp(name, "spd-metal") == 0;
    const bool is_above_spd =
        layout->base.width > SPD_MAX_SIZE || layout->base.height > SPD_MAX_SIZE;
    return (is_spd && (is_above_spd || may_refuse_variant(label, layout, task))) ||
           strstr(label, "load=sampler") != NULL;
}
