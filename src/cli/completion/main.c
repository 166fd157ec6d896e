/* mipbench-template TEMPLATE: prints a template with every @NAME@ replaced. A build tool, not
 * installed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/version.h"
#include "cli/completion/template.h"

#define MAX_TEMPLATE_BYTES (1u << 20)

/* Length of the name in "@NAME@...", or 0 if `text` does not begin with one. */
static size_t name_length(const char *text)
{
    size_t n_bytes = 0;
    while (isupper((unsigned char)text[1 + n_bytes]) || text[1 + n_bytes] == '_') {
        n_bytes++;
    }
    return text[1 + n_bytes] == '@' ? n_bytes : 0;
}

static enum mb_status add_part(struct mb_strbuf *out, const char *name, size_t n_bytes,
                               struct mb_err *err)
{
    static const struct mb_template_part *const lists[] = {mb_shell_parts, mb_man_parts};
    if (n_bytes == strlen("VERSION") && memcmp(name, "VERSION", n_bytes) == 0) {
        mb_strbuf_append(out, MB_VERSION);
        return MB_OK;
    }
    for (size_t i = 0; i < MB_COUNTOF(lists); i++) {
        for (const struct mb_template_part *part = lists[i]; part->name != NULL; part++) {
            if (strlen(part->name) == n_bytes && memcmp(part->name, name, n_bytes) == 0) {
                part->add(out);
                return MB_OK;
            }
        }
    }
    return MB_FAIL(err, MB_ERRC_INPUT, "there is no part '%.*s'", (int)n_bytes, name);
}

static enum mb_status fill(struct mb_strbuf *out, const char *text, struct mb_err *err)
{
    while (*text != '\0') {
        const size_t n_plain = strcspn(text, "@");
        mb_strbuf_append_n(out, text, n_plain);
        text += n_plain;
        const size_t n_name = *text == '@' ? name_length(text) : 0;
        if (n_name > 0) {
            MB_DO(add_part(out, text + 1, n_name, err));
            text += n_name + 2;
        } else if (*text == '@') {
            mb_strbuf_append_n(out, text++, 1);
        }
    }
    return MB_OK;
}

static enum mb_status run(const char *path, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) bytes = {0};
    MB_SCOPED(mb_strbuf) filled = {0};
    MB_DO(mb_file_read(path, MAX_TEMPLATE_BYTES, &bytes, err));
    MB_DO(fill(&filled, (const char *)bytes.data, err));
    return mb_strbuf_print(&filled, err);
}

int main(int argc, char **argv)
{
    struct mb_err err = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: mipbench-template TEMPLATE\n");
        return MB_ERRC_USAGE;
    }
    if (run(argv[1], &err) != MB_OK) {
        mb_log_err(&err);
        return (int)err.code;
    }
    return 0;
}
