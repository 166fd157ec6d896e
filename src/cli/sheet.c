/* The contact sheet: rows are collected as strategies are read back, and drawn once all are
 * there. */
#include "cli/sheet.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/settings.h"
#include "base/file.h"
#include "base/version.h"
#include "result/label.h"
#include "image/io/write.h"

_Static_assert(MB_N_POLICIES <= 32, "policies are bits of a mask");

void mb_sheets_finish(struct mb_sheets *sheets)
{
    for (uint32_t layer = 0; layer < sheets->n_layers; layer++) {
        mb_sheet_finish(&sheets->layer[layer]);
    }
    *sheets = (struct mb_sheets){0};
}

/* "photo.png, 451x300 rgba8, avg": the name of the file without its folder. */
static void describe(const struct mb_case *c, char *out, size_t out_bytes)
{
    const char *slash = strncmp(c->input, "pattern:", 8) ? strrchr(c->input, '/') : NULL;
    snprintf(out, out_bytes, "%s, %ux%u %s, %s", slash ? slash + 1 : c->input,
             c->layout.base.width, c->layout.base.height, c->layout.format->name,
             mb_reduce_names[c->task.reduce]);
}

static void start(struct mb_sheets *sheets, const struct mb_case *c,
                  const struct mb_text *folder)
{
    mb_sheets_finish(sheets);
    sheets->folder = *folder;
    describe(c, sheets->title, sizeof sheets->title);
    sheets->is_clamped = false;
    sheets->n_layers = mb_picture_layers(&c->layout);
    for (uint32_t layer = 0; layer < sheets->n_layers; layer++) {
        mb_sheet_init(&sheets->layer[layer], &c->layout, layer);
    }
}

static enum mb_status add_rows(struct mb_sheets *sheets, const char *label, const void *block,
                               struct mb_err *err)
{
    for (uint32_t layer = 0; layer < sheets->n_layers; layer++) {
        MB_DO(mb_sheet_add(&sheets->layer[layer], label, block, err));
    }
    return MB_OK;
}

/* Once for all strategies that are held to the same policy. */
static enum mb_status add_golden(struct mb_sheets *sheets, const struct mb_case *c,
                                 const struct mb_filter *filter, struct mb_reference *reference,
                                 struct mb_err *err)
{
    const enum mb_policy policy = mb_reference_policy(reference, filter);
    char label[48];
    if (sheets->policies & 1u << policy) {
        return MB_OK;
    }
    MB_FREED void *texels = mb_alloc(c->layout.total_bytes, 1);
    MB_DO(MB_NEED(texels, "contact sheet"));
    MB_DO(mb_reference_encode(reference, filter, sheets->n_layers, texels, err));
    snprintf(label, sizeof label, "golden (%s)", mb_policy_names[policy]);
    MB_DO(add_rows(sheets, label, texels, err));
    sheets->policies |= 1u << policy;
    return MB_OK;
}

enum mb_status mb_sheets_add(struct mb_sheets *sheets, const struct mb_case *c,
                             struct mb_result *result, const void *block,
                             struct mb_reference *reference, struct mb_err *err)
{
    char label[sizeof result->label + 16];
    const struct mb_text folder = mb_case_folder(c);
    if (strcmp(folder.s, sheets->folder.s) != 0) {
        start(sheets, c, &folder);
    }
    if (reference) {
        MB_DO(add_golden(sheets, c, &result->work.tolerance.filter, reference, err));
    }
    snprintf(label, sizeof label, "%s%s", result->label,
             result->verify == MB_VERIFY_FAIL ? " (wrong)" : "");
    MB_DO(add_rows(sheets, label, block, err));
    sheets->is_clamped = sheets->is_clamped || mb_is_warned(&result->warnings, "png_clamped");
    for (uint32_t layer = 0; layer < sheets->n_layers; layer++) {
        MB_DO(mb_strlist_add(&result->images, err, "%s/%s.png", folder.s,
                             mb_picture_stem("sheet", layer).s));
    }
    return MB_OK;
}

static enum mb_status write_sheet(const struct mb_sheets *sheets, uint32_t layer,
                                  const char *footer, const struct mb_artifacts *artifacts,
                                  struct mb_err *err)
{
    MB_SCOPED(mb_canvas) canvas = {0};
    MB_SCOPED(mb_bytes) png = {0};
    char title[sizeof sheets->title + 32], words[32];
    snprintf(words, sizeof words, ", layer %u", layer);
    snprintf(title, sizeof title, "%s%s", sheets->title, sheets->n_layers > 1 ? words : "");
    MB_DO(mb_sheet_draw(&sheets->layer[layer], title, footer, &canvas, err));
    MB_DO(mb_png_encode(canvas.rgba, canvas.extent.width, canvas.extent.height, &png, err));
    return mb_artifact_write(artifacts, &png, NULL, err, "%s/%s.png", sheets->folder.s,
                             mb_picture_stem("sheet", layer).s);
}

/* That a layer's sheet could not be written. */
static void forget(const struct mb_sheets *sheets, uint32_t layer, const struct mb_case *c,
                   const struct mb_err *why)
{
    const struct mb_text name =
        mb_text("%s/%s.png", sheets->folder.s, mb_picture_stem("sheet", layer).s);
    for (size_t i = 0; i < c->n_results; i++) {
        struct mb_result *result = &c->results[i];
        if (mb_strlist_remove(&result->images, name.s) &&
            !mb_is_warned(&result->warnings, "picture_not_written")) {
            mb_warn(&result->warnings, "picture_not_written", "%s", why->text);
        }
    }
}

enum mb_status mb_sheets_write(struct mb_sheets *sheets, const char *dir,
                               const struct mb_run *run, const struct mb_case *c,
                               struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu_info *device = &run->device;
    char footer[640];
    const struct mb_artifacts artifacts = {dir, run->settings};
    if (sheets->n_layers == 0) {
        return MB_OK;
    }
    snprintf(footer, sizeof footer, "mipbench " MB_VERSION ", %s, driver %s%s", device->name,
             device->driver_info[0] != '\0' ? device->driver_info : device->driver_version,
             sheets->is_clamped ? "; values are clamped to [0, 1]" : "");
    for (uint32_t layer = 0; layer < sheets->n_layers; layer++) {
        status = status == MB_OK ? write_sheet(sheets, layer, footer, &artifacts, err) : status;
        if (status != MB_OK) {
            forget(sheets, layer, c, err);
        }
    }
    mb_sheets_finish(sheets);
    return status;
}
