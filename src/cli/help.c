/* --help, made from the table of options. */
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/option_table.h"

#define HELP_COLUMNS 80
#define TEXT_COLUMN  28 /* where the meaning of an option begins */
#define MAX_HELP     8192

static const char intro[] =
    "mipbench benchmarks ways of building a mip chain on the GPU and verifies each.\n"
    "\n"
    "Usage:\n"
    "  mipbench [run] INPUT... [options]      benchmark and verify; the default\n"
    "  mipbench list [devices|strategies|formats|patterns] [--json]\n"
    "  mipbench compare BASE.json[,BASE2.json...] NEW.json[,NEW2.json...] [options]\n"
    "  mipbench tune INPUT|--size WxH...|--sweep A:B [options]\n"
    "  mipbench export STRATEGY -o DIR [--format NAME[,NAME...]] [--force]\n"
    "\n"
    "INPUT is a PNG, BMP, TGA, PNM, PFM or Radiance HDR file, or pattern:NAME:WxH.\n"
    "\n"
    "Examples:\n"
    "  mipbench photo.png\n"
    "  mipbench photo.png -s spd,compute:npot=floor -n 200 -o out\n"
    "  mipbench pattern:noise:64x64 --sweep 256:4096 --csv sizes.csv\n"
    "  mipbench depth.hdr -f r32f -r max --rect 16,16,64,64\n"
    "  mipbench tune --sweep 256:4096 -f rgba8,r32f -o tuned\n"
    "  mipbench export spd-tree -f rgba8 -o engine/mips\n"
    "\n"
    "Options, with their defaults in parentheses. '--' ends options.\n";

static const char outro[] =
    "\n"
    "Exit codes:\n"
    "  0  all verified                    4  no usable device\n"
    "  1  a verification failed           5  unsupported, though asked for by name\n"
    "  2  wrong command line              6  Vulkan or runtime failure\n"
    "  3  bad input                       7  an output could not be written\n"
    "  With --fail-on-regression 1 is also that something became worse.\n"
    "  128+signal  interrupted; what was complete is written\n"
    "\n"
    "Environment:\n"
    "  NO_COLOR, TERM=dumb       no colours\n"
    "  MIPBENCH_DATA             folder of report.py, for --report\n"
    "  VK_DRIVER_FILES           which Vulkan drivers the loader tries\n"
    "  LP_NATIVE_VECTOR_WIDTH    128, 256 or 512 (lavapipe): subgroup size 4, 8, 16\n";

static const char short_help[] =
    "Usage: mipbench [run] INPUT... [options]\n"
    "       mipbench list [devices|strategies|formats|patterns] [--json]\n"
    "       mipbench compare BASE.json NEW.json [options]\n"
    "       mipbench tune INPUT|--size WxH...|--sweep A:B [options]\n"
    "       mipbench export STRATEGY -o DIR [options]\n"
    "Try 'mipbench photo.png', 'mipbench pattern:noise:1024x1024' or 'mipbench --help'.\n";

const char *const mb_option_group_titles[MB_GROUP_COUNT] = {
    [MB_GROUP_WHAT] = "What is run",
    [MB_GROUP_IMAGE] = "The image, and what is made of it",
    [MB_GROUP_MEASURE] = "Measuring and verifying",
    [MB_GROUP_OUTPUT] = "Output",
    [MB_GROUP_GENERAL] = "General",
};

static void add_option(struct mb_strbuf *out, const struct mb_option_row *row)
{
    char left[64];
    char dash[5] = "    ";
    if (row->short_name != 0) {
        snprintf(dash, sizeof dash, "-%c, ", row->short_name);
    }
    snprintf(left, sizeof left, "  %s--%s%s%s", dash, row->name,
             row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "");
    mb_strbuf_append(out, left);
    if (strlen(left) + 2 > TEXT_COLUMN) {
        mb_strbuf_append(out, "\n");
        mb_strbuf_spaces(out, TEXT_COLUMN);
    } else {
        mb_strbuf_spaces(out, TEXT_COLUMN - strlen(left));
    }
    mb_strbuf_wrap(out, row->help, TEXT_COLUMN, HELP_COLUMNS);
    mb_strbuf_append(out, "\n");
}

const char *mb_options_help(void)
{
    static char help[MAX_HELP]; /* made once; the same every time */
    struct mb_strbuf out = {0};
    mb_strbuf_append(&out, intro);
    for (int group = 0; group < MB_GROUP_COUNT; group++) {
        mb_strbuf_printf(&out, "\n%s:\n", mb_option_group_titles[group]);
        for (size_t i = 0; i < mb_option_count; i++) {
            if ((int)mb_option_rows[i].group == group) {
                add_option(&out, &mb_option_rows[i]);
            }
        }
    }
    mb_strbuf_append(&out, outro);
    snprintf(help, sizeof help, "%s", out.failed ? short_help : mb_strbuf_text(&out));
    mb_strbuf_finish(&out);
    return help;
}

const char *mb_options_short_help(void)
{
    return short_help;
}
