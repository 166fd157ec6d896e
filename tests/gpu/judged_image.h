/* Chains of any strategy on one image, held to the golden model. */
#pragma once

#include "harness.h"

/* An image that chains are made of. */
struct judged_image {
    struct mb_layout layout;
    struct mb_test_image test_image;
    struct mb_verifier verifier;
    void *texels;
};

/* Make an image of a pattern; checked. False, with the reason printed and nothing left, if it
 * cannot be made. */
bool mb_judged_image_init(struct judged_image *image, const struct mb_gpu *gpu,
                          const struct mb_layout *layout, const char *pattern);
/* The same of texels as they are stored, level 0 of all layers, or NULL; they are freed with
 * the image. */
bool mb_judged_image_of(struct judged_image *image, const struct mb_gpu *gpu,
                        const struct mb_layout *layout, void *texels);
/* Accepts zero. */
void mb_judged_image_finish(struct judged_image *image);

/* Make a row's chain `n_runs` times, each time over poison, and judge the last one, which is in
 * the test image's read-back buffer then. What is wrong, and a refusal that
 * mb_test_may_refuse() does not know, is a failed check and printed. UNSUPPORTED if the row
 * refused, rightly or not. */
enum mb_status mb_judge_row(struct judged_image *image, const struct mb_variant *row,
                            const struct mb_task *task, unsigned n_runs,
                            struct mb_verdict *verdict);

/* Print each reason that a strategy refused for, and how often. */
void mb_report_refusals(void);
