/* Text of unknown origin in Markdown. */
#ifndef MB_RESULT_MARKDOWN_H
#define MB_RESULT_MARKDOWN_H

#include "base/strbuf.h"

/* Append `text` as valid UTF-8; what Markdown, or HTML within it, would take as markup is
 * escaped. */
void mb_markdown_text(struct mb_strbuf *buf, const char *text);

#endif
