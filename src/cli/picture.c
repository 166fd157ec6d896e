/* PNG files of a result's chain: the atlas, single levels, where it went wrong, and the golden
 * chain; and HDR files of what PNG has to clamp. */
#include "cli/picture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/settings.h"
#include "base/alloc.h"
#include "base/file.h"
#include "result/describe.h"
#include "image/distance.h"
#include "image/io/hdr.h"
#include "image/io/png.h"

struct writer {
    const struct mb_picture_options *options;
    const struct mb_case *c;
    struct mb_result *result;
    const void *block;
    bool is_float;    /* an HDR file beside each PNG */
    char folder[512]; /* relative to options->dir */
};

static enum mb_status out_of_memory(struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_RUNTIME, "pictures: out of memory");
}

enum mb_status mb_picture_check_path(const char *path, const struct mb_settings *settings,
                                     struct mb_err *err)
{
    if (access(path, F_OK) != 0) {
        return MB_OK; /* not there yet, as the inputs are */
    }
    for (size_t i = 0; i < settings->n_inputs; i++) {
        if (mb_file_is_same(path, settings->inputs[i])) {
            return MB_FAIL(err, MB_ERRC_OUTPUT, "%s: is an input, and is not replaced", path);
        }
    }
    return MB_OK;
}

/* The paths of STEM.SUFFIX, relative to the output folder and as it is opened; both owned. */
static enum mb_status make_paths(const struct writer *w, const char *stem, const char *suffix,
                                 char **relative, char **path, struct mb_err *err)
{
    char name[80];
    snprintf(name, sizeof name, "%s.%s", stem, suffix);
    *relative = mb_path_join(w->folder, name);
    *path = *relative ? mb_path_join(w->options->dir, *relative) : NULL;
    const enum mb_status status =
        *path ? mb_picture_check_path(*path, w->options->settings, err) : out_of_memory(err);
    if (status != MB_OK) {
        mb_free(*path);
        mb_free(*relative);
        *path = *relative = NULL;
    }
    return status;
}

/* Note a file that was written, or forget one that was not. */
static enum mb_status conclude(const struct writer *w, enum mb_status written, char *relative,
                               char *path, struct mb_err *err)
{
    mb_free(path);
    if (written != MB_OK) {
        mb_free(relative);
        return written;
    }
    return mb_result_add_path(&w->result->images, &w->result->n_images, relative, err);
}

/* An encoded picture, which it finishes. */
static enum mb_status write_file(const struct writer *w, const char *stem, const char *suffix,
                                 struct mb_bytes *picture, struct mb_err *err)
{
    char *relative, *path;
    enum mb_status status = make_paths(w, stem, suffix, &relative, &path, err);
    if (status == MB_OK) {
        status = mb_file_write_atomic(path, picture->data, picture->n_bytes, err);
        status = conclude(w, status, relative, path, err);
    }
    mb_bytes_finish(picture);
    return status;
}

static enum mb_status write_png(const struct writer *w, const char *stem, const uint8_t *rgba,
                                struct mb_extent extent, struct mb_err *err)
{
    struct mb_bytes png;
    enum mb_status status = mb_png_encode(rgba, extent.width, extent.height, &png, err);
    return status == MB_OK ? write_file(w, stem, "png", &png, err) : status;
}

/* Texels of the chain's own format. */
static enum mb_status write_hdr(const struct writer *w, const char *stem, const void *texels,
                                struct mb_extent extent, struct mb_err *err)
{
    struct mb_bytes hdr;
    enum mb_status status = mb_hdr_encode(w->c->layout.format, extent, texels, &hdr, err);
    return status == MB_OK ? write_file(w, stem, "hdr", &hdr, err) : status;
}

uint32_t mb_picture_layers(const struct mb_layout *layout)
{
    return layout->n_layers < MB_MAX_PICTURE_LAYERS ? layout->n_layers : MB_MAX_PICTURE_LAYERS;
}

void mb_picture_stem(const char *stem, uint32_t layer, char *out, size_t out_bytes)
{
    if (layer == 0) {
        snprintf(out, out_bytes, "%s", stem);
    } else {
        snprintf(out, out_bytes, "%s_layer_%02u", stem, layer);
    }
}

/* Once as a PNG and, of floats, once more in the chain's own format. */
static enum mb_status write_atlas(const struct writer *w, uint32_t layer, struct mb_err *err)
{
    char stem[64];
    void *texels = NULL;
    const struct mb_layout *layout = &w->c->layout;
    const struct mb_extent extent = mb_atlas_extent(layout->base, layout->n_levels);
    enum mb_status status = MB_OK;
    mb_picture_stem("atlas", layer, stem, sizeof stem);
    MB_TRY(mb_atlas_draw(layout, w->block, layer, true, &texels, err));
    MB_TRY(write_png(w, stem, texels, extent, err));
    if (w->is_float) {
        mb_free(texels);
        MB_TRY(mb_atlas_draw(layout, w->block, layer, false, &texels, err));
        MB_TRY(write_hdr(w, stem, texels, extent, err));
    }
fail:
    mb_free(texels);
    return status;
}

static enum mb_status write_level(const struct writer *w, uint32_t level, uint32_t layer,
                                  struct mb_err *err)
{
    char name[32];
    char stem[64];
    struct mb_extent extent = mb_level_extent(w->c->layout.base, level);
    enum mb_status status = MB_OK;
    uint8_t *rgba = mb_malloc((size_t)extent.width * extent.height * 4);
    if (!rgba) {
        return out_of_memory(err);
    }
    snprintf(name, sizeof name, "level_%02u", level);
    mb_picture_stem(name, layer, stem, sizeof stem);
    mb_level_to_rgba8(&w->c->layout, w->block, level, layer, rgba);
    MB_TRY(write_png(w, stem, rgba, extent, err));
    if (w->is_float) {
        const void *texels = mb_layout_level(&w->c->layout, w->block, level, layer);
        MB_TRY(write_hdr(w, stem, texels, extent, err));
    }
fail:
    mb_free(rgba);
    return status;
}

/* Against the chain that is never rounded: what the strategy's policy asks for. In the layer of
 * the first bad texel. */
static enum mb_status write_error(const struct writer *w, uint32_t level, struct mb_err *err)
{
    char name[32];
    char stem[64];
    const struct mb_layout *layout = &w->c->layout;
    const struct mb_bad_texel *bad = &w->result->verdict.first_bad;
    const uint32_t layer = bad->found ? bad->layer : 0;
    const struct mb_ideal *ideal;
    enum mb_status status = mb_verifier_ideal(
        w->options->verifier, &w->result->work.tolerance.filter, layer, &ideal, err);
    if (status != MB_OK) {
        return status;
    }
    struct mb_extent extent = mb_level_extent(layout->base, level);
    uint8_t *rgba = mb_malloc((size_t)extent.width * extent.height * 4);
    if (!rgba) {
        return out_of_memory(err);
    }
    mb_error_picture(layout->format, mb_layout_level(layout, w->block, level, layer),
                     ideal->level[level], extent, rgba);
    snprintf(name, sizeof name, "error_%02u", level);
    mb_picture_stem(name, layer, stem, sizeof stem);
    status = write_png(w, stem, rgba, extent, err);
    mb_free(rgba);
    return status;
}

/* Atlases, single levels, or both. */
static enum mb_status write_chain(const struct writer *w, uint32_t n_layers, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const enum mb_images images = w->options->settings->images;
    const uint32_t n_levels = w->c->layout.n_levels;
    for (uint32_t layer = 0; images != MB_IMAGES_LEVELS && layer < n_layers; layer++) {
        MB_TRY(write_atlas(w, layer, err));
    }
    for (uint32_t level = 0; images != MB_IMAGES_ATLAS && level < n_levels; level++) {
        for (uint32_t layer = 0; layer < n_layers; layer++) {
            MB_TRY(write_level(w, level, layer, err));
        }
    }
fail:
    return status;
}

static enum mb_status write_errors(const struct writer *w, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (uint32_t level = 1; level < w->c->layout.n_levels; level++) {
        const bool is_wrong = w->result->verify == MB_VERIFY_FAIL &&
                              w->result->verdict.level[level].n_bad_texels > 0;
        if (is_wrong || w->options->settings->images == MB_IMAGES_ALL) {
            MB_TRY(write_error(w, level, err));
        }
    }
fail:
    return status;
}

/* Note what another strategy of the case has had written into `folder`. */
static enum mb_status note_again(const struct writer *w, const char *folder, bool *was_there,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const size_t n_bytes = strlen(folder);
    *was_there = false;
    for (size_t i = 0; i < w->c->n_results && !*was_there; i++) {
        const struct mb_result *other = &w->c->results[i];
        for (size_t k = 0; other != w->result && k < other->n_images; k++) {
            const char *image = other->images[k];
            if (strncmp(image, folder, n_bytes) == 0 && image[n_bytes] == '/') {
                char *copy = mb_strdup(image);
                MB_TRY(copy ? mb_result_add_path(&w->result->images, &w->result->n_images, copy,
                                                 err)
                            : out_of_memory(err));
                *was_there = true;
            }
        }
    }
fail:
    return status;
}

/* What the strategy was held against, beside the folders of strategies; once for those that are
 * held to the same policy. */
static enum mb_status write_golden(const struct writer *w, const char *case_folder,
                                   uint32_t n_layers, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct writer golden = *w;
    bool was_there;
    uint8_t *texels = NULL;
    char *dir = NULL;
    snprintf(golden.folder, sizeof golden.folder, "%s/golden-%s", case_folder,
             mb_policy_name(
                 mb_verifier_policy(w->options->verifier, &w->result->work.tolerance.filter)));
    MB_TRY(note_again(w, golden.folder, &was_there, err));
    if (was_there) {
        return MB_OK;
    }
    texels = mb_alloc(w->c->layout.total_bytes, 1);
    dir = mb_path_join(w->options->dir, golden.folder);
    MB_TRY(texels && dir ? MB_OK : out_of_memory(err));
    MB_TRY(mb_make_dirs(dir, err));
    MB_TRY(mb_verifier_encode(w->options->verifier, &w->result->work.tolerance.filter, n_layers,
                              texels, err));
    golden.block = texels;
    MB_TRY(write_chain(&golden, n_layers, err));
fail:
    mb_free(dir);
    mb_free(texels);
    return status;
}

/* False: only the contact sheet and what went wrong is asked for. */
static bool has_chain(const struct writer *w)
{
    return w->options->settings->images != MB_IMAGES_SHEET;
}

/* What the pictures do not show. */
static void warn(const struct writer *w, uint32_t n_layers)
{
    const struct mb_layout *layout = &w->c->layout;
    if (w->is_float) {
        mb_warn(&w->result->warnings, "png_clamped", "PNG of %s: values clamped to [0, 1]%s",
                layout->format->name,
                has_chain(w) ? "; the .hdr files keep what is above" : "");
    }
    if (n_layers < layout->n_layers) {
        mb_warn(&w->result->warnings, "layers_left_out",
                "pictures of the first %u of %u layers", n_layers, layout->n_layers);
    }
}

/* What needs the golden model. */
static enum mb_status write_judged(const struct writer *w, const char *case_folder,
                                   uint32_t n_layers, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(write_errors(w, err));
    if (has_chain(w)) {
        MB_TRY(write_golden(w, case_folder, n_layers, err));
    }
fail:
    return status;
}

enum mb_status mb_pictures_write(const struct mb_picture_options *options,
                                 const struct mb_case *c, struct mb_result *result,
                                 const void *block, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    char *dir = NULL;
    char case_folder[256];
    struct writer w = {
        .options = options,
        .c = c,
        .result = result,
        .block = block,
        .is_float = !mb_format_is_unorm(c->layout.format),
    };
    const uint32_t n_layers = mb_picture_layers(&c->layout);
    if (options->settings->images == MB_IMAGES_NONE) {
        return MB_OK;
    }
    mb_case_folder(c, case_folder, sizeof case_folder);
    snprintf(w.folder, sizeof w.folder, "%s/%s", case_folder, result->slug);
    dir = mb_path_join(options->dir, w.folder);
    if (!dir) {
        return out_of_memory(err);
    }
    warn(&w, n_layers);
    if (has_chain(&w) || result->verify == MB_VERIFY_FAIL) {
        MB_TRY(mb_make_dirs(dir, err));
    }
    if (has_chain(&w)) {
        MB_TRY(write_chain(&w, n_layers, err));
    }
    if (options->verifier) {
        MB_TRY(write_judged(&w, case_folder, n_layers, err));
    }
fail:
    mb_free(dir);
    return status;
}
