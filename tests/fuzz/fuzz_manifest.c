/* Fuzz target of manifests: whatever the text, it is refused with one line, or planned for some
 * images, or that is refused; and all memory is given back. Modules are not compiled: they lie,
 * by the names of their sources, in the folder that MB_FUZZ_MODULES names. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "fuzz.h"
#include "kernel/compile/compile.h"
#include "kernel/plan.h"

static void expect(bool is_met, const char *what)
{
    if (!is_met) {
        fprintf(stderr, "fuzz_manifest: %s\n", what);
        abort();
    }
}

static const char *modules_folder(void)
{
    const char *folder = getenv("MB_FUZZ_MODULES");
    expect(folder != NULL, "MB_FUZZ_MODULES is not set");
    return folder;
}

/* In place of the program's own. */
enum mb_status mb_compile(const struct mb_compile_options *options, struct mb_bytes *code,
                          struct mb_err *err)
{
    char path[MB_PATH_BYTES];
    const char *name = strrchr(options->path, '/');
    snprintf(path, sizeof path, "%.2000s/%.200s.spv", modules_folder(),
             name ? name + 1 : options->path);
    return mb_file_read(path, 1u << 20, code, err);
}

/* The path of a manifest of these bytes. */
static const char *put(const uint8_t *data, size_t n_bytes)
{
    static char path[MB_PATH_BYTES];
    static int fd = -1;
    if (fd < 0) {
        snprintf(path, sizeof path, "%.2000s/mutant-%ld.json", modules_folder(),
                 (long)getpid());
        fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    expect(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, n_bytes, 0) == (ssize_t)n_bytes,
           "no file");
    return path;
}

static void check_line(const struct mb_err *err)
{
    expect(err->code == MB_ERRC_INPUT || err->code == MB_ERRC_UNSUPPORTED,
           "a failure that is not of the input");
    expect(err->text[0] != '\0' && strpbrk(err->text, "\n\r\033") == NULL,
           "a failure without its one line");
}

static void check_plan(const struct mb_kernel_plan *plan, const struct mb_layout *layout)
{
    bool is_written[MB_MAX_LEVELS] = {false};
    expect(plan->n_dispatches > 0 || layout->n_levels == 1, "nothing is dispatched");
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        const struct mb_kernel_dispatch *dispatch = &plan->dispatches[i];
        expect(dispatch->pipeline < plan->n_pipelines, "a pipeline that is not there");
        for (uint32_t k = 0; k < dispatch->n_bindings; k++) {
            const struct mb_kernel_binding *binding = &dispatch->bindings[k];
            expect(binding->buffer == UINT32_MAX || binding->buffer < plan->n_buffers,
                   "a buffer that is not there");
            expect(binding->n_views <= binding->place->n_descriptors,
                   "more views than elements");
            for (uint32_t v = 0; v < binding->n_views; v++) {
                expect(binding->n_levels > 0 &&
                           binding->first_level[v] + binding->n_levels <= layout->n_levels,
                       "levels that are not there");
                is_written[binding->first_level[v]] |=
                    binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
            }
        }
    }
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        expect(is_written[level], "a level that nothing is stored to");
    }
}

static void plan_for(const struct mb_manifest *manifest, struct mb_extent extent,
                     uint32_t n_layers)
{
    struct mb_layout layout;
    struct mb_kernel_plan plan = {0};
    struct mb_err err = {0};
    const struct mb_task task = {.rect = mb_rect_whole(extent)};
    const struct mb_params params = {.self = manifest};
    mb_layout_init(&layout, mb_format_find("rgba8"), extent, n_layers,
                   mb_full_level_count(extent));
    if (mb_kernel_plan_init(&plan, NULL, &layout, &task, &params, &err) != MB_OK) {
        check_line(&err);
    } else {
        check_plan(&plan, &layout);
    }
    mb_kernel_plan_finish(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    const char *path = put(data, n_bytes);
    const uint64_t n_live = mb_alloc_live_count();
    struct mb_manifest manifest;
    struct mb_err err = {0};
    if (mb_manifest_init(&manifest, path, NULL, &err) != MB_OK) {
        check_line(&err);
    } else {
        plan_for(&manifest, (struct mb_extent){64, 64}, 1);
        plan_for(&manifest, (struct mb_extent){333, 257}, 3);
    }
    mb_manifest_finish(&manifest);
    expect(mb_alloc_live_count() == n_live, "memory was not given back");
    return 0;
}
