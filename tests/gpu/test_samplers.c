/* No strategy samples where the address mode of its sampler matters: with each mode in the
 * place of its own, by standing in for vkCreateSampler, it makes the same chain, bit for bit,
 * and the one that it is held to. Where a sampler reads beyond an edge, it finds there the
 * opposite side, the mirror image, or white.
 *
 * llvmpipe takes 8-bit weights for some modes, which is no matter of edges: GALLIVM_PERF in
 * meson.build has it leave that out. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "harness.h"

static const struct {
    const char *name;
    VkSamplerAddressMode mode;
} modes[] = {
    {"clamp", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
    {"repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT},
    {"mirror", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
    {"border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER},
};

/* Even sizes down to two texels and to one, odd ones, and one texel wide. */
static const struct mb_extent extents[] = {{64, 32}, {33, 21}, {1, 6}};
static const char *const formats[] = {"rgba8", "rgba16f"};

/* What the stand-in needs to know, and tells. */
static struct {
    PFN_vkCreateSampler create_sampler;
    VkSamplerAddressMode mode;
    unsigned n_made, n_linear;
} spy;

static VKAPI_ATTR VkResult VKAPI_CALL create_sampler(VkDevice device,
                                                     const VkSamplerCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkSampler *sampler)
{
    VkSamplerCreateInfo own = *info;
    own.addressModeU = own.addressModeV = own.addressModeW = spy.mode;
    own.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    spy.n_made++;
    spy.n_linear += info->magFilter == VK_FILTER_LINEAR;
    return spy.create_sampler(device, &own, allocator, sampler);
}

/* The row's chain, into the read-back buffer. */
static enum mb_status run(struct mb_test_image *test_image, const struct mb_variant *row,
                          const struct mb_task *task, struct mb_tolerance *tolerance)
{
    enum mb_status status = MB_OK;
    struct mb_err err = {0};
    struct mb_instance instance = {0};
    MB_TRY(mb_test_instance(&instance, test_image, row, task, &err));
    *tolerance = instance.work.tolerance;
    MB_TRY(mb_test_run_chain(test_image, &instance, 0, &err));
fail:
    CHECK(status != MB_FAILED);
    mb_instance_finish(&instance);
    return status;
}

static void check_modes(struct mb_test_image *test_image, const struct mb_variant *row,
                        const struct mb_task *task, const void *chain)
{
    struct mb_tolerance tolerance;
    const size_t n_bytes = test_image->full.total_bytes;
    spy.create_sampler = vkCreateSampler;
    for (size_t i = 0; i < MB_COUNTOF(modes); i++) {
        spy.mode = modes[i].mode;
        vkCreateSampler = create_sampler;
        const enum mb_status status = run(test_image, row, task, &tolerance);
        vkCreateSampler = spy.create_sampler;
        const bool is_same =
            status == MB_OK && memcmp(test_image->readback.mapped, chain, n_bytes) == 0;
        CHECK(is_same);
        if (!is_same) {
            printf("    %s, %s of %ux%u %s, %s: another chain\n", mb_test_label(row),
                   mb_reduce_names[task->reduce], test_image->full.base.width,
                   test_image->full.base.height, test_image->full.format->name, modes[i].name);
        }
    }
}

static void check_row(struct mb_test_image *test_image, const struct mb_variant *row,
                      const struct mb_task *task, const void *texels)
{
    struct mb_err err = {0};
    struct mb_tolerance tolerance = {0};
    struct mb_verdict verdict;
    struct mb_verifier verifier;
    const size_t n_bytes = test_image->full.total_bytes;
    MB_FREED void *chain = mb_alloc(n_bytes, 1);
    CHECK(chain != NULL);
    if (chain == NULL || run(test_image, row, task, &tolerance) != MB_OK) {
        return;
    }
    memcpy(chain, test_image->readback.mapped, n_bytes);
    mb_verifier_init(&verifier, &test_image->full, texels);
    CHECK_EQ_INT(mb_verify(&verifier, chain, &tolerance, &verdict, &err), MB_OK);
    CHECK(verdict.pass);
    mb_verifier_finish(&verifier);
    check_modes(test_image, row, task, chain);
}

static void test_image_of(struct mb_gpu *gpu, const char *format, struct mb_extent extent)
{
    size_t n_rows = 0;
    struct mb_test_image test_image = {0};
    const struct mb_layout layout = mb_test_layout(format, extent, 2);
    MB_FREED struct mb_variant *rows = mb_test_plan(mb_test_specs, &n_rows);
    MB_FREED void *texels = mb_test_texels(&layout, "noise");
    CHECK(texels != NULL);
    if (texels != NULL && mb_test_open_image(&test_image, gpu, &layout, texels)) {
        n_rows = mb_test_keep_in_turn(gpu, mb_test_size_kind(extent), rows, n_rows);
        for (size_t i = 0; i < n_rows; i++) {
            struct mb_task task = mb_test_whole(extent);
            check_row(&test_image, &rows[i], &task, texels);
            task.reduce = MB_REDUCE_MAX;
            if (format == formats[0] && mb_test_is_default(&rows[i])) {
                check_row(&test_image, &rows[i], &task, texels);
            }
        }
    }
    mb_test_image_finish(&test_image);
}

static void test_every_mode(struct mb_gpu *gpu)
{
    for (size_t i = 0; i < MB_COUNTOF(formats) * MB_COUNTOF(extents); i++) {
        test_image_of(gpu, formats[i / MB_COUNTOF(extents)], extents[i % MB_COUNTOF(extents)]);
    }
    CHECK(spy.n_linear > 0 && spy.n_made > spy.n_linear);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_every_mode);
}
