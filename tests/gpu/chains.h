/* Rows of chains, each held to the golden model. */
#pragma once

#include "harness.h"

/* Bits of a row's modes, and of llvmpipe's subgroup sizes. */
enum { MB_AVG = 1, MB_MIN = 2, MB_MAX = 4, MB_PREMULTIPLIED = 8, MB_EVERY_MODE = 15 };
enum { MB_AT_4 = 1, MB_AT_8 = 2, MB_AT_16 = 4 };

enum mb_chain_check {
    MB_IS_EXACT = 1,  /* every code is the nearest one */
    MB_IS_TWICE = 2,  /* twice, over what the first run left in words that tiles hand on by */
    MB_IS_LEAN = 4,   /* as Intel's driver has it, with subgroups of this device */
    MB_IS_UPDATE = 8, /* of the whole image */
    MB_IS_LONG = 16,  /* left out where mb_test_takes_turns() */
    MB_IS_FULL = 64,  /* with MB_TEST_FULL=1 only */
    /* The same chain, bit for bit, whatever the address mode of its samplers: where one reads
     * beyond an edge, it finds there the opposite side, the mirror image, or white. */
    MB_IS_WITHIN = 32,
};

/* What is not one plain chain goes through the path that judges the product's cases: updates of
 * rectangles, chains that stop early, arrays and cubes, of each extent; or a list of cases. */
enum mb_chain_shape { MB_PLAIN, MB_UPDATES, MB_LEVELS, MB_LAYERS, MB_CASES };

/* A row of the table. Lists of names end with NULL, of extents with 0x0. */
struct mb_chain_row {
    const char *name;
    const char *const *specs;
    const char *const *patterns; /* NULL: noise with every number that is not ordinary */
    const char *const *formats;  /* NULL: rgba8 */
    const struct mb_extent *extents;
    uint32_t grid;    /* in place of a list: all sizes up to this on both axes */
    uint32_t n_drawn; /* so many of the grid, drawn anew each day; all with MB_TEST_FULL=1 */
    uint32_t modes;
    uint32_t n_layers;             /* 0: 1, 3 and 6 in turn */
    uint32_t checks;               /* of enum mb_chain_check */
    uint32_t widths;               /* where a software device takes turns; 0: all */
    uint32_t one_in, one_other_in; /* in turn (mb_test_why_not): of what strategies do by
                                      default, and of their other variants; 0: 1 */
    enum mb_chain_shape shape;
    const struct mb_test_case *cases; /* of MB_CASES, up to one without an extent */
    uint32_t n_dispatches;            /* that each of them takes; 0: any number */
    uint32_t quick;                   /* in short form one size or case of so many; 0: none */
};

/* Run a row of the table, and print what became of it; a mismatch is a failed check, of which
 * each variant prints its first. */
void mb_chains_run(struct mb_gpu *gpu, const struct mb_chain_row *row);

/* Print each reason that a strategy refused for, and how often. */
void mb_chains_report_refusals(void);
