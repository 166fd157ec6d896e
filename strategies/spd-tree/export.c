/* What `mipbench export spd-tree` writes: spd_tree.comp with all that it includes, its module,
 * the header of export/, and the formats that were asked for. */
#include "base/strbuf.h"
#include "strategy.h"

#include "strategy/levels.h"

extern const struct mb_shader mb_spv_spd_tree_raw4_words;
extern const struct mb_export mb_spd_tree_export;
extern const struct mb_embedded mb_export_spd_tree[];

/* What vulkan_core.h calls a format. */
static const char *vk_name(VkFormat format)
{
    static const struct {
        VkFormat format;
        const char *name;
    } names[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, "VK_FORMAT_R8G8B8A8_UNORM"},
        {VK_FORMAT_R8G8B8A8_SRGB, "VK_FORMAT_R8G8B8A8_SRGB"},
        {VK_FORMAT_R8_UNORM, "VK_FORMAT_R8_UNORM"},
        {VK_FORMAT_R8G8_UNORM, "VK_FORMAT_R8G8_UNORM"},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, "VK_FORMAT_A2B10G10R10_UNORM_PACK32"},
        {VK_FORMAT_R16_SFLOAT, "VK_FORMAT_R16_SFLOAT"},
        {VK_FORMAT_R16G16_SFLOAT, "VK_FORMAT_R16G16_SFLOAT"},
        {VK_FORMAT_R16G16B16A16_SFLOAT, "VK_FORMAT_R16G16B16A16_SFLOAT"},
        {VK_FORMAT_R32_SFLOAT, "VK_FORMAT_R32_SFLOAT"},
        {VK_FORMAT_R32G32B32A32_SFLOAT, "VK_FORMAT_R32G32B32A32_SFLOAT"},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, "VK_FORMAT_B10G11R11_UFLOAT_PACK32"},
    };
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        if (names[i].format == format) {
            return names[i].name;
        }
    }
    return "VK_FORMAT_UNDEFINED";
}

static void add_format(struct mb_strbuf *out, const struct mb_format *format)
{
    const struct mb_format_constants constants = mb_format_constants(format);
    mb_strbuf_printf(out,
                     "    /* %s */\n"
                     "    {\"%s\", %s, %s, %uu, %.1ff, %.1ff, %uu, %uu, %uu},\n",
                     format->title, format->name, vk_name(format->vk_format),
                     vk_name(format->vk_storage_format), format->texel_bytes,
                     constants.unorm_max, constants.unorm_max_alpha,
                     (unsigned)constants.is_srgb, constants.dropped_bits,
                     constants.dropped_bits_blue);
}

static void add_formats(struct mb_strbuf *out, const struct mb_format *const *formats,
                        size_t n_formats)
{
    mb_strbuf_printf(
        out,
        "/* The formats that were exported, for spd_tree.h; written by mipbench. */\n"
        "#ifndef SPD_TREE_FORMATS_H\n"
        "#define SPD_TREE_FORMATS_H\n"
        "\n"
        "#include \"spd_tree.h\"\n"
        "\n"
        "#define SPD_TREE_N_FORMATS %zu\n"
        "\n"
        "/* name, format of the image, format of the views, bytes of a texel;\n"
        " * max_code, max_alpha, is_srgb, dropped_bits, dropped_bits_blue. */\n"
        "static const struct spd_tree_format spd_tree_formats[SPD_TREE_N_FORMATS] "
        "= {\n",
        n_formats);
    for (size_t i = 0; i < n_formats; i++) {
        add_format(out, formats[i]);
    }
    mb_strbuf_append(out, "};\n\n#endif\n");
}

const struct mb_export mb_spd_tree_export = {
    .files = mb_export_spd_tree,
    .shader = &mb_spv_spd_tree_raw4_words,
    .shader_name = "spd_tree.spv",
    .formats_name = "spd_tree_formats.h",
    .add_formats = add_formats,
};
