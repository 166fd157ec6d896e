/* Which strategy, with which parameters, is the fastest here: every variant is measured, at
 * each size and in each format, and a table of decisions is made of it.
 *
 * There may be hundreds of variants, so it is a contest in passes. The first ones time all that
 * can run with few samples, in heats that share one variant, the anchor; a variant goes on if
 * its time, relative to the anchor's in the same blocks, is within a margin of the best of its
 * kind. Those that are left are measured together as by `mipbench run`: verified, interleaved,
 * with an A/A twin and intervals. Nothing else is decided on. */
#ifndef MB_BENCH_TUNE_H
#define MB_BENCH_TUNE_H

#include "bench/cell.h"
#include "bench/selftest.h"
#include "image/image.h"

/* Variants of a heat at most, besides the anchor, and how often these are set up at most: each
 * is for every image that the timing goes round. */
#define MB_TUNE_HEAT       48u
#define MB_TUNE_TRIALS     1536u
#define MB_TUNE_FINALISTS  24u /* of each kind */
#define MB_TUNE_MAX_PASSES 2u  /* before the final */

/* What is ranked together. A variant may be of two kinds: what is exact is also fit for who
 * takes anything. */
enum mb_tune_kind {
    MB_TUNE_BOX, /* the area average, computed without loss: at a size that is no power of two
                    under the box policy only */
    MB_TUNE_ANY, /* box, floor or blit, in whatever precision: verified against its own claim */
    MB_TUNE_KAISER, /* the wide kernels, each for itself */
    MB_TUNE_LANCZOS,
    MB_TUNE_GAUSSIAN,
    MB_TUNE_GAUSSIAN16,
    MB_N_TUNE_KINDS,
};

enum mb_tune_state {
    MB_TUNE_ACTIVE,  /* goes on */
    MB_TUNE_SKIPPED, /* cannot run here: `reason` says why */
    MB_TUNE_SAME,    /* the same commands as of variant `same_as`, which stands for it */
    MB_TUNE_FAILED,  /* could not be set up, or is wrong: `reason` says which */
    MB_TUNE_DROPPED, /* too slow to be measured again */
    MB_TUNE_FINAL,   /* measured together with the other finalists */
};

/* What became of one row at one size and format. */
struct mb_tune_variant {
    enum mb_tune_state state;
    unsigned kinds;   /* mask of 1 << enum mb_tune_kind; 0: not known */
    double ratio;     /* of its time to the anchor's, in the last pass; NaN: never timed */
    double behind;    /* dropped: the same to the best of its kind */
    uint32_t pass;    /* dropped: after this one, from 0 */
    bool is_over_cap; /* dropped: within the margin, but there were too many */
    bool is_wrong;    /* failed: its verification */
    size_t result;    /* final: index in the case's cell */
    size_t same_as;   /* same: an earlier variant */
    char *reason;     /* or NULL; owned */
};

struct mb_tune_pass {
    uint32_t n_blocks;
    double margin; /* a ratio to the best of a kind that still goes on: 1.25 */
    size_t n_in, n_out, n_heats;
};

/* Indices are of results in the final cell; SIZE_MAX: none. */
struct mb_tune_choice {
    size_t fastest;          /* by the median */
    size_t chosen;           /* it, or what cannot be told from it and is simpler */
    size_t runner_up;        /* the fastest of the others */
    size_t n_tied;           /* that cannot be told from the fastest, itself left out */
    bool is_distinct;        /* the runner-up is slower, beyond the noise */
    double margin;           /* what a difference had to clear, as a ratio less 1 */
    struct mb_relation next; /* of the runner-up to the chosen */
    struct mb_relation
        *relation; /* of each result to the fastest; NaN for other kinds; owned */
};

/* One size in one format. */
struct mb_tune_case {
    struct mb_layout layout;
    size_t cell;                      /* of run->cells: the final; SIZE_MAX: nothing ran */
    struct mb_tune_variant *variants; /* one per row; owned */
    size_t n_variants;
    size_t anchor; /* variant that ratios are to, or SIZE_MAX: there was no pass */
    struct mb_tune_pass pass[MB_TUNE_MAX_PASSES];
    uint32_t n_passes;
    struct mb_tune_choice choice[MB_N_TUNE_KINDS];
};

/* How far a decision reaches. */
struct mb_tune_class {
    size_t index; /* of the case that it was made in */
    enum mb_tune_kind kind;
    bool is_power;       /* both edges are powers of two */
    uint64_t max_texels; /* images of up to this many, no edge of which is longer than */
    uint32_t max_edge;
};

enum mb_tune_how {
    MB_TUNE_INTERPOLATED, /* where the times of both winners, of the finals, cross */
    MB_TUNE_ESTIMATED,    /* the same by the ratios of a pass: one was not in both finals */
    MB_TUNE_MIDPOINT, /* halfway: the times do not cross, as winners that are tied may not */
    MB_TUNE_LIMIT,    /* the winner below cannot run above */
};

/* Where the winner changes from one class to the next. */
struct mb_tune_crossover {
    size_t below, above; /* classes */
    double texels;
    enum mb_tune_how how;
};

struct mb_tune {
    const struct mb_row *rows; /* borrowed */
    size_t n_rows;
    struct mb_tune_case *cases; /* owned */
    size_t n_cases;
    struct mb_tune_class *classes; /* by format, kind, kind of size and texels; owned */
    size_t n_classes;
    struct mb_tune_crossover *crossovers; /* owned */
    size_t n_crossovers;
    bool has_selftest; /* not on a software device */
    struct mb_selftest selftest;
};

struct mb_tune_options {
    const struct mb_gpu *gpu;
    const struct mb_settings *settings; /* one input, one condition, verified */
    const char *const *formats;         /* names; NULL in it: auto */
    size_t n_formats;                   /* at least 1 */
    const struct mb_row *rows;
    size_t n_rows;
    const struct mb_hooks *hooks;
    void (*on_case_begin)(void *user, size_t index);
    /* Before each heat of a pass; the final is a heat of its own. */
    void (*on_heat)(void *user, const char *pass, size_t heat, size_t n_heats);
    /* After each case, which is the last of `tune`. */
    enum mb_status (*on_case_done)(void *user, const struct mb_run *run,
                                   const struct mb_tune *tune, struct mb_err *err);
};

/* "box", "any", "kaiser", ... */
const char *mb_tune_kind_name(enum mb_tune_kind kind);
const char *mb_tune_how_name(enum mb_tune_how how); /* "interpolated", ... */
const char *mb_tune_pass_name(uint32_t pass);       /* "coarse", "middle" */

/* Tune every size and format on `image`; each final is appended to run->cells. An interrupted
 * run returns MB_OK with run->complete false, and without the case that was cut short.
 * UNSUPPORTED on a device without timestamps. After a failure what was complete before is in
 * `tune`; the caller finishes it (mb_tune_finish), before the run. */
MB_MUST_CHECK enum mb_status mb_tune_run(const struct mb_tune_options *options,
                                         const struct mb_image *image, struct mb_run *run,
                                         struct mb_tune *tune, struct mb_err *err);
void mb_tune_finish(struct mb_tune *tune);

/* Whether anything was chosen, in any case. */
bool mb_tune_has_decisions(const struct mb_tune *tune);

/* The exit code that the outcome asks for: MB_ERRC_VERIFY, MB_ERRC_RUNTIME (a variant that
 * could not be set up), MB_ERRC_UNSUPPORTED (a case that nothing could be chosen in),
 * MB_ERRC_NONE. With one, `*why` is what is to be said. */
enum mb_errc mb_tune_verdict(const struct mb_tune *tune, struct mb_err *why);

#endif
