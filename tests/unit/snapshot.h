/* Text that a person reads, kept as tests/unit/snapshots/NAME.txt: a heading for each case, and
 * below it what is shown. After a change that is meant,
 *     UPDATE_SNAPSHOTS=1 meson test -C build NAME
 * writes the file anew, and `git diff` shows what became of each case. */
#pragma once

#include "base/strbuf.h"
#include "check.h"

/* What this program shows; of all files that it is made of. */
__attribute__((weak)) struct mb_strbuf snapshot_text;

/* Append `text` below a heading, and finish it. Escapes are written as "\e". */
static inline void snapshot_add(const char *heading, struct mb_strbuf *text)
{
    CHECK(!text->failed);
    mb_strbuf_printf(&snapshot_text, "%s== %s\n", snapshot_text.n_bytes > 0 ? "\n" : "",
                     heading);
    for (const char *s = mb_strbuf_text(text); *s != '\0'; s++) {
        mb_strbuf_append_n(&snapshot_text, *s == '\033' ? "\\e" : s, *s == '\033' ? 2 : 1);
    }
    mb_strbuf_finish(text);
}

/* Report the first line of `got` that is another one in `kept`. */
static inline void snapshot_report(const char *path, const char *got, const char *kept)
{
    int line = 1;
    while (*got != '\0' && strcspn(got, "\n") == strcspn(kept, "\n") &&
           strncmp(got, kept, strcspn(got, "\n")) == 0) {
        got += strcspn(got, "\n") + 1;
        kept += strcspn(kept, "\n");
        kept += *kept == '\n';
        line++;
    }
    fprintf(stderr, "%s:%d: shown now:\n%.*s\nand before:\n%.*s\n", path, line,
            (int)strcspn(got, "\n"), got, (int)strcspn(kept, "\n"), kept);
    fprintf(stderr, "if that is meant: UPDATE_SNAPSHOTS=1 and the same test\n");
}

/* Compare all that was added with the kept file, or write it. */
static inline void snapshot_check(const char *name)
{
    static char kept[1 << 16];
    char path[1024];
    const char *got = mb_strbuf_text(&snapshot_text);
    const bool is_update = getenv("UPDATE_SNAPSHOTS") != NULL;
    snprintf(path, sizeof path, "%s/%s.txt", SNAPSHOTS, name);
    FILE *file = fopen(path, is_update ? "wb" : "rb");
    CHECK(file != NULL && !snapshot_text.failed);
    if (file != NULL && is_update) {
        CHECK_EQ_INT(fwrite(got, 1, snapshot_text.n_bytes, file), snapshot_text.n_bytes);
    } else if (file != NULL) {
        kept[fread(kept, 1, sizeof kept - 1, file)] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!is_update && !check_record(strcmp(got, kept) == 0, __FILE__, __LINE__)) {
        snapshot_report(path, got, kept);
    }
    mb_strbuf_finish(&snapshot_text);
}
