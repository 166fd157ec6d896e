/* The command line: one table of options, from which parsing and --help are made. */
#ifndef MB_CLI_OPTIONS_H
#define MB_CLI_OPTIONS_H

#include "bench/settings.h"
#include "base/err.h"
#include "cli/option_replay.h"

#define MB_MAX_FORMATS 16

enum mb_verb {
    MB_VERB_RUN,
    MB_VERB_LIST,
    MB_VERB_COMPARE,
    MB_VERB_TUNE,
    MB_VERB_EXPORT,
    MB_VERB_HELP,    /* --help: print mb_options_help to stdout, exit 0 */
    MB_VERB_VERSION, /* --version */
    MB_VERB_NOTHING, /* no arguments at all: short help on stderr, exit 2 */
};

enum mb_list_what {
    MB_LIST_ALL,
    MB_LIST_DEVICES,
    MB_LIST_STRATEGIES,
    MB_LIST_FORMATS,
    MB_LIST_PATTERNS,
};

enum mb_color {
    MB_COLOR_AUTO,
    MB_COLOR_ALWAYS,
    MB_COLOR_NEVER,
};

struct mb_options {
    enum mb_verb verb;
    enum mb_list_what list_what;
    bool list_json;
    bool is_linear;              /* --linear was the last of --srgb and --linear */
    bool verb_is_given;          /* "run", "list", ... was written out */
    struct mb_settings settings; /* its arrays point into `owned` and argv */
    const char
        *formats[MB_MAX_FORMATS];      /* --format, one or (tune, export) several; NULL: auto */
    size_t n_formats;                  /* at least 1 */
    const char *out_dir;               /* NULL: results/<utc>-<device>/ */
    const char *json, *csv, *markdown; /* path, "-" or NULL */
    bool wants_report;                 /* --report: a page of HTML afterwards */
    bool self_test;                    /* check the ruler instead of running anything */
    bool force;                        /* export: into a folder that is not empty */
    bool quiet;
    int verbosity; /* number of -v */
    enum mb_color color;
    size_t n_base_files;     /* compare: the first of settings.inputs; the others are new */
    double threshold;        /* compare: a difference of this fraction is none */
    bool fail_on_regression; /* compare */
    const char *replay_path; /* NULL: none */
    struct mb_replay replay; /* what was read from it */
    int argc;                /* the command line in effect: that of main, or the replayed one */
    char *const *argv;
    void *owned[5]; /* arrays and split texts; freed by mb_options_finish */
};

/* Parse argv. Everything wrong is MB_ERRC_USAGE with one line that names the option and the
 * value ("did you mean" for near misses of options; strategies and formats are looked up here,
 * too, so that a typo costs nothing). No two of the files that are written may be one, nor any
 * of them an input. `argv` must outlive the options. */
MB_MUST_CHECK enum mb_status mb_options_parse(struct mb_options *options, int argc,
                                              char *const *argv, struct mb_err *err);
void mb_options_finish(struct mb_options *options);

/* For an input that is no file: the verb that the user may have meant by it ("lst": "list"), or
 * NULL. Only the first word of a command line without a verb can be one. */
const char *mb_options_nearest_verb(const struct mb_options *options, const char *input);

/* The whole help, at most 80 columns wide: one sentence, usage, three examples, grouped options
 * with defaults, exit codes, environment. Static storage or owned by `options.c`; no free. */
const char *mb_options_help(void);
/* Usage in a few lines, for "no arguments". */
const char *mb_options_short_help(void);

#endif
