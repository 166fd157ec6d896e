/* What is going on, on stderr: one redrawn line on a terminal, else a line per finished cell.
 */
#ifndef MB_CLI_PROGRESS_H
#define MB_CLI_PROGRESS_H

#include "bench/result.h"

/* Where progress goes; tests bring their own. */
struct mb_progress_io {
    bool is_terminal; /* redraw one line */
    bool unicode;     /* the locale is UTF-8 */
    void *user;
    uint64_t (*now_ns)(void *user);
    int (*columns)(void *user);                              /* width of the terminal */
    void (*draw)(void *user, const char *text, int columns); /* NULL text: erase */
    void (*line)(void *user, const char *text);              /* without a newline */
};

struct mb_progress {
    struct mb_progress_io io;
    bool is_quiet;
    size_t n_cells, cell_index;
    bool has_drawn;
    uint64_t last_draw_ns;
    uint32_t first_done; /* samples done when the cell's clock was started */
    uint64_t sampling_since_ns;
    bool is_sampling;
};

/* stderr and the monotonic clock; through base/log, so that messages do not tear the line. */
struct mb_progress_io mb_progress_stderr(bool unicode);

void mb_progress_init(struct mb_progress *progress, const struct mb_progress_io *io, bool quiet,
                      size_t n_cells);

/* Begin cell `index` (0-based). */
void mb_progress_cell(struct mb_progress *progress, size_t index);

/* "[2/8] spd · verifying": a step that has no count. Drawn at once. */
void mb_progress_step(struct mb_progress *progress, const char *label, const char *step);

/* "[2/8] spd · 40 of 320 samples · 41.6 us · 3 s left": `n_done` of `n_total` rounds of the
 * cell are done; `median_ns` so far, or NaN. Drawn at most 10 times a second. */
void mb_progress_samples(struct mb_progress *progress, const char *label, uint32_t n_done,
                         uint32_t n_total, double median_ns);

/* After each round of a cell: that it is warming up, or how many are done, of no median yet. */
void mb_progress_rounds(struct mb_progress *progress, const char *label, uint32_t n_done,
                        uint32_t n_total);

/* The cell is finished: "3/8 photo 512x512 rgba8: 4 strategies verified" where stderr is no
 * terminal. */
void mb_progress_cell_done(struct mb_progress *progress, const struct mb_cell *cell);

/* Erase the line. */
void mb_progress_finish(struct mb_progress *progress);

/* "41.6 us": three or four digits and a fitting unit. */
void mb_time_text(double time_ns, char *out, size_t out_bytes);

#endif
