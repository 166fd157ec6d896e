/* Variants with a source of their own read the image that they are given, of spd-tree a depth
 * image, too, and nothing of level 0 of the other: the latter is changed behind its back, and
 * the chain must still be that of the source, and level 0 what it was changed to. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/verify/reference_cache.h"
#include "harness.h"

/* What the read-back buffer holds: the changed level 0, and below it the chain of `source`. */
static void check_chain(const struct mb_test_image *test_image,
                        const struct mb_tolerance *tolerance, const void *source,
                        const void *changed)
{
    const struct mb_layout *layout = &test_image->full;
    const size_t n_bytes = layout->level_layer_bytes[0] * layout->n_layers;
    struct mb_err err = {0};
    struct mb_reference reference;
    struct mb_verdict verdict = {0};
    CHECK(memcmp(test_image->readback.mapped, changed, n_bytes) == 0);
    memcpy(test_image->readback.mapped, source, n_bytes); /* the model knows one level 0 only */
    mb_reference_init(&reference, layout, source);
    CHECK(mb_verify(&reference, test_image->readback.mapped, tolerance, &verdict, &err) ==
          MB_OK);
    CHECK(verdict.pass);
    mb_reference_finish(&reference);
}

/* Without mb_instance's own submission, which would bring the source up to date. */
static void check_row(struct mb_test_image *test_image, const struct mb_variant *row,
                      const void *source, const void *changed)
{
    const struct mb_task task = mb_test_whole(test_image->full.base);
    struct mb_instance instance = {0};
    struct mb_err err = {0};
    const bool is_run = mb_test_instance(&instance, test_image, row, &task, &err) == MB_OK &&
                        mb_test_image_upload(test_image, changed, 1, &err) == MB_OK &&
                        mb_test_run_chain(test_image, &instance, 0, &err) == MB_OK;
    CHECK(is_run);
    CHECK_EQ_STR(err.text, "");
    if (is_run) {
        check_chain(test_image, &instance.work.tolerance, source, changed);
    }
    mb_instance_finish(&instance);
}

static void run_format(const struct mb_gpu *gpu, const char *format, const char *const *specs)
{
    const struct mb_layout layout = mb_test_layout(format, (struct mb_extent){131, 70}, 3);
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    void *source = mb_test_texels(&layout, "noise");
    void *changed = mb_test_texels(&layout, "gradient");
    CHECK(changed && n_rows > 0);
    for (size_t i = 0; changed && i < n_rows; i++) {
        struct mb_test_image test_image;
        if (mb_test_open_image(&test_image, gpu, &layout, source)) {
            check_row(&test_image, &rows[i], source, changed);
        }
        mb_test_image_finish(&test_image);
    }
    mb_free(rows);
    mb_free(changed);
    mb_free(source);
}

/* What the variant needs is refused with a reason. */
static void check_refused(const struct mb_gpu *gpu, const char *format, const char *spec,
                          const char *reason)
{
    const struct mb_layout layout = mb_test_layout(format, (struct mb_extent){9, 9}, 1);
    const struct mb_task task = mb_test_whole(layout.base);
    struct mb_err err = {0};
    size_t n_rows;
    struct mb_variant *rows = mb_test_plan((const char *const[]){spec, NULL}, &n_rows);
    CHECK_EQ_INT(mb_variant_supports(&rows[0], gpu, &layout, &task, &err), MB_UNSUPPORTED);
    CHECK(strstr(err.text, reason) != NULL);
    mb_free(rows);
}

static void test_source(struct mb_gpu *gpu)
{
    static const char *const of_bytes[] = {
        "spd:source=separate", "spd:source=separate:load=texel:wave=off:slices=each",
        "spd-tree:source=separate", NULL};
    static const char *const of_floats[] = {"spd-tree:source=depth",
                                            "spd-tree:source=depth:wave=off", NULL};
    run_format(gpu, "rgba8", of_bytes);
    run_format(gpu, "r32f", of_floats);
    check_refused(gpu, "rgba32f", "spd-tree:source=depth", "-f r32f");
    check_refused(gpu, "r32f", "spd-tree:source=depth:shape=strips", "what is planned");
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_source);
}
