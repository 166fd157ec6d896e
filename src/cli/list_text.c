/* `mipbench list` for a person: at most 80 columns, plain ASCII of our own. */
#include "cli/list_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "image/format.h"
#include "image/pattern.h"

#define TEXT_COLUMNS 80

/* "139.8 GiB" */
static void add_bytes(struct mb_strbuf *out, uint64_t n_bytes)
{
    const char *unit;
    const double value = mb_scale_bytes(n_bytes, &unit);
    mb_strbuf_printf(out, "%.*f %s", value < 10 && n_bytes >= 1024 ? 1 : 0, value, unit);
}

static void add_heaps(struct mb_strbuf *out, const struct mb_gpu_info *device)
{
    mb_strbuf_append(out, "     memory      ");
    for (uint32_t i = 0; i < device->n_heaps; i++) {
        mb_strbuf_append(out, i > 0 ? ", " : "");
        add_bytes(out, device->heap[i].size_bytes);
        mb_strbuf_append(out, device->heap[i].device_local ? " device-local" : " host");
    }
    mb_strbuf_append(out, "\n");
}

static void add_subgroups(struct mb_strbuf *out, const struct mb_gpu_info *device)
{
    char names[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < mb_subgroup_operation_count; i++) {
        if (device->subgroup_operations & mb_subgroup_operations[i].bit) {
            used += (size_t)snprintf(names + used, sizeof names - used, " %s",
                                     mb_subgroup_operations[i].name);
        }
    }
    mb_strbuf_printf(out, "     subgroups   %" PRIu32 " (%" PRIu32 " to %" PRIu32 ");",
                     device->subgroup_size, device->min_subgroup_size,
                     device->max_subgroup_size);
    mb_strbuf_append(out, "\n                 ");
    mb_strbuf_wrap(out, used > 0 ? names + 1 : "no operations in compute shaders", 17,
                   TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

static void add_device(struct mb_strbuf *out, const struct mb_gpu_info *device)
{
    mb_strbuf_printf(out, "  %" PRIu32 "  %s (%s)\n", device->index, device->name,
                     mb_gpu_type_name(device->type));
    mb_strbuf_printf(out, "     uuid        %s\n", device->uuid);
    mb_strbuf_printf(
        out, "     driver      %s %s, Vulkan %u.%u.%u\n", device->driver_name,
        device->driver_info[0] != '\0' ? device->driver_info : device->driver_version,
        VK_API_VERSION_MAJOR(device->api_version), VK_API_VERSION_MINOR(device->api_version),
        VK_API_VERSION_PATCH(device->api_version));
    add_heaps(out, device);
    mb_strbuf_printf(out,
                     "     images      up to %" PRIu32 "x%" PRIu32 ", %" PRIu32
                     " layers, %" PRIu32 " storage images a stage\n",
                     device->max_image_dimension_2d, device->max_image_dimension_2d,
                     device->max_image_array_layers, device->max_storage_images);
    mb_strbuf_printf(out, "     workgroups  %" PRIu32 " invocations, ",
                     device->max_workgroup_invocations);
    add_bytes(out, device->max_shared_memory_bytes);
    mb_strbuf_append(out, " shared memory\n");
    add_subgroups(out, device);
    if (device->timestamp_valid_bits == 0) {
        mb_strbuf_append(out, "     timestamps  none: nothing can be timed\n");
    } else {
        mb_strbuf_printf(out, "     timestamps  %" PRIu32 " bits, unit %g ns\n",
                         device->timestamp_valid_bits, device->timestamp_period_ns);
    }
}

static void add_devices(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    mb_strbuf_append(out, "Devices\n");
    for (size_t i = 0; i < facts->n_devices; i++) {
        add_device(out, &facts->devices[i]);
    }
    if (facts->n_devices == 0) {
        mb_strbuf_printf(out, "  none: %s\n", facts->no_device.text);
    }
}

/* "key=default|other (default)", and what it is for below. */
static void add_param(struct mb_strbuf *out, const struct mb_strategy *strategy,
                      const struct mb_param *param)
{
    char left[128];
    size_t used = (size_t)snprintf(left, sizeof left, "%s=", param->name);
    for (size_t i = 0; param->values[i] != NULL && used < sizeof left; i++) {
        used += (size_t)snprintf(left + used, sizeof left - used, "%s%s", i > 0 ? "|" : "",
                                 param->values[i]);
    }
    mb_strbuf_printf(out, "      %s (%s)\n          ", left, param->values[0]);
    mb_strbuf_wrap(out, param->help, 10, TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
    if (param->is_diagnostic) {
        mb_strbuf_printf(out, "          diagnostic: not verified, not ranked, not in %s:*\n",
                         strategy->name);
    }
}

static void add_availability(struct mb_strbuf *out, const struct mb_list_facts *facts,
                             size_t strategy_index)
{
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_availability *availability =
            &facts->availability[i * facts->n_strategies + strategy_index];
        mb_strbuf_printf(out, "    device %" PRIu32 ": ", facts->devices[i].index);
        mb_strbuf_wrap(out, availability->is_available ? "available" : availability->reason, 14,
                       TEXT_COLUMNS);
        mb_strbuf_append(out, "\n");
    }
}

static void add_strategies(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    mb_strbuf_append(out, "Strategies (a parameter's default in parentheses; NAME:* runs every "
                          "variant,\nbut leaves diagnostic parameters out)\n");
    for (size_t i = 0; i < facts->n_strategies; i++) {
        const struct mb_strategy *strategy = facts->strategies[i];
        mb_strbuf_printf(out, "  %s\n    ", strategy->name);
        mb_strbuf_wrap(out, strategy->title, 4, TEXT_COLUMNS);
        mb_strbuf_append(out, "\n    source: ");
        mb_strbuf_wrap(out, strategy->source, 12, TEXT_COLUMNS);
        mb_strbuf_append(out, "\n");
        const struct mb_param *param = strategy->params;
        for (; param != NULL && param->name != NULL; param++) {
            add_param(out, strategy, param);
        }
        add_availability(out, facts, i);
    }
    if (facts->n_devices == 0) {
        mb_strbuf_printf(out, "  No device to ask which are available: %s\n",
                         facts->no_device.text);
    }
}

/* "  name      title", the titles in one column. */
static void add_named(struct mb_strbuf *out, const char *name, const char *title)
{
    const size_t n_columns = mb_utf8_columns(name);
    mb_strbuf_printf(out, "  %s", name);
    mb_strbuf_spaces(out, n_columns < 12 ? 12 - n_columns : 1);
    mb_strbuf_wrap(out, title, 14, TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

static void add_formats(struct mb_strbuf *out, bool is_alone)
{
    mb_strbuf_append(out, is_alone ? "Formats\n"
                                   : "Formats ('list formats' says who can do which)\n");
    for (size_t i = 0; i < mb_format_count; i++) {
        add_named(out, mb_formats[i].name, mb_formats[i].title);
    }
}

static void add_patterns(struct mb_strbuf *out)
{
    mb_strbuf_append(out, "Patterns (pattern:NAME:WxH)\n");
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        add_named(out, mb_patterns[i].name, mb_patterns[i].title);
    }
}

void mb_list_text(struct mb_strbuf *out, const struct mb_list_facts *facts,
                  enum mb_list_what what)
{
    const bool all = what == MB_LIST_ALL;
    const char *gap = all ? "\n" : "";
    if (all || what == MB_LIST_DEVICES) {
        add_devices(out, facts);
    }
    if (all || what == MB_LIST_STRATEGIES) {
        mb_strbuf_append(out, gap);
        add_strategies(out, facts);
    }
    if (all || what == MB_LIST_FORMATS) {
        mb_strbuf_append(out, gap);
        add_formats(out, !all);
        if (!all) {
            mb_list_matrix_text(out, facts);
        }
    }
    if (all || what == MB_LIST_PATTERNS) {
        mb_strbuf_append(out, gap);
        add_patterns(out);
    }
}
