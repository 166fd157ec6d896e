/* A check that cannot fail proves nothing: every defect of the wrong strategy must be found, by
 * name and place, through the same path that judges the product's strategies. */
#include "../unit/check.h"
#include "base/alloc.h"
#include "harness.h"
#include "wrong_strategy.h"

/* Where the first bad texel must be. */
static const struct {
    const char *label;
    bool passes;
    uint32_t level, x, y;
    int channel; /* -1: any */
} expected[N_DEFECTS] = {
    [DEFECT_NONE] = {"wrong", true, 0, 0, 0, 0},
    [DEFECT_DROP_ROW] = {"wrong:defect=drop-row", false, 1, 0, 0, -1},
    [DEFECT_SWAP] = {"wrong:defect=swap", false, 2, 0, 0, 0},
    [DEFECT_UNWRITTEN] = {"wrong:defect=unwritten", false, 1, 3, 2, -1},
    [DEFECT_BIAS] = {"wrong:defect=bias", false, 1, 0, 0, 0},
    [DEFECT_HALF_BIAS] = {"wrong:defect=half-bias", false, 1, 0, 0, -1},
    [DEFECT_LEVEL0] = {"wrong:defect=level0", false, 0, 0, 0, 0},
    [DEFECT_SKIP_LEVEL] = {"wrong:defect=skip-level", false, 2, 0, 0, 0},
    [DEFECT_TRUNCATE] = {"wrong:defect=truncate", false, 1, 1, 0, 0},
};

static void check_result(const struct mb_result *result, size_t defect)
{
    const struct mb_bad_texel *bad = &result->verdict.first_bad;
    CHECK_EQ_STR(result->label, expected[defect].label);
    if (expected[defect].passes) {
        CHECK_EQ_INT(result->status, MB_RESULT_OK);
        CHECK_EQ_INT(result->verify, MB_VERIFY_PASS);
        return;
    }
    printf("%s: %s\n", result->label, result->reason);
    CHECK_EQ_INT(result->status, MB_RESULT_FAILED);
    CHECK_EQ_INT(result->verify, MB_VERIFY_FAIL);
    CHECK(bad->found);
    CHECK_EQ_INT(bad->level, expected[defect].level);
    CHECK_EQ_INT(bad->x, expected[defect].x);
    CHECK_EQ_INT(bad->y, expected[defect].y);
    if (expected[defect].channel >= 0) {
        CHECK_EQ_INT(bad->channel, expected[defect].channel);
    }
    CHECK(strstr(result->reason, "level") != NULL);
}

static void check_all(const struct mb_gpu *gpu)
{
    static const struct mb_strategy *const table[] = {&mb_strategy_wrong, NULL};
    const char *spec = "wrong:*";
    struct mb_row *rows = NULL;
    size_t n_rows = 0;
    struct mb_cell cell = {0};
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_plan_rows(table, &spec, 1, &rows, &n_rows, &err), MB_OK);
    CHECK_EQ_INT(n_rows, N_DEFECTS);
    CHECK(mb_test_run_cell(gpu, rows, n_rows, "noise", (struct mb_extent){33, 17}, &cell));
    CHECK_EQ_INT(cell.n_results, N_DEFECTS);
    for (size_t i = 0; i < cell.n_results && i < N_DEFECTS; i++) {
        check_result(&cell.results[i], i);
    }
    CHECK_EQ_INT(cell.fastest, DEFECT_NONE); /* however fast, what is wrong has no rank */
    mb_cell_finish(&cell);
    mb_free(rows);
}

int main(void)
{
    struct mb_gpu gpu = {0};
    const int opened = mb_test_open(&gpu, false);
    if (opened != 0) {
        return opened;
    }
    check_all(&gpu);
    mb_gpu_finish(&gpu);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return check_summary("wrong");
}
