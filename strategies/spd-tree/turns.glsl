/* How workgroups of the kernels that carry sums go about it. It comes before wave.glsl. spd_tree_curve.comp is
 * only told how many levels are brought to at once, and of how many texels powers decode red (curve.glsl). */
#ifndef TURNS_GLSL
#define TURNS_GLSL

/* Levels that are brought to at once; << 4, what of a tile is stored after that: nothing, levels 4 to 6, or
 * all but level 3 (and 4, where subgroups are small), or the same with levels touched in advance; and,
 * << 8, how many levels there are, or 0 if the kernel is to find out; << 16, N_POWERS of curve.glsl.
 *
 * Sums go first where nothing else is left to wait for: stores before them are 0.6 us of 6.5 on an
 * H200 for 256x256, and those of levels 4 to 6 0.4 of 13 for 2048x2048. Where further tiles wait for
 * their turn, it is the other way round. */
layout(constant_id = 9) const int TURNS = 4;
const int MAX_SPAN = TURNS & 15, LATE = TURNS >> 4 & 15;
const int KNOWN_LEVELS = TURNS >> 8 & 255, N_POWERS = TURNS >> 16;
#define N_LEVELS (KNOWN_LEVELS > 0 ? KNOWN_LEVELS : n_levels)
#define STORES_LATE (LATE >= 2)
#define TOUCHES_LEVELS (LATE == 3)

#endif
