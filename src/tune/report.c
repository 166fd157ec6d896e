/* What a tuning leaves: tune.json, with what was chosen, against what, and what was dropped on
 * the way; and the decisions as a C header. */
#include "tune/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "base/version.h"
#include "bench/settings.h"
#include "result/label.h"
#include "result/case_json.h"
#include "result/result_json.h"
#include "result/relate.h"
#include "strategy.h"
#include "tune/choose.h"

#define TUNE_SCHEMA_VERSION "2.0.0"
#define COMMENT_COLUMNS     96

/* In words, for the files and their readers. */
static const char drop_rule[] =
    "Each pass times all variants that are left with few samples, unverified, in heats that "
    "share one variant, the anchor. A variant goes on if the median of its block-by-block "
    "ratios to the anchor is within the pass's margin of the least of its policy, and, after "
    "the last pass, among the max_finalists best of it. Nothing else is decided on a pass.";
static const char choice_rule[] =
    "Of the finalists, measured together and verified before and after, the least median of a "
    "policy is the fastest. What cannot be told from it (not SLOWER) is tied. Of those tied "
    "with a ratio of at most 1.01 the one with the fewest parameters off their defaults is "
    "chosen, then of the fewest dispatches, then of the smallest interquartile range relative "
    "to its median.";
static const char reach_rule[] =
    "Sizes that every level halves evenly (of full chains: powers of two) and other sizes are "
    "decided apart. A class "
    "reaches from what the next smaller one covers (the smallest: from 1x1) up to the "
    "crossover to the next one, or to the geometric mean of both where the winner stays or the "
    "times do not cross, or to its own size where its winner cannot run above. Beyond the "
    "largest size nothing is said.";

static void add_extent(struct mb_json *json, struct cJSON *node, struct mb_extent extent)
{
    mb_json_u64(json, node, "width", extent.width);
    mb_json_u64(json, node, "height", extent.height);
}

/* What was asked for; the same in every case. */
static void add_task(struct mb_json *json, const struct mb_run *run)
{
    struct cJSON *node = mb_json_object_if(json, json->root, "task", run->n_cases > 0);
    if (run->n_cases == 0) {
        return;
    }
    const struct mb_case *c = run->cases[0];
    mb_json_string(json, node, "input", c->input);
    mb_json_string(json, node, "reduce", mb_reduce_names[c->task.reduce]);
    mb_json_string(json, node, "alpha", mb_alpha_name(c->task.alpha));
    mb_json_u64(json, node, "layers", c->layout.n_layers);
    mb_json_string(json, node, "shape", mb_shape_names[mb_case_shape(c)]);
    mb_json_string(json, node, "cache", mb_cache_names[c->timings[0].cache]);
    mb_json_string(json, node, "mode", mb_mode_names[c->timings[0].mode]);
    mb_json_string(json, node, "image_usage", mb_image_usage_names[c->image_usage]);
}

static void add_method(struct mb_json *json, const struct mb_tune *tune)
{
    struct cJSON *node = mb_json_object(json, json->root, "method");
    mb_json_u64(json, node, "variants", tune->n_rows);
    mb_json_u64(json, node, "heat_variants", MB_TUNE_HEAT);
    mb_json_u64(json, node, "max_finalists", MB_TUNE_FINALISTS);
    mb_json_number(json, node, "least_margin", MB_MARGIN);
    mb_json_string(json, node, "drop_rule", drop_rule);
    mb_json_string(json, node, "choice_rule", choice_rule);
    mb_json_string(json, node, "reach_rule", reach_rule);
}

static void add_selftest(struct mb_json *json, const struct mb_tune *tune)
{
    struct cJSON *node = mb_json_object_if(json, json->root, "self_test", tune->has_selftest);
    mb_json_bool(json, node, "passed", tune->selftest.passed);
    struct cJSON *checks = mb_json_array(json, node, "checks");
    for (int i = 0; i < MB_N_CHECKS; i++) {
        struct cJSON *check = mb_json_object(json, checks, NULL);
        mb_json_string(json, check, "name", tune->selftest.check[i].name);
        mb_json_bool(json, check, "passed", tune->selftest.check[i].passed);
        mb_json_string(json, check, "text", tune->selftest.check[i].text);
    }
}

static void add_passes(struct mb_json *json, struct cJSON *parent, const struct mb_tune *tune,
                       const struct mb_tune_case *c)
{
    char label[MB_LABEL_BYTES];
    struct cJSON *list = mb_json_array(json, parent, "passes");
    for (uint32_t i = 0; i < c->n_passes; i++) {
        const struct mb_tune_pass *pass = &c->pass[i];
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "name", mb_tune_rules[i].name);
        mb_json_u64(json, node, "blocks", mb_tune_rules[i].n_blocks);
        mb_json_u64(json, node, "heats", pass->n_heats);
        mb_json_number(json, node, "margin_ratio", mb_tune_rules[i].margin);
        mb_json_u64(json, node, "variants", pass->n_in);
        mb_json_u64(json, node, "kept", pass->n_out);
        if (c->anchor != SIZE_MAX) {
            mb_variant_label(&tune->rows[c->anchor], label, sizeof label);
        }
        mb_json_string(json, node, "anchor", c->anchor != SIZE_MAX ? label : NULL);
    }
}

static bool is_left_out(const struct mb_tune_variant *variant)
{
    return variant->state == MB_TUNE_SKIPPED || variant->state == MB_TUNE_SAME;
}

/* Left out for the same reason, of one strategy: told once. */
static bool is_alike(const struct mb_tune *tune, const struct mb_tune_case *c, size_t a,
                     size_t b)
{
    return is_left_out(&c->variants[a]) && is_left_out(&c->variants[b]) &&
           tune->rows[a].strategy == tune->rows[b].strategy &&
           strcmp(c->variants[a].reason, c->variants[b].reason) == 0;
}

static void add_skipped(struct mb_json *json, struct cJSON *list, const struct mb_tune *tune,
                        const struct mb_tune_case *c, size_t index)
{
    size_t n_before = 0, n_alike = 0;
    for (size_t i = 0; i < c->n_variants; i++) {
        n_before += i < index && is_alike(tune, c, i, index);
        n_alike += is_alike(tune, c, i, index);
    }
    if (n_before == 0) {
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "strategy", tune->rows[index].strategy->name);
        mb_json_u64(json, node, "variants", n_alike);
        mb_json_string(json, node, "reason", c->variants[index].reason);
    }
}

/* What became of the variants that are not in the final. */
static void add_others(struct mb_json *json, struct cJSON *parent, const struct mb_tune *tune,
                       const struct mb_tune_case *c)
{
    char label[MB_LABEL_BYTES];
    struct cJSON *skipped = mb_json_array(json, parent, "skipped");
    struct cJSON *failed = mb_json_array(json, parent, "failed");
    struct cJSON *dropped = mb_json_array(json, parent, "dropped");
    for (size_t i = 0; i < c->n_variants; i++) {
        const struct mb_tune_variant *variant = &c->variants[i];
        mb_variant_label(&tune->rows[i], label, sizeof label);
        if (is_left_out(variant)) {
            add_skipped(json, skipped, tune, c, i);
        } else if (variant->state == MB_TUNE_FAILED) {
            struct cJSON *node = mb_json_object(json, failed, NULL);
            mb_json_string(json, node, "label", label);
            mb_json_bool(json, node, "wrong", variant->is_wrong);
            mb_json_string(json, node, "reason", variant->reason);
        } else if (variant->state == MB_TUNE_DROPPED) {
            struct cJSON *node = mb_json_object(json, dropped, NULL);
            mb_json_string(json, node, "label", label);
            mb_json_string(json, node, "pass", mb_tune_rules[variant->pass].name);
            mb_json_number(json, node, "ratio", variant->behind);
            mb_json_string(json, node, "why", variant->is_over_cap ? "cap" : "margin");
        }
    }
}

/* Its figures are in results.json. */
static void add_finalist(struct mb_json *json, struct cJSON *node, const struct mb_row *row)
{
    mb_json_string(json, node, "label", row->result->label);
    mb_json_string(json, node, "id", row->result->slug);
}

static void add_relation(struct mb_json *json, struct cJSON *node,
                         const struct mb_relation *relation)
{
    const bool is_known = isfinite(relation->ci[0]) && isfinite(relation->ci[1]);
    mb_json_number(json, node, "ratio", relation->ratio);
    if (is_known) {
        mb_json_numbers(json, node, "ci", relation->ci, 2);
    } else {
        mb_json_null(json, node, "ci");
    }
    mb_json_number(json, node, "p_adjusted", relation->p_adjusted);
    mb_json_string(json, node, "verdict", mb_outcome_names[relation->outcome]);
}

static void add_choice(struct mb_json *json, struct cJSON *list, enum mb_question question,
                       const struct mb_tune_choice *choice)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "question", mb_question_names[question]);
    mb_json_string(json, node, "fastest", choice->fastest->result->label);
    add_finalist(json, mb_json_object(json, node, "chosen"), choice->chosen);
    const struct mb_row *next = choice->runner_up;
    struct cJSON *runner_up = mb_json_object_if(json, node, "runner_up", next != NULL);
    mb_json_string(json, runner_up, "label", next ? next->result->label : NULL);
    add_relation(json, runner_up, &choice->next);
    mb_json_bool(json, node, "distinguishable", choice->is_distinct);
    mb_json_u64(json, node, "tied", choice->n_tied);
}

static void add_final(struct mb_json *json, struct cJSON *node, const struct mb_tune_case *c)
{
    const struct mb_timing *timing = c->final;
    struct cJSON *finalists = mb_json_array(json, node, "finalists");
    struct cJSON *choices = mb_json_array(json, node, "choices");
    if (!timing) {
        return;
    }
    for (size_t i = 0; i < timing->of->n_results; i++) {
        if (mb_row_status(&timing->rows[i]) == MB_RESULT_OK) {
            add_finalist(json, mb_json_object(json, finalists, NULL), &timing->rows[i]);
        }
    }
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        if (c->choice[question].chosen != NULL) {
            add_choice(json, choices, (enum mb_question)question, &c->choice[question]);
        }
    }
}

static void add_case(struct mb_json *json, struct cJSON *list, const struct mb_tune *tune,
                     const struct mb_tune_case *c)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    /* Of the case in results.json, where the finals are with every sample. */
    mb_json_string(json, node, "id", c->final ? mb_case_folder(c->final->of).s : NULL);
    mb_json_string(json, node, "format", c->layout.format->name);
    add_extent(json, node, c->layout.base);
    mb_json_u64(json, node, "levels", c->layout.n_levels);
    add_passes(json, node, tune, c);
    add_others(json, node, tune, c);
    add_final(json, node, c);
}

static void add_kind(struct mb_json *json, struct cJSON *node,
                     const struct mb_tune_choice *class)
{
    mb_json_string(json, node, "format", class->of->layout.format->name);
    mb_json_string(json, node, "question", mb_question_names[class->question]);
    mb_json_bool(json, node, "even", class->is_even);
}

static void add_class(struct mb_json *json, struct cJSON *list,
                      const struct mb_tune_choice *class)
{
    const struct mb_row *winner = class->chosen;
    struct cJSON *node = mb_json_object(json, list, NULL);
    add_kind(json, node, class);
    add_extent(json, node, class->of->layout.base);
    mb_json_u64(json, node, "max_texels", class->max_texels);
    mb_json_u64(json, node, "max_edge", class->max_edge);
    mb_json_string(json, node, "label", winner->result->label);
    mb_json_string(json, node, "strategy", winner->result->strategy->name);
    mb_report_params(json, node, winner->result->strategy, &winner->result->params);
    mb_json_number(json, node, "median_ns", winner->stats.median_ns);
    mb_json_numbers(json, node, "median_ci_ns", winner->stats.median_ci_ns, 2);
    mb_json_number(json, node, "median_ci_level", winner->stats.median_ci_level);
    mb_json_bool(json, node, "distinguishable", class->is_distinct);
}

static void add_side(struct mb_json *json, struct cJSON *parent, const char *key,
                     const struct mb_tune_choice *class)
{
    struct cJSON *node = mb_json_object(json, parent, key);
    add_extent(json, node, class->of->layout.base);
    mb_json_string(json, node, "label", class->chosen->result->label);
}

static void add_crossover(struct mb_json *json, struct cJSON *list,
                          const struct mb_tune_choice *below)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    add_kind(json, node, below);
    add_side(json, node, "below", below);
    add_side(json, node, "above", below->above);
    mb_json_number(json, node, "texels", below->border_texels);
    mb_json_number(json, node, "square_edge", sqrt(below->border_texels));
    mb_json_string(json, node, "how", mb_tune_how_names[below->how]);
}

enum mb_status mb_tune_json(const struct mb_run *run, const struct mb_tune *tune, char **text,
                            struct mb_err *err)
{
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-tune", TUNE_SCHEMA_VERSION);
    mb_report_head(&json, run);
    add_task(&json, run);
    add_method(&json, tune);
    add_selftest(&json, tune);
    struct cJSON *classes = mb_json_array(&json, json.root, "classes");
    struct cJSON *crossovers = mb_json_array(&json, json.root, "crossovers");
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_class(&json, classes, tune->classes[i]);
        if (tune->classes[i]->above) {
            add_crossover(&json, crossovers, tune->classes[i]);
        }
    }
    struct cJSON *cases = mb_json_array(&json, json.root, "cases");
    for (size_t i = 0; i < tune->n_cases; i++) {
        add_case(&json, cases, tune, &tune->cases[i]);
    }
    return mb_json_print(&json, text, err);
}

/* mipbench_tuned.h.in, with a line @NAME@ for each of the parts below. */
extern const struct mb_embedded mb_tuned_template[];

/* A string literal of ASCII: whatever else is in it is written in octal. '?' could begin a
 * trigraph. */
static void add_literal(struct mb_strbuf *out, const char *text)
{
    mb_strbuf_append(out, "\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool is_plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '?';
        mb_strbuf_printf(out, is_plain ? "%c" : "\\%03o", c);
    }
    mb_strbuf_append(out, "\"");
}

/* Text for a comment: nothing in it ends or begins one, and every line of it is part of it. */
static void add_remark(struct mb_strbuf *out, const char *text)
{
    MB_SCOPED(mb_strbuf) safe = {0};
    for (; *text != '\0'; text++) {
        const bool is_edge = (text[0] == '*' && text[1] == '/') ||
                             (text[0] == '/' && text[1] == '*') || text[0] == '\\';
        const unsigned char c = (unsigned char)*text;
        mb_strbuf_printf(&safe, "%c%s", c < ' ' || c >= 0x7f ? '?' : c, is_edge ? " " : "");
    }
    MB_SCOPED(mb_strbuf) wrapped = {0};
    mb_strbuf_wrap(&wrapped, mb_strbuf_text(&safe), 3, COMMENT_COLUMNS);
    const char *line = mb_strbuf_text(&wrapped);
    for (const char *end = line; *line != '\0'; line = end) {
        line += strspn(line, " ");
        end = line + strcspn(line, "\n");
        mb_strbuf_append(out, " * ");
        mb_strbuf_append_n(out, line, (size_t)(end - line));
        mb_strbuf_append(out, "\n");
        end += *end == '\n';
    }
    out->failed = out->failed || safe.failed || wrapped.failed;
}

/* What was tuned, and what the reader must know of it. */
static void add_intro(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_tune *tune)
{
    MB_SCOPED(mb_strbuf) text = {0};
    mb_strbuf_append(out,
                     "/* The fastest verified ways of making mipmaps on one device.\n *\n");
    mb_strbuf_printf(&text,
                     "Made by mipbench %s (%s) at %s: do not edit. Device: %s, driver %s %s.",
                     MB_VERSION, MB_GIT_SHA, run->utc, run->device.name,
                     run->device.driver_name, run->device.driver_info);
    if (run->n_cases > 0) {
        mb_strbuf_printf(&text, " Task: %s.",
                         mb_timing_describe_task(&run->cases[0]->timings[0]).s);
    }
    if (run->settings->n_levels > 0) {
        mb_strbuf_printf(&text, " Up to %u levels.", run->settings->n_levels);
    }
    if (mb_gpu_is_cpu(&run->device)) {
        mb_strbuf_append(&text, " SOFTWARE DEVICE: this says nothing about a GPU.");
    }
    if (tune->has_selftest && !tune->selftest.passed) {
        mb_strbuf_append(&text, " THE SELF-TEST OF THE INSTRUMENT FAILED: trust none of this.");
    }
    if (!run->complete) {
        mb_strbuf_append(&text, " INCOMPLETE: it was cut short.");
    }
    add_remark(out, mb_strbuf_text(&text));
    mb_strbuf_append(out, " *\n");
    add_remark(out, choice_rule);
    mb_strbuf_append(out, " *\n");
    add_remark(out, reach_rule);
    mb_strbuf_append(out, " */\n");
    out->failed = out->failed || text.failed;
}

static void add_macro(struct mb_strbuf *out, const char *name, const char *value)
{
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_%s ", name);
    add_literal(out, value);
    mb_strbuf_append(out, "\n");
}

static void add_macros(struct mb_strbuf *out, const struct mb_run *run,
                       const struct mb_tune *tune)
{
    const struct mb_gpu_info *device = &run->device;
    add_macro(out, "DEVICE", device->name);
    add_macro(out, "DRIVER", device->driver_info);
    add_macro(out, "DRIVER_VERSION", device->driver_version);
    add_macro(out, "TOOL", MB_VERSION " " MB_GIT_SHA);
    add_macro(out, "UTC", run->utc);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_VENDOR_ID 0x%" PRIx32 "u\n",
                     device->vendor_id);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_DEVICE_ID 0x%" PRIx32 "u\n",
                     device->device_id);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_LEVELS %uu\n", run->settings->n_levels);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_COMPLETE %d\n", run->complete);
}

/* "MIPBENCH_TUNED_EXACT". */
static void add_question(struct mb_strbuf *out, enum mb_question question)
{
    mb_strbuf_append(out, "MIPBENCH_TUNED_");
    for (const char *name = mb_question_names[question]; *name != '\0'; name++) {
        mb_strbuf_printf(out, "%c", toupper((unsigned char)*name));
    }
}

static void add_number(struct mb_strbuf *out, double value)
{
    const struct mb_text text = mb_number_text(isfinite(value) ? value : 0.0);
    mb_strbuf_printf(out, strpbrk(text.s, ".e") ? "%s" : "%s.0", text.s);
}

/* Three figures: a median or ratio and its interval, if it has one. */
static void add_figures(struct mb_strbuf *out, double figure, const double ci[2], bool has_ci)
{
    add_number(out, figure);
    for (int i = 0; i < 2; i++) {
        mb_strbuf_append(out, ", ");
        add_number(out, has_ci ? ci[i] : (double)NAN);
    }
}

static void add_row(struct mb_strbuf *out, const struct mb_tune_choice *choice)
{
    const struct mb_layout *layout = &choice->of->layout;
    const struct mb_stats *stats = &choice->chosen->stats;
    const char *params = strchr(choice->chosen->result->label, ':');
    mb_strbuf_append(out, "    {");
    add_literal(out, layout->format->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, mb_reduce_names[choice->of->final->of->task.reduce]);
    mb_strbuf_append(out, ", ");
    add_question(out, choice->question);
    mb_strbuf_printf(out, ", %d, %u, %u, UINT64_C(%" PRIu64 "), %u,\n     ", choice->is_even,
                     layout->base.width, layout->base.height, choice->max_texels,
                     choice->max_edge);
    add_literal(out, choice->chosen->result->strategy->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, params ? params + 1 : "");
    mb_strbuf_append(out, ", ");
    add_figures(out, stats->median_ns, stats->median_ci_ns, stats->median_ci_level >= 0.95);
    mb_strbuf_printf(out, ", %d,\n     ", choice->is_distinct);
    if (choice->runner_up == NULL) {
        mb_strbuf_append(out, "NULL, 0.0, 0.0, 0.0},\n");
        return;
    }
    add_literal(out, choice->runner_up->result->label);
    mb_strbuf_append(out, ", ");
    add_figures(out, choice->next.ratio, choice->next.ci, true);
    mb_strbuf_append(out, "},\n");
}

static void add_questions(struct mb_strbuf *out, const struct mb_run *run,
                          const struct mb_tune *tune)
{
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        mb_strbuf_append(out, "    ");
        add_question(out, (enum mb_question)question);
        mb_strbuf_append(out, question + 1 < MB_N_QUESTIONS ? ",\n" : "\n");
    }
}

static void add_rows(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_tune *tune)
{
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_row(out, tune->classes[i]);
    }
}

static const struct {
    const char *line;
    void (*add)(struct mb_strbuf *out, const struct mb_run *run, const struct mb_tune *tune);
} parts[] = {
    {"@INTRO@\n", add_intro},
    {"@MACROS@\n", add_macros},
    {"@QUESTIONS@\n", add_questions},
    {"@ROWS@\n", add_rows},
};

/* The template up to a part, and the part; they are in its order. */
enum mb_status mb_tune_header(const struct mb_run *run, const struct mb_tune *tune, char **text,
                              struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) template = {0};
    struct mb_strbuf out = {0};
    mb_strbuf_append_n(&template, (const char *)mb_tuned_template->data,
                       mb_tuned_template->n_bytes);
    const char *rest = mb_strbuf_text(&template);
    for (size_t i = 0; !template.failed && i < MB_COUNTOF(parts); i++) {
        const char *line = strstr(rest, parts[i].line);
        mb_strbuf_append_n(&out, rest, (size_t)(line - rest));
        parts[i].add(&out, run, tune);
        rest = line + strlen(parts[i].line);
    }
    mb_strbuf_append(&out, rest);
    out.failed = out.failed || template.failed;
    return mb_strbuf_take(&out, text, err);
}
