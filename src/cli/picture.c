/* PNG files of a result's chain: the atlas, single levels, and where it went wrong. */
#include "cli/picture.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/png.h"

struct writer {
    const struct mb_picture_options *options;
    const struct mb_cell *cell;
    struct mb_result *result;
    const void *block;
    char folder[256]; /* relative to options->dir */
};

static enum mb_status out_of_memory(struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_RUNTIME, "pictures: out of memory");
}

static enum mb_status note(struct mb_result *result, char *relative, struct mb_err *err)
{
    char **images = mb_realloc(result->images, (result->n_images + 1) * sizeof *result->images);
    if (!images) {
        mb_free(relative);
        return out_of_memory(err);
    }
    result->images = images;
    images[result->n_images++] = relative;
    return MB_OK;
}

static enum mb_status write_png(const struct writer *w, const char *name, const uint8_t *rgba,
                                struct mb_extent extent, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    char *relative = mb_path_join(w->folder, name);
    char *path = relative ? mb_path_join(w->options->dir, relative) : NULL;
    if (!path) {
        mb_free(relative);
        return out_of_memory(err);
    }
    status = mb_png_write(path, rgba, extent.width, extent.height, err);
    mb_free(path);
    if (status != MB_OK) {
        mb_free(relative);
        return status;
    }
    return note(w->result, relative, err);
}

static enum mb_status write_atlas(const struct writer *w, struct mb_err *err)
{
    uint8_t *rgba = NULL;
    struct mb_extent extent;
    enum mb_status status = mb_atlas_draw(&w->cell->layout, w->block, &rgba, &extent, err);
    if (status == MB_OK) {
        status = write_png(w, "atlas.png", rgba, extent, err);
    }
    mb_free(rgba);
    return status;
}

static enum mb_status write_level(const struct writer *w, uint32_t level, struct mb_err *err)
{
    char name[32];
    struct mb_extent extent = mb_level_extent(w->cell->layout.base, level);
    uint8_t *rgba = mb_malloc((size_t)extent.width * extent.height * 4);
    if (!rgba) {
        return out_of_memory(err);
    }
    mb_level_to_rgba8(&w->cell->layout, w->block, level, rgba);
    snprintf(name, sizeof name, "level_%02u.png", level);
    enum mb_status status = write_png(w, name, rgba, extent, err);
    mb_free(rgba);
    return status;
}

/* Against the chain that is never rounded: what the strategy's policy asks for. */
static enum mb_status write_error(const struct writer *w, uint32_t level, struct mb_err *err)
{
    char name[32];
    const struct mb_layout *layout = &w->cell->layout;
    const struct mb_ideal *ideal;
    enum mb_status status =
        mb_verifier_ideal(w->options->verifier, &w->result->work.claim.filter, 0, &ideal, err);
    if (status != MB_OK) {
        return status;
    }
    struct mb_extent extent = mb_level_extent(layout->base, level);
    uint8_t *rgba = mb_malloc((size_t)extent.width * extent.height * 4);
    if (!rgba) {
        return out_of_memory(err);
    }
    mb_error_picture(layout->format, mb_layout_level(layout, w->block, level, 0),
                     ideal->level[level], extent, rgba);
    snprintf(name, sizeof name, "error_%02u.png", level);
    status = write_png(w, name, rgba, extent, err);
    mb_free(rgba);
    return status;
}

static enum mb_status write_levels(const struct writer *w, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    enum mb_images images = w->options->images;
    bool levels = images == MB_IMAGES_LEVELS || images == MB_IMAGES_ALL;
    for (uint32_t level = 0; level < w->cell->layout.n_levels; level++) {
        bool is_wrong = w->result->verify == MB_VERIFY_FAIL &&
                        w->result->verdict.level[level].n_bad_texels > 0;
        if (levels) {
            MB_TRY(write_level(w, level, err));
        }
        if (level > 0 && w->options->verifier && (is_wrong || images == MB_IMAGES_ALL)) {
            MB_TRY(write_error(w, level, err));
        }
    }
fail:
    return status;
}

enum mb_status mb_pictures_write(const struct mb_picture_options *options,
                                 const struct mb_cell *cell, struct mb_result *result,
                                 const void *block, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    char *dir = NULL;
    struct writer w = {
        .options = options,
        .cell = cell,
        .result = result,
        .block = block,
    };
    if (options->images == MB_IMAGES_NONE) {
        return MB_OK;
    }
    snprintf(w.folder, sizeof w.folder, "%s_%ux%u_%s_avg/%s", cell->input_name,
             cell->layout.base.width, cell->layout.base.height, cell->layout.format->name,
             result->slug);
    dir = mb_path_join(options->dir, w.folder);
    if (!dir) {
        return out_of_memory(err);
    }
    MB_TRY(mb_make_dirs(dir, err));
    if (options->images == MB_IMAGES_ATLAS || options->images == MB_IMAGES_ALL) {
        MB_TRY(write_atlas(&w, err));
    }
    MB_TRY(write_levels(&w, err));
fail:
    mb_free(dir);
    return status;
}
