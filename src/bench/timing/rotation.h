/* The images that a timing goes round: one for a hot cache, as many as push each other out of
 * the last-level cache for a cold one, several for chains that may overlap. */
#ifndef MB_BENCH_TIMING_ROTATION_H
#define MB_BENCH_TIMING_ROTATION_H

#include "bench/test_image.h"

struct mb_rotation {
    const struct mb_test_image *test_image;
    struct mb_vk_image *further; /* owned */
    uint32_t n_images;           /* with the test_image's own, which is image 0 */
};

/* Make `n_images` >= 1 images alike the test_image's: the same usage, and copies of all its
 * levels, in the state that strategy.h promises. The test_image must outlive them. */
MB_MUST_CHECK enum mb_status mb_rotation_init(struct mb_rotation *rotation,
                                              const struct mb_test_image *test_image,
                                              uint32_t n_images, struct mb_err *err);
void mb_rotation_finish(struct mb_rotation *rotation);

const struct mb_vk_image *mb_rotation_image(const struct mb_rotation *rotation, uint32_t index);

#endif
