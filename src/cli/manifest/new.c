/* Writes the start of a kernel. */
#include "cli/manifest/new.h"

#include <string.h>

#include "base/file.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "kernel/manifest.h"
#include "strategy.h"

#define PLACEHOLDER "@NAME@"

extern const struct mb_embedded mb_kernel_templates[]; /* LIKE.json, LIKE.comp */

static enum mb_status check_name(const char *name, struct mb_err *err)
{
    bool is_free = mb_is_kernel_name(name, true) && strcmp(name, "all") != 0;
    MB_FAIL_IF(!is_free, err, MB_ERRC_USAGE,
               "kernel new: '%s': a name has at most 40 small letters, digits and '-', and is "
               "not 'all'",
               name);
    for (size_t i = 0; mb_strategies[i]; i++) {
        MB_FAIL_IF(strcmp(mb_strategies[i]->name, name) == 0, err, MB_ERRC_USAGE,
                   "kernel new: there is a strategy '%s' already", name);
    }
    return MB_OK;
}

static bool is_of(const struct mb_embedded *file, const char *like)
{
    const size_t n = strlen(like);
    return strncmp(file->name, like, n) == 0 && file->name[n] == '.';
}

static enum mb_status add_path(struct mb_strbuf *path, const struct mb_embedded *file,
                               const char *name, struct mb_err *err)
{
    mb_strbuf_printf(path, "%s%s", name, strrchr(file->name, '.'));
    return mb_strbuf_check(path, err);
}

static enum mb_status check_absent(const struct mb_embedded *file, const char *name,
                                   struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) path = {0};
    MB_DO(add_path(&path, file, name, err));
    MB_FAIL_IF(mb_os_kind(path.text) != MB_KIND_NONE, err, MB_ERRC_OUTPUT,
               "%s: it is there already, and would be lost", path.text);
    return MB_OK;
}

static enum mb_status write_file(const struct mb_embedded *file, const char *name,
                                 struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) path = {0};
    MB_SCOPED(mb_strbuf) text = {0};
    MB_SCOPED(mb_strbuf) template = {0};
    mb_strbuf_append_n(&template, (const char *)file->data, file->n_bytes);
    MB_DO(mb_strbuf_check(&template, err));
    const char *at = mb_strbuf_text(&template);
    for (const char *next; (next = strstr(at, PLACEHOLDER)) != NULL;
         at = next + strlen(PLACEHOLDER)) {
        mb_strbuf_append_n(&text, at, (size_t)(next - at));
        mb_strbuf_append(&text, name);
    }
    mb_strbuf_append(&text, at);
    MB_DO(mb_strbuf_check(&text, err));
    MB_DO(add_path(&path, file, name, err));
    return mb_file_write_atomic(path.text, text.text, text.n_bytes, err);
}

enum mb_status mb_kernel_new(const char *name, const char *like, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) next = {0};
    MB_DO(check_name(name, err));
    for (const struct mb_embedded *file = mb_kernel_templates; file->name; file++) {
        if (is_of(file, like)) {
            MB_DO(check_absent(file, name, err));
        }
    }
    for (const struct mb_embedded *file = mb_kernel_templates; file->name; file++) {
        if (is_of(file, like)) {
            MB_DO(write_file(file, name, err));
        }
    }
    mb_strbuf_printf(&next,
                     "%s.json and %s.comp are there now. Next:\n"
                     "  mipbench kernel check %s.json\n"
                     "  mipbench pattern:noise:1921x1081 --kernel %s.json -s %s,compute,spd\n",
                     name, name, name, name, name);
    return mb_strbuf_print(&next, err);
}
