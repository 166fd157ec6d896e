/* A timing in results.json: its blocks, its rows, and its rankings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "result/case_json.h"
#include "result/label.h"
#include "result/relate.h"

#define MAX_RATIO    1e9
#define MAX_AA_RATIO 100.0 /* a larger ratio would widen margins without limit */
#define MAX_COLUMNS  (2 * MB_MAX_VARIANTS + 1) /* older files have two columns per variant */
#define MAX_CELLS    ((size_t)1 << 26)         /* blocks x columns; short columns are padded */

/* Write or read both ends of an interval. */
static void interval_field(struct mb_node node, const char *key, double ci[2],
                           void (*field)(struct mb_node, const char *, double *))
{
    struct mb_list ends = mb_field_list(node, key);
    for (size_t i = 0; i < 2; i++) {
        field(mb_list_next(&ends), NULL, &ci[i]);
    }
}

void mb_stats_fields(struct mb_node parent, const char *key, struct mb_stats *stats)
{
    const struct {
        const char *key;
        double *value;
    } figures[] = {
        {"min_ns", &stats->min_ns}, {"p05_ns", &stats->p05_ns},
        {"p25_ns", &stats->p25_ns}, {"median_ns", &stats->median_ns},
        {"p75_ns", &stats->p75_ns}, {"p95_ns", &stats->p95_ns},
        {"max_ns", &stats->max_ns}, {"mean_ns", &stats->mean_ns},
        {"mad_ns", &stats->mad_ns}, {"median_ci_level", &stats->median_ci_level},
        {"lag1", &stats->lag1},     {"ashman_d", &stats->bimodality},
    };
    const struct mb_node node = mb_field_object_if(parent, key, stats->n > 0);
    uint64_t n = stats->n;
    mb_field_u64(node, "n", &n);
    stats->n = n;
    for (size_t i = 0; i < MB_COUNTOF(figures); i++) {
        mb_field_number(node, figures[i].key, figures[i].value);
    }
    mb_field_bool(node, "bimodal", &stats->is_bimodal);
    interval_field(node, "median_ci_ns", stats->median_ci_ns, mb_field_number);
}

static void relation_fields(struct mb_node node, struct mb_relation *relation)
{
    mb_field_rounded(node, "ratio", &relation->ratio);
    interval_field(node, "ci", relation->ci, mb_field_rounded);
    mb_field_limit(node, &relation->ratio, 1 / MAX_RATIO, MAX_RATIO);
    mb_field_limit(node, &relation->ci[0], 1 / MAX_RATIO, MAX_RATIO);
    mb_field_limit(node, &relation->ci[1], 1 / MAX_RATIO, MAX_RATIO);
}

/* "variant": writes the id of result `of`, or reads the index of the result with that id.
 * n_results: none. */
static size_t variant_field(struct mb_node node, const struct mb_case *c, size_t of)
{
    char id[MB_LABEL_BYTES] = "";
    size_t i = 0;
    if (of < c->n_results) {
        strcpy(id, c->results[of].slug);
    }
    mb_field_text(node, "variant", id, sizeof id);
    while (i < c->n_results && strcmp(c->results[i].slug, id) != 0) {
        i++;
    }
    return id[0] != '\0' ? i : c->n_results;
}

static void twin_field(struct mb_node parent, struct mb_timing *timing)
{
    const bool is_timed =
        timing->twin_of != SIZE_MAX && timing->rows[timing->twin_of].stats.n > 0;
    const struct mb_node node = mb_field_object_if(parent, "aa_control", is_timed);
    double margin = mb_relate_margin(timing);
    variant_field(node, timing->of, timing->twin_of); /* read from the twin's column */
    relation_fields(node, &timing->twin);
    mb_field_limit(node, &timing->twin.ratio, 1 / MAX_AA_RATIO, MAX_AA_RATIO);
    mb_field_rounded(node, "margin", &margin);
}

/* Rounds to a tenth of a nanosecond: durations are not known more precisely. */
static void duration_field(struct mb_node node, double *duration_ns)
{
    double rounded = round(10.0 * *duration_ns) / 10.0;
    mb_field_number(node, NULL, &rounded);
    *duration_ns = node.reader ? rounded : *duration_ns;
}

/* The samples of one column: one in each block. */
static void sample_lists(struct mb_node node, struct mb_samples *samples, size_t index)
{
    struct mb_list positions = mb_field_list(node, "positions");
    struct mb_list durations = mb_field_list(node, "durations_ns");
    struct mb_list parts =
        samples->n_parts > 0 ? mb_field_list(node, "parts_ns") : (struct mb_list){.n = 0};
    for (size_t i = 0; i < samples->n_blocks; i++) {
        struct mb_sample *sample = &samples->sample[i * samples->n_candidates + index];
        mb_field_u32(mb_list_next(&positions), NULL, &sample->position);
        duration_field(mb_list_next(&durations), &sample->duration_ns);
        if (samples->n_parts > 0) {
            struct mb_list values = mb_field_list(mb_list_next(&parts), NULL);
            for (size_t k = 0; k < samples->n_parts; k++) {
                duration_field(mb_list_next(&values), &sample->part_ns[k]);
            }
        }
    }
}

enum column_kind { COLUMN_SAMPLE, COLUMN_AA_CONTROL, N_COLUMN_KINDS };
static const char *const column_kinds[N_COLUMN_KINDS] = {"sample", "aa_control"};

/* The row that was sampled in a column, or n_results. */
static size_t row_of_column(const struct mb_timing *timing, size_t column)
{
    size_t i = 0;
    while (i < timing->of->n_results && timing->rows[i].column != column) {
        i++;
    }
    return i;
}

static void column_fields(struct mb_node node, struct mb_timing *timing, size_t index,
                          size_t row, enum column_kind kind)
{
    const size_t of = variant_field(node, timing->of, row);
    kind = (enum column_kind)mb_field_word(node, "kind", column_kinds, N_COLUMN_KINDS, kind,
                                           N_COLUMN_KINDS);
    sample_lists(node, &timing->samples, index);
    if (of == timing->of->n_results) {
        return;
    }
    if (kind == COLUMN_SAMPLE && timing->rows[of].column == SIZE_MAX) {
        timing->rows[of].column = index;
    } else if (kind == COLUMN_AA_CONTROL) {
        timing->twin_of = of;
        timing->twin_column = index;
    }
}

/* Columns: the rows that were timed, and the A/A twin. */
static void column_list(struct mb_node parent, struct mb_timing *timing)
{
    struct mb_list list = mb_field_list(parent, "columns");
    for (size_t i = 0; i < timing->samples.n_candidates; i++) {
        const bool is_twin = timing->twin_of != SIZE_MAX && timing->twin_column == i;
        const size_t row = is_twin ? timing->twin_of : row_of_column(timing, i);
        if (parent.reader || row < timing->of->n_results) {
            column_fields(mb_list_object(&list), timing, i, row,
                          is_twin ? COLUMN_AA_CONTROL : COLUMN_SAMPLE);
        }
    }
}

/* Allocate all columns, each as long as the longest. */
static bool make_samples(struct mb_node node, struct mb_samples *samples)
{
    const struct mb_list list = mb_field_list(node, "columns");
    const struct cJSON *parts = mb_json_elements(list.next, "parts_ns");
    const size_t n_parts = parts ? mb_json_count(parts, NULL) : 0;
    size_t n_blocks = 0;
    for (const struct cJSON *column = list.next; column; column = column->next) {
        const size_t n = mb_json_count(column, "durations_ns");
        n_blocks = n > n_blocks ? n : n_blocks;
    }
    if (list.n > MAX_COLUMNS || n_blocks * list.n > MAX_CELLS) {
        mb_field_refuse(node, "a timing has more than %d columns or %zu samples", MAX_COLUMNS,
                        MAX_CELLS);
        return false;
    }
    samples->n_parts = (uint32_t)(n_parts < MB_MAX_PARTS ? n_parts : MB_MAX_PARTS);
    samples->n_candidates = list.n;
    samples->n_blocks = (uint32_t)n_blocks;
    samples->block = mb_field_alloc(node, n_blocks, sizeof *samples->block);
    samples->sample = mb_field_alloc(node, n_blocks * list.n, sizeof *samples->sample);
    return !node.reader->failed;
}

/* The indices of the flagged blocks if `is_flag`, else of the repeated ones. */
static void block_list(struct mb_node parent, const char *key, struct mb_samples *samples,
                       bool is_flag)
{
    struct mb_list list = mb_field_list(parent, key);
    for (uint32_t i = 0; i < (parent.reader ? list.n : samples->n_blocks); i++) {
        const bool is_named = parent.reader || (is_flag ? samples->block[i].is_flagged
                                                        : !samples->block[i].is_kept);
        uint64_t at = i;
        if (is_named) {
            mb_field_u64(mb_list_next(&list), NULL, &at);
        }
        if (parent.reader && at < samples->n_blocks && is_flag) {
            samples->block[at].is_flagged = true;
        } else if (parent.reader && at < samples->n_blocks) {
            samples->block[at].is_kept = false;
        }
    }
}

static void block_fields(struct mb_node node, struct mb_samples *samples)
{
    struct mb_list start = mb_field_list(node, "start_ns");
    struct mb_list before = mb_field_list(node, "probe_before_ns");
    struct mb_list after = mb_field_list(node, "probe_after_ns");
    for (uint32_t i = 0; i < samples->n_blocks; i++) {
        struct mb_block *block = &samples->block[i];
        mb_field_u64(mb_list_next(&start), NULL, &block->start_ns);
        duration_field(mb_list_next(&before), &block->probe_ns[0]);
        duration_field(mb_list_next(&after), &block->probe_ns[1]);
        block->is_kept = node.reader || block->is_kept;
    }
    block_list(node, "flagged", samples, true);
    block_list(node, "repeated", samples, false);
    for (uint32_t i = 0; i < samples->n_blocks && node.reader; i++) {
        samples->n_kept += samples->block[i].is_kept;
    }
}

/* One array for each quantity, because a run has thousands of blocks. */
static void samples_field(struct mb_node parent, struct mb_timing *timing)
{
    struct mb_samples *samples = &timing->samples;
    const struct mb_node node = mb_field_object(parent, "blocks");
    if (!node.reader || make_samples(node, samples)) {
        block_fields(node, samples);
        column_list(node, timing);
    }
}

/* Throughput: how many chains each part of a sample holds. */
static void batch_fields(struct mb_node node, struct mb_row *row, uint32_t n_parts)
{
    if (n_parts == 0 || row->column == SIZE_MAX) {
        return;
    }
    struct mb_list chains = mb_field_list(node, "chains");
    for (uint32_t i = 0; i < n_parts; i++) {
        mb_field_u32(mb_list_next(&chains), NULL, &row->n_chains[i]);
    }
    mb_field_number(node, "fixed_ns", &row->fixed_ns);
}

void mb_relation_field(struct mb_node parent, struct mb_relation *relation)
{
    const struct mb_node node = mb_field_object_if(parent, "relative", !isnan(relation->ratio));
    relation_fields(node, relation);
    mb_field_rounded(node, "p_adjusted", &relation->p);
    mb_field_limit(node, &relation->p, 0, 1);
    relation->outcome = (enum mb_outcome)mb_field_word(
        node, "verdict", mb_outcome_names, MB_OUTCOME_INCONCLUSIVE + 1, relation->outcome,
        MB_OUTCOME_INCONCLUSIVE);
}

/* An unknown status comes from a later version and counts as a failure. */
static void status_fields(struct mb_node node, struct mb_row *row)
{
    struct mb_result *result = row->result;
    char reason[sizeof row->skipped];
    snprintf(reason, sizeof reason, "%s", mb_row_reason(row));
    const enum mb_result_status status = (enum mb_result_status)mb_field_word(
        node, "status", mb_result_status_names, 3, mb_row_status(row), MB_RESULT_FAILED);
    mb_field_text(node, "reason", reason, sizeof reason);
    if (status == MB_RESULT_SKIPPED && result->status != MB_RESULT_SKIPPED) {
        strcpy(row->skipped, reason[0] != '\0' ? reason : "skipped");
    } else if (status == MB_RESULT_FAILED && result->status != MB_RESULT_FAILED) {
        result->status = status;
        strcpy(result->reason, reason);
    }
}

static void row_fields(struct mb_node node, struct mb_row *row)
{
    double of_limit = mb_row_of_floor(row);
    status_fields(node, row);
    mb_stats_fields(node, "stats", &row->stats);
    mb_field_u32(node, "n_verified", &row->n_verified);
    mb_field_u32(node, "samples_dropped", &row->n_dropped);
    mb_field_rounded(node, "of_limit", &of_limit);
    mb_relation_field(node, &row->relation);
    batch_fields(node, row, row->timing->samples.n_parts);
    mb_warning_list(node, &row->warnings);
}

static void row_list(struct mb_node parent, struct mb_timing *timing)
{
    struct mb_list list = mb_field_list(parent, "rows");
    const size_t n = timing->of->n_results;
    for (size_t i = 0; i < n && parent.reader; i++) {
        strcpy(timing->rows[i].skipped, "no row of it"); /* until its row is read */
    }
    if (list.n > MB_MAX_VARIANTS) {
        mb_field_refuse(parent, "a timing has more than %d rows", MB_MAX_VARIANTS);
        return;
    }
    for (size_t i = 0; i < (parent.reader ? list.n : n); i++) {
        const struct mb_node node = mb_list_object(&list);
        const size_t of = variant_field(node, timing->of, i);
        struct mb_row *row = &timing->rows[of];
        if (node.reader && (of == n || row->result->label[0] == '\0' ||
                            row->result->strategy->name[0] == '\0')) {
            mb_field_refuse(node, "a row names no strategy");
            return;
        }
        row->skipped[0] = node.reader ? '\0' : row->skipped[0];
        row_fields(node, row);
    }
}

static void add_sentence(struct mb_json *json, struct cJSON *node,
                         const struct mb_ranking *ranking, enum mb_question question)
{
    MB_SCOPED(mb_strbuf) sentence = {0};
    if (question == ranking->timing->question) {
        mb_ranking_describe(&sentence, ranking);
    } else {
        mb_ranking_describe_cheaper(&sentence, ranking);
    }
    json->failed = json->failed || sentence.failed;
    mb_json_string(json, node, "sentence",
                   sentence.n_bytes > 0 ? mb_strbuf_text(&sentence) : NULL);
}

/* The id of row order[0] if that row is the winner and all others are slower, else NULL. */
static const char *find_winner(const struct mb_ranking *ranking, const size_t *order, size_t n)
{
    const struct mb_timing *timing = ranking->timing;
    bool is_clear = order[0] == ranking->winner;
    for (size_t i = 1; i < n && is_clear; i++) {
        is_clear = timing->rows[order[i]].relation.outcome == MB_OUTCOME_SLOWER;
    }
    return is_clear ? timing->of->results[order[0]].slug : NULL;
}

static void add_ranking(struct mb_json *json, struct cJSON *list,
                        const struct mb_ranking *ranking, enum mb_question question)
{
    const struct mb_timing *timing = ranking->timing;
    const struct mb_result *results = timing->of->results;
    size_t n;
    MB_FREED size_t *order = mb_ranking_order(timing, question, &n);
    json->failed = json->failed || order == NULL;
    if (n > 0) {
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "question", mb_question_names[question]);
        mb_json_string(json, node, "winner", find_winner(ranking, order, n));
        mb_json_string(json, node, "fastest", results[order[0]].slug);
        struct cJSON *tied = mb_json_array(json, node, "tied");
        struct cJSON *ids = mb_json_array(json, node, "order");
        for (size_t i = 0; i < n; i++) {
            const bool is_tied =
                question == timing->question && mb_ranking_is_tied(timing, order[i]);
            mb_json_string(json, is_tied ? tied : NULL, NULL, results[order[i]].slug);
            mb_json_string(json, ids, NULL, results[order[i]].slug);
        }
        add_sentence(json, node, ranking, question);
    }
}

void mb_report_rankings(struct mb_json *json, struct cJSON *parent,
                        const struct mb_ranking *ranking)
{
    struct cJSON *list = mb_json_array(json, parent, "rankings");
    if (ranking->run->validate || ranking->timing->fastest == SIZE_MAX) {
        return;
    }
    add_ranking(json, list, ranking, ranking->timing->question);
    if (ranking->timing->question == MB_QUESTION_EXACT) {
        add_ranking(json, list, ranking, MB_QUESTION_ANY);
    }
}

/* The floor, what sets it, and why sampling ended. */
static void limit_fields(struct mb_node node, struct mb_timing *timing)
{
    static const char *const bounds[] = {"memory", "dispatch"};
    struct mb_samples *samples = &timing->samples;
    const bool has_probe = samples->n_blocks > 0 && !isnan(samples->warm_probe_ns);
    mb_field_number(node, "floor_ns", &timing->floor_ns);
    timing->is_dispatch_bound =
        mb_field_word(mb_field_if(node, "bound_by", !isnan(timing->floor_ns)), "bound_by",
                      bounds, 2, timing->is_dispatch_bound, 0) == 1;
    samples->stop = (enum mb_stop)mb_field_word(
        mb_field_if(node, "stopped_by", samples->n_blocks > 0), "stopped_by", mb_stop_names,
        MB_STOP_INTERRUPTED + 1, samples->stop, MB_STOP_BLOCKS);
    mb_field_bool(mb_field_if(node, "clock_steady", has_probe), "clock_steady",
                  &samples->is_steady);
    mb_field_number(mb_field_if(node, "warm_probe_ns", has_probe), "warm_probe_ns",
                    &samples->warm_probe_ns);
}

static void timing_fields(struct mb_node node, const struct mb_run *run,
                          struct mb_timing *timing)
{
    timing->cache = (enum mb_cache)mb_field_known_word(node, "cache", mb_cache_names,
                                                       MB_N_CACHES, timing->cache);
    timing->mode = (enum mb_mode)mb_field_known_word(node, "mode", mb_mode_names, MB_N_MODES,
                                                     timing->mode);
    mb_field_u32(node, "images", &timing->n_rotated);
    mb_field_bool(node, "cache_swept", &timing->is_evicted);
    limit_fields(node, timing);
    twin_field(node, timing);
    samples_field(node, timing);
    row_list(node, timing);
    if (node.reader) {
        mb_ranking_choose(timing);
    } else {
        const struct mb_ranking ranking = mb_ranking_of(run, timing);
        mb_report_rankings(node.json, node.out, &ranking);
    }
}

void mb_timing_list(struct mb_node parent, struct mb_run *run, struct mb_case *c)
{
    struct mb_list list = mb_field_list(parent, "timings");
    const size_t n = mb_list_length(&list, c->n_timings, MB_MAX_CONDITIONS);
    if (list.n > MB_MAX_CONDITIONS) {
        mb_field_refuse(parent, "a case has more than %d timings", MB_MAX_CONDITIONS);
    }
    for (size_t i = 0; i < n && !mb_node_failed(parent); i++) {
        struct mb_timing *timing = parent.reader
                                       ? mb_case_add_timing(c, MB_CACHE_HOT, MB_MODE_LATENCY)
                                       : &c->timings[i];
        if (!timing) {
            parent.reader->failed = true;
            return;
        }
        timing_fields(mb_list_object(&list), run, timing);
    }
}
