/* Parts of results.json that are about measurement. */
#include "bench/report_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/relate.h"

#define ID_BYTES 400

void mb_report_cell_id(const struct mb_cell *cell, char *out, size_t out_bytes)
{
    char folder[256];
    mb_cell_folder(cell, folder, sizeof folder);
    snprintf(out, out_bytes, "%s/%s-%s", folder, mb_cache_name(cell->cache),
             mb_mode_name(cell->mode));
}

void mb_report_result_id(const struct mb_cell *cell, const struct mb_result *result, char *out,
                         size_t out_bytes)
{
    char folder[256];
    mb_cell_folder(cell, folder, sizeof folder);
    snprintf(out, out_bytes, "%s/%s/%s-%s", folder, result->slug, mb_cache_name(cell->cache),
             mb_mode_name(cell->mode));
}

void mb_report_stats(struct mb_json *json, struct cJSON *parent, const char *key,
                     const struct mb_stats *stats)
{
    const struct {
        const char *key;
        double value;
    } figures[] = {
        {"min_ns", stats->min_ns}, {"p05_ns", stats->p05_ns},
        {"p25_ns", stats->p25_ns}, {"median_ns", stats->median_ns},
        {"p75_ns", stats->p75_ns}, {"p95_ns", stats->p95_ns},
        {"max_ns", stats->max_ns}, {"mean_ns", stats->mean_ns},
        {"mad_ns", stats->mad_ns}, {"median_ci_level", stats->median_ci_level},
        {"lag1", stats->lag1},     {"ashman_d", stats->bimodality},
    };
    struct cJSON *node = mb_json_object(json, parent, key);
    mb_json_u64(json, node, "n", stats->n);
    for (size_t i = 0; i < MB_COUNTOF(figures); i++) {
        /* Zeroed statistics of a result that was never measured are no figures. */
        mb_json_number(json, node, figures[i].key, stats->n > 0 ? figures[i].value : NAN);
    }
    mb_json_bool(json, node, "bimodal", stats->n > 0 && stats->is_bimodal);
    if (stats->n > 0) {
        mb_json_numbers(json, node, "median_ci_ns", stats->median_ci_ns, 2);
    } else {
        mb_json_null(json, node, "median_ci_ns");
    }
}

static void add_bandwidth(struct mb_json *json, struct cJSON *list,
                          const struct mb_bandwidth *bandwidth)
{
    if (!(bandwidth->gbps > 0.0)) {
        return; /* not measured */
    }
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "traffic", mb_traffic_name(bandwidth->traffic));
    mb_json_string(json, node, "on", bandwidth->is_image ? "image" : "buffer");
    mb_json_u64(json, node, "footprint_bytes", bandwidth->footprint_bytes);
    mb_json_u64(json, node, "workgroup_size", bandwidth->workgroup_size);
    mb_json_u64(json, node, "items", bandwidth->n_items);
    mb_json_number(json, node, "duration_ns", bandwidth->duration_ns);
    mb_json_number(json, node, "gbps", bandwidth->gbps);
}

void mb_report_roofline(struct mb_json *json, const struct mb_roofline *roofline)
{
    struct cJSON *node = mb_json_object(json, json->root, "roofline");
    const bool is_measured = !isnan(roofline->ceiling_gbps);
    mb_json_number(json, node, "ceiling_gbps", roofline->ceiling_gbps);
    mb_json_number(json, node, "null_dispatch_ns",
                   is_measured ? roofline->null_dispatch_ns : NAN);
    mb_json_number(json, node, "null_barrier_ns",
                   is_measured ? roofline->null_barrier_ns : NAN);
    mb_json_u64(json, node, "llc_bytes", roofline->llc_bytes);
    mb_json_string(json, node, "llc_source", roofline->llc_source);
    struct cJSON *large = mb_json_array(json, node, "large");
    for (size_t i = 0; is_measured && i < 2 * MB_N_TRAFFICS; i++) {
        add_bandwidth(json, large, &roofline->best[i / MB_N_TRAFFICS][i % MB_N_TRAFFICS]);
    }
    struct cJSON *sweep = mb_json_array(json, node, "read_sweep");
    for (size_t i = 0; i < roofline->n_sweep; i++) {
        add_bandwidth(json, sweep, &roofline->sweep[i]);
    }
}

static void add_relation(struct mb_json *json, struct cJSON *node,
                         const struct mb_relation *relation)
{
    mb_json_number(json, node, "ratio", relation->ratio);
    mb_json_numbers(json, node, "ci", relation->ci, 2);
}

static void add_twin(struct mb_json *json, struct cJSON *parent, const struct mb_cell *cell)
{
    if (cell->twin_of >= cell->n_results || cell->results[cell->twin_of].n_samples == 0) {
        mb_json_null(json, parent, "aa_control");
        return;
    }
    struct cJSON *node = mb_json_object(json, parent, "aa_control");
    mb_json_string(json, node, "of", cell->results[cell->twin_of].label);
    add_relation(json, node, &cell->twin);
    mb_json_number(json, node, "margin", mb_relate_margin(cell));
    struct cJSON *samples = mb_json_array(json, node, "samples_ns");
    for (uint32_t i = 0; i < cell->samples.n_blocks; i++) {
        if (cell->samples.block[i].is_kept) {
            mb_json_number(
                json, samples, NULL,
                cell->samples.duration_ns[i * cell->samples.n_candidates + cell->twin_column]);
        }
    }
}

/* The result whose samples, or those of its null twin, are in `column`; NULL: none. */
static const struct mb_result *find_column(const struct mb_cell *cell, size_t column)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        if (cell->results[i].column == column) {
            return &cell->results[i];
        }
    }
    return NULL;
}

/* What each column of the blocks' samples is of: the results, the A/A twin, the null twins. */
static void add_columns(struct mb_json *json, struct cJSON *parent, const struct mb_cell *cell)
{
    struct cJSON *list = mb_json_array(json, parent, "columns");
    const bool has_twin = cell->twin_of < cell->n_results;
    for (size_t i = 0; i < cell->samples.n_candidates; i++) {
        const bool is_twin = has_twin && i == cell->twin_column;
        const bool is_null = has_twin && i > cell->twin_column;
        const struct mb_result *of =
            is_twin ? &cell->results[cell->twin_of]
                    : find_column(cell, is_null ? i - cell->twin_column - 1 : i);
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "of", of ? of->label : NULL);
        mb_json_string(json, node, "kind",
                       is_twin   ? "aa_control"
                       : is_null ? "null_twin"
                                 : "result");
    }
}

static void add_durations(struct mb_json *json, struct cJSON *list, const double *duration_ns,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mb_json_number(json, list, NULL, round(10.0 * duration_ns[i]) / 10.0);
    }
}

/* Everything that was sampled, block by block and column by column. */
static void add_raw(struct mb_json *json, struct cJSON *parent,
                    const struct mb_samples *samples)
{
    const size_t n_columns = samples->n_candidates;
    struct cJSON *positions = mb_json_array(json, parent, "positions");
    struct cJSON *durations = mb_json_array(json, parent, "durations_ns");
    struct cJSON *parts = mb_json_array(json, parent, "parts_ns");
    for (size_t i = 0; i < samples->n_blocks; i++) {
        struct cJSON *position = mb_json_array(json, positions, NULL);
        for (size_t k = 0; k < n_columns; k++) {
            mb_json_u64(json, position, NULL, samples->position[i * n_columns + k]);
        }
        add_durations(json, mb_json_array(json, durations, NULL),
                      samples->duration_ns + i * n_columns, n_columns);
        struct cJSON *part = samples->n_parts > 0 ? mb_json_array(json, parts, NULL) : NULL;
        for (size_t k = 0; samples->n_parts > 0 && k < n_columns; k++) {
            add_durations(json, mb_json_array(json, part, NULL),
                          samples->part_ns + (i * n_columns + k) * samples->n_parts,
                          samples->n_parts);
        }
    }
}

/* By block, as arrays: a run has thousands. */
static void add_blocks(struct mb_json *json, struct cJSON *parent, const struct mb_cell *cell)
{
    const struct mb_samples *samples = &cell->samples;
    struct cJSON *node = mb_json_object(json, parent, "blocks");
    struct cJSON *start = mb_json_array(json, node, "start_ns");
    struct cJSON *before = mb_json_array(json, node, "probe_before_ns");
    struct cJSON *after = mb_json_array(json, node, "probe_after_ns");
    struct cJSON *flagged = mb_json_array(json, node, "flagged");
    struct cJSON *repeated = mb_json_array(json, node, "repeated");
    for (uint32_t i = 0; i < samples->n_blocks; i++) {
        const struct mb_block *block = &samples->block[i];
        mb_json_u64(json, start, NULL, block->start_ns);
        mb_json_number(json, before, NULL, block->probe_ns[0]);
        mb_json_number(json, after, NULL, block->probe_ns[1]);
        if (block->is_flagged) {
            mb_json_u64(json, flagged, NULL, i);
        }
        if (!block->is_kept) {
            mb_json_u64(json, repeated, NULL, i);
        }
    }
    add_columns(json, node, cell);
    add_raw(json, node, samples);
}

static void add_usage(struct mb_json *json, struct cJSON *node, const struct mb_cell *cell)
{
    static const struct {
        VkImageUsageFlagBits bit;
        const char *name;
    } names[] = {
        {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, "transfer_src"},
        {VK_IMAGE_USAGE_TRANSFER_DST_BIT, "transfer_dst"},
        {VK_IMAGE_USAGE_SAMPLED_BIT, "sampled"},
        {VK_IMAGE_USAGE_STORAGE_BIT, "storage"},
        {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, "color_attachment"},
    };
    struct cJSON *list = mb_json_array(json, node, "image_usage");
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        if (cell->used_for & names[i].bit) {
            mb_json_string(json, list, NULL, names[i].name);
        }
    }
    if (cell->has_raw_views) {
        mb_json_string(json, list, NULL, "raw_views");
    }
}

static void add_cell(struct mb_json *json, struct cJSON *list, const struct mb_cell *cell)
{
    const struct mb_samples *samples = &cell->samples;
    char id[ID_BYTES];
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_report_cell_id(cell, id, sizeof id);
    mb_json_string(json, node, "id", id);
    mb_json_string(json, node, "cache", mb_cache_name(cell->cache));
    mb_json_string(json, node, "mode", mb_mode_name(cell->mode));
    add_usage(json, node, cell);
    mb_json_u64(json, node, "images", cell->n_rotated);
    mb_json_bool(json, node, "cache_swept", cell->is_evicted);
    mb_json_number(json, node, "floor_ns", cell->floor_ns);
    mb_json_string(json, node, "bound_by",
                   isnan(cell->floor_ns)     ? NULL
                   : cell->is_dispatch_bound ? "dispatch"
                                             : "memory");
    mb_json_string(json, node, "stopped_by",
                   samples->n_blocks > 0 ? mb_stop_name(samples->stop) : NULL);
    if (samples->n_blocks > 0 && !isnan(samples->warm_probe_ns)) {
        mb_json_bool(json, node, "clock_steady", samples->is_steady);
    } else {
        mb_json_null(json, node, "clock_steady");
    }
    mb_json_number(json, node, "warm_probe_ns",
                   samples->n_blocks > 0 ? samples->warm_probe_ns : NAN);
    mb_json_number(json, node, "image_setup_ms", cell->image_ms);
    add_twin(json, node, cell);
    add_blocks(json, node, cell);
    struct cJSON *match = mb_json_array(json, node, "bandwidth");
    for (size_t i = 0; i < MB_N_TRAFFICS; i++) {
        add_bandwidth(json, match, &cell->match[i]);
    }
}

void mb_report_cells(struct mb_json *json, const struct mb_run *run)
{
    struct cJSON *list = mb_json_array(json, json->root, "cells");
    for (size_t i = 0; i < run->n_cells; i++) {
        add_cell(json, list, &run->cells[i]);
    }
}

static void add_comparison(struct mb_json *json, struct cJSON *list, const struct mb_cell *cell,
                           const struct mb_result *result)
{
    char id[ID_BYTES];
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_report_result_id(cell, &cell->results[cell->fastest], id, sizeof id);
    mb_json_string(json, node, "a", id);
    mb_report_result_id(cell, result, id, sizeof id);
    mb_json_string(json, node, "b", id);
    add_relation(json, node, &result->relation);
    mb_json_number(json, node, "p_adjusted", result->relation.p_adjusted);
    mb_json_string(json, node, "verdict", mb_outcome_name(result->relation.outcome));
}

void mb_report_comparisons(struct mb_json *json, const struct mb_run *run)
{
    struct cJSON *list = mb_json_array(json, json->root, "comparisons");
    for (size_t c = 0; c < run->n_cells; c++) {
        const struct mb_cell *cell = &run->cells[c];
        for (size_t i = 0; cell->fastest != SIZE_MAX && i < cell->n_results; i++) {
            if (i != cell->fastest && !isnan(cell->results[i].relation.p)) {
                add_comparison(json, list, cell, &cell->results[i]);
            }
        }
    }
}

/* Where each sample that counts stood in its block. */
static void add_places(struct mb_json *json, struct cJSON *node,
                       const struct mb_samples *samples, size_t column)
{
    struct cJSON *positions = mb_json_array(json, node, "sample_positions");
    struct cJSON *repeated = mb_json_array(json, node, "repeated_ns");
    for (uint32_t i = 0; column != SIZE_MAX && i < samples->n_blocks; i++) {
        size_t cell = i * samples->n_candidates + column;
        if (samples->block[i].is_kept) {
            mb_json_u64(json, positions, NULL, samples->position[cell]);
        } else {
            mb_json_number(json, repeated, NULL, samples->duration_ns[cell]);
        }
    }
}

/* Throughput: how many chains each part of a sample holds, and what the parts took. */
static void add_batch(struct mb_json *json, struct cJSON *parent,
                      const struct mb_samples *samples, const struct mb_result *result)
{
    if (samples->n_parts == 0 || result->column == SIZE_MAX) {
        mb_json_null(json, parent, "batch");
        return;
    }
    struct cJSON *node = mb_json_object(json, parent, "batch");
    struct cJSON *chains = mb_json_array(json, node, "chains");
    for (uint32_t i = 0; i < samples->n_parts; i++) {
        mb_json_u64(json, chains, NULL, result->n_chains[i]);
    }
    mb_json_number(json, node, "fixed_ns", result->fixed_ns);
    struct cJSON *parts = mb_json_array(json, node, "parts_ns");
    for (uint32_t i = 0; i < samples->n_blocks; i++) {
        if (samples->block[i].is_kept) {
            mb_json_numbers(json, parts, NULL,
                            samples->part_ns +
                                (i * samples->n_candidates + result->column) * samples->n_parts,
                            samples->n_parts);
        }
    }
}

static void add_split(struct mb_json *json, struct cJSON *parent, const struct mb_cell *cell,
                      const struct mb_split *split)
{
    mb_json_string(json, parent, "steps_cache",
                   cell->has_split ? mb_cache_name(MB_CACHE_HOT) : NULL);
    struct cJSON *list = mb_json_array(json, parent, "steps");
    for (uint32_t i = 0; i < split->n_steps; i++) {
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_u64(json, node, "first_level", split->step[i].first_level);
        mb_json_u64(json, node, "levels", split->step[i].n_levels);
        mb_json_number(json, node, "median_ns", split->step[i].median_ns);
        mb_json_number(json, node, "gap_ns", split->step[i].gap_ns);
    }
}

/* By pipeline, under the driver's names. */
static void add_facts(struct mb_json *json, struct cJSON *parent,
                      const struct mb_pipeline_facts *facts)
{
    struct cJSON *list = mb_json_array(json, parent, "pipelines");
    struct cJSON *statistics = NULL;
    for (uint32_t i = 0; facts && i < facts->n; i++) {
        const struct mb_pipeline_fact *fact = &facts->fact[i];
        if (i == 0 || fact->pipeline != facts->fact[i - 1].pipeline) {
            struct cJSON *node = mb_json_object(json, list, NULL);
            mb_json_string(json, node, "shader", fact->shader);
            statistics = mb_json_array(json, node, "statistics");
        }
        struct cJSON *node = mb_json_object(json, statistics, NULL);
        mb_json_string(json, node, "name", fact->name);
        mb_json_number(json, node, "value", fact->value);
    }
}

void mb_report_timing(struct mb_json *json, struct cJSON *node, const struct mb_cell *cell,
                      const struct mb_result *result)
{
    const bool has_fastest = cell->fastest < cell->n_results &&
                             mb_results_are_alike(&cell->results[cell->fastest], result);
    add_places(json, node, &cell->samples, result->column);
    add_batch(json, node, &cell->samples, result);
    mb_report_stats(json, node, "null_twin", &result->null_twin);
    add_split(json, node, cell, &result->split);
    mb_json_number(json, node, "setup_ms", result->setup_ms);
    add_facts(json, node, result->facts);
    struct cJSON *sol = mb_json_object(json, node, "sol");
    mb_json_number(json, sol, "fraction", mb_result_of_limit(cell, result));
    mb_json_number(json, sol, "floor_ns", cell->floor_ns);
    struct cJSON *relative = mb_json_object(json, node, "relative");
    add_relation(json, relative, &result->relation);
    mb_json_number(json, relative, "p_adjusted", result->relation.p_adjusted);
    mb_json_string(json, relative, "verdict",
                   has_fastest ? mb_outcome_name(result->relation.outcome) : NULL);
    mb_json_string(json, relative, "to",
                   has_fastest ? cell->results[cell->fastest].label : NULL);
}
