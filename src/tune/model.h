/* What a tuning found, as plain data: variants, passes, choices, and how far these reach. */
#pragma once

#include "result/result.h"
#include "bench/selftest.h"
#include "result/question.h"

/* Variants of a heat at most, besides the anchor, and how often these are set up at most: each
 * is for every image that the timing goes round. */
#define MB_TUNE_HEAT       48u
#define MB_TUNE_TRIALS     1536u
#define MB_TUNE_FINALISTS  24u /* of each question */
#define MB_TUNE_MAX_PASSES 2u  /* before the final */

enum mb_tune_state {
    MB_TUNE_ACTIVE,  /* goes on */
    MB_TUNE_SKIPPED, /* cannot run here: `reason` says why */
    MB_TUNE_SAME,    /* the same commands as of variant `same_as`, which stands for it */
    MB_TUNE_FAILED,  /* could not be set up, or is wrong: `reason` says which */
    MB_TUNE_DROPPED, /* too slow to be measured again */
    MB_TUNE_FINAL,   /* measured together with the other finalists */
};

/* What became of one variant at one size and format. */
struct mb_tune_variant {
    enum mb_tune_state state;
    unsigned questions; /* mask of 1 << enum mb_question; 0: not known */
    double ratio;       /* of its time to the anchor's, in the last pass; NaN: never timed */
    double behind;      /* dropped: the same to the best of its question */
    uint32_t pass;      /* dropped: after this one, from 0 */
    bool is_over_cap;   /* dropped: within the margin, but there were too many */
    bool is_wrong;      /* failed: its verification */
    const struct mb_row *row; /* final: of the case's final */
    size_t same_as;           /* same: an earlier variant */
    char reason[512];         /* skipped, same, failed: why; or "" */
};

/* A pass before the final: in each, what is not behind the best of its question by more than
 * the margin goes on. */
struct mb_tune_rule {
    const char *name; /* "coarse", "middle" */
    uint32_t n_blocks;
    double margin; /* a ratio: 1.25; wide where samples are few */
};
extern const struct mb_tune_rule mb_tune_rules[MB_TUNE_MAX_PASSES];

struct mb_tune_pass {
    size_t n_in, n_out, n_heats;
};

/* How the size was found at which the winner changes. */
enum mb_tune_how {
    MB_TUNE_INTERPOLATED, /* where the times of both winners, of the finals, cross */
    MB_TUNE_ESTIMATED,    /* the same by the ratios of a pass: one was not in both finals */
    MB_TUNE_MIDPOINT, /* halfway: the times do not cross, as winners that are tied may not */
    MB_TUNE_LIMIT,    /* the winner below cannot run above */
};

/* What was chosen for a question. */
struct mb_tune_choice {
    /* Verified rows of the final that answer it; NULL: none. */
    const struct mb_row *fastest;   /* by the median */
    const struct mb_row *chosen;    /* it, or what cannot be told from it and is simpler */
    const struct mb_row *runner_up; /* the fastest of the others */
    size_t n_tied;                  /* that cannot be told from the fastest, itself left out */
    bool is_distinct;               /* the runner-up is slower, beyond the noise */
    struct mb_relation next;        /* of the runner-up to the chosen */
    /* How far it reaches (mb_tune_classify). */
    const struct mb_tune_case *of;
    enum mb_question question;
    bool is_even;        /* every level halves both edges: policies agree there */
    uint64_t max_texels; /* images of up to this many, no edge of which is longer than */
    uint32_t max_edge;
    const struct mb_tune_choice *above; /* the next class, if another wins there; or NULL */
    double border_texels;               /* where it begins, and how that was found */
    enum mb_tune_how how;
};

/* One size in one format. */
struct mb_tune_case {
    struct mb_layout layout;
    struct mb_timing *final;          /* of a case of the run; NULL: nothing ran */
    struct mb_tune_variant *variants; /* owned */
    size_t n_variants;
    size_t anchor; /* variant that ratios are to, or SIZE_MAX: there was no pass */
    struct mb_tune_pass pass[MB_TUNE_MAX_PASSES];
    uint32_t n_passes;
    struct mb_tune_choice choice[MB_N_QUESTIONS];
};

struct mb_tune {
    const struct mb_variant *rows; /* borrowed */
    size_t n_rows;
    struct mb_tune_case *cases; /* owned; stay where they are */
    size_t n_cases;
    /* What was chosen, by format, question, kind of size and texels; the array is owned. */
    struct mb_tune_choice **classes;
    size_t n_classes;
    bool has_selftest; /* not on a software device */
    struct mb_selftest selftest;
};

extern const char *const mb_tune_how_names[]; /* "interpolated", ... */

/* The exit code that the outcome asks for: MB_ERRC_VERIFY, MB_ERRC_RUNTIME (a variant that
 * could not be set up), MB_ERRC_UNSUPPORTED (a case that nothing could be chosen in),
 * MB_ERRC_NONE. With one, `*why` is what is to be said. */
enum mb_errc mb_tune_verdict(const struct mb_tune *tune, struct mb_err *why);

/* Free and zero. */
void mb_tune_case_finish(struct mb_tune_case *c);
void mb_tune_finish(struct mb_tune *tune);
