/* A case in results.json, and its variants. */
#include "result/case_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "result/label.h"

#define N_ARITHMETICS (MB_ARITHMETIC_ROOT + 1)
#define MAX_EXTENT    1000000000u

/* A strategy read from a file: its name, and for each parameter the value that was used. */
struct mb_recorded {
    struct mb_strategy strategy;
    struct mb_param params[MB_MAX_PARAMS + 1];
    const char *values[2 * MB_MAX_PARAMS]; /* each followed by NULL */
};

static void params_field(struct mb_node parent, struct mb_result *result)
{
    const struct mb_node node = mb_field_object(parent, "params");
    struct mb_recorded *recorded = result->recorded;
    if (!parent.reader) {
        for (size_t i = 0; i < mb_strategy_n_params(result->strategy); i++) {
            mb_json_string(node.json, node.out, result->strategy->params[i].name,
                           mb_variant_value(result->strategy, &result->params, i));
        }
        return;
    }
    const struct cJSON *member = mb_json_members(node.in, NULL);
    for (size_t n = 0; member; member = member->next, n++) {
        if (n == MB_MAX_PARAMS) {
            mb_field_refuse(node, "a variant has more than %d parameters", MB_MAX_PARAMS);
            return;
        }
        const struct mb_node value = {.reader = node.reader, .in = member};
        mb_field_static(value, NULL, &recorded->values[2 * n]);
        recorded->params[n].name = mb_field_keep(node, member->string);
        recorded->params[n].values = &recorded->values[2 * n];
    }
}

static void strategy_fields(struct mb_node node, struct mb_result *result)
{
    const char *name = node.reader ? NULL : result->strategy->name;
    mb_field_static(node, "strategy", &name);
    if (node.reader) {
        struct mb_recorded *recorded = mb_field_alloc(node, 1, sizeof *recorded);
        if (!recorded) {
            return;
        }
        recorded->strategy = (struct mb_strategy){.name = name, .params = recorded->params};
        result->recorded = recorded;
        result->strategy = &recorded->strategy;
    }
    params_field(node, result);
}

void mb_report_params(struct mb_json *json, struct cJSON *parent,
                      const struct mb_strategy *strategy, const struct mb_params *params)
{
    params_field(mb_node_write(json, parent),
                 &(struct mb_result){.strategy = strategy, .params = *params});
}

void mb_rect_field(struct mb_node parent, struct mb_task *task)
{
    const struct mb_node node = mb_field_object_if(parent, "rect", task->is_update);
    task->is_update = node.reader ? node.in != NULL : task->is_update;
    if (task->is_update) {
        mb_field_u32(node, "x", &task->rect.x);
        mb_field_u32(node, "y", &task->rect.y);
        mb_field_u32(node, "width", &task->rect.width);
        mb_field_u32(node, "height", &task->rect.height);
    }
}

/* Find a tolerance with this policy that yields the questions and the word (any word if it is
 * ""): a file does not record the tolerance itself. */
static struct mb_tolerance tolerance_of(const struct mb_case *c, enum mb_policy policy,
                                        unsigned questions, const char *word)
{
    const bool agree = mb_policies_agree(c->layout.base, c->layout.n_levels);
    for (unsigned i = 0; i < 2 * N_ARITHMETICS; i++) {
        const struct mb_tolerance tolerance = {
            .max_error_lsb = i % 2, /* held to a plain number: not exact */
            .arithmetic = (enum mb_arithmetic)(i / 2),
            .filter.policy = policy,
        };
        const struct mb_answer answer = mb_answer_of(&tolerance, c->task.reduce, agree);
        if (answer.questions == questions &&
            (word[0] == '\0' || strcmp(answer.word, word) == 0)) {
            return tolerance;
        }
    }
    return (struct mb_tolerance){.has_no_policy = true, .filter.policy = policy};
}

/* Write or read the policy, the questions that it answers, and the word for the result. */
static void answer_fields(struct mb_node node, const struct mb_case *c,
                          struct mb_result *result)
{
    enum mb_policy *policy = &result->work.tolerance.filter.policy;
    struct mb_answer answer = {.questions = 0};
    if (node.reader) {
        result->has_work = mb_json_read_string(node.in, "policy") != NULL;
    } else {
        answer = mb_result_answer(c, result);
    }
    struct mb_text word = mb_text("%s", answer.questions != 0 ? answer.word : "");
    *policy =
        (enum mb_policy)mb_field_word(mb_field_if(node, "policy", result->has_work), "policy",
                                      mb_policy_names, MB_N_POLICIES, *policy, MB_POLICY_BOX);
    answer.questions =
        mb_field_words(node, "answers", mb_question_names, MB_N_QUESTIONS, answer.questions);
    mb_field_text_if(node, "answer", word.s, sizeof word.s);
    if (node.reader) {
        result->work.tolerance = tolerance_of(c, *policy, answer.questions, word.s);
    }
}

/* The work that the strategy stated. */
static void work_fields(struct mb_node parent, struct mb_result *result)
{
    struct mb_work *work = &result->work;
    mb_field_u64(mb_field_if(parent, "algorithmic_bytes", result->has_work),
                 "algorithmic_bytes", &work->algorithmic_bytes);
    const struct mb_node node = mb_field_object_if(parent, "work", result->has_work);
    mb_field_u32(node, "dispatches", &work->n_dispatches);
    mb_field_u32(node, "barriers", &work->n_barriers);
    struct mb_list workgroup = mb_field_list(node, "workgroup_size");
    for (size_t i = 0; i < 3; i++) {
        mb_field_u32(mb_list_next(&workgroup), NULL, &work->workgroup_size[i]);
    }
    mb_field_u32(node, "subgroup_size", &work->subgroup_size);
}

static void first_bad_field(struct mb_node parent, struct mb_bad_texel *bad)
{
    const struct mb_node node = mb_field_object_if(parent, "first_bad", bad->found);
    bad->found = node.reader ? node.in != NULL : bad->found;
    mb_field_u32(node, "level", &bad->level);
    mb_field_u32(node, "layer", &bad->layer);
    mb_field_u32(node, "x", &bad->x);
    mb_field_u32(node, "y", &bad->y);
    mb_field_u32(node, "channel", &bad->channel);
    mb_field_number(node, "want", &bad->want);
    mb_field_number(node, "got", &bad->got);
    mb_field_number(node, "error_lsb", &bad->error_lsb);
    mb_field_number(node, "bound_lsb", &bad->bound_lsb);
}

/* One array for each quantity, with one figure for each level. */
static void level_fields(struct mb_node parent, struct mb_verdict *verdict, bool is_judged)
{
    const struct mb_node node = mb_field_object(parent, "levels");
    struct mb_list step = mb_field_list(node, "max_error_lsb");
    struct mb_list drift = mb_field_list(node, "drift_lsb");
    struct mb_list box = mb_field_list(node, "box_lsb");
    struct mb_list psnr = mb_field_list(node, "psnr_db");
    struct mb_list bad = mb_field_list(node, "bad_texels");
    verdict->n_levels = (uint32_t)mb_list_length(&step, verdict->n_levels, MB_MAX_LEVELS);
    for (uint32_t i = 0; i < (is_judged || node.reader ? verdict->n_levels : 0); i++) {
        struct mb_level_verdict *level = &verdict->level[i];
        mb_field_rounded(mb_list_next(&step), NULL, &level->max_error_lsb);
        mb_field_rounded(mb_list_next(&drift), NULL, &level->drift_lsb);
        mb_field_rounded(mb_list_next(&box), NULL, &level->box_lsb);
        mb_field_rounded(mb_list_next(&psnr), NULL, &level->psnr_db);
        mb_field_u64(mb_list_next(&bad), NULL, &level->n_bad_texels);
    }
}

static void known_field(struct mb_node node, const char *key, bool known, double *value)
{
    mb_field_rounded(mb_field_if(node, key, known), key, value);
}

/* If the status is unknown, it comes from a later version and counts as a failure. If it is
 * absent, nothing was checked. */
static void verify_fields(struct mb_node parent, struct mb_result *result)
{
    struct mb_verdict *verdict = &result->verdict;
    const struct mb_node node = mb_field_object(parent, "verify");
    const bool is_judged = result->verify != MB_VERIFY_SKIPPED && verdict->n_levels > 0;
    const bool is_told = mb_json_read_string(node.in, "status") != NULL;
    result->verify = (enum mb_verify_status)mb_field_word(
        node, "status", mb_verify_status_names, 3, result->verify,
        is_told ? MB_VERIFY_FAIL : MB_VERIFY_SKIPPED);
    known_field(node, "max_error_lsb", is_judged, &verdict->max_error_lsb);
    known_field(node, "drift_lsb", is_judged, &verdict->drift_lsb);
    known_field(node, "box_lsb", verdict->n_levels > 0, &verdict->box_lsb);
    first_bad_field(node, &verdict->first_bad);
    level_fields(node, verdict, is_judged);
    if (node.reader) {
        verdict->pass = result->verify == MB_VERIFY_PASS;
        verdict->n_levels +=
            verdict->n_levels == 0 && isfinite(verdict->box_lsb); /* only measured */
    }
}

static void step_list(struct mb_node parent, struct mb_split *split)
{
    struct mb_list list = mb_field_list(parent, "steps");
    split->n_steps = (uint32_t)mb_list_length(&list, split->n_steps, MB_MAX_LEVELS);
    for (uint32_t i = 0; i < split->n_steps; i++) {
        const struct mb_node node = mb_list_object(&list);
        mb_field_u32(node, "first_level", &split->step[i].first_level);
        mb_field_u32(node, "levels", &split->step[i].n_levels);
        mb_field_number(node, "median_ns", &split->step[i].median_ns);
        mb_field_number(node, "gap_ns", &split->step[i].gap_ns);
    }
}

/* Allocate facts for a list of executables; NULL if the list is empty. */
static struct mb_pipeline_facts *read_facts(struct mb_node parent)
{
    struct mb_list list = mb_field_list(parent, "pipelines");
    size_t n = 0;
    for (const struct cJSON *of = list.next; of; of = of->next) {
        n += mb_json_count(of, "statistics");
    }
    struct mb_pipeline_facts *facts =
        list.n > 0 ? mb_field_alloc(parent, 1, sizeof *facts) : NULL;
    if (facts) {
        facts->executables = mb_field_alloc(parent, list.n, sizeof *facts->executables);
        facts->facts = mb_field_alloc(parent, n, sizeof *facts->facts);
        const bool has_memory = facts->executables && facts->facts;
        facts->n_executables = has_memory ? list.n : 0;
        facts->n_facts = has_memory ? n : 0;
    }
    return facts;
}

void mb_facts_list(struct mb_node parent, struct mb_pipeline_facts *facts)
{
    struct mb_list list = mb_field_list(parent, "pipelines");
    for (size_t i = 0, k = 0; facts && i < facts->n_executables; i++) {
        struct mb_executable *executable = &facts->executables[i];
        const struct mb_node node = mb_list_object(&list);
        mb_field_text(node, "shader", executable->shader, sizeof executable->shader);
        mb_field_u32(node, "pipeline", &executable->pipeline);
        mb_field_text_if(node, "executable", executable->name, sizeof executable->name);
        mb_field_u32(mb_field_if(node, "subgroup_size", executable->subgroup_size > 0),
                     "subgroup_size", &executable->subgroup_size);
        struct mb_list statistics = mb_field_list(node, "statistics");
        for (; node.reader ? statistics.next != NULL
                           : k < facts->n_facts && facts->facts[k].executable == i;
             k++) {
            struct mb_pipeline_fact *fact = &facts->facts[k];
            const struct mb_node own = mb_list_object(&statistics);
            fact->executable = (uint32_t)i;
            mb_field_text(own, "name", fact->name, sizeof fact->name);
            mb_field_number(own, "value", &fact->value);
        }
    }
}

void mb_warning_list(struct mb_node parent, struct mb_warnings *warnings)
{
    struct mb_list list = mb_field_list(parent, "warnings");
    warnings->n = mb_list_length(&list, warnings->n, MB_MAX_WARNINGS);
    for (size_t i = 0; i < warnings->n; i++) {
        struct mb_warning *warning = &warnings->warning[i];
        const struct mb_node node = mb_list_object(&list);
        mb_field_static(node, "code", &warning->code);
        mb_field_text(node, "message", warning->message, sizeof warning->message);
    }
}

static void variant_fields(struct mb_node node, const struct mb_case *c,
                           struct mb_result *result)
{
    mb_field_text(node, "id", result->slug, sizeof result->slug);
    mb_field_text(node, "label", result->label, sizeof result->label);
    strategy_fields(node, result);
    result->status = (enum mb_result_status)mb_field_word(
        node, "status", mb_result_status_names, 3, result->status, MB_RESULT_FAILED);
    mb_field_text(node, "reason", result->reason, sizeof result->reason);
    mb_field_bool(node, "diagnostic", &result->is_diagnostic);
    answer_fields(node, c, result);
    work_fields(node, result);
    verify_fields(node, result);
    mb_field_rounded(node, "setup_ms", &result->setup_ms);
    result->facts = node.reader ? read_facts(node) : result->facts;
    mb_facts_list(node, result->facts);
    step_list(node, &result->split);
    mb_warning_list(node, &result->warnings);
    mb_field_texts(node, "images", &result->images);
    mb_field_texts(node, "chains", &result->chains);
}

static void usage_list(struct mb_node node, struct mb_case *c)
{
    /* Ordered like Vulkan's bits, lowest first; "raw_views" at the end is not a usage flag. */
    static const char *const names[] = {"transfer_src", "transfer_dst",     "sampled",
                                        "storage",      "color_attachment", "raw_views"};
    const unsigned raw_views = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT << 1;
    const unsigned mask =
        mb_field_words(node, "image_used_for", names, MB_COUNTOF(names),
                       (c->used_for & (raw_views - 1)) | (c->has_raw_views ? raw_views : 0));
    if (node.reader) {
        c->used_for = mask & (raw_views - 1);
        c->has_raw_views = (mask & raw_views) != 0;
    }
}

static void layout_fields(struct mb_node node, struct mb_case *c)
{
    struct mb_layout *layout = &c->layout;
    const char *format = node.reader ? NULL : layout->format->name;
    mb_field_u32(node, "width", &layout->base.width);
    mb_field_u32(node, "height", &layout->base.height);
    mb_field_u32(node, "layers", &layout->n_layers);
    mb_field_u32(node, "levels", &layout->n_levels);
    mb_field_static(node, "format", &format);
    if (node.reader) {
        layout->format = mb_format_find(format);
        layout->n_layers = layout->n_layers > 0 ? layout->n_layers : 1;
        layout->n_levels = layout->n_levels - 1 < MB_MAX_LEVELS ? layout->n_levels : 1;
        if (layout->base.width - 1 >= MAX_EXTENT || layout->base.height - 1 >= MAX_EXTENT) {
            mb_field_refuse(node, "a case has no size");
        }
        if (!layout->format) {
            mb_field_refuse(node, "this mipbench has no format '%s'", format);
        }
    }
}

/* Read the name of the input: the part of the id before the size. */
static void read_input_name(const char *id, struct mb_case *c)
{
    const struct mb_text size = mb_text("_%ux%u_", c->layout.base.width, c->layout.base.height);
    const char *end = strstr(id, size.s);
    snprintf(c->input_name, sizeof c->input_name, "%.*s", end ? (int)(end - id) : 0, id);
}

static void task_fields(struct mb_node node, struct mb_case *c)
{
    c->task.reduce = (enum mb_reduce)mb_field_known_word(node, "reduce", mb_reduce_names,
                                                         MB_REDUCE_MAX + 1, c->task.reduce);
    c->task.alpha = (enum mb_alpha)mb_field_known_word(node, "alpha", mb_alpha_names,
                                                       MB_N_ALPHAS, c->task.alpha);
    c->is_cube = mb_field_known_word(node, "shape", mb_shape_names, MB_N_SHAPES,
                                     mb_case_shape(c)) == MB_SHAPE_CUBE;
    mb_rect_field(node, &c->task);
}

void mb_case_fields(struct mb_node node, struct mb_run *run, struct mb_case *c)
{
    struct mb_text id = node.reader ? (struct mb_text){0} : mb_case_folder(c);
    mb_field_text(node, "id", id.s, sizeof id.s);
    mb_field_text(node, "input", c->input, sizeof c->input);
    mb_field_text(node, "input_sha256", c->input_sha256, sizeof c->input_sha256);
    layout_fields(node, c);
    if (node.reader) {
        read_input_name(id.s, c);
    }
    task_fields(node, c);
    c->image_usage = (enum mb_image_usage)mb_field_word(node, "image_usage",
                                                        mb_image_usage_names, MB_N_IMAGE_USAGES,
                                                        c->image_usage, MB_IMAGE_USAGE_ALL);
    usage_list(node, c);
    mb_field_rounded(node, "image_setup_ms", &c->image_ms);
    mb_field_u64(node, "compulsory_bytes", &c->compulsory_bytes);
    struct mb_list variants = mb_field_list(node, "variants");
    if (node.reader && variants.n > MB_MAX_VARIANTS) {
        mb_field_refuse(node, "a case has more than %d variants", MB_MAX_VARIANTS);
    } else if (node.reader) {
        c->results = mb_field_alloc(node, variants.n, sizeof *c->results);
        c->n_results = c->results ? variants.n : 0;
    }
    for (size_t i = 0; i < c->n_results && !mb_node_failed(node); i++) {
        variant_fields(mb_list_object(&variants), c, &c->results[i]);
    }
    mb_timing_list(node, run, c);
}
