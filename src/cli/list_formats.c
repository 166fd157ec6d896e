/* `mipbench list formats`: the formats, and per device a matrix of what each strategy can do
 * with them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/list_facts.h"
#include "image/format.h"

#define TEXT_COLUMNS  80
#define FORMAT_COLUMN 14
#define DEED_COLUMN   8

/* Of the matrix; "alpha" for --alpha premultiplied. */
static const char *const titles[MB_N_DEEDS] = {
    [MB_DEED_AVG] = "avg",       [MB_DEED_MIN] = "min",
    [MB_DEED_MAX] = "max",       [MB_DEED_PREMULTIPLIED] = "alpha",
    [MB_DEED_ARRAY] = "array",   [MB_DEED_CUBE] = "cube",
    [MB_DEED_UPDATE] = "update",
};

/* Text in a column of the matrix; nothing after the last one. */
static void add_cell(struct mb_strbuf *out, const char *text, size_t n_columns, bool is_last)
{
    const size_t n = mb_utf8_columns(text);
    mb_strbuf_append(out, text);
    mb_strbuf_spaces(out, is_last || n >= n_columns ? 0 : n_columns - n);
}

static void add_answer(struct mb_strbuf *out, const struct mb_ability *ability, bool is_last)
{
    char text[32] = "yes";
    if (ability->kind == MB_ABILITY_NONE) {
        snprintf(text, sizeof text, "[%zu]", ability->note + 1);
    } else if (ability->kind == MB_ABILITY_VARIANT) {
        snprintf(text, sizeof text, "yes[%zu]", ability->note + 1);
    } else if (ability->kind == MB_ABILITY_MEANINGLESS) {
        snprintf(text, sizeof text, "-");
    }
    add_cell(out, text, DEED_COLUMN, is_last);
}

static void add_strategy(struct mb_strbuf *out, const struct mb_list_facts *facts,
                         const struct mb_abilities *abilities, size_t strategy)
{
    mb_strbuf_append(out, "  ");
    add_cell(out, facts->strategies[strategy]->name, FORMAT_COLUMN, false);
    for (int deed = 0; deed < MB_N_DEEDS; deed++) {
        add_cell(out, titles[deed], DEED_COLUMN, deed + 1 == MB_N_DEEDS);
    }
    mb_strbuf_append(out, "\n");
    for (size_t i = 0; i < mb_format_count; i++) {
        mb_strbuf_append(out, "    ");
        add_cell(out, mb_formats[i].name, FORMAT_COLUMN - 2, false);
        for (int deed = 0; deed < MB_N_DEEDS; deed++) {
            add_answer(out, mb_abilities_get(abilities, strategy, i, (enum mb_deed)deed),
                       deed + 1 == MB_N_DEEDS);
        }
        mb_strbuf_append(out, "\n");
    }
}

/* "[3] only as compute:load=texel; by default: REASON" */
static void add_note(struct mb_strbuf *out, const struct mb_ability_note *note, size_t index)
{
    char left[32];
    char text[sizeof *note + 64];
    snprintf(left, sizeof left, "  [%zu] ", index + 1);
    if (note->variant[0] != '\0') {
        snprintf(text, sizeof text, "only as %s; by default: %s", note->variant, note->reason);
    } else {
        snprintf(text, sizeof text, "no: %s", note->reason);
    }
    mb_strbuf_append(out, left);
    mb_strbuf_wrap(out, text, strlen(left), TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

void mb_list_matrix_text(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_abilities *abilities = &facts->abilities[i];
        mb_strbuf_printf(out, "\nDevice %" PRIu32 ": %s\n", facts->devices[i].index,
                         facts->devices[i].name);
        for (size_t k = 0; k < facts->n_strategies; k++) {
            add_strategy(out, facts, abilities, k);
        }
        for (size_t k = 0; k < abilities->n_notes; k++) {
            add_note(out, &abilities->notes[k], k);
        }
    }
    if (facts->n_devices == 0) {
        mb_strbuf_printf(out, "  No device to ask what it can do with them: %s\n",
                         facts->no_device.text);
    } else {
        mb_strbuf_append(out, "\navg, min and max are reductions (-r); alpha is --alpha "
                              "premultiplied, - without\nan alpha channel; array is --layers, "
                              "update is --rect. Asked of 256x256 images:\na size may be "
                              "refused for its own reason.\n");
    }
}

static void add_json_answer(struct mb_json *json, struct cJSON *parent,
                            const struct mb_list_facts *facts,
                            const struct mb_abilities *abilities, size_t strategy,
                            size_t format, enum mb_deed deed)
{
    const struct mb_ability *ability = mb_abilities_get(abilities, strategy, format, deed);
    const char *name = mb_deed_name(deed);
    if (ability->kind == MB_ABILITY_MEANINGLESS) {
        mb_json_null(json, parent, name);
        return;
    }
    const bool has_note = ability->kind != MB_ABILITY_DEFAULT;
    const struct mb_ability_note *note = has_note ? &abilities->notes[ability->note] : NULL;
    const bool is_able = ability->kind != MB_ABILITY_NONE;
    const char *as = has_note ? note->variant : facts->strategies[strategy]->name;
    struct cJSON *node = mb_json_object(json, parent, name);
    mb_json_bool(json, node, "able", is_able);
    mb_json_string(json, node, "as", is_able ? as : NULL);
    mb_json_string(json, node, "reason", has_note ? note->reason : NULL);
}

/* What one device can do with a format: an object per strategy. */
static void add_json_device(struct mb_json *json, struct cJSON *devices,
                            const struct mb_list_facts *facts, size_t device, size_t format)
{
    struct cJSON *object = mb_json_object(json, devices, NULL);
    mb_json_u64(json, object, "index", facts->devices[device].index);
    mb_json_string(json, object, "name", facts->devices[device].name);
    struct cJSON *strategies = mb_json_object(json, object, "strategies");
    for (size_t i = 0; i < facts->n_strategies; i++) {
        struct cJSON *strategy = mb_json_object(json, strategies, facts->strategies[i]->name);
        for (int deed = 0; deed < MB_N_DEEDS; deed++) {
            add_json_answer(json, strategy, facts, &facts->abilities[device], i, format,
                            (enum mb_deed)deed);
        }
    }
}

void mb_list_formats_json(struct mb_json *json, const struct mb_list_facts *facts)
{
    struct cJSON *formats = mb_json_array(json, json->root, "formats");
    for (size_t i = 0; i < mb_format_count; i++) {
        struct cJSON *object = mb_json_object(json, formats, NULL);
        mb_json_string(json, object, "name", mb_formats[i].name);
        mb_json_string(json, object, "title", mb_formats[i].title);
        mb_json_u64(json, object, "texel_bytes", mb_formats[i].texel_bytes);
        mb_json_u64(json, object, "n_channels", mb_formats[i].n_channels);
        struct cJSON *devices = mb_json_array(json, object, "devices");
        for (size_t k = 0; k < facts->n_devices; k++) {
            add_json_device(json, devices, facts, k, i);
        }
    }
}
