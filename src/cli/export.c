/* `mipbench export`. */
#include "cli/export.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "image/format.h"
#include "strategy.h"

/* The one that was asked for: the command line has been checked. */
static const struct mb_strategy *find_strategy(const char *name)
{
    size_t i = 0;
    while (strcmp(mb_strategies[i]->name, name) != 0) {
        i++;
    }
    return mb_strategies[i];
}

/* What lies there may be somebody's own README.md. */
static enum mb_status check_empty(const char *dir, struct mb_err *err)
{
    const struct dirent *entry;
    size_t n = 0;
    DIR *stream = opendir(dir);
    MB_FAIL_IF(stream == NULL, err, MB_ERRC_OUTPUT, "%s: the folder cannot be read: %s", dir,
               strerror(errno));
    errno = 0; /* the end of a folder leaves it so, a failure does not */
    while ((entry = readdir(stream)) != NULL) {
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    const int error = errno;
    closedir(stream);
    MB_FAIL_IF(error != 0, err, MB_ERRC_OUTPUT, "%s: the folder cannot be read: %s", dir,
               strerror(error));
    if (n > 0) {
        const enum mb_status status =
            MB_FAIL(err, MB_ERRC_OUTPUT, "%s: the folder is not empty", dir);
        mb_err_hint(err, "with --force files of the same names are replaced");
        return status;
    }
    return MB_OK;
}

/* The formats that were asked for; all without any. */
static size_t choose_formats(const struct mb_options *options,
                             const struct mb_format *formats[MB_MAX_FORMATS])
{
    if (options->formats[0] == NULL) {
        for (size_t i = 0; i < mb_format_count; i++) {
            formats[i] = &mb_formats[i];
        }
        return mb_format_count;
    }
    for (size_t i = 0; i < options->n_formats; i++) {
        formats[i] = mb_format_find(options->formats[i]);
    }
    return options->n_formats;
}

static enum mb_status write_all(const struct mb_export *export,
                                const struct mb_options *options, struct mb_err *err)
{
    const struct mb_format *formats[MB_MAX_FORMATS];
    const size_t n_formats = choose_formats(options, formats);
    MB_SCOPED(mb_strbuf) text = {0};
    export->add_formats(&text, formats, n_formats);
    MB_DO(mb_strbuf_check(&text, err));
    for (const struct mb_embedded *file = export->files; file->name != NULL; file++) {
        MB_DO(mb_file_write_in(options->out_dir, file->name, file->data, file->n_bytes, err));
    }
    MB_DO(mb_file_write_in(options->out_dir, export->shader_name, export->shader->code,
                           export->shader->code_bytes, err));
    return mb_file_write_in(options->out_dir, export->formats_name, mb_strbuf_text(&text),
                            text.n_bytes, err);
}

enum mb_status mb_export_run(const struct mb_options *options, struct mb_err *err)
{
    const char *dir = options->out_dir;
    MB_SCOPED(mb_strbuf) text = {0};
    MB_DO(mb_make_dirs(dir, err));
    if (!options->force) {
        MB_DO(check_empty(dir, err));
    }
    MB_DO(write_all(find_strategy(options->settings.inputs[0])->export, options, err));
    if (!options->quiet) {
        mb_strbuf_printf(&text, "Export: %s/README.md\n", dir);
        MB_DO(mb_strbuf_print(&text, err));
    }
    return MB_OK;
}
