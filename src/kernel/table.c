/* Puts manifests beside what is compiled in. */
#include "kernel/table.h"

#include <string.h>

#include "base/alloc.h"
#include "kernel/kernel.h"

enum mb_status mb_kernel_table_init(struct mb_kernel_table *table,
                                    const struct mb_strategy *const *built_in,
                                    const struct mb_strlist *paths,
                                    const struct mb_strlist *includes, struct mb_err *err)
{
    size_t n = 0;
    *table = (struct mb_kernel_table){0};
    MB_FAIL_IF(paths->n > 0 && !MB_HAS_SPIRV, err, MB_ERRC_INPUT,
               "%s: this build reads no kernels: it is without SPIRV-Tools and SPIRV-Cross",
               paths->items[0]);
    while (built_in[n]) {
        n++;
    }
    *table = (struct mb_kernel_table){
        .manifests = mb_alloc(paths->n, sizeof *table->manifests),
        .strategies = mb_alloc(n + paths->n + 1, sizeof *table->strategies),
    };
    MB_DO(MB_NEED(table->manifests && table->strategies, "strategies"));
    memcpy(table->strategies, built_in, n * sizeof *table->strategies);
    for (size_t i = 0; i < paths->n; i++) {
        struct mb_manifest *manifest = &table->manifests[table->n_manifests++];
        MB_DO(mb_manifest_init(manifest, paths->items[i], includes, err));
        mb_kernel_describe(manifest, &manifest->strategy);
        for (size_t k = 0; k < n; k++) {
            MB_FAIL_IF(strcmp(table->strategies[k]->name, manifest->strategy.name) == 0, err,
                       MB_ERRC_INPUT, "%s: there is a strategy '%s' already", paths->items[i],
                       manifest->strategy.name);
        }
        table->strategies[n++] = &manifest->strategy;
    }
    return MB_OK;
}

void mb_kernel_table_finish(struct mb_kernel_table *table)
{
    for (size_t i = 0; i < table->n_manifests; i++) {
        mb_manifest_finish(&table->manifests[i]);
    }
    mb_free(table->manifests);
    mb_free(table->strategies);
    *table = (struct mb_kernel_table){0};
}
