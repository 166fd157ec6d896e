/* Writes PNGs of a result's chain (the atlas, single levels, errors), of the reference and of
 * the contact sheet; HDR files of values that PNG would clamp; and texture files. */
#include "cli/picture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/version.h"
#include "image/io/write.h"
#include "result/label.h"

_Static_assert(MB_N_POLICIES <= 32, "policies are bits of a mask");

/* Writes the files of one result's chain. */
struct writer {
    struct mb_pictures *pictures;
    const struct mb_case *c;
    struct mb_result *result;
    const void *block;
    struct mb_reference *reference;
    struct mb_text folder; /* relative to the output folder */
};

/* Write NAME, relative to the output folder, and note it in `written` unless that is NULL. */
static enum mb_status write_file(const struct mb_pictures *pictures,
                                 const struct mb_bytes *bytes, struct mb_text name,
                                 struct mb_strlist *written, struct mb_err *err)
{
    const struct mb_settings *settings = pictures->settings;
    char folder[MB_PATH_BYTES];
    MB_FREED char *path = mb_path_join(pictures->dir, name.s);
    MB_DO(MB_NEED(path, "pictures"));
    for (size_t i = 0; i < settings->n_inputs; i++) {
        MB_FAIL_IF(mb_os_is_same_file(path, settings->inputs[i]), err, MB_ERRC_OUTPUT,
                   "%s: is an input, and is not replaced", path);
    }
    mb_path_parent(path, folder);
    MB_DO(mb_make_dirs(folder, err));
    MB_DO(mb_file_write_atomic(path, bytes->data, bytes->n_bytes, err));
    return written ? mb_strlist_add(written, err, "%s", name.s) : MB_OK;
}

/* Write the file of a picture; `suffix` is "png" or "hdr". */
static enum mb_status write_picture(const struct writer *w, struct mb_text stem,
                                    const char *suffix, const struct mb_bytes *bytes,
                                    struct mb_err *err)
{
    return write_file(w->pictures, bytes, mb_text("%s/%s.%s", w->folder.s, stem.s, suffix),
                      &w->result->images, err);
}

/* The number of layers of a chain that are drawn. */
static uint32_t n_drawn_layers(const struct mb_layout *layout)
{
    return layout->n_layers < MB_MAX_PICTURE_LAYERS ? layout->n_layers : MB_MAX_PICTURE_LAYERS;
}

/* "atlas" for layer 0, "atlas_layer_01" for layer 1. */
static struct mb_text stem_of(const char *stem, uint32_t layer)
{
    return layer == 0 ? mb_text("%s", stem) : mb_text("%s_layer_%02u", stem, layer);
}

/* Whether the layers that are drawn hold a value above 1, including infinity. */
static bool is_clamped(const struct mb_layout *layout, const void *block)
{
    const struct mb_format *format = layout->format;
    const uint32_t n_images = n_drawn_layers(layout) * layout->n_levels;
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

/* Write a layer of a chain as one picture: a PNG and, if the format is float, an HDR file. */
static enum mb_status write_atlas(const struct writer *w, struct mb_text stem,
                                  const struct mb_layout *layout, const void *block,
                                  uint32_t layer, struct mb_err *err)
{
    const struct mb_extent extent = mb_atlas_extent(layout->base, layout->n_levels);
    MB_FREED void *rgba = NULL;
    MB_FREED void *texels = NULL;
    MB_SCOPED(mb_bytes) png = {0}, hdr = {0};
    MB_DO(mb_atlas_draw(layout, block, layer, true, &rgba, err));
    MB_DO(mb_png_encode(rgba, extent.width, extent.height, &png, err));
    MB_DO(write_picture(w, stem, "png", &png, err));
    if (mb_format_is_unorm(layout->format)) {
        return MB_OK;
    }
    MB_DO(mb_atlas_draw(layout, block, layer, false, &texels, err));
    MB_DO(mb_hdr_encode(layout->format, extent, texels, &hdr, err));
    return write_picture(w, stem, "hdr", &hdr, err);
}

/* Write a level, drawn as a chain of its own. */
static enum mb_status write_level(const struct writer *w, uint32_t level, uint32_t layer,
                                  struct mb_err *err)
{
    const struct mb_layout *layout = &w->c->layout;
    const struct mb_text stem = stem_of(mb_text("level_%02u", level).s, layer);
    struct mb_layout own;
    mb_layout_init(&own, layout->format, mb_level_extent(layout->base, level), 1, 1);
    return write_atlas(w, stem, &own, mb_layout_level(layout, w->block, level, layer), 0, err);
}

/* Write a picture of the errors of a level, in the layer of the chain's first bad texel. The
 * errors are differences from the reference of the strategy's policy before rounding. */
static enum mb_status write_error(const struct writer *w, uint32_t level, struct mb_err *err)
{
    const struct mb_layout *layout = &w->c->layout;
    const struct mb_bad_texel *bad = &w->result->verdict.first_bad;
    const uint32_t layer = bad->found ? bad->layer : 0;
    const struct mb_ideal *ideal;
    MB_DO(mb_reference_ideal(w->reference, &w->result->work.tolerance.filter, layer, &ideal,
                             err));
    struct mb_extent extent = mb_level_extent(layout->base, level);
    MB_FREED uint8_t *rgba = mb_malloc((size_t)extent.width * extent.height * 4);
    MB_SCOPED(mb_bytes) png = {0};
    MB_DO(MB_NEED(rgba, "pictures"));
    mb_error_picture(layout->format, mb_layout_level(layout, w->block, level, layer),
                     ideal->level[level], extent, rgba);
    MB_DO(mb_png_encode(rgba, extent.width, extent.height, &png, err));
    return write_picture(w, stem_of(mb_text("error_%02u", level).s, layer), "png", &png, err);
}

/* Write atlases, single levels, both, or neither. */
static enum mb_status write_chain(const struct writer *w, struct mb_err *err)
{
    const unsigned images = w->pictures->settings->images;
    const uint32_t n_levels = w->c->layout.n_levels;
    const uint32_t n_layers = n_drawn_layers(&w->c->layout);
    for (uint32_t layer = 0; (images & MB_IMAGES_ATLAS) && layer < n_layers; layer++) {
        MB_DO(write_atlas(w, stem_of("atlas", layer), &w->c->layout, w->block, layer, err));
    }
    for (uint32_t level = 0; (images & MB_IMAGES_LEVELS) && level < n_levels; level++) {
        for (uint32_t layer = 0; layer < n_layers; layer++) {
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
        if (is_wrong || w->pictures->settings->images == MB_IMAGES_ALL) {
            MB_DO(write_error(w, level, err));
        }
    }
    return MB_OK;
}

/* Note the files in `folder` that are already noted for another strategy of the case. */
static enum mb_status note_again(const struct writer *w, const char *folder, struct mb_err *err)
{
    const size_t n_bytes = strlen(folder);
    bool was_there = false;
    for (size_t i = 0; i < w->c->n_results && !was_there; i++) {
        const struct mb_result *other = &w->c->results[i];
        for (size_t k = 0; other != w->result && k < other->images.n; k++) {
            const char *image = other->images.items[k];
            if (strncmp(image, folder, n_bytes) == 0 && image[n_bytes] == '/') {
                MB_DO(mb_strlist_add(&w->result->images, err, "%s", image));
                was_there = true;
            }
        }
    }
    return MB_OK;
}

/* Draw the reference, packed like the chains, on the sheet and into a folder beside the
 * strategies' folders; once for all strategies of one policy. */
static enum mb_status add_golden(const struct writer *w, struct mb_err *err)
{
    struct mb_pictures *pictures = w->pictures;
    const struct mb_filter *filter = &w->result->work.tolerance.filter;
    const enum mb_policy policy = mb_reference_policy(w->reference, filter);
    const char *name = mb_policy_names[policy];
    struct writer golden = *w;
    golden.folder = mb_text("%s/golden-%s", mb_case_folder(w->c).s, name);
    if (pictures->policies & 1u << policy) {
        return note_again(w, golden.folder.s, err);
    }
    pictures->policies |= 1u << policy;
    MB_FREED void *texels = mb_alloc(w->c->layout.total_bytes, 1);
    MB_DO(MB_NEED(texels, "pictures"));
    MB_DO(
        mb_reference_encode(w->reference, filter, n_drawn_layers(&w->c->layout), texels, err));
    golden.block = texels;
    if (pictures->settings->images & MB_IMAGES_SHEET) {
        MB_DO(mb_sheet_add(&pictures->sheet, mb_text("golden (%s)", name).s, texels, err));
    }
    return write_chain(&golden, err);
}

/* Warn of texels and layers that the pictures do not show. */
static void warn(const struct writer *w)
{
    const struct mb_layout *layout = &w->c->layout;
    const bool has_hdr = w->pictures->settings->images & (MB_IMAGES_ATLAS | MB_IMAGES_LEVELS);
    if (is_clamped(layout, w->block)) {
        mb_warn(&w->result->warnings, "png_clamped", "PNG of %s: values clamped to [0, 1]%s",
                layout->format->name, has_hdr ? "; the .hdr files keep what is above" : "");
    }
    if (n_drawn_layers(layout) < layout->n_layers) {
        mb_warn(&w->result->warnings, "layers_left_out",
                "pictures of the first %u of %u layers", n_drawn_layers(layout),
                layout->n_layers);
    }
}

/* Write the pictures, except the sheet (with --images sheet, only error pictures), and add the
 * reference to the sheet. */
static enum mb_status write_pictures(const struct writer *w, struct mb_err *err)
{
    if (w->pictures->settings->images == 0) {
        return MB_OK;
    }
    warn(w);
    MB_DO(write_chain(w, err));
    MB_DO(w->reference ? write_errors(w, err) : MB_OK);
    return w->reference ? add_golden(w, err) : MB_OK;
}

/* Write the texture files of a chain that verified. */
static enum mb_status write_textures(const struct writer *w, struct mb_err *err)
{
    static const struct {
        const char *name;
        enum mb_status (*encode)(const struct mb_texture *texture, struct mb_bytes *out,
                                 struct mb_err *err);
    } kinds[MB_N_CHAINS] = {
        [MB_CHAIN_KTX2] = {"chain.ktx2", mb_ktx2_encode},
        [MB_CHAIN_DDS] = {"chain.dds", mb_dds_encode},
    };
    const struct mb_texture texture = {
        .layout = &w->c->layout, .is_cube = w->c->is_cube, .block = w->block};
    for (int kind = 0; kind < MB_N_CHAINS && w->result->verify == MB_VERIFY_PASS; kind++) {
        MB_SCOPED(mb_bytes) bytes = {0};
        if ((w->pictures->settings->chains & 1u << kind) != 0) {
            MB_DO(kinds[kind].encode(&texture, &bytes, err));
            MB_DO(write_file(w->pictures, &bytes,
                             mb_text("%s/%s", w->folder.s, kinds[kind].name),
                             &w->result->chains, err));
        }
    }
    return MB_OK;
}

void mb_pictures_finish(struct mb_pictures *pictures)
{
    mb_sheet_finish(&pictures->sheet);
    pictures->policies = 0;
}

static struct mb_text sheet_name(const struct mb_case *c)
{
    return mb_text("%s/sheet.png", mb_case_folder(c).s);
}

/* Add the chain to the contact sheet. */
static enum mb_status add_to_sheet(const struct writer *w, struct mb_err *err)
{
    struct mb_result *result = w->result;
    const bool is_wrong = result->verify == MB_VERIFY_FAIL;
    MB_DO(mb_sheet_add(&w->pictures->sheet,
                       mb_text("%s%s", result->label, is_wrong ? " (wrong)" : "").s, w->block,
                       err));
    return mb_strlist_add(&result->images, err, "%s", sheet_name(w->c).s);
}

/* Turn a failure to write a file into a warning, so that the run goes on; the first such
 * failure is reported at the end. Return other failures. `result` may be NULL. */
static enum mb_status forgive(struct mb_pictures *pictures, enum mb_status status,
                              const struct mb_err *why, struct mb_result *result,
                              const char *code)
{
    if (status == MB_OK || why->code != MB_ERRC_OUTPUT) {
        return status;
    }
    if (result) {
        mb_warn(&result->warnings, code, "%s", why->text);
    }
    pictures->unwritten = pictures->unwritten.code == MB_ERRC_NONE ? *why : pictures->unwritten;
    return MB_OK;
}

enum mb_status mb_pictures_add(struct mb_pictures *pictures, const struct mb_case *c,
                               struct mb_result *result, const void *block,
                               struct mb_reference *reference, struct mb_err *err)
{
    const struct writer w = {
        .pictures = pictures,
        .c = c,
        .result = result,
        .block = block,
        .reference = reference,
        .folder = mb_text("%s/%s", mb_case_folder(c).s, result->slug),
    };
    if (pictures->sheet.labels.n == 0) {
        mb_sheet_init(&pictures->sheet, &c->layout);
    }
    enum mb_status status = write_pictures(&w, err);
    MB_DO(forgive(pictures, status, err, result, "picture_not_written"));
    if (pictures->settings->images & MB_IMAGES_SHEET) {
        MB_DO(add_to_sheet(&w, err));
    }
    status = write_textures(&w, err);
    return forgive(pictures, status, err, result, "chain_not_written");
}

/* "photo.png, 451x300 rgba8, avg, layer 0": the name of the file without its folder. */
static struct mb_text sheet_title(const struct mb_case *c)
{
    const char *slash = strncmp(c->input, "pattern:", 8) ? strrchr(c->input, '/') : NULL;
    return mb_text("%s, %ux%u %s, %s%s", slash ? slash + 1 : c->input, c->layout.base.width,
                   c->layout.base.height, c->layout.format->name,
                   mb_reduce_names[c->task.reduce], c->layout.n_layers > 1 ? ", layer 0" : "");
}

static enum mb_status write_sheet(const struct mb_pictures *pictures, const struct mb_run *run,
                                  const struct mb_case *c, struct mb_err *err)
{
    bool is_clamped = false;
    for (size_t i = 0; i < c->n_results; i++) {
        is_clamped = is_clamped || mb_is_warned(&c->results[i].warnings, "png_clamped");
    }
    const struct mb_text footer =
        mb_text("mipbench " MB_VERSION ", %s, driver %s%s", run->device.name,
                mb_run_driver(run), is_clamped ? "; values are clamped to [0, 1]" : "");
    MB_SCOPED(mb_canvas) canvas = {0};
    MB_SCOPED(mb_bytes) png = {0};
    MB_DO(mb_sheet_draw(&pictures->sheet, sheet_title(c).s, footer.s, &canvas, err));
    MB_DO(mb_png_encode(canvas.rgba, canvas.extent.width, canvas.extent.height, &png, err));
    return write_file(pictures, &png, sheet_name(c), NULL, err);
}

/* Remove the name of a missing file from the results, and warn why the file is missing. */
static void forget(const struct mb_case *c, const char *name, const char *code, const char *why)
{
    for (size_t i = 0; i < c->n_results; i++) {
        struct mb_result *result = &c->results[i];
        const bool was_image = mb_strlist_remove(&result->images, name);
        const bool was_chain = mb_strlist_remove(&result->chains, name);
        if ((was_image || was_chain) && !mb_is_warned(&result->warnings, code)) {
            mb_warn(&result->warnings, code, "%s", why);
        }
    }
}

enum mb_status mb_pictures_case_done(struct mb_pictures *pictures, const struct mb_run *run,
                                     const struct mb_case *c, struct mb_err *err)
{
    const bool has_sheet = pictures->sheet.labels.n > 0;
    const enum mb_status status = has_sheet ? write_sheet(pictures, run, c, err) : MB_OK;
    if (status != MB_OK) {
        forget(c, sheet_name(c).s, "picture_not_written", err->text);
    }
    mb_pictures_finish(pictures);
    return forgive(pictures, status, err, NULL, NULL);
}

bool mb_pictures_give_up_last(struct mb_pictures *pictures, const struct mb_case *c)
{
    for (size_t i = c->n_results; i-- > 0;) {
        const struct mb_result *last = &c->results[i];
        const struct mb_strlist *of = last->chains.n > 0 ? &last->chains : &last->images;
        MB_FREED char *name = of->n > 0 ? mb_strdup(of->items[of->n - 1]) : NULL;
        MB_FREED char *path = name ? mb_path_join(pictures->dir, name) : NULL;
        if (path) {
            unlink(path);
            forget(c, name, "files_removed",
                   "pictures or texture files were removed, as results.json had no room left");
            if (pictures->unwritten.code == MB_ERRC_NONE) {
                MB_FAIL(&pictures->unwritten, MB_ERRC_OUTPUT,
                        "%s: was removed again for results.json: %s", path,
                        mb_os_error_text(ENOSPC));
            }
            return true;
        }
    }
    return false;
}
