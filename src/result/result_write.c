/* results.json: the whole run as one documented tree (results/schema.json). Each fact stands in
 * one place; a figure that is not known is null, never made up. */
#include "result/result_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/version.h"
#include "result/label.h"
#include "result/ranking.h"
#include "result/relate.h"
#include "vk/shader.h"

#define SCHEMA_VERSION "2.0.0"
#define ERROR_DIGITS   6 /* of errors and ratios: no more is known */

/* Layers that were asked for: they stand between the program and the driver. */
static void add_layers(struct mb_json *json, struct cJSON *parent, bool validate)
{
    static const char *const variables[] = {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"};
    struct cJSON *list = mb_json_array(json, parent, "layers");
    if (validate) {
        mb_json_string(json, list, NULL, "VK_LAYER_KHRONOS_validation");
    }
    for (size_t i = 0; i < MB_COUNTOF(variables); i++) {
        const char *value = getenv(variables[i]);
        if (value && value[0] != '\0') {
            mb_json_string(json, list, NULL, value);
        }
    }
}

/* The manifests that there were, as they were read: a run can be repeated from its results. */
static void add_kernels(struct mb_json *json, struct cJSON *parent, const struct mb_run *run)
{
    struct cJSON *list = mb_json_array(json, parent, "kernels");
    const struct mb_strategy *const *table = run->table;
    for (size_t i = 0; table && table[i]; i++) {
        if (table[i]->file) {
            struct cJSON *node = mb_json_object(json, list, NULL);
            mb_json_string(json, node, "strategy", table[i]->name);
            mb_json_string(json, node, "path", table[i]->file->path);
            mb_json_string(json, node, "sha256", table[i]->file->sha256);
            mb_json_string(json, node, "text", table[i]->file->text);
            struct cJSON *modules = mb_json_object(json, node, "modules");
            for (size_t k = 0; k < table[i]->file->n_shaders; k++) {
                const struct mb_shader *shader = table[i]->file->shaders[k];
                const struct mb_text name =
                    mb_text("%s%s%s", shader->name, shader->flags[0] ? " " : "", shader->flags);
                mb_json_string(json, modules, name.s, shader->sha256);
            }
        }
    }
}

static void add_run(struct mb_json *json, const struct mb_run *run)
{
    struct cJSON *node = mb_json_object(json, json->root, "run");
    mb_json_string(json, node, "id", run->id);
    mb_json_string(json, node, "utc", run->utc);
    struct cJSON *argv = mb_json_array(json, node, "argv");
    for (int i = 0; i < run->argc; i++) {
        mb_json_string(json, argv, NULL, run->argv[i]);
    }
    add_kernels(json, node, run);
    mb_json_string(json, node, "folder", run->folder[0] != '\0' ? run->folder : NULL);
    mb_json_u64(json, node, "seed", run->seed);
    mb_json_bool(json, node, "verify", run->verify);
    mb_json_bool(json, node, "validate", run->validate);
    add_layers(json, node, run->validate);
    mb_json_bool(json, node, "complete", run->complete);
    mb_json_string(json, node, "exit_reason", run->exit_reason);
    struct cJSON *tool = mb_json_object(json, node, "tool");
    mb_json_string(json, tool, "version", MB_VERSION);
    mb_json_string(json, tool, "git_sha", MB_GIT_SHA);
    mb_json_string(json, tool, "build_type", MB_BUILD_TYPE);
    mb_json_string(json, tool, "compiler", MB_COMPILER);
}

static void add_host(struct mb_json *json, const struct mb_host_info *host)
{
    struct cJSON *node = mb_json_object(json, json->root, "host");
    mb_json_string(json, node, "os", host->os);
    mb_json_string(json, node, "kernel", host->kernel);
    mb_json_string(json, node, "cpu", host->cpu);
    mb_json_u64(json, node, "cores", host->n_cores);
}

void mb_report_device(struct mb_json *json, struct cJSON *node,
                      const struct mb_gpu_info *device)
{
    mb_json_string(json, node, "name", device->name);
    mb_json_string(json, node, "type", mb_gpu_type_name(device->type));
    mb_json_u64(json, node, "vendor_id", device->vendor_id);
    mb_json_u64(json, node, "device_id", device->device_id);
    mb_json_string(json, node, "uuid", device->uuid);
    struct cJSON *driver = mb_json_object(json, node, "driver");
    mb_json_string(json, driver, "name", device->driver_name);
    mb_json_string(json, driver, "info", device->driver_info);
    mb_json_string(json, driver, "version", device->driver_version);
    char api[48];
    snprintf(api, sizeof api, "%u.%u.%u", VK_API_VERSION_MAJOR(device->api_version),
             VK_API_VERSION_MINOR(device->api_version),
             VK_API_VERSION_PATCH(device->api_version));
    mb_json_string(json, node, "api", api);
    mb_json_u64(json, node, "subgroup_size", device->subgroup_size);
    mb_json_u64(json, node, "queue_family", device->queue_family);
    struct cJSON *heaps = mb_json_array(json, node, "heaps");
    for (uint32_t i = 0; i < device->memory.memoryHeapCount; i++) {
        struct cJSON *heap = mb_json_object(json, heaps, NULL);
        mb_json_u64(json, heap, "size_bytes", device->memory.memoryHeaps[i].size);
        mb_json_bool(json, heap, "device_local",
                     device->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT);
    }
}

static void add_timer(struct mb_json *json, const struct mb_timer_info *timer)
{
    struct cJSON *node = mb_json_object(json, json->root, "timer");
    mb_json_string(json, node, "source", timer->source);
    mb_json_number(json, node, "period_ns", timer->period_ns);
    mb_json_u64(json, node, "valid_bits", timer->valid_bits);
    mb_json_number(json, node, "granularity_ns", timer->granularity_ns);
    mb_json_number(json, node, "granularity_gcd_ns", timer->granularity_gcd_ns);
    mb_json_number(json, node, "empty_pair_ns", timer->empty_pair_ns);
    mb_json_number(json, node, "probe_ns", timer->probe_ns);
}

void mb_report_head(struct mb_json *json, const struct mb_run *run)
{
    add_run(json, run);
    add_host(json, &run->host);
    mb_report_device(json, mb_json_object(json, json->root, "device"), &run->device);
    add_timer(json, &run->timer);
}

static void add_shaders(struct mb_json *json)
{
    struct cJSON *node = mb_json_object(json, json->root, "shaders");
    for (size_t i = 0; mb_shaders[i] != NULL; i++) {
        mb_json_string(json, node, mb_shaders[i]->name, mb_shaders[i]->sha256);
    }
}

void mb_report_params(struct mb_json *json, struct cJSON *parent,
                      const struct mb_strategy *strategy, const struct mb_params *params)
{
    struct cJSON *node = mb_json_object(json, parent, "params");
    for (size_t i = 0; i < mb_strategy_n_params(strategy); i++) {
        mb_json_string(json, node, strategy->params[i].name,
                       mb_variant_value(strategy, params, i));
    }
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
    struct cJSON *node = mb_json_object_if(json, parent, key, stats->n > 0);
    mb_json_u64(json, node, "n", stats->n);
    for (size_t i = 0; i < MB_COUNTOF(figures); i++) {
        mb_json_number(json, node, figures[i].key, figures[i].value);
    }
    mb_json_bool(json, node, "bimodal", stats->is_bimodal);
    mb_json_numbers(json, node, "median_ci_ns", stats->median_ci_ns, 2);
}

static void add_bandwidth(struct mb_json *json, struct cJSON *list,
                          const struct mb_bandwidth *bandwidth)
{
    if (!(bandwidth->gbps > 0.0)) {
        return; /* not measured */
    }
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "traffic", mb_traffic_names[bandwidth->traffic]);
    mb_json_string(json, node, "on", bandwidth->is_image ? "image" : "buffer");
    mb_json_u64(json, node, "footprint_bytes", bandwidth->footprint_bytes);
    mb_json_u64(json, node, "workgroup_size", bandwidth->workgroup_size);
    mb_json_u64(json, node, "items", bandwidth->n_items);
    mb_json_number(json, node, "duration_ns", bandwidth->duration_ns);
    mb_json_number(json, node, "gbps", bandwidth->gbps);
}

static void add_roofline(struct mb_json *json, const struct mb_roofline *roofline)
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
    mb_json_rounded(json, node, "ratio", relation->ratio, ERROR_DIGITS);
    struct cJSON *ci = mb_json_array(json, node, "ci");
    for (size_t i = 0; i < 2; i++) {
        mb_json_rounded(json, ci, NULL, relation->ci[i], ERROR_DIGITS);
    }
}

void mb_report_rect(struct mb_json *json, struct cJSON *parent, const struct mb_task *task)
{
    struct cJSON *node = mb_json_object_if(json, parent, "rect", task->is_update);
    if (task->is_update) {
        mb_json_u64(json, node, "x", task->rect.x);
        mb_json_u64(json, node, "y", task->rect.y);
        mb_json_u64(json, node, "width", task->rect.width);
        mb_json_u64(json, node, "height", task->rect.height);
    }
}

/* What the strategy says of its work. */
static void add_work(struct mb_json *json, struct cJSON *parent, const struct mb_result *result)
{
    const struct mb_work *work = &result->work;
    if (result->has_work) {
        mb_json_u64(json, parent, "algorithmic_bytes", work->algorithmic_bytes);
    } else {
        mb_json_null(json, parent, "algorithmic_bytes");
    }
    struct cJSON *node = mb_json_object_if(json, parent, "work", result->has_work);
    mb_json_u64(json, node, "dispatches", work->n_dispatches);
    mb_json_u64(json, node, "barriers", work->n_barriers);
    struct cJSON *workgroup = mb_json_array(json, node, "workgroup_size");
    for (size_t i = 0; i < 3; i++) {
        mb_json_u64(json, workgroup, NULL, work->workgroup_size[i]);
    }
    mb_json_u64(json, node, "subgroup_size", work->subgroup_size);
}

static void add_first_bad(struct mb_json *json, struct cJSON *parent,
                          const struct mb_bad_texel *bad)
{
    struct cJSON *node = mb_json_object_if(json, parent, "first_bad", bad->found);
    mb_json_u64(json, node, "level", bad->level);
    mb_json_u64(json, node, "layer", bad->layer);
    mb_json_u64(json, node, "x", bad->x);
    mb_json_u64(json, node, "y", bad->y);
    mb_json_u64(json, node, "channel", bad->channel);
    mb_json_number(json, node, "want", bad->want);
    mb_json_number(json, node, "got", bad->got);
    mb_json_number(json, node, "error_lsb", bad->error_lsb);
    mb_json_number(json, node, "bound_lsb", bad->bound_lsb);
}

/* One array for each quantity, one figure for each level. */
static void add_levels(struct mb_json *json, struct cJSON *parent,
                       const struct mb_verdict *verdict, uint32_t n_levels)
{
    struct cJSON *node = mb_json_object(json, parent, "levels");
    struct cJSON *step = mb_json_array(json, node, "max_error_lsb");
    struct cJSON *drift = mb_json_array(json, node, "drift_lsb");
    struct cJSON *box = mb_json_array(json, node, "box_lsb");
    struct cJSON *psnr = mb_json_array(json, node, "psnr_db");
    struct cJSON *bad = mb_json_array(json, node, "bad_texels");
    for (uint32_t i = 0; i < n_levels; i++) {
        const struct mb_level_verdict *level = &verdict->level[i];
        mb_json_rounded(json, step, NULL, level->max_error_lsb, ERROR_DIGITS);
        mb_json_rounded(json, drift, NULL, level->drift_lsb, ERROR_DIGITS);
        mb_json_rounded(json, box, NULL, level->box_lsb, ERROR_DIGITS);
        mb_json_rounded(json, psnr, NULL, level->psnr_db, ERROR_DIGITS);
        mb_json_u64(json, bad, NULL, level->n_bad_texels);
    }
}

static void add_verify(struct mb_json *json, struct cJSON *parent,
                       const struct mb_result *result)
{
    const struct mb_verdict *verdict = &result->verdict;
    const bool is_judged = result->verify != MB_VERIFY_SKIPPED && verdict->n_levels > 0;
    struct cJSON *node = mb_json_object(json, parent, "verify");
    mb_json_string(json, node, "status", mb_verify_status_names[result->verify]);
    mb_json_rounded(json, node, "max_error_lsb", is_judged ? verdict->max_error_lsb : NAN,
                    ERROR_DIGITS);
    mb_json_rounded(json, node, "drift_lsb", is_judged ? verdict->drift_lsb : NAN,
                    ERROR_DIGITS);
    mb_json_rounded(json, node, "box_lsb", verdict->n_levels > 0 ? verdict->box_lsb : NAN,
                    ERROR_DIGITS);
    add_first_bad(json, node, &verdict->first_bad);
    add_levels(json, node, verdict, is_judged ? verdict->n_levels : 0);
}

static void add_texts(struct mb_json *json, struct cJSON *parent, const char *key,
                      const struct mb_strlist *texts)
{
    struct cJSON *list = mb_json_array(json, parent, key);
    for (size_t i = 0; i < texts->n; i++) {
        mb_json_string(json, list, NULL, texts->items[i]);
    }
}

static void add_warnings(struct mb_json *json, struct cJSON *parent,
                         const struct mb_warnings *warnings)
{
    struct cJSON *list = mb_json_array(json, parent, "warnings");
    for (size_t i = 0; i < warnings->n; i++) {
        struct cJSON *warning = mb_json_object(json, list, NULL);
        mb_json_string(json, warning, "code", warnings->warning[i].code);
        mb_json_string(json, warning, "message", warnings->warning[i].message);
    }
}

static void add_steps(struct mb_json *json, struct cJSON *parent, const struct mb_split *split)
{
    struct cJSON *list = mb_json_array(json, parent, "steps");
    for (uint32_t i = 0; i < split->n_steps; i++) {
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_u64(json, node, "first_level", split->step[i].first_level);
        mb_json_u64(json, node, "levels", split->step[i].n_levels);
        mb_json_number(json, node, "median_ns", split->step[i].median_ns);
        mb_json_number(json, node, "gap_ns", split->step[i].gap_ns);
    }
}

/* By executable, under the driver's names. */
void mb_report_facts(struct mb_json *json, struct cJSON *parent,
                     const struct mb_pipeline_facts *facts)
{
    struct cJSON *list = mb_json_array(json, parent, "pipelines");
    struct cJSON *statistics = NULL;
    for (size_t i = 0, k = 0; facts && i < facts->n_executables; i++) {
        const struct mb_executable *executable = &facts->executables[i];
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "shader", executable->shader);
        mb_json_u64(json, node, "pipeline", executable->pipeline);
        mb_json_string(json, node, "executable", executable->name[0] ? executable->name : NULL);
        if (executable->subgroup_size > 0) {
            mb_json_u64(json, node, "subgroup_size", executable->subgroup_size);
        } else {
            mb_json_null(json, node, "subgroup_size");
        }
        statistics = mb_json_array(json, node, "statistics");
        for (; k < facts->n_facts && facts->facts[k].executable == i; k++) {
            struct cJSON *fact = mb_json_object(json, statistics, NULL);
            mb_json_string(json, fact, "name", facts->facts[k].name);
            mb_json_number(json, fact, "value", facts->facts[k].value);
        }
    }
}

/* The questions that it answers, and in a word what it is. */
static void add_answers(struct mb_json *json, struct cJSON *parent, const struct mb_case *c,
                        const struct mb_result *result)
{
    const struct mb_answer answer = mb_result_answer(c, result);
    struct cJSON *list = mb_json_array(json, parent, "answers");
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        if ((answer.questions & 1u << question) != 0) {
            mb_json_string(json, list, NULL, mb_question_names[question]);
        }
    }
    mb_json_string(json, parent, "answer", answer.word);
}

static void add_variant(struct mb_json *json, struct cJSON *list, const struct mb_case *c,
                        const struct mb_result *result)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "id", result->slug);
    mb_json_string(json, node, "label", result->label);
    mb_json_string(json, node, "strategy", result->strategy->name);
    mb_report_params(json, node, result->strategy, &result->params);
    mb_json_string(json, node, "status", mb_result_status_names[result->status]);
    mb_json_string(json, node, "reason", result->reason);
    mb_json_bool(json, node, "diagnostic", result->is_diagnostic);
    mb_json_string(json, node, "policy",
                   result->has_work ? mb_policy_names[result->work.tolerance.filter.policy]
                                    : NULL);
    add_answers(json, node, c, result);
    add_work(json, node, result);
    add_verify(json, node, result);
    mb_json_rounded(json, node, "setup_ms", result->setup_ms, ERROR_DIGITS);
    mb_report_facts(json, node, result->facts);
    add_steps(json, node, &result->split);
    add_warnings(json, node, &result->warnings);
    add_texts(json, node, "images", &result->images);
    add_texts(json, node, "chains", &result->chains);
}

static void add_twin(struct mb_json *json, struct cJSON *parent, const struct mb_timing *timing)
{
    const struct mb_row *row =
        timing->twin_of != SIZE_MAX ? &timing->rows[timing->twin_of] : NULL;
    const bool is_timed = row && row->stats.n > 0;
    struct cJSON *node = mb_json_object_if(json, parent, "aa_control", is_timed);
    mb_json_string(json, node, "variant", is_timed ? row->result->slug : NULL);
    add_relation(json, node, &timing->twin);
    mb_json_rounded(json, node, "margin", mb_relate_margin(timing), ERROR_DIGITS);
}

static void add_durations(struct mb_json *json, struct cJSON *list, const double *duration_ns,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mb_json_number(json, list, NULL, round(10.0 * duration_ns[i]) / 10.0);
    }
}

/* What was sampled once in each block, of which kind, and of which variant. */
struct column {
    const char *kind, *variant;
    size_t index;
};

static void add_column(struct mb_json *json, struct cJSON *list,
                       const struct mb_samples *samples, struct column column)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "variant", column.variant);
    mb_json_string(json, node, "kind", column.kind);
    struct cJSON *positions = mb_json_array(json, node, "positions");
    struct cJSON *durations = mb_json_array(json, node, "durations_ns");
    struct cJSON *parts = samples->n_parts > 0 ? mb_json_array(json, node, "parts_ns") : NULL;
    for (size_t i = 0; i < samples->n_blocks; i++) {
        const size_t at = i * samples->n_candidates + column.index;
        mb_json_u64(json, positions, NULL, samples->position[at]);
        add_durations(json, durations, &samples->duration_ns[at], 1);
        if (parts != NULL) {
            add_durations(json, mb_json_array(json, parts, NULL),
                          &samples->part_ns[at * samples->n_parts], samples->n_parts);
        }
    }
}

/* Columns: the rows that were timed, the A/A twin, and in latency mode their null twins. */
static void add_columns(struct mb_json *json, struct cJSON *parent,
                        const struct mb_timing *timing)
{
    const struct mb_samples *samples = &timing->samples;
    struct cJSON *list = mb_json_array(json, parent, "columns");
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const size_t index = timing->rows[i].column;
        const size_t null_twin = timing->twin_column + 1 + index;
        if (index == SIZE_MAX) {
            continue;
        }
        add_column(json, list, samples,
                   (struct column){"sample", timing->of->results[i].slug, index});
        if (null_twin < samples->n_candidates) {
            add_column(json, list, samples,
                       (struct column){"null_twin", timing->of->results[i].slug, null_twin});
        }
    }
    if (timing->twin_of != SIZE_MAX) {
        add_column(json, list, samples,
                   (struct column){"aa_control", timing->of->results[timing->twin_of].slug,
                                   timing->twin_column});
    }
}

/* By block, as arrays: a run has thousands. */
static void add_blocks(struct mb_json *json, struct cJSON *parent,
                       const struct mb_timing *timing)
{
    const struct mb_samples *samples = &timing->samples;
    struct cJSON *node = mb_json_object(json, parent, "blocks");
    struct cJSON *start = mb_json_array(json, node, "start_ns");
    struct cJSON *before = mb_json_array(json, node, "probe_before_ns");
    struct cJSON *after = mb_json_array(json, node, "probe_after_ns");
    struct cJSON *flagged = mb_json_array(json, node, "flagged");
    struct cJSON *repeated = mb_json_array(json, node, "repeated");
    for (uint32_t i = 0; i < samples->n_blocks; i++) {
        const struct mb_block *block = &samples->block[i];
        mb_json_u64(json, start, NULL, block->start_ns);
        add_durations(json, before, &block->probe_ns[0], 1);
        add_durations(json, after, &block->probe_ns[1], 1);
        if (block->is_flagged) {
            mb_json_u64(json, flagged, NULL, i);
        }
        if (!block->is_kept) {
            mb_json_u64(json, repeated, NULL, i);
        }
    }
    add_columns(json, node, timing);
}

/* Throughput: how many chains each part of a sample holds. */
static void add_batch(struct mb_json *json, struct cJSON *node, const struct mb_row *row,
                      uint32_t n_parts)
{
    if (n_parts == 0 || row->column == SIZE_MAX) {
        return;
    }
    struct cJSON *chains = mb_json_array(json, node, "chains");
    for (uint32_t i = 0; i < n_parts; i++) {
        mb_json_u64(json, chains, NULL, row->n_chains[i]);
    }
    mb_json_number(json, node, "fixed_ns", row->fixed_ns);
}

static void add_relative(struct mb_json *json, struct cJSON *parent,
                         const struct mb_timing *timing, const struct mb_row *row)
{
    const bool is_known = timing->fastest != SIZE_MAX && !isnan(row->relation.ratio);
    struct cJSON *node = mb_json_object_if(json, parent, "relative", is_known);
    add_relation(json, node, &row->relation);
    mb_json_rounded(json, node, "p_adjusted", row->relation.p_adjusted, ERROR_DIGITS);
    mb_json_string(json, node, "verdict", mb_outcome_names[row->relation.outcome]);
}

static void add_row(struct mb_json *json, struct cJSON *list, const struct mb_timing *timing,
                    const struct mb_row *row)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "variant", row->result->slug);
    mb_json_string(json, node, "status", mb_result_status_names[mb_row_status(row)]);
    mb_json_string(json, node, "reason", mb_row_reason(row));
    mb_report_stats(json, node, "stats", &row->stats);
    mb_json_u64(json, node, "n_verified", row->n_verified);
    mb_json_number(json, node, "null_twin_ns",
                   row->null_twin.n > 0 ? row->null_twin.median_ns : NAN);
    mb_json_u64(json, node, "samples_dropped", row->n_dropped);
    mb_json_rounded(json, node, "of_limit", mb_row_of_limit(timing, row), ERROR_DIGITS);
    add_relative(json, node, timing, row);
    add_batch(json, node, row, timing->samples.n_parts);
    add_warnings(json, node, &row->warnings);
}

static void add_sentence(struct mb_json *json, struct cJSON *node, const struct mb_run *run,
                         const struct mb_timing *timing, enum mb_question question)
{
    MB_SCOPED(mb_strbuf) sentence = {0};
    if (question == timing->question) {
        mb_ranking_describe(&sentence, run, timing);
    } else {
        mb_ranking_describe_cheaper(&sentence, run, timing);
    }
    json->failed = json->failed || sentence.failed;
    mb_json_string(json, node, "sentence",
                   sentence.n_bytes > 0 ? mb_strbuf_text(&sentence) : NULL);
}

static void add_ranking(struct mb_json *json, struct cJSON *list, const struct mb_run *run,
                        const struct mb_timing *timing, enum mb_question question)
{
    const struct mb_result *results = timing->of->results;
    size_t n;
    MB_FREED size_t *order = mb_ranking_order(timing, question, &n);
    json->failed = json->failed || order == NULL;
    if (n > 0) {
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "question", mb_question_names[question]);
        mb_json_string(json, node, "fastest", results[order[0]].slug);
        struct cJSON *tied = mb_json_array(json, node, "tied");
        struct cJSON *ids = mb_json_array(json, node, "order");
        for (size_t i = 0; i < n; i++) {
            const bool is_tied =
                question == timing->question && mb_ranking_is_tied(timing, order[i]);
            mb_json_string(json, is_tied ? tied : NULL, NULL, results[order[i]].slug);
            mb_json_string(json, ids, NULL, results[order[i]].slug);
        }
        add_sentence(json, node, run, timing, question);
    }
}

void mb_report_rankings(struct mb_json *json, struct cJSON *parent, const struct mb_run *run,
                        const struct mb_timing *timing)
{
    struct cJSON *list = mb_json_array(json, parent, "rankings");
    if (run->validate || timing->fastest == SIZE_MAX) {
        return;
    }
    add_ranking(json, list, run, timing, timing->question);
    if (timing->question == MB_QUESTION_EXACT) {
        add_ranking(json, list, run, timing, MB_QUESTION_ANY);
    }
}

static void add_timing(struct mb_json *json, struct cJSON *list, const struct mb_run *run,
                       const struct mb_timing *timing)
{
    const struct mb_samples *samples = &timing->samples;
    const bool has_probe = samples->n_blocks > 0 && !isnan(samples->warm_probe_ns);
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "cache", mb_cache_name(timing->cache));
    mb_json_string(json, node, "mode", mb_mode_names[timing->mode]);
    mb_json_u64(json, node, "images", timing->n_rotated);
    mb_json_bool(json, node, "cache_swept", timing->is_evicted);
    mb_json_number(json, node, "floor_ns", timing->floor_ns);
    mb_json_string(json, node, "bound_by",
                   isnan(timing->floor_ns)     ? NULL
                   : timing->is_dispatch_bound ? "dispatch"
                                               : "memory");
    mb_json_string(json, node, "stopped_by",
                   samples->n_blocks > 0 ? mb_stop_names[samples->stop] : NULL);
    if (has_probe) {
        mb_json_bool(json, node, "clock_steady", samples->is_steady);
    } else {
        mb_json_null(json, node, "clock_steady");
    }
    mb_json_number(json, node, "warm_probe_ns", has_probe ? samples->warm_probe_ns : NAN);
    add_twin(json, node, timing);
    add_blocks(json, node, timing);
    struct cJSON *rows = mb_json_array(json, node, "rows");
    for (size_t i = 0; i < timing->of->n_results; i++) {
        add_row(json, rows, timing, &timing->rows[i]);
    }
    mb_report_rankings(json, node, run, timing);
}

static void add_usage(struct mb_json *json, struct cJSON *node, const struct mb_case *c)
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
    struct cJSON *list = mb_json_array(json, node, "image_used_for");
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        if (c->used_for & names[i].bit) {
            mb_json_string(json, list, NULL, names[i].name);
        }
    }
    if (c->has_raw_views) {
        mb_json_string(json, list, NULL, "raw_views");
    }
}

static void add_case(struct mb_json *json, struct cJSON *list, const struct mb_run *run,
                     const struct mb_case *c)
{
    const struct mb_layout *layout = &c->layout;
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "id", mb_case_folder(c).s);
    mb_json_string(json, node, "input", c->input);
    mb_json_string(json, node, "input_sha256", c->input_sha256);
    mb_json_u64(json, node, "width", layout->base.width);
    mb_json_u64(json, node, "height", layout->base.height);
    mb_json_u64(json, node, "layers", layout->n_layers);
    mb_json_u64(json, node, "levels", layout->n_levels);
    mb_json_string(json, node, "format", layout->format->name);
    mb_json_string(json, node, "reduce", mb_reduce_names[c->task.reduce]);
    mb_json_string(json, node, "alpha", mb_alpha_name(c->task.alpha));
    mb_json_string(json, node, "shape", mb_case_shape(c));
    mb_report_rect(json, node, &c->task);
    mb_json_string(json, node, "image_usage", mb_image_usage_name(c->image_usage));
    add_usage(json, node, c);
    mb_json_rounded(json, node, "image_setup_ms", c->image_ms, ERROR_DIGITS);
    mb_json_u64(json, node, "compulsory_bytes", c->compulsory_bytes);
    struct cJSON *match = mb_json_array(json, node, "bandwidth");
    for (size_t i = 0; i < MB_N_TRAFFICS; i++) {
        add_bandwidth(json, match, &c->match[i]);
    }
    struct cJSON *variants = mb_json_array(json, node, "variants");
    for (size_t i = 0; i < c->n_results; i++) {
        add_variant(json, variants, c, &c->results[i]);
    }
    struct cJSON *timings = mb_json_array(json, node, "timings");
    for (size_t i = 0; i < c->n_timings; i++) {
        add_timing(json, timings, run, &c->timings[i]);
    }
}

enum mb_status mb_report_json(const struct mb_run *run, char **text, struct mb_err *err)
{
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench", SCHEMA_VERSION);
    mb_report_head(&json, run);
    add_shaders(&json);
    add_roofline(&json, &run->roofline);
    struct cJSON *cases = mb_json_array(&json, json.root, "cases");
    for (size_t i = 0; i < run->n_cases; i++) {
        add_case(&json, cases, run, run->cases[i]);
    }
    return mb_json_print(&json, text, err);
}
