/* PNG files of a result's chain: the atlas, single levels, where it went wrong, and the golden
 * chain; and HDR files of what PNG has to clamp. */
#include "cli/picture.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "result/label.h"
#include "image/io/write.h"

struct writer {
    const struct mb_picture_options *options;
    const struct mb_settings *settings;
    const struct mb_filter *filter; /* that the strategy is held to */
    const struct mb_case *c;
    struct mb_result *result;
    const void *block;
    bool is_float;                      /* an HDR file beside each PNG */
    uint32_t n_layers;                  /* that are drawn */
    struct mb_text case_folder, folder; /* relative to the output folder */
};

static enum mb_status write_png(const struct writer *w, const char *stem, const uint8_t *rgba,
                                struct mb_extent extent, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) png = {0};
    MB_DO(mb_png_encode(rgba, extent.width, extent.height, &png, err));
    return mb_artifact_write(&w->options->artifacts, &png, &w->result->images, err, "%s/%s.png",
                             w->folder.s, stem);
}

/* Texels of the chain's own format. */
static enum mb_status write_hdr(const struct writer *w, const char *stem, const void *texels,
                                struct mb_extent extent, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) hdr = {0};
    MB_DO(mb_hdr_encode(w->c->layout.format, extent, texels, &hdr, err));
    return mb_artifact_write(&w->options->artifacts, &hdr, &w->result->images, err, "%s/%s.hdr",
                             w->folder.s, stem);
}

uint32_t mb_picture_layers(const struct mb_layout *layout)
{
    return layout->n_layers < MB_MAX_PICTURE_LAYERS ? layout->n_layers : MB_MAX_PICTURE_LAYERS;
}

/* Whether the layers that are drawn hold a value above 1; infinity counts. */
static bool is_clamped(const struct mb_layout *layout, const void *block)
{
    const struct mb_format *format = layout->format;
    const uint32_t n_images = mb_picture_layers(layout) * layout->n_levels;
    if (mb_format_is_unorm(format)) {
        return false;
    }
    for (uint32_t i = 0; i < n_images; i++) {
        const uint32_t level = i % layout->n_levels;
        const struct mb_extent extent = mb_level_extent(layout->base, level);
        const uint8_t *texels = mb_layout_level(layout, block, level, i / layout->n_levels);
        for (size_t t = 0; t < (size_t)extent.width * extent.height; t++) {
            double rgba[4];
            mb_format_decode(format, texels + t * format->texel_bytes, 1, rgba);
            if (rgba[0] > 1.0 || rgba[1] > 1.0 || rgba[2] > 1.0 || rgba[3] > 1.0) {
                return true;
            }
        }
    }
    return false;
}

struct mb_text mb_picture_stem(const char *stem, uint32_t layer)
{
    return layer == 0 ? mb_text("%s", stem) : mb_text("%s_layer_%02u", stem, layer);
}

/* Once as a PNG and, of floats, once more in the chain's own format. */
static enum mb_status write_atlas(const struct writer *w, uint32_t layer, struct mb_err *err)
{
    MB_FREED void *texels = NULL;
    const struct mb_layout *layout = &w->c->layout;
    const struct mb_extent extent = mb_atlas_extent(layout->base, layout->n_levels);
    const struct mb_text stem = mb_picture_stem("atlas", layer);
    MB_DO(mb_atlas_draw(layout, w->block, layer, true, &texels, err));
    MB_DO(write_png(w, stem.s, texels, extent, err));
    if (w->is_float) {
        mb_free(texels);
        MB_DO(mb_atlas_draw(layout, w->block, layer, false, &texels, err));
        MB_DO(write_hdr(w, stem.s, texels, extent, err));
    }
    return MB_OK;
}

static enum mb_status write_level(const struct writer *w, uint32_t level, uint32_t layer,
                                  struct mb_err *err)
{
    struct mb_extent extent = mb_level_extent(w->c->layout.base, level);
    MB_FREED uint8_t *rgba = mb_malloc((size_t)extent.width * extent.height * 4);
    MB_DO(MB_NEED(rgba, "pictures"));
    const struct mb_text stem = mb_picture_stem(mb_text("level_%02u", level).s, layer);
    mb_level_to_rgba8(&w->c->layout, w->block, level, layer, rgba);
    MB_DO(write_png(w, stem.s, rgba, extent, err));
    if (w->is_float) {
        const void *texels = mb_layout_level(&w->c->layout, w->block, level, layer);
        MB_DO(write_hdr(w, stem.s, texels, extent, err));
    }
    return MB_OK;
}

/* Against the chain that is never rounded: what the strategy's policy asks for. In the layer of
 * the first bad texel. */
static enum mb_status write_error(const struct writer *w, uint32_t level, struct mb_err *err)
{
    const struct mb_layout *layout = &w->c->layout;
    const struct mb_bad_texel *bad = &w->result->verdict.first_bad;
    const uint32_t layer = bad->found ? bad->layer : 0;
    const struct mb_ideal *ideal;
    MB_DO(mb_reference_ideal(w->options->reference, w->filter, layer, &ideal, err));
    struct mb_extent extent = mb_level_extent(layout->base, level);
    MB_FREED uint8_t *rgba = mb_malloc((size_t)extent.width * extent.height * 4);
    MB_DO(MB_NEED(rgba, "pictures"));
    mb_error_picture(layout->format, mb_layout_level(layout, w->block, level, layer),
                     ideal->level[level], extent, rgba);
    return write_png(w, mb_picture_stem(mb_text("error_%02u", level).s, layer).s, rgba, extent,
                     err);
}

/* Atlases, single levels, or both. */
static enum mb_status write_chain(const struct writer *w, struct mb_err *err)
{
    const enum mb_images images = w->settings->images;
    const uint32_t n_levels = w->c->layout.n_levels;
    for (uint32_t layer = 0; images != MB_IMAGES_LEVELS && layer < w->n_layers; layer++) {
        MB_DO(write_atlas(w, layer, err));
    }
    for (uint32_t level = 0; images != MB_IMAGES_ATLAS && level < n_levels; level++) {
        for (uint32_t layer = 0; layer < w->n_layers; layer++) {
            MB_DO(write_level(w, level, layer, err));
        }
    }
    return MB_OK;
}

static enum mb_status write_errors(const struct writer *w, struct mb_err *err)
{
    for (uint32_t level = 1; level < w->c->layout.n_levels; level++) {
        const bool is_wrong = w->result->verify == MB_VERIFY_FAIL &&
                              w->result->verdict.level[level].n_bad_texels > 0;
        if (is_wrong || w->settings->images == MB_IMAGES_ALL) {
            MB_DO(write_error(w, level, err));
        }
    }
    return MB_OK;
}

/* Note the files that another strategy of the case has in `folder`. */
static enum mb_status note_again(const struct writer *w, const char *folder, bool *was_there,
                                 struct mb_err *err)
{
    const size_t n_bytes = strlen(folder);
    *was_there = false;
    for (size_t i = 0; i < w->c->n_results && !*was_there; i++) {
        const struct mb_result *other = &w->c->results[i];
        for (size_t k = 0; other != w->result && k < other->images.n; k++) {
            const char *image = other->images.items[k];
            if (strncmp(image, folder, n_bytes) == 0 && image[n_bytes] == '/') {
                MB_DO(mb_strlist_add(&w->result->images, err, "%s", image));
                *was_there = true;
            }
        }
    }
    return MB_OK;
}

/* The reference, beside the folders of strategies; once for all that are held to the same
 * policy. */
static enum mb_status write_golden(const struct writer *w, struct mb_err *err)
{
    struct mb_reference *reference = w->options->reference;
    struct writer golden = *w;
    bool was_there;
    golden.folder = mb_text("%s/golden-%s", w->case_folder.s,
                            mb_policy_names[mb_reference_policy(reference, w->filter)]);
    MB_DO(note_again(w, golden.folder.s, &was_there, err));
    if (was_there) {
        return MB_OK;
    }
    MB_FREED uint8_t *texels = mb_alloc(w->c->layout.total_bytes, 1);
    golden.block = texels;
    MB_DO(MB_NEED(texels, "pictures"));
    MB_DO(mb_reference_encode(reference, w->filter, w->n_layers, texels, err));
    return write_chain(&golden, err);
}

/* Warn of texels and layers that the pictures do not show. */
static void warn(const struct writer *w, bool has_chain)
{
    const struct mb_layout *layout = &w->c->layout;
    if (is_clamped(layout, w->block)) {
        mb_warn(&w->result->warnings, "png_clamped", "PNG of %s: values clamped to [0, 1]%s",
                layout->format->name, has_chain ? "; the .hdr files keep what is above" : "");
    }
    if (w->n_layers < layout->n_layers) {
        mb_warn(&w->result->warnings, "layers_left_out",
                "pictures of the first %u of %u layers", w->n_layers, layout->n_layers);
    }
}

/* One that is there: a folder that can be written into, and nothing in the way of its files. */
static enum mb_status check_folder(const char *dir, struct mb_text name, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) files = {0};
    MB_FREED char *folder = mb_path_join(dir, name.s);
    MB_DO(MB_NEED(folder, "pictures"));
    const enum mb_kind kind = mb_os_kind(folder);
    if (kind == MB_KIND_NONE) {
        return MB_OK;
    }
    MB_FAIL_IF(kind != MB_KIND_FOLDER, err, MB_ERRC_OUTPUT,
               "%s: is not a folder; pictures are written into it", folder);
    MB_DO(mb_strlist_add(&files, err, "sheet.png"));
    MB_DO(mb_os_list(folder, MB_ERRC_OUTPUT, &files, err));
    for (size_t i = 0; i < files.n; i++) {
        MB_FREED char *path = mb_path_join(folder, files.items[i]);
        MB_DO(MB_NEED(path, "pictures"));
        MB_DO(mb_image_has_suffix(path) ? mb_file_check_writable(path, err) : MB_OK);
    }
    return MB_OK;
}

enum mb_status mb_pictures_check(const char *dir, const struct mb_case *c,
                                 const struct mb_variant *rows, size_t n_rows,
                                 struct mb_err *err)
{
    const struct mb_text folder = mb_case_folder(c);
    MB_DO(check_folder(dir, folder, err));
    for (size_t i = 0; i < n_rows; i++) {
        char slug[MB_LABEL_BYTES];
        mb_variant_slug(&rows[i], slug, sizeof slug);
        MB_DO(check_folder(dir, mb_text("%s/%s", folder.s, slug), err));
    }
    for (size_t i = 0; i < MB_N_POLICIES; i++) {
        MB_DO(check_folder(dir, mb_text("%s/golden-%s", folder.s, mb_policy_names[i]), err));
    }
    return MB_OK;
}

enum mb_status mb_pictures_write(const struct mb_picture_options *options,
                                 const struct mb_case *c, struct mb_result *result,
                                 const void *block, struct mb_err *err)
{
    struct writer w = {
        .options = options,
        .settings = options->artifacts.settings,
        .filter = &result->work.tolerance.filter,
        .c = c,
        .result = result,
        .block = block,
        .case_folder = mb_case_folder(c),
        .is_float = !mb_format_is_unorm(c->layout.format),
        .n_layers = mb_picture_layers(&c->layout),
    };
    /* Otherwise the settings want only the contact sheet and error pictures. */
    const bool has_chain = w.settings->images != MB_IMAGES_SHEET;
    if (w.settings->images == MB_IMAGES_NONE) {
        return MB_OK;
    }
    w.folder = mb_text("%s/%s", w.case_folder.s, result->slug);
    warn(&w, has_chain);
    if (has_chain) {
        MB_DO(write_chain(&w, err));
    }
    if (options->reference) {
        MB_DO(write_errors(&w, err));
    }
    if (options->reference && has_chain) {
        MB_DO(write_golden(&w, err));
    }
    return MB_OK;
}
