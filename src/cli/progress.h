/* Progress on stderr: on a terminal one redrawn line for the whole run; otherwise a line for
 * each finished image, and another whenever 30 s pass without a line. */
#pragma once

#include "base/text.h"
#include "result/result.h"

struct mb_progress {
    bool is_quiet;
    bool is_terminal; /* stderr: redraw one line */
    size_t n_images, image_index;
    struct mb_text image; /* "photo 512x512 rgba8"; "" before the first */
    uint64_t first_ns;    /* when the first image began */
    uint64_t begin_ns;    /* when the current image began */
    uint64_t table_ns;    /* when the first block of the current table was sampled */
    double table_left_ns; /* time for the table's other blocks at the pace so far; 0: unknown */
    uint64_t drawn_ns;    /* when the last line was drawn or written; 0: no line is drawn */
};

void mb_progress_init(struct mb_progress *progress, bool quiet, size_t n_images);

/* Begin image `index` (0-based) of `n_images`, which `c` describes. */
void mb_progress_image(struct mb_progress *progress, size_t index, const struct mb_case *c);

/* Draw at once that a step without a count begins. `label` is the strategy's. */
void mb_progress_step(struct mb_progress *progress, const char *label, const char *step);

/* Call after each block: shows "40 of 320 blocks" (`n_done` of at most `n_total`), or "warming
 * up" while `n_done` is 0. Drawn at most 10 times a second. */
void mb_progress_rounds(struct mb_progress *progress, const char *label, uint32_t n_done,
                        uint32_t n_total);

/* Call when a case is finished: erases the line on a terminal, else writes a line that
 * stays. */
void mb_progress_case_done(struct mb_progress *progress, const struct mb_case *c);

/* Erase the redrawn line. */
void mb_progress_finish(struct mb_progress *progress);

/* The line itself: "[2/8] spd - verifying - about 4 min left - photo". The time left is
 * estimated from the finished images, or in the first one from its blocks. */
struct mb_text mb_progress_text(const struct mb_progress *progress, const char *label,
                                const char *step, uint64_t now_ns);

/* Whether it is time to redraw the line or, without a terminal, to write another one. */
bool mb_progress_is_due(const struct mb_progress *progress, uint64_t now_ns);

/* "3/8 photo 512x512 rgba8: 4 strategies verified" */
struct mb_text mb_progress_case_text(const struct mb_progress *progress,
                                     const struct mb_case *c);
