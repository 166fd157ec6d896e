/* Finding the same thing in several runs. */
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

static bool is_same_row(const struct mb_row *a, const struct mb_row *b)
{
    const struct mb_samples *x = &a->timing->samples, *y = &b->timing->samples;
    bool is_same = strcmp(a->result->label, b->result->label) == 0 &&
                   strcmp(a->result->strategy->name, b->result->strategy->name) == 0 &&
                   strcmp(mb_timing_place(a->timing).s, mb_timing_place(b->timing).s) == 0 &&
                   (a->column == SIZE_MAX) == (b->column == SIZE_MAX) &&
                   x->n_blocks == y->n_blocks;
    for (size_t i = 0; is_same && a->column != SIZE_MAX && i < x->n_blocks; i++) {
        const double own_ns = x->duration_ns[i * x->n_candidates + a->column];
        const double other_ns = y->duration_ns[i * y->n_candidates + b->column];
        is_same = memcmp(&own_ns, &other_ns, sizeof own_ns) == 0; /* NaN is like NaN */
    }
    return is_same;
}

/* An id is of a second and a device: short runs may share it, but no samples. */
static bool is_same_run(const struct mb_run *a, const struct mb_run *b)
{
    struct mb_rows rows_a = {.run = a}, rows_b = {.run = b};
    size_t n_samples = 0;
    if (strcmp(a->path, b->path) == 0 || strcmp(a->id, b->id) != 0) {
        return strcmp(a->path, b->path) == 0;
    }
    for (;;) {
        const struct mb_row *x = mb_rows_next(&rows_a), *y = mb_rows_next(&rows_b);
        if (x == NULL || y == NULL) {
            return x == y && n_samples > 0;
        }
        if (!is_same_row(x, y)) {
            return false;
        }
        n_samples += mb_row_n_samples(x);
    }
}

size_t mb_first_of_run(const struct mb_run_group *group, size_t i)
{
    size_t first = 0;
    while (first < i && !is_same_run(&group->files[first], &group->files[i])) {
        first++;
    }
    return first;
}

size_t mb_runs_once(const struct mb_run_group *group, const struct mb_run **runs)
{
    size_t n = 0;
    for (size_t i = 0; i < group->n_files; i++) {
        if (mb_first_of_run(group, i) == i) {
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
        const double ns = samples->duration_ns[i * samples->n_candidates + row->column];
        n += samples->block[i].is_kept && !(ns >= MB_SAMPLE_MIN_NS && ns <= MB_SAMPLE_MAX_NS);
    }
    return n;
}

bool mb_is_usable(const struct mb_row *row)
{
    return row != NULL && mb_row_status(row) == MB_RESULT_OK && !is_failed(row) &&
           mb_row_n_samples(row) > 0 && mb_row_n_bad_samples(row) == 0;
}

/* Between parts of a key: a control character, which no value of ours has. */
#define KEY_SEPARATOR "\x1f"

/* The texels of a pattern follow from its name and the seed, so that two seeds still measure
 * the same thing; a file is known by its contents. */
static const char *input_of(const struct mb_case *c)
{
    const bool is_pattern = strncmp(c->input, "pattern:", 8) == 0;
    return is_pattern || c->input_sha256[0] == '\0' ? c->input : c->input_sha256;
}

static enum mb_status make_key(const struct mb_row *row, struct mb_match *match,
                               struct mb_err *err)
{
    static const char sep[] = KEY_SEPARATOR;
    const struct mb_case *c = row->timing->of;
    const struct mb_layout *layout = &c->layout;
    const struct mb_rect rect = c->task.rect;
    MB_SCOPED(mb_strbuf) key = {0};
    mb_strbuf_printf(&key, "%s%s", row->result->label, sep);
    match->timing_at = key.n_bytes;
    mb_strbuf_printf(&key, "%s%s%u%s%u%s%u%s%u%s%s%s", input_of(c), sep, layout->base.width,
                     sep, layout->base.height, sep, layout->n_layers, sep, layout->n_levels,
                     sep, mb_case_reduce(c), sep);
    match->alpha_at = key.n_bytes;
    mb_strbuf_printf(&key, "%s%s%s%s%s%s%s%s",
                     c->alpha_word ? c->alpha_word : mb_alpha_name(c->task.alpha), sep,
                     c->shape_word ? c->shape_word : mb_shape_names[mb_case_shape(c)], sep,
                     mb_timing_cache(row->timing), sep, mb_timing_mode(row->timing), sep);
    if (c->task.is_update) {
        mb_strbuf_printf(&key, "%u%s%u%s%u%s%u%s", rect.x, sep, rect.y, sep, rect.width, sep,
                         rect.height, sep);
    }
    mb_strbuf_append(&key,
                     c->image_usage == MB_IMAGE_USAGE_NEEDED ? "needed" KEY_SEPARATOR : "");
    mb_strbuf_append(&key, layout->format->name);
    return mb_strbuf_take(&key, &match->key, err);
}

/* Matches by the hash of their key. */
struct table {
    struct mb_match **slots; /* some are NULL */
    size_t n_slots, n_runs;
};

/* The first match of the row's key that the run has given nothing to, as the run's rows come in
 * order; a new one where there is none. */
static enum mb_status find_open(struct mb_matches *matches, const struct table *table,
                                const struct mb_row *row, size_t run, struct mb_match **open,
                                struct mb_err *err)
{
    struct mb_match *fresh = &matches->match[matches->n];
    MB_DO(make_key(row, fresh, err));
    size_t at = (size_t)(mb_seed_of(0, fresh->key) % table->n_slots);
    for (; table->slots[at] != NULL; at = (at + 1) % table->n_slots) {
        const bool is_same = strcmp(table->slots[at]->key, fresh->key) == 0;
        if (is_same && table->slots[at]->of[run] == NULL) {
            break;
        }
        fresh->occurrence += is_same;
    }
    if (table->slots[at] == NULL) {
        fresh->of = matches->cells + matches->n++ * table->n_runs;
        table->slots[at] = fresh;
    } else {
        mb_free(fresh->key);
        *fresh = (struct mb_match){0};
    }
    *open = table->slots[at];
    return MB_OK;
}

static enum mb_status match_rows(const struct mb_run *const *runs, const struct table *table,
                                 struct mb_matches *matches, struct mb_err *err)
{
    for (size_t run = 0; run < table->n_runs; run++) {
        struct mb_rows rows = {.run = runs[run]};
        for (const struct mb_row *row; (row = mb_rows_next(&rows)) != NULL;) {
            struct mb_match *match;
            MB_DO(find_open(matches, table, row, run, &match, err));
            match->of[run] = row;
            if (mb_is_usable(row)) {
                match->usable = match->usable != NULL ? match->usable : row;
            }
        }
    }
    return MB_OK;
}

enum mb_status mb_match_runs(const struct mb_run *const *runs, size_t n_runs,
                             struct mb_matches *matches, struct mb_err *err)
{
    enum mb_status status;
    size_t n_most = 1; /* and one that is matched before it is known */
    for (size_t run = 0; run < n_runs; run++) {
        struct mb_rows rows = {.run = runs[run]};
        while (mb_rows_next(&rows) != NULL) {
            n_most++;
        }
    }
    *matches = (struct mb_matches){
        .match = mb_alloc(n_most, sizeof *matches->match),
        .cells = mb_alloc(n_most * n_runs, sizeof *matches->cells),
    };
    const size_t n_slots = 2 * n_most + 1;
    MB_FREED struct mb_match **slots = mb_alloc(n_slots, sizeof *slots);
    const struct table table = {.slots = slots, .n_slots = n_slots, .n_runs = n_runs};
    MB_TRY(MB_NEED(matches->match && matches->cells && slots, "comparison"));
    MB_TRY(match_rows(runs, &table, matches, err));
    return MB_OK;
fail:
    mb_matches_finish(matches);
    return status;
}

void mb_matches_finish(struct mb_matches *matches)
{
    for (size_t i = 0; i < matches->n; i++) {
        mb_free(matches->match[i].key);
    }
    mb_free(matches->match);
    mb_free(matches->cells);
    *matches = (struct mb_matches){0};
}

/* `series` has room for one more, and `samples_ns` for its samples. */
static void note_row(struct mb_found *found, struct mb_series *series, const struct mb_run *run,
                     const struct mb_row *row)
{
    const bool is_ok = mb_row_status(row) == MB_RESULT_OK;
    found->first = found->first != NULL ? found->first : row;
    found->is_verified = found->is_verified || (is_ok && row->result->verify == MB_VERIFY_PASS);
    /* fmax ignores the NaN of a timer that is not known. */
    found->granule_ns = fmax(found->granule_ns, run->timer.granularity_gcd_ns);
    if (is_failed(row)) {
        found->failed_path = found->failed != NULL ? found->failed_path : run->path;
        found->failed = found->failed != NULL ? found->failed : row;
    } else if (mb_is_usable(row)) {
        double *samples_ns = found->samples_ns + found->n_samples;
        const size_t n = mb_row_n_samples(row);
        found->usable = found->usable != NULL ? found->usable : row;
        found->n_least = found->runs.n == 0 || n < found->n_least ? n : found->n_least;
        mb_samples_column(&row->timing->samples, row->column, samples_ns);
        series[found->runs.n++] = (struct mb_series){.values = samples_ns, .n = n};
        found->n_samples += n;
        found->is_unchecked = found->is_unchecked || row->result->verify == MB_VERIFY_SKIPPED;
    } else if (is_ok) {
        found->lost = found->lost != NULL ? found->lost : row;
    }
}

enum mb_status mb_found_gather(const struct mb_run *const *runs, size_t n_runs,
                               const struct mb_match *match, size_t first,
                               struct mb_found *found, struct mb_err *err)
{
    const struct mb_row **of = match->of + first;
    size_t n_twins = 0, n_samples = 0;
    for (size_t run = 0; run < n_runs; run++) {
        n_samples += of[run] != NULL ? mb_row_n_samples(of[run]) : 0;
    }
    MB_FREED double *distances = mb_alloc(n_runs, sizeof *distances);
    struct mb_series *series = mb_alloc(n_runs, sizeof *series);
    *found = (struct mb_found){
        .match = match,
        .runs.series = series,
        .samples_ns = mb_alloc(n_samples, sizeof *found->samples_ns),
    };
    MB_DO(MB_NEED(distances && series && found->samples_ns, "comparison"));
    for (size_t run = 0; run < n_runs; run++) {
        if (of[run] != NULL) {
            note_row(found, series, runs[run], of[run]);
        }
        if (of[run] != NULL && isfinite(of[run]->timing->twin.ratio)) {
            distances[n_twins++] = fabs(of[run]->timing->twin.ratio - 1);
        }
    }
    qsort(series, found->runs.n, sizeof *series, mb_series_compare);
    /* The median: a twin that is off in one run of many is that run's ill luck. */
    found->aa_distance = n_twins > 0 ? mb_median(distances, n_twins) : 0;
    return MB_OK;
}

void mb_found_finish(struct mb_found *found)
{
    mb_free((void *)found->runs.series);
    mb_free(found->samples_ns);
    *found = (struct mb_found){0};
}

uint64_t mb_seed_of(uint64_t seed, const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    }
    return seed + hash;
}
