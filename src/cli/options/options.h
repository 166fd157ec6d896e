/* The parsed command line, its parser, and the tables of options and commands that the parser
 * and the help use. */
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "base/strlist.h"
#include "bench/settings.h"
#include "kernel/manifest.h"
#include "result/result_json.h"

/* A set of runs while it is made. */
struct mb_set {
    char *dir;        /* owned; NULL until the first run has chosen it */
    uint32_t n_begun; /* runs, including the current one */
    bool is_complete; /* the current run got to its end, even with wrong results */
};

enum mb_verb {
    MB_VERB_RUN,
    MB_VERB_LIST,
    MB_VERB_COMPARE,
    MB_VERB_REPORT,
    MB_VERB_TUNE,
    MB_VERB_EXPORT,
    MB_VERB_INSPECT,
    MB_VERB_KERNEL,
    MB_VERB_HELP,                   /* print the help on help_verb to stdout, exit 0 */
    MB_N_VERBS,                     /* number of verbs that may begin a command line */
    MB_VERB_SELF_TEST = MB_N_VERBS, /* run --self-test */
    MB_VERB_POOL,                   /* compare --pool */
    MB_N_VERB_ROWS,
    MB_VERB_VERSION = MB_N_VERB_ROWS, /* --version */
};

enum mb_list_what {
    MB_LIST_ALL,
    MB_LIST_DEVICES,
    MB_LIST_STRATEGIES,
    MB_LIST_FORMATS,
    MB_LIST_PATTERNS,
};

enum mb_kernel_what {
    MB_KERNEL_CHECK,
    MB_KERNEL_COMPILE,
    MB_KERNEL_NEW,
};

/* The template of a new manifest. */
enum mb_like {
    MB_LIKE_PER_LEVEL,
    MB_LIKE_SINGLE,
};

enum mb_color {
    MB_COLOR_AUTO,
    MB_COLOR_ALWAYS,
    MB_COLOR_NEVER,
};

/* Every reduction, as bits of 1 << mb_reduce. */
#define MB_ALL_REDUCES ((1u << MB_N_REDUCES) - 1)

struct mb_options {
    enum mb_verb verb;
    enum mb_verb help_verb; /* what help is about; MB_VERB_HELP: the overview */
    enum mb_list_what list_what;
    enum mb_kernel_what kernel_what;
    uint64_t given;              /* bit i: the option of row i was given */
    struct mb_settings settings; /* its lists point into the lists below */
    struct mb_strlist inputs; /* the words after the verb, or the files that they stand for */
    struct mb_strlist specs;
    struct mb_strlist kernels, kernel_includes; /* paths: manifests; include folders */
    struct mb_kernel_table table;               /* settings.table points into it */
    enum mb_like like;                          /* kernel new */
    double kernel_timeout_s; /* longest wait for a submission that runs a kernel */
    /* export: for each of settings.formats, a mask of 1 << mb_reduce */
    unsigned format_reduces[MB_MAX_FORMATS];
    const char *out_dir; /* NULL: results/<utc>-<device>/; report: may name the page instead */
    const char *json, *csv, *markdown; /* path, "-" or NULL; of list and inspect: "-" or NULL */
    bool wants_report;                 /* write report.html */
    uint32_t max_pictures_mb;          /* report: limit on embedded pictures */
    uint32_t n_runs;                   /* repeats of the measurement, as a set; 0 acts as 1 */
    struct mb_set *set;                /* the set of this run, or NULL */
    const char *null_device;           /* inspect: "amd:navi31"; NULL: a real device */
    const struct mb_strategy *exported; /* export: the strategy */
    bool force;                         /* export: write into a folder that is not empty */
    bool plain, alpha, updates;         /* export: include the modules for these */
    bool quiet;
    int verbosity; /* number of -v */
    enum mb_color color;
    size_t n_base_files; /* compare: settings.inputs before this index are the base */
    double threshold;    /* compare: smaller relative differences are ignored */
    bool fail_on_regression, fail_on_inconclusive; /* compare */
    const char *replay_path;                       /* NULL: none */
    struct mb_strlist replay_args; /* the recorded command line joined with this one */
    int argc;                      /* the command line in effect: main's or replay_args */
    char *const *argv;
};

/* A word that an option accepts, and the value it stands for. */
struct mb_choice {
    const char *name;
    unsigned value;
};

/* The titles under which the help lists the options. */
#define MB_GROUP_WHAT    "What to run"
#define MB_GROUP_IMAGE   "Image and mip chain"
#define MB_GROUP_MEASURE "Measuring and verifying"
#define MB_GROUP_OUTPUT  "Output"
#define MB_GROUP_GENERAL "General"

struct mb_taken; /* private: an option as it was given */

/* An option, or its form for some verbs. Its help ends with the default in parentheses. */
struct mb_option_row {
    const char *name;     /* long name, without dashes */
    char short_name;      /* or 0 */
    const char *argument; /* the argument's name in the help; NULL: a switch, or an option with
                             choices */
    enum mb_status (*take)(const struct mb_taken *t,
                           struct mb_err *err); /* parses and stores */
    const char *group;
    unsigned verbs;     /* mask of 1 << verb: the verbs that take the option */
    enum mb_verb turns; /* the verb that the option selects, with `take` NULL; 0: none */
    size_t field;       /* offset in mb_options where the value is stored */
    const struct mb_choice *choices; /* NULL, or a list that ends with a NULL name */
    double min, max;                 /* bounds of a number */
    bool is_list;                    /* values are joined by commas */
    bool is_common;                  /* shown in the general help */
    const char *help;
    const char *help_for[MB_N_VERBS]; /* overrides `help` for a verb */
};

extern const struct mb_option_row mb_option_rows[];
extern const size_t mb_option_count;

struct mb_verb_row {
    const char *name;
    const char *usage;    /* what follows "mipbench " */
    const char *summary;  /* one line */
    const char *about;    /* paragraphs, separated by blank lines */
    const char *examples; /* command lines, each indented and ending in '\n' */
    struct {
        size_t min, max;
        const char *expected;
    } words; /* words after the verb, without options */
};

/* Rows from MB_N_VERBS on are verbs that an option changes other verbs to. */
extern const struct mb_verb_row mb_verb_rows[MB_N_VERB_ROWS];

/* The words that may follow "list" and "kernel"; values of enum mb_list_what and
 * mb_kernel_what. */
extern const struct mb_choice mb_list_choices[];
extern const struct mb_choice mb_kernel_choices[];

/* Find the value of the choice called `word`. If there is none, fails with MB_ERRC_USAGE,
 * naming the choices and `label`, the option or verb that takes them: "--cache", "list". */
MB_MUST_CHECK enum mb_status mb_choice_find(const struct mb_choice *choices, const char *label,
                                            const char *word, unsigned *value,
                                            struct mb_err *err);

/* True if the verb takes the option. */
bool mb_option_goes_with(const struct mb_option_row *row, enum mb_verb verb);

/* True if --NAME was given. */
bool mb_option_is_given(const struct mb_options *options, const char *name);

/* Parse `value` (NULL: none), store it in the options, and mark the option as given. A wrong
 * value is MB_ERRC_USAGE, in one line that names the option and the value. */
MB_MUST_CHECK enum mb_status mb_option_take(struct mb_options *options,
                                            const struct mb_option_row *row, const char *value,
                                            struct mb_err *err);

bool mb_option_takes_value(const struct mb_option_row *row);

/* Append the argument as the help writes it: "WxH[,...]", "avg|min|max", "ktx2|dds[,...]". */
void mb_option_add_argument(struct mb_strbuf *out, const struct mb_option_row *row);

/* The verb of that name, or MB_N_VERBS. */
enum mb_verb mb_verb_find(const char *name);

/* Parse argv. Anything wrong with it is MB_ERRC_USAGE, in one line that names the option and
 * the value and suggests near misses. A folder given to `run` or `tune` becomes its images; a
 * folder without images is MB_ERRC_INPUT. --replay joins its recorded command line and this
 * one: options replace recorded options of the same name (--size and --sweep also replace each
 * other; --kernel and --kernel-include add to recorded ones), inputs replace inputs, and the
 * seed is that of the results unless --seed is given; a recording that cannot be used is
 * MB_ERRC_INPUT. For `tune`, the input is pattern:noise if only sizes are given, and each spec
 * is widened to every variant of its strategy that has the parameters fixed in the spec. No
 * file may be written twice, and no input may be written; files are compared by identity, not
 * by name. Parsing ends at --help or --version. `argv` must outlive the options. */
MB_MUST_CHECK enum mb_status mb_options_parse(struct mb_options *options, int argc,
                                              char *const *argv, struct mb_err *err);

/* Append the options that decided what a recorded run measured, each as "--name=value", leaving
 * out options unknown to this version. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_replay_options(const struct mb_run *recorded,
                                               struct mb_strlist *args, struct mb_err *err);

/* If `err` is about an input that is not an image, hint at what the user may have meant:
 * results to report on, or a misspelt command. */
void mb_options_hint_input(const struct mb_options *options, struct mb_err *err);

/* Free and zero. */
void mb_options_finish(struct mb_options *options);

/* Append the help on one verb: its usage, what it does, all its options, and examples. For
 * MB_VERB_HELP, append the overview: verbs, common options, exit codes, environment. No line
 * is wider than 80 columns. */
void mb_help_add(struct mb_strbuf *out, enum mb_verb verb);
