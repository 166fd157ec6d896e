/* The results of a tuning: its decisions as tune.json, and as a C header. */
#include "tune/tune.h"

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
#include "strategy.h"

#define TUNE_SCHEMA_VERSION "3.0.0"

/* The task, which is the same in every case. */
static void add_task(struct mb_json *json, const struct mb_run *run)
{
    struct cJSON *node = mb_json_object_if(json, json->root, "task", run->n_cases > 0);
    if (run->n_cases == 0) {
        return;
    }
    struct mb_case *c = run->cases[0];
    mb_json_string(json, node, "input", c->input);
    mb_json_string(json, node, "reduce", mb_reduce_names[c->task.reduce]);
    mb_json_string(json, node, "alpha", mb_alpha_names[c->task.alpha]);
    mb_json_u64(json, node, "layers", c->layout.n_layers);
    mb_json_string(json, node, "shape", mb_shape_names[mb_case_shape(c)]);
    mb_rect_field(mb_node_write(json, node), &c->task);
    mb_json_string(json, node, "cache", mb_cache_names[c->timings[0].cache]);
    mb_json_string(json, node, "mode", mb_mode_names[c->timings[0].mode]);
    mb_json_string(json, node, "image_usage", mb_image_usage_names[c->image_usage]);
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
        mb_json_string(json, check, "text", tune->selftest.check[i].text.s);
    }
}

static void add_class(struct mb_json *json, struct cJSON *list,
                      const struct mb_tune_class *class)
{
    const struct mb_row *winner = class->chosen, *next = class->runner_up;
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "format", class->timing->of->layout.format->name);
    mb_json_string(json, node, "question", mb_question_names[class->question]);
    mb_json_bool(json, node, "power_of_two", class->is_power);
    mb_json_string(json, node, "case", mb_case_folder(class->timing->of).s);
    mb_json_u64(json, node, "width", class->timing->of->layout.base.width);
    mb_json_u64(json, node, "height", class->timing->of->layout.base.height);
    mb_json_u64(json, node, "max_texels", class->max_texels);
    mb_json_u64(json, node, "max_edge", class->max_edge);
    mb_json_string(json, node, "variant", winner->result->slug);
    mb_json_string(json, node, "label", winner->result->label);
    mb_json_string(json, node, "strategy", winner->result->strategy->name);
    mb_report_params(json, node, winner->result->strategy, &winner->result->params);
    struct mb_stats stats = winner->stats;
    mb_stats_fields(mb_node_write(json, node), "stats", &stats);
    mb_json_string(json, node, "fastest", class->fastest->result->slug);
    struct cJSON *runner_up = mb_json_object_if(json, node, "runner_up", next != NULL);
    mb_json_string(json, runner_up, "variant", next ? next->result->slug : NULL);
    struct mb_relation relation = class->next;
    mb_relation_field(mb_node_write(json, runner_up), &relation);
}

void mb_tune_json(const struct mb_run *run, const struct mb_tune *tune, struct mb_strbuf *out)
{
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-tune", TUNE_SCHEMA_VERSION);
    struct mb_run own = *run;
    mb_head_fields(mb_node_write(&json, json.root), &own);
    add_task(&json, run);
    add_selftest(&json, tune);
    struct cJSON *classes = mb_json_array(&json, json.root, "classes");
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_class(&json, classes, &tune->classes[i]);
    }
    mb_json_print(&json, out);
}

extern const struct mb_embedded mb_tuned_template[]; /* mipbench_tuned.h.in */

/* Add a macro that is a string literal in ASCII: other bytes, and '?', which begins trigraphs,
 * are octal. */
static void add_macro(struct mb_strbuf *out, const char *name, const char *value)
{
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_%s \"", name);
    for (; *value != '\0'; value++) {
        const unsigned char c = (unsigned char)*value;
        const bool is_plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '?';
        mb_strbuf_printf(out, is_plain ? "%c" : "\\%03o", c);
    }
    mb_strbuf_append(out, "\"\n");
}

/* Add comments that warn the reader, and macros that say what was tuned. */
static void add_macros(struct mb_strbuf *out, const struct mb_run *run,
                       const struct mb_tune *tune)
{
    const struct mb_gpu_info *device = &run->device;
    mb_strbuf_append(out, "/* Made by mipbench: do not edit. */\n");
    if (mb_gpu_is_cpu(device)) {
        mb_strbuf_append(out, "/* SOFTWARE DEVICE: this says nothing about a GPU. */\n");
    }
    if (tune->has_selftest && !tune->selftest.passed) {
        mb_strbuf_append(out,
                         "/* THE SELF-TEST OF THE INSTRUMENT FAILED: trust none of this. */\n");
    }
    if (!run->complete) {
        mb_strbuf_append(out, "/* INCOMPLETE: the run was cut short. */\n");
    }
    add_macro(out, "DEVICE", device->name);
    add_macro(out, "DRIVER", device->driver_info);
    add_macro(out, "DRIVER_VERSION", device->driver_version);
    add_macro(out, "TOOL", MB_VERSION " " MB_GIT_SHA);
    add_macro(out, "UTC", run->utc);
    add_macro(out, "TASK",
              run->n_cases > 0 ? mb_timing_describe_task(&run->cases[0]->timings[0]).s : "");
    mb_strbuf_printf(out,
                     "#define MIPBENCH_TUNED_VENDOR_ID 0x%" PRIx32 "u\n"
                     "#define MIPBENCH_TUNED_DEVICE_ID 0x%" PRIx32 "u\n"
                     "#define MIPBENCH_TUNED_N_LEVELS %" PRIu32 "u\n"
                     "#define MIPBENCH_TUNED_COMPLETE %d\n",
                     device->vendor_id, device->device_id, run->settings->n_levels,
                     run->complete);
}

/* The question as it ends the name of an enumerator: "EXACT". */
static struct mb_text question_text(enum mb_question question)
{
    struct mb_text text = mb_text("%s", mb_question_names[question]);
    for (char *c = text.s; *c != '\0'; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    return text;
}

/* "median, low, high"; 0 for a figure that is not known. */
static struct mb_text figures_text(double figure, const double ci[2], bool has_ci)
{
    const double figures[] = {figure, has_ci ? ci[0] : 0.0, has_ci ? ci[1] : 0.0};
    struct mb_text texts[3];
    for (size_t i = 0; i < MB_COUNTOF(figures); i++) {
        texts[i] = mb_number_text(isfinite(figures[i]) ? figures[i] : 0.0);
    }
    return mb_text("%s, %s, %s", texts[0].s, texts[1].s, texts[2].s);
}

/* Add a row of the table. Unlike names of devices, those of formats and strategies need no
 * escapes. */
static void add_row(struct mb_strbuf *out, const struct mb_tune_class *class)
{
    const struct mb_case *c = class->timing->of;
    const struct mb_result *result = class->chosen->result;
    const struct mb_stats *stats = &class->chosen->stats;
    const char *params = strchr(result->label, ':');
    mb_strbuf_printf(
        out,
        "    {\"%s\", \"%s\", MIPBENCH_TUNED_%s, %d, %u, %u, UINT64_C(%" PRIu64
        "), %u, \\\n     \"%s\", \"%s\", %s, %d, \\\n     ",
        c->layout.format->name, mb_reduce_names[c->task.reduce],
        question_text(class->question).s, class->is_power, c->layout.base.width,
        c->layout.base.height, class->max_texels, class->max_edge, result->strategy->name,
        params ? params + 1 : "",
        figures_text(stats->median_ns, stats->median_ci_ns, mb_has_median_ci(stats)).s,
        class->next.outcome == MB_OUTCOME_SLOWER);
    if (class->runner_up == NULL) {
        mb_strbuf_append(out, "NULL, 0, 0, 0}, \\\n");
    } else {
        mb_strbuf_printf(out, "\"%s\", %s}, \\\n", class->runner_up->result->label,
                         figures_text(class->next.ratio, class->next.ci, true).s);
    }
}

void mb_tune_header(const struct mb_run *run, const struct mb_tune *tune, struct mb_strbuf *out)
{
    add_macros(out, run, tune);
    mb_strbuf_append(out, "#define MIPBENCH_TUNED_ROWS \\\n");
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_row(out, &tune->classes[i]);
    }
    mb_strbuf_append(out, "\n");
    mb_strbuf_append_n(out, (const char *)mb_tuned_template->data, mb_tuned_template->n_bytes);
}
