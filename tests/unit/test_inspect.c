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

static void show(const struct mb_json *json, size_t n_columns, const char *heading)
{
    struct mb_strbuf out = {0};
    mb_inspect_text(&out, json, &(const struct mb_table_style){.columns = n_columns});
    snapshot_add(heading, &out);
}

/* A kernel of which all is known, one that spills, and variants that have none. */
static void test_text(void)
{
    static const char text[] =
        "{\"device\": {\"name\": \"Test GPU\", \"subgroup_size\": 32,"
        "  \"driver\": {\"name\": \"driver\", \"info\": \"\", \"version\": \"1.2\"}},"
        " \"reduce\": \"avg\","
        " \"variants\": ["
        "  {\"format\": \"rgba8\", \"width\": 4096, \"height\": 4096, \"label\": \"spd-tree\","
        "   \"status\": \"ok\", \"kernels\": ["
        "    {\"kernel\": \"spd-tree/spd_tree_raw4.comp\", \"subgroup_size\": 32,"
        "     \"registers\": 40, \"scalar_registers\": 128, \"scratch_bytes\": 32,"
        "     \"shared_bytes\": 17408, \"code_bytes\": 42752},"
        "    {\"kernel\": \"spd-tree/tail.comp\", \"registers\": 255, \"spills\": 3,"
        "     \"instructions\": 15432}]},"
        "  {\"format\": \"rgba8\", \"width\": 4096, \"height\": 4096, \"label\": \"blit\","
        "   \"status\": \"ok\", \"kernels\": []},"
        "  {\"format\": \"rgba8\", \"width\": 64, \"height\": 64, \"label\": \"raster\","
        "   \"status\": \"skipped\", \"reason\": \"rgba8 is not an sRGB format\"}]}";
    struct mb_json json;
    struct mb_err err = {0};
    must(mb_json_parse(&json, text, &err), &err);
    show(&json, 80, "80 columns");
    show(&json, 140, "140 columns");
    mb_json_finish(&json);
}

static void test_snapshot(void)
{
    snapshot_check("inspect");
}

int main(void)
{
    return CHECK_TESTS(test_figures, test_text, test_snapshot);
}
