/* The images that a cold cache goes round hold what the first holds, layer by layer, also where
 * there are more layers than a driver copies rightly by one command. */
#include <string.h>

#include "base/alloc.h"
#include "harness.h"
#include "vk/barrier.h"

#define N_COPIES   2u
#define MAX_LAYERS 48u

/* What the stand-in for vkCmdCopyImage has seen. */
static struct {
    uint32_t n_copies[MAX_LAYERS][MB_MAX_LEVELS]; /* of each layer and level */
    uint32_t most_layers;
} spy;

static VKAPI_ATTR void VKAPI_CALL note_copy(VkCommandBuffer cmd, VkImage from,
                                            VkImageLayout from_layout, VkImage to,
                                            VkImageLayout to_layout, uint32_t n_regions,
                                            const VkImageCopy *regions)
{
    REAL(vkCmdCopyImage)(cmd, from, from_layout, to, to_layout, n_regions, regions);
    for (uint32_t i = 0; i < n_regions; i++) {
        const VkImageSubresourceLayers *layers = &regions[i].dstSubresource;
        CHECK_EQ_INT(regions[i].srcSubresource.baseArrayLayer, layers->baseArrayLayer);
        CHECK_EQ_INT(regions[i].srcSubresource.layerCount, layers->layerCount);
        CHECK_EQ_INT(regions[i].srcSubresource.mipLevel, layers->mipLevel);
        for (uint32_t k = 0; k < layers->layerCount; k++) {
            spy.n_copies[layers->baseArrayLayer + k][layers->mipLevel]++;
        }
        spy.most_layers =
            layers->layerCount > spy.most_layers ? layers->layerCount : spy.most_layers;
    }
}

static enum mb_status make(struct mb_test_image *test_image, struct mb_vk_image *copies,
                           struct mb_err *err)
{
    memset(&spy, 0, sizeof spy);
    STAND_IN(vkCmdCopyImage, note_copy);
    const enum mb_status status = mb_test_image_copy(test_image, copies, N_COPIES, err);
    stand_ins_end();
    return status;
}

/* Few layers by each command, and each of them once for every image. */
static void check_commands(const struct mb_layout *layout)
{
    CHECK(spy.most_layers > 0 && spy.most_layers <= MB_MAX_COPIED_LAYERS);
    for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
        for (uint32_t level = 0; level < layout->n_levels; level++) {
            CHECK_EQ_INT(spy.n_copies[layer][level], N_COPIES);
        }
    }
}

/* What an image of the rotation holds, read as the test_image reads its own. */
static void check_texels(const struct mb_test_image *test_image,
                         const struct mb_vk_image *image, const void *want)
{
    const struct mb_layout *layout = &test_image->full;
    struct mb_test_image reader = *test_image;
    struct mb_err err = {0};
    reader.image = *image;
    memset(reader.readback.mapped, 0, layout->total_bytes);
    CHECK_EQ_INT(mb_test_image_read(&reader, &err), MB_OK);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            CHECK(memcmp(mb_layout_level(layout, reader.readback.mapped, level, layer),
                         mb_layout_level(layout, want, level, layer),
                         layout->level_layer_bytes[level]) == 0);
        }
    }
}

static void check_rotation(struct mb_test_image *test_image, const void *texels)
{
    struct mb_vk_image copies[N_COPIES] = {{.gpu = NULL}};
    struct mb_err err = {0};
    CHECK_EQ_INT(make(test_image, copies, &err), MB_OK);
    check_commands(&test_image->full);
    check_texels(test_image, &test_image->image, texels);
    for (uint32_t i = 0; i < N_COPIES; i++) {
        check_texels(test_image, &copies[i], texels);
        mb_vk_image_finish(&copies[i]);
    }
}

static void check_layers(const struct mb_gpu *gpu, uint32_t n_layers)
{
    const struct mb_layout layout =
        mb_test_layout("rgba8", (struct mb_extent){13, 6}, n_layers);
    struct mb_test_image test_image;
    struct mb_err err = {0};
    uint8_t *texels = mb_malloc(layout.total_bytes);
    for (size_t i = 0; texels && i < layout.total_bytes; i++) {
        texels[i] = (uint8_t)((i * 2654435761u) >> 13); /* no two layers alike */
    }
    if (mb_test_open_image(&test_image, gpu, &layout, texels)) {
        CHECK_EQ_INT(mb_test_image_upload(&test_image, texels, layout.n_levels, &err), MB_OK);
        check_rotation(&test_image, texels);
    }
    mb_test_image_finish(&test_image);
    mb_free(texels);
}

static void test_rotation(struct mb_gpu *gpu)
{
    static const uint32_t n_layers[] = {1, 16, 17, 22, 47, MAX_LAYERS};
    for (size_t i = 0; i < MB_COUNTOF(n_layers); i++) {
        check_layers(gpu, n_layers[i]);
    }
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_rotation);
}
