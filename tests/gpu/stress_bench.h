/* What test_stress.c works on: one image, several contents for its level 0, and for each the
 * chain that it must lead to, on the device. */
#ifndef MB_TESTS_STRESS_BENCH_H
#define MB_TESTS_STRESS_BENCH_H

#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "bench/verify/verify.h"
#include "image_diff.h"

#define STRESS_N_CONTENTS 8u

struct stress_shape {
    const char *format;
    struct mb_extent extent;
    uint32_t n_layers;
    uint32_t n_levels; /* to be made; 0: all */
    uint32_t weight;   /* of its share in the dispatches */
    enum mb_reduce reduce;
};

struct stress_bench {
    const struct mb_gpu *gpu;
    struct mb_layout layout;
    struct mb_test_image test_image;
    void
        *texels[STRESS_N_CONTENTS]; /* level 0 of all layers: noise of different seeds; owned */
    struct mb_verifier verifier[STRESS_N_CONTENTS];
    struct mb_vk_image reference[STRESS_N_CONTENTS];
    struct image_diff diff; /* of the test_image's image and a reference */
    struct mb_submission submission;
};

/* UNSUPPORTED if the device cannot make the image. After a failure nothing is left. */
MB_MUST_CHECK enum mb_status mb_stress_bench_init(struct stress_bench *bench,
                                                  const struct mb_gpu *gpu,
                                                  const struct stress_shape *shape,
                                                  struct mb_err *err);
/* The queue must be idle. */
void mb_stress_bench_finish(struct stress_bench *bench);

/* Make the chain of every content once by a recorded instance, over poison, verify it against
 * the golden model and keep it as the content's reference. MB_ERRC_VERIFY, naming the content
 * and its first bad texel, if one is wrong. */
MB_MUST_CHECK enum mb_status mb_stress_bench_refer(struct stress_bench *bench,
                                                   struct mb_instance *instance,
                                                   struct mb_err *err);

/* Flip the lowest bit of the last texel of `level`, in the last layer, of the last content's
 * reference; without `is_wrong`, restore it. Until the next mb_stress_bench_refer. */
MB_MUST_CHECK enum mb_status mb_stress_bench_plant(struct stress_bench *bench, uint32_t level,
                                                   bool is_wrong, struct mb_err *err);

/* Commands that give level 0 the content; full barriers before and after are the caller's. */
void mb_stress_bench_record_load(const struct stress_bench *bench, uint32_t content,
                                 VkCommandBuffer cmd);

/* Commands that fill levels 1.. with a colour, likewise. */
void mb_stress_bench_record_poison(const struct stress_bench *bench, const float color[4],
                                   VkCommandBuffer cmd);

#endif
