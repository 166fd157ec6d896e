/* The parts of bash completion, and those that all shells use. */
#include "cli/completion/template.h"

#include "image/pattern.h"
#include "strategy.h"

static void add_strategy_names(struct mb_strbuf *out)
{
    mb_strbuf_append(out, "all");
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        mb_strbuf_printf(out, " %s", mb_strategies[i]->name);
    }
}

static void add_export_names(struct mb_strbuf *out)
{
    const char *separator = "";
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        if (mb_strategies[i]->export != NULL) {
            mb_strbuf_printf(out, "%s%s", separator, mb_strategies[i]->name);
            separator = " ";
        }
    }
}

static void add_list_names(struct mb_strbuf *out)
{
    for (const struct mb_choice *choice = mb_list_choices; choice->name != NULL; choice++) {
        mb_strbuf_printf(out, "%s%s", choice == mb_list_choices ? "" : " ", choice->name);
    }
}

static void add_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "%s%s", i > 0 ? " " : "", mb_verb_rows[i].name);
    }
}

static void add_patterns(struct mb_strbuf *out)
{
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        mb_strbuf_printf(out, "%spattern:%s:1024x1024", i > 0 ? " " : "", mb_patterns[i].name);
    }
}

static void add_sh_params(struct mb_strbuf *out)
{
    mb_template_params(out, "    %s) echo '", "' ;;\n");
}

/* The options of the verbs in `mask`. */
static void add_options(struct mb_strbuf *out, const char *name, unsigned mask)
{
    mb_strbuf_printf(out, "    %s) echo '", name);
    for (size_t i = 0; i < mb_option_count; i++) {
        if ((mb_option_rows[i].verbs & mask) != 0) {
            mb_template_names(out, &mb_option_rows[i], " ");
            mb_strbuf_append(out, " ");
        }
    }
    mb_strbuf_append(out, "' ;;\n");
}

/* "none": there is no verb yet, and any may follow. */
static void add_all_options(struct mb_strbuf *out)
{
    for (unsigned i = 0; i < MB_N_VERBS; i++) {
        add_options(out, mb_verb_rows[i].name, 1u << i);
    }
    add_options(out, "none", ~0u);
}

static void add_takes_value(struct mb_strbuf *out)
{
    const char *separator = "";
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_takes_value(&mb_option_rows[i], MB_VERB_RUN)) {
            mb_strbuf_append(out, separator);
            mb_template_names(out, &mb_option_rows[i], " | ");
            separator = " | ";
        }
    }
}

static void add_values(struct mb_strbuf *out)
{
    static const char *const actions[MB_N_VALUES] = {
        [MB_VALUE_FREE] = ":",
        [MB_VALUE_STRATEGIES] = "_mipbench_offer_strategies",
        [MB_VALUE_WORDS] = "_mipbench_offer_values @",
        [MB_VALUE_LIST] = "_mipbench_offer_list @",
        [MB_VALUE_FILE] = "_mipbench_offer_files",
        [MB_VALUE_FOLDER] = "_mipbench_offer_files -d",
    };
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_takes_value(&mb_option_rows[i], MB_VERB_RUN)) {
            mb_strbuf_append(out, "    ");
            mb_template_names(out, &mb_option_rows[i], " | ");
            mb_strbuf_append(out, ") ");
            mb_template_value(out, &mb_option_rows[i], actions);
            mb_strbuf_append(out, " ;;\n");
        }
    }
}

const struct mb_template_part mb_bash_parts[] = {
    {"VERBS", add_verbs},
    {"LIST_NAMES", add_list_names},
    {"STRATEGY_NAMES", add_strategy_names},
    {"EXPORT_NAMES", add_export_names},
    {"PATTERNS", add_patterns},
    {"SH_PARAMS", add_sh_params},
    {"BASH_OPTIONS", add_all_options},
    {"BASH_TAKES_VALUE", add_takes_value},
    {"BASH_VALUES", add_values},
    {0},
};
