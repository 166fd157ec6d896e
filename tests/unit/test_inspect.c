/* What inspect makes of what drivers tell under names of their own. */
#include "cli/inspect/inspect.h"
#include "snapshot.h"

/* Of two kernels, as NVIDIA, RADV and ANV tell. */
static void test_figures(void)
{
    struct mb_executable executables[2] = {{.shader = "a.comp"}, {.shader = "b.comp"}};
    struct mb_pipeline_fact list[] = {
        {.executable = 0, .name = "Register Count", .value = 40},
        {.executable = 0, .name = "Local Memory Size", .value = 68719476768.0}, /* 2^36 + 32 */
        {.executable = 0, .name = "Binary Size", .value = 4294967296.0},
        {.executable = 0, .name = "no such", .value = 7},
        {.executable = 1, .name = "spilled SGPRs", .value = 2},
        {.executable = 1, .name = "Spilled VGPRs", .value = 3},
        {.executable = 1, .name = "Scratch Memory Size", .value = 4096},
    };
    const struct mb_pipeline_facts facts = {
        .executables = executables,
        .n_executables = MB_COUNTOF(executables),
        .facts = list,
        .n_facts = MB_COUNTOF(list),
    };
    double figures[MB_N_FIGURES];
    mb_figures(&facts, 0, figures);
    CHECK(figures[MB_FIGURE_REGISTERS] == 40);
    CHECK(figures[MB_FIGURE_SCRATCH_BYTES] == 32);
    CHECK(figures[MB_FIGURE_CODE_BYTES] == 4294967296.0);
    CHECK(isnan(figures[MB_FIGURE_SPILLS]));
    mb_figures(&facts, 1, figures);
    CHECK(figures[MB_FIGURE_SPILLS] == 5);
    CHECK(figures[MB_FIGURE_SCRATCH_BYTES] == 4096);
    CHECK(isnan(figures[MB_FIGURE_REGISTERS]));
}

static void show(const struct mb_inspection *inspection, size_t n_columns, int verbosity,
                 const char *heading)
{
    struct mb_strbuf out = {0};
    mb_inspect_text(&out, inspection, &(const struct mb_table_style){.columns = n_columns},
                    verbosity);
    snapshot_add(heading, &out);
}

/* A kernel of which all is known, one that spills, and variants that have none. */
static void test_text(void)
{
    struct mb_executable executables[] = {
        {.shader = "spd-tree/spd_tree_raw4.comp", .subgroup_size = 32},
        {.pipeline = 1, .shader = "spd-tree/tail.comp"}};
    struct mb_pipeline_fact list[] = {
        {0, "Register Count", 40},
        {0, "Local Memory Size", 32},
        {0, "Shared Memory Size", 17408},
        {0, "Binary Size", 42752},
        {0, "SGPRs", 128},
        {1, "Register Count", 255},
        {1, "Spilled VGPRs", 3},
        {1, "Instruction Count", 15432},
    };
    struct mb_kernels kernels[] = {
        {.label = "spd-tree",
         .facts = {2, executables, MB_COUNTOF(executables), list, MB_COUNTOF(list)}},
        {.label = "blit"},
        {.label = "raster",
         .status = MB_RESULT_SKIPPED,
         .reason = "rgba8 is not an sRGB format"},
    };
    for (size_t i = 0; i < MB_COUNTOF(kernels); i++) {
        kernels[i].format = mb_format_find("rgba8");
        kernels[i].size = (struct mb_extent){4096, 4096};
    }
    const struct mb_inspection inspection = {
        .device = {.name = "Test GPU", .driver_name = "driver", .driver_version = "1.2"},
        .n_rows = MB_COUNTOF(kernels),
        .kernels = kernels,
        .n_kernels = MB_COUNTOF(kernels),
    };
    show(&inspection, 80, 0, "80 columns");
    show(&inspection, 140, 1, "140 columns, all that the driver tells");
}

static void test_snapshot(void)
{
    snapshot_check("inspect");
}

int main(void)
{
    return CHECK_TESTS(test_figures, test_text, test_snapshot);
}
