/* DDS output: the magic, DDS_HEADER, DDS_HEADER_DXT10, and then each layer with all its levels,
 * the largest first. */
#include "image/io/texture.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "image/io/little_endian.h"

#define HEADER_BYTES       148u /* 4 of magic, 124, and 20 of DX10's */
#define DDS_HEADER_BYTES   124u
#define PIXEL_FORMAT_BYTES 32u

#define DDSD_CAPS          0x1u
#define DDSD_HEIGHT        0x2u
#define DDSD_WIDTH         0x4u
#define DDSD_PITCH         0x8u
#define DDSD_PIXELFORMAT   0x1000u
#define DDSD_MIPMAPCOUNT   0x20000u
#define DDPF_FOURCC        0x4u
#define DDSCAPS_COMPLEX    0x8u
#define DDSCAPS_TEXTURE    0x1000u
#define DDSCAPS_MIPMAP     0x400000u
#define DDSCAPS2_ALL_FACES 0xfe00u /* a cube map with its six faces */

#define RESOURCE_TEXTURE2D  3u
#define RESOURCE_MISC_CUBE  4u
#define ALPHA_MODE_UNKNOWN  0u
#define ALPHA_MODE_STRAIGHT 1u

#define FOUR_CC(a, b, c, d)                                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* DXGI_FORMAT by its value: the same bits in the same order as Vulkan's. 0 is "unknown". */
static uint32_t dxgi_format(VkFormat format)
{
    static const struct {
        VkFormat vulkan;
        uint32_t dxgi;
    } names[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, 28},
        {VK_FORMAT_R8G8B8A8_SRGB, 29},
        {VK_FORMAT_R8_UNORM, 61},
        {VK_FORMAT_R8G8_UNORM, 49},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 24},
        {VK_FORMAT_R16_SFLOAT, 54},
        {VK_FORMAT_R16G16_SFLOAT, 34},
        {VK_FORMAT_R16G16B16A16_SFLOAT, 10},
        {VK_FORMAT_R32_SFLOAT, 41},
        {VK_FORMAT_R32G32B32A32_SFLOAT, 2},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 26},
    };
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        if (names[i].vulkan == format) {
            return names[i].dxgi;
        }
    }
    return 0;
}

static uint8_t *put_header(const struct mb_texture *texture, uint8_t *out)
{
    const struct mb_layout *layout = texture->layout;
    const bool has_mips = layout->n_levels > 1;
    const bool is_complex = has_mips || layout->n_layers > 1;
    uint32_t words[HEADER_BYTES / 4] = {
        [0] = FOUR_CC('D', 'D', 'S', ' '),
        [1] = DDS_HEADER_BYTES,
        [2] = DDSD_CAPS | DDSD_HEIGHT | DDSD_WIDTH | DDSD_PITCH | DDSD_PIXELFORMAT |
              DDSD_MIPMAPCOUNT,
        [3] = layout->base.height,
        [4] = layout->base.width,
        [5] = layout->base.width * layout->format->texel_bytes,
        [7] = layout->n_levels, /* 6 is the depth of a volume; 8 to 18 are reserved */
        [19] = PIXEL_FORMAT_BYTES,
        [20] = DDPF_FOURCC,
        [21] = FOUR_CC('D', 'X', '1', '0'), /* 22 to 26: only without DX10's header */
        [27] = DDSCAPS_TEXTURE | (is_complex ? DDSCAPS_COMPLEX : 0) |
               (has_mips ? DDSCAPS_MIPMAP : 0),
        [28] = texture->is_cube ? DDSCAPS2_ALL_FACES : 0,
        [32] = dxgi_format(layout->format->vk_format),
        [33] = RESOURCE_TEXTURE2D,
        [34] = texture->is_cube ? RESOURCE_MISC_CUBE : 0,
        [35] = layout->n_layers / (texture->is_cube ? 6 : 1),
        [36] = layout->format->n_channels == 4 ? ALPHA_MODE_STRAIGHT : ALPHA_MODE_UNKNOWN,
    };
    assert(words[32] != 0);
    for (size_t i = 0; i < MB_COUNTOF(words); i++) {
        out = mb_put_u32(out, words[i]);
    }
    return out;
}

enum mb_status mb_dds_encode(const struct mb_texture *texture, struct mb_bytes *out,
                             struct mb_err *err)
{
    const struct mb_layout *layout = texture->layout;
    const size_t total_bytes = HEADER_BYTES + (size_t)mb_layout_compulsory_bytes(layout);
    *out = (struct mb_bytes){0};
    uint8_t *data = mb_malloc(total_bytes);
    if (data == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "out of memory for a DDS file of %ux%u texels",
                       layout->base.width, layout->base.height);
    }
    uint8_t *end = put_header(texture, data);
    for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
        for (uint32_t level = 0; level < layout->n_levels; level++) {
            const size_t n_bytes = layout->level_layer_bytes[level];
            memcpy(end, mb_layout_level(layout, texture->block, level, layer), n_bytes);
            end += n_bytes;
        }
    }
    assert(end == data + total_bytes);
    *out = (struct mb_bytes){.data = data, .n_bytes = total_bytes};
    return MB_OK;
}
