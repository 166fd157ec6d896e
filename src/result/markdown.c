/* Markdown's own characters, escaped. */
#include "result/markdown.h"

#include <string.h>

#include "base/text.h"

/* Longer than any text of a result. Texts are cleaned on their way out: one that was cut to its
 * array may end within a character. */
#define MAX_TEXT_BYTES 640

void mb_markdown_text(struct mb_strbuf *buf, const char *text)
{
    char clean[MAX_TEXT_BYTES];
    mb_utf8_sanitize(text, clean, sizeof clean);
    for (const char *s = clean; *s != '\0'; s++) {
        if (strchr("\\`*_{}[]<>#|~&!$", *s) != NULL) {
            mb_strbuf_append(buf, "\\");
        }
        mb_strbuf_append_n(buf, s, 1);
    }
}
