/* What inspect makes of what drivers tell under names of their own. */
#include "check.h"
#include "cli/inspect/kernels.h"

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

int main(void)
{
    return CHECK_TESTS(test_figures);
}
