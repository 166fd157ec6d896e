/* Finds the same test in several runs. */
#include "compare/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "result/label.h"

int mb_series_compare(const void *a, const void *b)
{
    const struct mb_series *x = a, *y = b;
    for (size_t i = 0; i < x->n && i < y->n; i++) {
        if (x->values[i] < y->values[i] || x->values[i] > y->values[i]) {
            return x->values[i] < y->values[i] ? -1 : 1;
        }
    }
    return (x->n > y->n) - (x->n < y->n);
}

size_t mb_runs_once(const struct mb_run_group *group, const struct mb_run **runs)
{
    size_t n = 0;
    for (size_t i = 0; i < group->n_files; i++) {
        size_t at = 0;
        while (at < n && strcmp(runs[at]->sha256, group->files[i].sha256) != 0) {
            at++;
        }
        if (at == n) {
            runs[n++] = &group->files[i];
        }
    }
    return n;
}

static bool is_failed(const struct mb_row *row)
{
    return mb_row_status(row) == MB_RESULT_FAILED || row->result->verify == MB_VERIFY_FAIL;
}

size_t mb_row_n_samples(const struct mb_row *row)
{
    return row->column == SIZE_MAX ? 0 : row->timing->samples.n_kept;
}

size_t mb_row_n_bad_samples(const struct mb_row *row)
{
    const struct mb_samples *samples = &row->timing->samples;
    size_t n = 0;
    for (size_t i = 0; row->column != SIZE_MAX && i < samples->n_blocks; i++) {
        const double ns = samples->sample[i * samples->n_candidates + row->column].duration_ns;
        n += samples->block[i].is_kept && !(ns >= MB_SAMPLE_MIN_NS && ns <= MB_SAMPLE_MAX_NS);
    }
    return n;
}

bool mb_is_usable(const struct mb_row *row)
{
    return row != NULL && mb_row_status(row) == MB_RESULT_OK && !is_failed(row) &&
           mb_row_n_samples(row) > 0 && mb_row_n_bad_samples(row) == 0;
}

/* Separates the parts of a key: a control character, which no part contains. */
#define KEY_SEPARATOR "\x1f"

/* The identity of an input: of a pattern its name, whatever the seed; of a file its digest. */
static const char *input_of(const struct mb_case *c)
{
    const bool is_pattern = strncmp(c->input, "pattern:", 8) == 0;
    return is_pattern || c->input_sha256[0] == '\0' ? c->input : c->input_sha256;
}

static enum mb_status make_key(const struct mb_row *row, struct mb_test *test,
                               struct mb_err *err)
{
    static const char sep[] = KEY_SEPARATOR;
    const struct mb_case *c = row->timing->of;
    const struct mb_layout *layout = &c->layout;
    const struct mb_rect rect = c->task.rect;
    MB_SCOPED(mb_strbuf) key = {0};
    mb_strbuf_printf(&key, "%s%s", row->result->label, sep);
    test->timing_at = key.n_bytes;
    mb_strbuf_printf(&key, "%s%s%u%s%u%s%u%s%u%s%s%s", input_of(c), sep, layout->base.width,
                     sep, layout->base.height, sep, layout->n_layers, sep, layout->n_levels,
                     sep, mb_reduce_names[c->task.reduce], sep);
    test->alpha_at = key.n_bytes;
    mb_strbuf_printf(&key, "%s%s%s%s%s%s%s%s", mb_alpha_names[c->task.alpha], sep,
                     mb_shape_names[mb_case_shape(c)], sep, mb_cache_names[row->timing->cache],
                     sep, mb_mode_names[row->timing->mode], sep);
    if (c->task.is_update) {
        mb_strbuf_printf(&key, "%u%s%u%s%u%s%u%s", rect.x, sep, rect.y, sep, rect.width, sep,
                         rect.height, sep);
    }
    mb_strbuf_append(&key,
                     c->image_usage == MB_IMAGE_USAGE_NEEDED ? "needed" KEY_SEPARATOR : "");
    mb_strbuf_append(&key, layout->format->name);
    MB_DO(mb_strbuf_check(&key, err));
    test->key = key.text;
    key.text = NULL;
    return MB_OK;
}

/* A hash table that finds tests by their keys. */
struct table {
    struct mb_test **slots; /* some are NULL */
    size_t n_slots, n_runs;
};

static const struct mb_row *either(const struct mb_row *first, const struct mb_row *row)
{
    return first != NULL ? first : row;
}

/* Find the test with the row's key, or add one. */
static enum mb_status find_test(struct mb_tests *tests, const struct table *table,
                                const struct mb_row *row, struct mb_test **found,
                                struct mb_err *err)
{
    struct mb_test *fresh = &tests->tests[tests->n];
    MB_DO(make_key(row, fresh, err));
    size_t at = (size_t)(mb_seed_of(0, fresh->key) % table->n_slots);
    while (table->slots[at] != NULL && strcmp(table->slots[at]->key, fresh->key) != 0) {
        at = (at + 1) % table->n_slots;
    }
    if (table->slots[at] == NULL) {
        fresh->of = tests->cells + tests->n++ * table->n_runs;
        table->slots[at] = fresh;
    } else {
        mb_free(fresh->key);
        *fresh = (struct mb_test){0};
    }
    *found = table->slots[at];
    return MB_OK;
}

static enum mb_status match_rows(const struct mb_side_runs *side, size_t first_run,
                                 const struct table *table, struct mb_tests *tests,
                                 struct mb_err *err)
{
    for (size_t i = 0; i < side->n_runs; i++) {
        struct mb_rows rows = {.run = side->runs[i]};
        for (const struct mb_row *row; (row = mb_rows_next(&rows)) != NULL;) {
            struct mb_test *test;
            MB_DO(find_test(tests, table, row, &test, err));
            test->of[first_run + i] = either(test->of[first_run + i], row);
        }
    }
    return MB_OK;
}

/* Add a row to the repeats of its test. `series` has room for one more, and out->samples_ns for
 * the samples of the row. */
static void note_row(struct mb_repeats *out, struct mb_series *series, const struct mb_run *run,
                     const struct mb_row *row)
{
    const bool is_ok = mb_row_status(row) == MB_RESULT_OK;
    out->first = either(out->first, row);
    out->is_verified = out->is_verified || (is_ok && row->result->verify == MB_VERIFY_PASS);
    /* fmax ignores the NaN of an unknown timer. */
    out->granule_ns = fmax(out->granule_ns, run->timer.granularity_gcd_ns);
    if (is_failed(row)) {
        out->failed_path = out->failed != NULL ? out->failed_path : run->path;
        out->failed = either(out->failed, row);
    } else if (mb_is_usable(row)) {
        double *samples_ns = out->samples_ns + out->n_samples;
        const size_t n = mb_row_n_samples(row);
        out->usable = either(out->usable, row);
        mb_samples_column(&row->timing->samples, row->column, samples_ns);
        series[out->runs.n++] = (struct mb_series){.values = samples_ns, .n = n};
        out->n_samples += n;
        out->is_unchecked = out->is_unchecked || row->result->verify == MB_VERIFY_SKIPPED;
    } else if (is_ok) {
        out->lost = either(out->lost, row);
    }
}

/* Gather the rows of one test, of[n_runs]: a row for each run of a side; NULL: the run lacks
 * the test. */
static enum mb_status gather(const struct mb_side_runs *side, const struct mb_row *const *of,
                             struct mb_repeats *repeats, struct mb_err *err)
{
    size_t n_twins = 0, n_samples = 0;
    for (size_t run = 0; run < side->n_runs; run++) {
        n_samples += of[run] != NULL ? mb_row_n_samples(of[run]) : 0;
    }
    MB_FREED double *distances = mb_alloc(side->n_runs, sizeof *distances);
    struct mb_series *series = mb_alloc(side->n_runs, sizeof *series);
    *repeats = (struct mb_repeats){
        .runs.series = series,
        .samples_ns = mb_alloc(n_samples, sizeof *repeats->samples_ns),
    };
    MB_DO(MB_NEED(distances && series && repeats->samples_ns, "comparison"));
    for (size_t run = 0; run < side->n_runs; run++) {
        if (of[run] != NULL) {
            note_row(repeats, series, side->runs[run], of[run]);
        }
        if (of[run] != NULL && isfinite(of[run]->timing->twin.ratio)) {
            distances[n_twins++] = fabs(of[run]->timing->twin.ratio - 1);
        }
    }
    qsort(series, repeats->runs.n, sizeof *series, mb_series_compare);
    /* The median, since a twin that is off in one run of many is chance. */
    repeats->aa_distance = n_twins > 0 ? mb_median(distances, n_twins) : 0;
    return MB_OK;
}

static size_t count_rows(const struct mb_side_runs *side)
{
    size_t n = 0;
    for (size_t i = 0; i < side->n_runs; i++) {
        struct mb_rows rows = {.run = side->runs[i]};
        while (mb_rows_next(&rows) != NULL) {
            n++;
        }
    }
    return n;
}

enum mb_status mb_match_runs(const struct mb_side_runs *sides, int n_sides,
                             struct mb_tests *tests, struct mb_err *err)
{
    enum mb_status status;
    size_t n_most = 1, n_runs = 0; /* 1: find_test() fills a spare test before it searches */
    for (int side = 0; side < n_sides; side++) {
        n_most += count_rows(&sides[side]);
        n_runs += sides[side].n_runs;
    }
    *tests = (struct mb_tests){
        .tests = mb_alloc(n_most, sizeof *tests->tests),
        .cells = mb_alloc(n_most * n_runs, sizeof *tests->cells),
    };
    const size_t n_slots = 2 * n_most + 1;
    MB_FREED struct mb_test **slots = mb_alloc(n_slots, sizeof *slots);
    const struct table table = {.slots = slots, .n_slots = n_slots, .n_runs = n_runs};
    MB_TRY(MB_NEED(tests->tests && tests->cells && slots, "comparison"));
    for (int side = 0, first = 0; side < n_sides; first += (int)sides[side++].n_runs) {
        MB_TRY(match_rows(&sides[side], (size_t)first, &table, tests, err));
    }
    for (size_t i = 0; i < tests->n; i++) {
        const struct mb_row *const *of = tests->tests[i].of;
        for (int side = 0; side < n_sides; of += sides[side++].n_runs) {
            MB_TRY(gather(&sides[side], of, &tests->tests[i].side[side], err));
        }
    }
    return MB_OK;
fail:
    mb_tests_finish(tests);
    return status;
}

void mb_tests_finish(struct mb_tests *tests)
{
    for (size_t i = 0; i < tests->n; i++) {
        mb_free(tests->tests[i].key);
        for (int side = 0; side < MB_N_SIDES; side++) {
            mb_free((void *)tests->tests[i].side[side].runs.series);
            mb_free(tests->tests[i].side[side].samples_ns);
        }
    }
    mb_free(tests->tests);
    mb_free(tests->cells);
    *tests = (struct mb_tests){0};
}

uint64_t mb_seed_of(uint64_t seed, const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    }
    return seed + hash;
}
