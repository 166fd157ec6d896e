/* Policies: which texels of the level above weigh in a texel, and by how much. */
#ifndef MB_IMAGE_POLICY_H
#define MB_IMAGE_POLICY_H

#include <stdbool.h>

enum mb_policy {
    MB_POLICY_BOX,   /* exact area average; Guthe and Heckbert, "Non-Power-of-Two Mipmap
                        Creation", NVIDIA 2005 */
    MB_POLICY_FLOOR, /* texels (2x, 2x+1); the last row or column of an odd size is dropped */
    MB_POLICY_BLIT, /* a linear vkCmdBlitImage: two taps at (x + 1/2) * w / w' - 1/2, clamped */
    /* Wide kernels (image/filter_kernel.h), radii in texels of the next level. Averages only.
     */
    MB_POLICY_KAISER,     /* sinc, windowed: radius 3, alpha 4 */
    MB_POLICY_LANCZOS,    /* sinc, windowed by its own main lobe: radius 3 */
    MB_POLICY_GAUSSIAN,   /* standard deviation 1/2, radius 2 */
    MB_POLICY_GAUSSIAN16, /* standard deviation 2, radius 8: 16 texels of the source */
};
#define MB_N_POLICIES 7u

/* As on the command line and in the JSON: "box". */
const char *mb_policy_name(enum mb_policy policy);

/* True if a policy is a wide kernel: unlike the others, it is no area average even where all
 * sizes are even, and its weights may be negative. */
bool mb_policy_is_wide(enum mb_policy policy);

#endif
