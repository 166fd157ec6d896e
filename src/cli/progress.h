/* Progress on stderr: on a terminal one redrawn line for the whole run, otherwise one line
 * per finished image. */
#ifndef MB_CLI_PROGRESS_H
#define MB_CLI_PROGRESS_H

#include "result/result.h"

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
    size_t n_images, image_index;
    char image[80];    /* name of the image, or "" */
    uint64_t first_ns; /* when the first image began */
    uint64_t begin_ns; /* when the current one did */
    bool has_begun;
    bool has_drawn;
    uint64_t last_draw_ns;
};

/* stderr, by way of base/log so that messages do not tear the line, and the monotonic clock. */
struct mb_progress_io mb_progress_stderr(bool unicode);

void mb_progress_init(struct mb_progress *progress, const struct mb_progress_io *io, bool quiet,
                      size_t n_images);

/* Begin image `index` (0-based) of `n_images`. Repeating it within an image has no effect. */
void mb_progress_image(struct mb_progress *progress, size_t index);

/* Name the current image: "photo 512x512". */
void mb_progress_name(struct mb_progress *progress, const char *name);

/* "[2/8] photo · spd · verifying · about 4 min left": a step without a count, drawn at once.
 * The time left is estimated from the finished images and not shown before there is one. In a
 * line too wide for the terminal the image's name loses its middle. */
void mb_progress_step(struct mb_progress *progress, const char *label, const char *step);

/* "[2/8] photo · 8 strategies · 40 of 320 blocks": after each block, of at most
 * `n_total`; while `n_done` is 0, warming up. Drawn at most 10 times a second. */
void mb_progress_rounds(struct mb_progress *progress, const char *label, uint32_t n_done,
                        uint32_t n_total);

/* The case is finished: "3/8 photo 512x512 rgba8: 4 strategies verified" where stderr is no
 * terminal. */
void mb_progress_case_done(struct mb_progress *progress, const struct mb_case *c);

/* Erase the redrawn line. */
void mb_progress_finish(struct mb_progress *progress);

/* "41.6 us": three or four digits and a suitable unit. */
void mb_time_text(double time_ns, char *out, size_t out_bytes);

#endif
