/* What the tests on a device share: opening it or skipping, and hooks for mb_case_run that say
 * nothing. */
#pragma once

#include "../stand_in.h"
#include "../unit/check.h"
#include "bench/case.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "bench/verify/reference_cache.h"

#define MB_TEST_SKIP 77 /* meson's exit code for a test that cannot run here */

/* Sanitizers cost a factor of about five; tests then do a part of their work. */
#if defined(__SANITIZE_ADDRESS__)
#define MB_TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MB_TEST_IS_SANITIZED 1
#endif
#endif
#ifndef MB_TEST_IS_SANITIZED
#define MB_TEST_IS_SANITIZED 0
#endif

/* True under a sanitizer or with MB_TEST_QUICK=1 in the environment. */
bool mb_test_is_quick(void);

/* True with MB_TEST_FULL=1 in the environment. */
bool mb_test_is_full(void);

/* Open a device, with the validation layer if asked for, here or by MB_TEST_VALIDATE=1 in the
 * environment. 0; MB_TEST_SKIP, with the reason printed, if there is none (or no validation
 * layer); 1 after any other failure, also printed. */
int mb_test_open(struct mb_gpu *gpu, const struct mb_gpu_options *options);

typedef void mb_test_fn(struct mb_gpu *gpu);

int mb_test_run_all(const char *file, mb_test_fn *const *tests);

/* Run the named tests, each a void f(struct mb_gpu *), on a device that keeps its pipelines and
 * has a second queue where there is one, and check that the validation layer said nothing and
 * that nothing is left allocated; what main returns. */
#define MB_TEST_ON_DEVICE(...)                                                                 \
    mb_test_run_all(__FILE__, (mb_test_fn *const[]){__VA_ARGS__, NULL})

/* The test cannot run on this device: main returns MB_TEST_SKIP, unless a check failed. */
void mb_test_skip(const char *reason);

/* Variants by specs of a table of strategies, here the built-in ones; checked, and never NULL
 * unless that failed. Owned by the caller (mb_free). */
struct mb_variant *mb_test_plan_of(const struct mb_strategy *const *table,
                                   const char *const *specs, size_t *n_rows);
struct mb_variant *mb_test_plan(const char *const *specs, size_t *n_rows);

/* A row's label, until the next call. */
const char *mb_test_label(const struct mb_variant *row);

/* A layout of all levels. */
struct mb_layout mb_test_layout(const char *format, struct mb_extent extent, uint32_t n_layers);

/* A task that makes the whole chain. */
struct mb_task mb_test_whole(struct mb_extent extent);

/* An image of all of a layout's levels; checked. `texels`, as of mb_test_texels(), may be NULL:
 * then there is none. False, with the reason printed, if there is none. */
bool mb_test_open_image(struct mb_test_image *test_image, const struct mb_gpu *gpu,
                        const struct mb_layout *layout, const void *texels);

/* Specs of every strategy's variants: all of them, but of those with very many parameters one
 * for each value, and those that meet in the same code. Ends with NULL. */
extern const char *const mb_test_specs[];

/* Hooks that never interrupt and do nothing. */
extern const struct mb_hooks mb_test_hooks;

/* What a case of noise is made of. */
struct mb_test_case {
    const char *format; /* NULL: rgba8 */
    struct mb_extent extent;
    uint32_t n_layers; /* 0: 1 */
    uint32_t n_levels; /* to be made of an image with a full chain; 0: all */
    bool is_cube;
    enum mb_reduce reduce;
    enum mb_alpha alpha;
    struct mb_rect rect; /* to be updated; empty: the whole chain is made */
};

/* Such a case, without results. */
void mb_test_fill_case(const struct mb_test_case *test_case, struct mb_case *c);

/* Run `rows` once each on a case; its layout, task and names are filled here. Returns false,
 * with the error printed, if mb_case_run fails; the case is the caller's to finish either way.
 */
bool mb_test_run_case(const struct mb_gpu *gpu, const struct mb_variant *rows, size_t n_rows,
                      const struct mb_test_case *test_case, struct mb_case *c);

/* Set up a row for a task. UNSUPPORTED if it cannot do it. */
MB_MUST_CHECK enum mb_status mb_test_instance(struct mb_instance *instance,
                                              const struct mb_test_image *test_image,
                                              const struct mb_variant *row,
                                              const struct mb_task *task, struct mb_err *err);

/* Make a chain over poison, and leave it in the test image's read-back buffer. */
MB_MUST_CHECK enum mb_status mb_test_run_chain(struct mb_test_image *test_image,
                                               const struct mb_instance *instance,
                                               uint32_t poison, struct mb_err *err);

/* Whether a row may refuse a task on an image; everything else it must do. */
bool mb_test_may_refuse(const struct mb_gpu *gpu, const struct mb_variant *row,
                        const struct mb_layout *layout, const struct mb_task *task);

/* True of what a strategy does where nothing is asked of it. */
bool mb_test_is_default(const struct mb_variant *row);

/* True on a software device, which compiles kernels slowly and runs chains slowly: it tries a
 * part of the combinations. False with MB_TEST_FULL=1. */
bool mb_test_takes_turns(const struct mb_gpu *gpu);

/* 0, 1 or 2, by llvmpipe's subgroup size: what is tried at one of the three only. */
uint32_t mb_test_turn(const struct mb_gpu *gpu);

/* llvmpipe compiles a kernel anew where an axis of the image is a power of two and where it is
 * not: four kinds of size; 0 where neither is. */
uint32_t mb_test_size_kind(struct mb_extent extent);

/* Why a variant is not tried here, or NULL. Where mb_test_takes_turns(), one combination in
 * `one_in` (at least 1) is tried, by the variant's label and a number for all the rest, and
 * another one at each of llvmpipe's subgroup sizes; strategies whose kernels know no subgroups
 * are tried at the size that it has by itself. */
const char *mb_test_why_not(const struct mb_gpu *gpu, const struct mb_variant *row,
                            uint32_t place, uint32_t one_in);

/* Count what is left out for a reason, a string that stays: the test prints the sums at its
 * end, where MB_TEST_ON_DEVICE does not by mb_test_report_left_out(). */
void mb_test_leave_out(const char *reason);
void mb_test_report_left_out(void);

/* Whether a variant is left out, which is counted: one in three is tried, and what a strategy
 * does by default. */
bool mb_test_leaves_out(const struct mb_gpu *gpu, const struct mb_variant *row, uint32_t place);

/* Level 0 of a layout filled with a pattern, texels[layer][height][width]; NULL without memory.
 * Owned by the caller (mb_free). */
void *mb_test_texels(const struct mb_layout *layout, const char *pattern);
