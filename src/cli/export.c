/* `mipbench export`. */
#include "cli/export.h"

#include <string.h>

#include "base/file.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "image/format.h"
#include "strategy.h"
#include "vk/gpu.h"

/* Refuse a folder that is not empty: it may hold somebody's own README.md. */
static enum mb_status check_empty(const char *dir, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(dir, MB_ERRC_OUTPUT, &names, err));
    if (names.n > 0) {
        const enum mb_status status =
            MB_FAIL(err, MB_ERRC_OUTPUT, "%s: the folder is not empty", dir);
        mb_err_hint(err, "with --force it replaces an earlier export");
        return status;
    }
    return MB_OK;
}

/* The reductions that the command line asks for in a format; format "auto" means every
 * format. */
static unsigned reduces_of(const struct mb_options *options, const struct mb_format *format)
{
    unsigned reduces = 0;
    for (size_t i = 0; i < options->settings.n_formats; i++) {
        const char *name = options->settings.formats[i];
        reduces |= !name || !strcmp(name, format->name) ? options->format_reduces[i] : 0;
    }
    return reduces;
}

enum mb_status mb_export_run(const struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    unsigned reduces[MB_MAX_FORMATS];
    MB_SCOPED(mb_gpu) gpu = {0};
    MB_SCOPED(mb_strbuf) end = {0};
    struct mb_export export = {
        .dir = options->out_dir,
        .reduces = reduces,
        .left_out = (options->plain ? 0 : (unsigned)MB_EXPORT_PLAIN) |
                    (options->alpha ? 0 : (unsigned)MB_EXPORT_ALPHA) |
                    (options->updates ? 0 : (unsigned)MB_EXPORT_UPDATES),
        .size = settings->size[0],
    };
    for (size_t i = 0; i < mb_format_count; i++) {
        reduces[i] = reduces_of(options, &mb_formats[i]);
    }
    MB_DO(mb_make_dirs(export.dir, err));
    MB_DO(options->force ? MB_OK : check_empty(export.dir, err));
    if (settings->device && settings->n_sizes > 0) {
        const struct mb_gpu_options gpu_options = {.selector = settings->device,
                                                   .only_compiles = true};
        MB_DO(mb_gpu_init(&gpu, &gpu_options, err));
        export.info = &gpu.info;
    }
    MB_DO(options->exported->export(&export, err));
    mb_strbuf_printf(&end, "Export: %s/README.md\n", export.dir);
    return options->quiet ? mb_strbuf_check(&end, err) : mb_strbuf_print(&end, err);
}
