/* Gathering what `mipbench list` shows. Devices are opened only where strategies or formats are
 * listed. */
#include "cli/list.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/list_facts.h"
#include "image/format.h"

const struct mb_subgroup_operation mb_subgroup_operations[] = {
    {VK_SUBGROUP_FEATURE_BASIC_BIT, "basic"},
    {VK_SUBGROUP_FEATURE_VOTE_BIT, "vote"},
    {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic"},
    {VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot"},
    {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle"},
    {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "shuffle-relative"},
    {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "clustered"},
    {VK_SUBGROUP_FEATURE_QUAD_BIT, "quad"},
};
const size_t mb_subgroup_operation_count = MB_COUNTOF(mb_subgroup_operations);

/* Ask every strategy about a full chain of a square power of two, which none should have to
 * refuse for its size. `gpu` NULL: the device could not be opened, for the reason `why`. */
static void ask_strategies(const struct mb_list_facts *facts, const struct mb_gpu *gpu,
                           const struct mb_err *why, struct mb_availability *availability)
{
    struct mb_layout layout;
    const struct mb_extent base = {1024, 1024};
    const struct mb_params defaults = {0};
    const struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(base)}};
    mb_layout_init(&layout, mb_format_find("rgba8"), base, 1, mb_full_level_count(base));
    for (size_t i = 0; i < facts->n_strategies; i++) {
        struct mb_err reason = *why;
        availability[i].is_available =
            gpu != NULL &&
            facts->strategies[i]->supports(gpu, &layout, &task, &defaults, &reason) == MB_OK;
        if (!availability[i].is_available) {
            snprintf(availability[i].reason, sizeof availability[i].reason, "%s", reason.text);
        }
    }
}

static enum mb_status ask_device(const struct mb_list_facts *facts, size_t index,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    char selector[16];
    struct mb_gpu gpu = {0};
    struct mb_err why = {0};
    snprintf(selector, sizeof selector, "%u", facts->devices[index].index);
    const struct mb_gpu_options gpu_options = {.selector = selector};
    const struct mb_gpu *opened = mb_gpu_init(&gpu, &gpu_options, &why) == MB_OK ? &gpu : NULL;
    if (facts->availability != NULL) {
        ask_strategies(facts, opened, &why, facts->availability + index * facts->n_strategies);
    }
    if (facts->abilities != NULL) {
        status =
            mb_abilities_ask(&facts->abilities[index], facts->strategies, opened, &why, err);
    }
    mb_gpu_finish(&gpu);
    return status;
}

static enum mb_status ask_devices(struct mb_list_facts *facts, enum mb_list_what what,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    if (what != MB_LIST_FORMATS) {
        facts->availability =
            mb_alloc(facts->n_devices * facts->n_strategies, sizeof *facts->availability);
    }
    if (what != MB_LIST_STRATEGIES) {
        facts->abilities = mb_alloc(facts->n_devices, sizeof *facts->abilities);
    }
    if ((what != MB_LIST_FORMATS && facts->availability == NULL) ||
        (what != MB_LIST_STRATEGIES && facts->abilities == NULL)) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "list: out of memory");
    }
    for (size_t i = 0; i < facts->n_devices; i++) {
        MB_TRY(ask_device(facts, i, err));
    }
fail:
    return status;
}

/* Keep the one device that --device selects, by the rule of a run. */
static enum mb_status select_device(struct mb_list_facts *facts, const char *selector,
                                    struct mb_err *err)
{
    struct mb_gpu gpu = {0};
    const struct mb_gpu_options options = {.selector = selector};
    enum mb_status status = mb_gpu_init(&gpu, &options, err);
    if (status == MB_OK) {
        facts->devices[0] = gpu.info;
        facts->n_devices = 1;
        mb_gpu_finish(&gpu);
    }
    return status;
}

/* No device is a failure only where devices are all that was asked for, or one by name. */
static enum mb_status gather(struct mb_list_facts *facts, enum mb_list_what what,
                             const char *selector, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    facts->strategies = mb_strategies;
    while (facts->strategies[facts->n_strategies] != NULL) {
        facts->n_strategies++;
    }
    if (what == MB_LIST_PATTERNS) {
        return MB_OK;
    }
    if (mb_gpu_enumerate(&facts->devices, &facts->n_devices, &facts->no_device) != MB_OK) {
        facts->n_devices = 0;
        if (what == MB_LIST_DEVICES || selector != NULL ||
            facts->no_device.code != MB_ERRC_DEVICE) {
            *err = facts->no_device;
            return MB_FAILED;
        }
        return MB_OK;
    }
    if (selector != NULL) {
        MB_TRY(select_device(facts, selector, err));
    }
    if (what != MB_LIST_DEVICES) {
        MB_TRY(ask_devices(facts, what, err));
    }
fail:
    return status;
}

static void finish_facts(struct mb_list_facts *facts)
{
    for (size_t i = 0; facts->abilities != NULL && i < facts->n_devices; i++) {
        mb_abilities_finish(&facts->abilities[i]);
    }
    mb_free(facts->abilities);
    mb_free(facts->availability);
    mb_free(facts->devices);
}

static enum mb_status write_json(const struct mb_list_facts *facts, enum mb_list_what what,
                                 struct mb_err *err)
{
    struct mb_json json;
    char *text = NULL;
    enum mb_status status;
    mb_json_init(&json);
    mb_list_json(&json, facts, what);
    MB_TRY(mb_json_print(&json, &text, err));
    MB_TRY(mb_stdout_write(text, strlen(text), err));
fail:
    mb_free(text);
    mb_json_finish(&json);
    return status;
}

static enum mb_status write_text(const struct mb_list_facts *facts, enum mb_list_what what,
                                 struct mb_err *err)
{
    struct mb_strbuf out = {0};
    enum mb_status status;
    mb_list_text(&out, facts, what);
    MB_TRY(mb_strbuf_check(&out, err));
    MB_TRY(mb_stdout_write(mb_strbuf_text(&out), out.n_bytes, err));
fail:
    mb_strbuf_finish(&out);
    return status;
}

enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err)
{
    struct mb_list_facts facts = {0};
    enum mb_status status;
    MB_TRY(gather(&facts, options->list_what, options->settings.device, err));
    MB_TRY(options->list_json ? write_json(&facts, options->list_what, err)
                              : write_text(&facts, options->list_what, err));
fail:
    finish_facts(&facts);
    return status;
}
