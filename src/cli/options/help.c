/* Lays out the help. */
#include "cli/options/help.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define COLUMNS     80
#define TEXT_COLUMN 29 /* where the text about an option begins */

/* A term and its meaning. Lists of these end with a NULL name. */
struct item {
    const char *name;
    const char *text;
};

static const struct item exit_codes[] = {
    {"0", "everything ran and was verified"},
    {"1", "a verification failed, or --fail-on-regression found one"},
    {"2", "wrong command line"},
    {"3", "bad input"},
    {"4", "no usable device"},
    {"5", "unsupported, though asked for by name, or nothing was left to run"},
    {"6", "Vulkan failed, or memory or time ran out"},
    {"7", "an output could not be written"},
    {"128+N", "interrupted by signal N; what was complete is written"},
    {0},
};

static const struct item environment[] = {
    {"NO_COLOR, TERM=dumb", "no colours"},
    {"MIPBENCH_DATA", "folder of report.py, for --report"},
    {"VK_DRIVER_FILES", "which Vulkan drivers the loader tries"},
    {"LP_NATIVE_VECTOR_WIDTH", "lavapipe: 128, 256, 512 for subgroups of 4, 8, 16"},
    {0},
};

/* `left`, indented, and `text` at `column`: on the next line if `left` is too long. */
static void add_item(struct mb_strbuf *out, const char *left, size_t column, const char *text)
{
    const size_t n_left = mb_utf8_columns(left) + 2;
    mb_strbuf_printf(out, "  %s", left);
    if (n_left + 2 > column) {
        mb_strbuf_append(out, "\n");
    }
    mb_strbuf_printf(out, "%*s", (int)(n_left + 2 > column ? column : column - n_left), "");
    mb_strbuf_wrap(out, text, column, COLUMNS);
    mb_strbuf_append(out, "\n");
}

static void add_items(struct mb_strbuf *out, const char *title, size_t column,
                      const struct item *items)
{
    mb_strbuf_printf(out, "\n%s:\n", title);
    for (; items->name != NULL; items++) {
        add_item(out, items->name, column, items->text);
    }
}

static void add_option(struct mb_strbuf *out, const struct mb_option_row *row,
                       enum mb_verb verb)
{
    struct mb_strbuf left = {0};
    mb_strbuf_append(&left, "    ");
    if (row->short_name != 0) {
        mb_strbuf_finish(&left);
        mb_strbuf_printf(&left, "-%c, ", row->short_name);
    }
    mb_strbuf_printf(&left, "--%s", row->name);
    if (mb_option_takes_value(row)) {
        mb_strbuf_append(&left, " ");
        mb_option_add_argument(&left, row);
    }
    add_item(out, mb_strbuf_text(&left), TEXT_COLUMN,
             row->help_for[verb] ? row->help_for[verb] : row->help);
    mb_strbuf_finish(&left);
}

/* Every option that goes with the verb, group by group. */
static void add_options(struct mb_strbuf *out, enum mb_verb verb)
{
    const struct mb_option_row *last = NULL;
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (!mb_option_goes_with(row, verb)) {
            continue;
        }
        if (last == NULL || last->group != row->group) {
            mb_strbuf_printf(out, "\n%s:\n", mb_option_group_titles[row->group]);
        }
        add_option(out, row, verb);
        last = row;
    }
}

/* Lines of text, indented. */
static void add_lines(struct mb_strbuf *out, const char *lines)
{
    while (*lines != '\0') {
        const size_t n_bytes = strcspn(lines, "\n") + 1;
        mb_strbuf_append(out, "  ");
        mb_strbuf_append_n(out, lines, n_bytes);
        lines += n_bytes;
    }
}

/* Paragraphs, each after an empty line. */
static void add_about(struct mb_strbuf *out, const char *about)
{
    while (*about != '\0') {
        struct mb_strbuf paragraph = {0};
        const size_t n_bytes = strcspn(about, "\n");
        mb_strbuf_append_n(&paragraph, about, n_bytes);
        mb_strbuf_append(out, "\n");
        mb_strbuf_wrap(out, mb_strbuf_text(&paragraph), 0, COLUMNS);
        mb_strbuf_append(out, "\n");
        mb_strbuf_finish(&paragraph);
        about += n_bytes + (about[n_bytes] == '\n');
    }
}

static void add_overview(struct mb_strbuf *out)
{
    mb_strbuf_append(out, "mipbench times ways of building a mip chain on the GPU and verifies "
                          "every texel.\n\nUsage:\n");
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "  mipbench %s\n      %s\n", mb_verb_rows[i].usage,
                         mb_verb_rows[i].summary);
    }
    add_about(out, mb_verb_rows[MB_VERB_RUN].about);
    mb_strbuf_append(out, "\nExamples:\n");
    add_lines(out, mb_verb_rows[MB_VERB_RUN].examples);
    mb_strbuf_append(out, "\nCommon options ('mipbench help run' shows all; defaults in "
                          "parentheses):\n");
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_rows[i].is_common) {
            add_option(out, &mb_option_rows[i], MB_VERB_RUN);
        }
    }
    add_items(out, "Exit codes", 9, exit_codes);
    add_items(out, "Environment", TEXT_COLUMN, environment);
}

void mb_help_add(struct mb_strbuf *out, enum mb_verb verb)
{
    const struct mb_verb_row *row = &mb_verb_rows[verb];
    if (verb == MB_VERB_HELP) {
        add_overview(out);
        return;
    }
    mb_strbuf_printf(out, "mipbench %s: %s\n\nUsage:\n  mipbench %s\n", row->name, row->summary,
                     row->usage);
    add_about(out, row->about);
    mb_strbuf_append(out, "\nDefaults are in parentheses; '--' ends options.\n");
    add_options(out, verb);
    mb_strbuf_append(out, "\nExamples:\n");
    add_lines(out, row->examples);
}

void mb_help_add_short(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "%s mipbench %s\n", i == 0 ? "Usage:" : "      ",
                         mb_verb_rows[i].usage);
    }
    mb_strbuf_append(out, "Try 'mipbench pattern:noise:1024x1024', or 'mipbench --help'.\n");
}

enum mb_status mb_help_write(enum mb_verb verb, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) text = {0};
    mb_help_add(&text, verb);
    return mb_strbuf_print(&text, err);
}
