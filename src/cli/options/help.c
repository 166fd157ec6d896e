/* Lays out the help. */
#include "cli/options/options.h"

#include <string.h>

#include "base/text.h"

#define COLUMNS     80
#define TEXT_COLUMN 29 /* where the text about an option begins */

/* The end of the overview. */
static const char last_words[] =
    "\nExit codes:\n"
    "  0      everything ran and was verified\n"
    "  1      a verification or the self-test failed, or a --fail-on-... of compare\n"
    "  2      wrong command line\n"
    "  3      bad input\n"
    "  4      no usable device\n"
    "  5      unsupported, though asked for by name, or nothing was left to run\n"
    "  6      Vulkan failed, or memory or time ran out\n"
    "  7      an output could not be written\n"
    "  128+N  interrupted by signal N; what was complete is written\n"
    "\nEnvironment:\n"
    "  NO_COLOR, TERM=dumb        no colours\n"
    "  MIPBENCH_DATA              folder of report.py, for --report\n"
    "  VK_DRIVER_FILES            which Vulkan drivers the loader tries\n"
    "  LP_NATIVE_VECTOR_WIDTH     lavapipe: 128, 256, 512 for subgroups of 4, 8, 16\n";

/* Add "  -s, --size WxH[,...]" and its help at TEXT_COLUMN, on the next line if need be. */
static void add_option(struct mb_strbuf *out, const struct mb_option_row *row,
                       enum mb_verb verb)
{
    const struct mb_text dash = mb_text("-%c,", row->short_name);
    const size_t first_byte = out->n_bytes;
    mb_strbuf_printf(out, "  %3s --%s", row->short_name != 0 ? dash.s : "", row->name);
    if (mb_option_takes_value(row)) {
        mb_strbuf_append(out, " ");
        mb_option_add_argument(out, row);
    }
    size_t n_left = out->n_bytes - first_byte;
    if (n_left + 2 > TEXT_COLUMN) {
        mb_strbuf_append(out, "\n");
        n_left = 0;
    }
    mb_strbuf_printf(out, "%*s", (int)(TEXT_COLUMN - n_left), "");
    mb_strbuf_wrap(out, row->help_for[verb] ? row->help_for[verb] : row->help, TEXT_COLUMN,
                   COLUMNS);
    mb_strbuf_append(out, "\n");
}

/* Add every option that goes with the verb, group by group. */
static void add_options(struct mb_strbuf *out, enum mb_verb verb)
{
    const char *group = "";
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (!mb_option_goes_with(row, verb)) {
            continue;
        }
        if (strcmp(row->group, group) != 0) {
            mb_strbuf_printf(out, "\n%s:\n", row->group);
        }
        add_option(out, row, verb);
        group = row->group;
    }
}

static void add_about(struct mb_strbuf *out, const struct mb_verb_row *row)
{
    struct mb_strbuf lines = {0};
    mb_strbuf_printf(&lines, "\n%s\n", row->about);
    mb_strbuf_wrap_lines(out, &lines, COLUMNS);
}

static void add_overview(struct mb_strbuf *out)
{
    mb_strbuf_append(out, "mipbench times ways of building a mip chain on the GPU and verifies "
                          "every texel.\n\nUsage:\n");
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "  mipbench %s\n      %s\n", mb_verb_rows[i].usage,
                         mb_verb_rows[i].summary);
    }
    add_about(out, &mb_verb_rows[MB_VERB_RUN]);
    mb_strbuf_printf(out, "\nExamples:\n%s", mb_verb_rows[MB_VERB_RUN].examples);
    mb_strbuf_append(out, "\nCommon options ('mipbench help run' shows all; defaults in "
                          "parentheses):\n");
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_rows[i].is_common) {
            add_option(out, &mb_option_rows[i], MB_VERB_RUN);
        }
    }
    mb_strbuf_append(out, last_words);
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
    add_about(out, row);
    mb_strbuf_append(out, "\nDefaults are in parentheses; '--' ends options.\n");
    add_options(out, verb);
    mb_strbuf_printf(out, "\nExamples:\n%s", row->examples);
}
