/* How the kernels that bring what tiles make to counters go about it: as in turns.glsl. */
#include "spd_tree.h"

/* Up to so many, sums are brought to six levels at once, else to three: the more levels, the
 * fewer round trips, but the more wait for their turn at the same few counters. */
#define MAX_WIDE_SPAN_TILES 1024u

/* Of four texels, so many have their red decoded by powers. On an H200 4096x4096 takes 37.2 us
 * with none, 36.4, 35.6, 35.2 and 35.5 with one to four. Up to so many tiles it is no gain:
 * what these wait for is latency, and powers are more code to fetch. */
#define N_POWERS        3u
#define MAX_TABLE_TILES 1024u

/* Of all layers: up to so many, tiles touch their levels in advance, store all but level 3
 * late, or only levels 4 to 6. On an H200 touching is a gain of 0.4 us with 16 tiles and of
 * 0.25 with 64, but a loss of 0.4 with 256. */
#define MAX_TOUCHED_TILES     64u
#define MAX_LATE_TILES        256u
#define MAX_PARTLY_LATE_TILES 1024u

uint8_t mb_spd_tree_span(enum spd_tree_kernel kernel, const struct mb_tree *tree,
                         const struct mb_params *choice)
{
    const uint8_t span = choice->choice[SPD_TREE_PARAM_SPAN];
    const struct mb_extent grid = tree->step[0].grid;
    if (!mb_spd_tree_is_carried(kernel)) {
        return SPAN_AUTO;
    }
    return span > 0 ? span : grid.width * grid.height > MAX_WIDE_SPAN_TILES ? SPAN_3 : SPAN_6;
}

uint8_t mb_spd_tree_powers(enum spd_tree_kernel kernel, const struct mb_tree *tree,
                           const struct mb_params *choice)
{
    const uint8_t powers = choice->choice[SPD_TREE_PARAM_POWERS];
    const struct mb_extent grid = tree->step[0].grid;
    if (kernel != SPD_TREE_CURVE) {
        return POWERS_AUTO;
    }
    return powers > 0                                   ? powers
           : grid.width * grid.height > MAX_TABLE_TILES ? POWERS_ON
                                                        : POWERS_OFF;
}

uint32_t mb_spd_tree_late(const struct spd_tree *s)
{
    const struct mb_extent grid = s->tree.step[0].grid;
    const uint64_t n_tiles = (uint64_t)grid.width * grid.height * s->image->layout.n_layers;
    return n_tiles <= MAX_TOUCHED_TILES       ? LATE_TOUCH
           : n_tiles <= MAX_LATE_TILES        ? LATE_MOST
           : n_tiles <= MAX_PARTLY_LATE_TILES ? LATE_SOME
                                              : LATE_OFF;
}

uint32_t mb_spd_tree_turns(const struct spd_tree *s)
{
    static const uint8_t spans[] = {[SPAN_AUTO] = 0, 1, 2, [SPAN_3] = 3, 4, 5, [SPAN_6] = 6, 8};
    const uint32_t span = spans[mb_spd_tree_span(s->kernel, &s->tree, &s->params)];
    if (s->kernel == SPD_TREE_CURVE) {
        /* It knows what it stores late, and finds out how many levels there are. */
        const bool has_powers =
            mb_spd_tree_powers(s->kernel, &s->tree, &s->params) == POWERS_ON;
        return span | (has_powers ? N_POWERS << 16 : 0);
    }
    const uint32_t late = mb_spd_tree_late(s);
    return span | late << 4 | (late >= LATE_MOST ? s->image->layout.n_levels << 8 : 0);
}
