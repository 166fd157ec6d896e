/* Which tasks a manifest takes, and on which devices. */
#include "kernel/kernel.h"

#include <string.h>

#include <cJSON.h>

#include "strategy/needs.h"

#define USUAL_SUBGROUP_SIZE 32

static bool is_power_of_two(uint32_t size)
{
    return (size & (size - 1)) == 0;
}

/* The one size that a manifest is made for. */
static enum mb_status takes_size(const struct mb_pick *pick, const cJSON *domain,
                                 struct mb_extent base, struct mb_err *why)
{
    const cJSON *list = mb_pick(pick, domain, "size");
    const struct mb_bounds bounds = {1, UINT32_MAX, 0};
    int64_t width, height;
    if (!list) {
        return MB_OK;
    }
    MB_BLAME_IF(cJSON_GetArraySize(list) != 2, pick->manifest, list, why,
                "a width and a height are wanted");
    MB_DO(mb_pick_integer(pick, list->child, NULL, bounds, &width, why));
    MB_DO(mb_pick_integer(pick, list->child->next, NULL, bounds, &height, why));
    MB_FAIL_IF(base.width != width || base.height != height, why, MB_ERRC_UNSUPPORTED,
               "its manifest is made for %ux%u", (unsigned)width, (unsigned)height);
    return MB_OK;
}

static enum mb_status takes_sizes(const struct mb_pick *pick, const cJSON *domain,
                                  const struct mb_layout *layout, struct mb_err *why)
{
    const struct mb_extent base = layout->base;
    const struct mb_bounds bounds = {1, UINT32_MAX, 0};
    int64_t max_size, multiple, max_layers, max_levels;
    MB_DO(takes_size(pick, domain, base, why));
    MB_DO(mb_pick_integer(pick, domain, "max_size", bounds, &max_size, why));
    MB_DO(mb_pick_integer(pick, domain, "multiple_of", bounds, &multiple, why));
    MB_DO(mb_pick_integer(pick, domain, "max_layers", bounds, &max_layers, why));
    MB_DO(mb_pick_integer(pick, domain, "max_levels", bounds, &max_levels, why));
    MB_FAIL_IF(max_size > 0 && (base.width > max_size || base.height > max_size), why,
               MB_ERRC_UNSUPPORTED, "its manifest takes images of at most %u texels a side",
               (unsigned)max_size);
    MB_FAIL_IF(multiple > 1 && (base.width % multiple != 0 || base.height % multiple != 0), why,
               MB_ERRC_UNSUPPORTED, "its manifest takes sizes that are multiples of %u",
               (unsigned)multiple);
    MB_FAIL_IF(mb_pick_bool(pick, domain, "power_of_two") &&
                   (!is_power_of_two(base.width) || !is_power_of_two(base.height)),
               why, MB_ERRC_UNSUPPORTED, "its manifest takes powers of two");
    MB_FAIL_IF(mb_pick_bool(pick, domain, "square") && base.width != base.height, why,
               MB_ERRC_UNSUPPORTED, "its manifest takes square images");
    MB_FAIL_IF(max_layers > 0 && layout->n_layers > max_layers, why, MB_ERRC_UNSUPPORTED,
               "its manifest takes at most %u layer%s", (unsigned)max_layers,
               max_layers == 1 ? "" : "s");
    MB_FAIL_IF(max_levels > 0 && layout->n_levels > max_levels, why, MB_ERRC_UNSUPPORTED,
               "its manifest makes at most %u levels", (unsigned)max_levels);
    MB_FAIL_IF(mb_pick_bool(pick, domain, "full_chain") &&
                   layout->n_levels < mb_full_level_count(base),
               why, MB_ERRC_UNSUPPORTED, "its manifest makes full chains only");
    return MB_OK;
}

/* An integer of the domain, or 0 where it says none that can be used. */
static uint32_t size_of(const struct mb_pick *pick, const cJSON *node, const char *key)
{
    struct mb_err ignored;
    int64_t value = 0;
    return mb_pick_integer(pick, node, key, (struct mb_bounds){1, UINT32_MAX, 0}, &value,
                           &ignored) == MB_OK
               ? (uint32_t)value
               : 0;
}

/* A size of an axis that is no larger. */
static uint32_t fitting(const struct mb_pick *pick, const cJSON *domain, uint32_t size)
{
    const uint32_t max_size = size_of(pick, domain, "max_size");
    const uint32_t multiple = size_of(pick, domain, "multiple_of");
    size = max_size > 0 && max_size < size ? max_size : size;
    while (mb_pick_bool(pick, domain, "power_of_two") && !is_power_of_two(size)) {
        size &= size - 1;
    }
    return multiple > 0 && multiple <= size ? size - size % multiple : size;
}

void mb_kernel_suggest(const struct mb_params *params, const struct mb_format **format,
                       struct mb_extent *size, enum mb_reduce *reduce)
{
    struct mb_pick pick = {.manifest = params->self, .params = params};
    struct mb_chain_scope chain;
    struct mb_layout layout;
    const cJSON *domain = mb_pick(&pick, pick.manifest->json.root, "domain");
    mb_layout_init(&layout, *format, *size, 1, mb_full_level_count(*size));
    mb_chain_scope_init(&chain, &pick, &layout);
    pick.scope = &chain.scope;
    for (size_t i = 0;
         i < mb_format_count && !mb_pick_lists(&pick, domain, "formats", (*format)->name);
         i++) {
        *format = &mb_formats[i];
    }
    for (uint32_t i = 0; i < MB_N_REDUCES && mb_json_get(domain, "reduce") &&
                         !mb_pick_lists(&pick, domain, "reduce", mb_reduce_names[*reduce]);
         i++) {
        *reduce = (enum mb_reduce)i;
    }
    const cJSON *both = mb_pick(&pick, domain, "size");
    if (both && cJSON_GetArraySize(both) == 2) {
        const struct mb_extent wanted = {size_of(&pick, both->child, NULL),
                                         size_of(&pick, both->child->next, NULL)};
        *size = wanted.width > 0 && wanted.height > 0 ? wanted : *size;
        return;
    }
    size->width = fitting(&pick, domain, size->width);
    size->height = fitting(&pick, domain, size->height);
    if (mb_pick_bool(&pick, domain, "square")) {
        size->width = size->height = size->width < size->height ? size->width : size->height;
    }
}

static enum mb_status takes(const struct mb_pick *pick, const struct mb_layout *layout,
                            const struct mb_task *task, struct mb_err *why)
{
    const cJSON *domain = mb_pick(pick, pick->manifest->json.root, "domain");
    const char *reduce = mb_reduce_names[task->reduce];
    const bool weighs = mb_weighs_alpha(task->reduce, task->alpha, layout->format);
    MB_FAIL_IF(task->is_update, why, MB_ERRC_UNSUPPORTED,
               "a manifest cannot say how a part is updated");
    MB_FAIL_IF(!mb_pick_lists(pick, domain, "formats", layout->format->name), why,
               MB_ERRC_UNSUPPORTED, "its manifest does not take %s", layout->format->name);
    const bool has_reduce = domain && mb_json_get(domain, "reduce")
                                ? mb_pick_lists(pick, domain, "reduce", reduce)
                                : task->reduce == MB_REDUCE_AVG;
    MB_FAIL_IF(!has_reduce, why, MB_ERRC_UNSUPPORTED, "its manifest does not make --reduce %s",
               reduce);
    const bool has_alpha =
        domain && mb_json_get(domain, "alpha")
            ? mb_pick_lists(pick, domain, "alpha", mb_alpha_name(task->alpha))
            : !weighs;
    MB_FAIL_IF(weighs && !has_alpha, why, MB_ERRC_UNSUPPORTED,
               "its manifest does not weigh colour by alpha");
    return takes_sizes(pick, domain, layout, why);
}

static enum mb_status has_features(const struct mb_pick *pick, const cJSON *requires,
                                   const struct mb_gpu_info *info, struct mb_err *why)
{
    const cJSON *list = mb_pick(pick, requires, "features");
    for (const cJSON *node = list ? list->child : NULL; node; node = node->next) {
        const char *names[] = {mb_pick_text(pick, node, NULL, ""), NULL};
        MB_DO(mb_features_require(&info->features, names, why));
    }
    return MB_OK;
}

/* The device's own size where that is listed, else the first of the list that it can have; or,
 * of no device in particular, the first. */
static enum mb_status choose_listed(struct mb_pick *pick, const cJSON *list,
                                    const struct mb_gpu_info *info, struct mb_err *why)
{
    for (const cJSON *node = list->child; node; node = node->next) {
        int64_t size;
        MB_DO(mb_pick_integer(pick, node, NULL, (struct mb_bounds){1, 1024, 0}, &size, why));
        const bool is_own = info && size == mb_lanes(info, 0);
        const bool is_possible = !info || (pick->is_full && mb_has_lanes(info, (uint32_t)size));
        if (is_own || (pick->subgroup_size == 0 && is_possible)) {
            pick->subgroup_size = (uint32_t)size;
        }
    }
    MB_FAIL_IF(
        pick->subgroup_size == 0 && info, why, MB_ERRC_UNSUPPORTED,
        "the device has subgroups of %u to %u%s: none of the sizes that its manifest lists",
        info->min_subgroup_size, info->max_subgroup_size,
        info->max_workgroup_subgroups > 0 ? "" : ", and lets nobody choose");
    return MB_OK;
}

static enum mb_status choose_subgroup_size(struct mb_pick *pick, const cJSON *subgroup,
                                           const struct mb_gpu_info *info, struct mb_err *why)
{
    const cJSON *list = mb_pick(pick, subgroup, "size");
    int64_t least, most;
    pick->is_full = !mb_json_get(subgroup, "full") || mb_pick_bool(pick, subgroup, "full");
    MB_FAIL_IF(info && pick->is_full && !info->has_full_subgroups, why, MB_ERRC_UNSUPPORTED,
               "the device cannot promise full subgroups");
    if (list && (info || list->child)) {
        return choose_listed(pick, list, info, why);
    }
    pick->subgroup_size = info ? mb_lanes(info, 0) : USUAL_SUBGROUP_SIZE;
    if (!info) {
        return MB_OK;
    }
    MB_DO(mb_pick_integer(pick, subgroup, "min_size", (struct mb_bounds){1, 1024, 4}, &least,
                          why));
    MB_DO(mb_pick_integer(pick, subgroup, "max_size", (struct mb_bounds){1, 1024, 128}, &most,
                          why));
    MB_FAIL_IF(pick->subgroup_size < least || pick->subgroup_size > most, why,
               MB_ERRC_UNSUPPORTED, "the device's subgroup size is %u; %u to %u are needed",
               pick->subgroup_size, (unsigned)least, (unsigned)most);
    return MB_OK;
}

bool mb_kernel_takes_lanes(const struct mb_pick *of, const struct mb_layout *layout,
                           uint32_t n_lanes)
{
    struct mb_pick pick = *of;
    struct mb_chain_scope chain;
    mb_chain_scope_init(&chain, &pick, layout);
    pick.scope = &chain.scope;
    const cJSON *requires = mb_pick(&pick, pick.manifest->json.root, "requires");
    const cJSON *subgroup = mb_pick(&pick, requires, "subgroup");
    const cJSON *list = mb_pick(&pick, subgroup, "size");
    if (!list) {
        const uint32_t least = size_of(&pick, subgroup, "min_size");
        const uint32_t most = size_of(&pick, subgroup, "max_size");
        return subgroup && n_lanes >= (least > 0 ? least : 4) &&
               n_lanes <= (most > 0 ? most : 128);
    }
    bool is_listed = false;
    for (const cJSON *node = list->child; node; node = node->next) {
        is_listed = is_listed || size_of(&pick, node, NULL) == n_lanes;
    }
    return is_listed;
}

enum mb_status mb_kernel_pick(struct mb_pick *pick, const struct mb_gpu_info *info,
                              const struct mb_layout *layout, const struct mb_task *task,
                              const struct mb_params *params, struct mb_err *why)
{
    struct mb_chain_scope chain;
    *pick = (struct mb_pick){.manifest = params->self, .params = params};
    mb_chain_scope_init(&chain, pick, layout);
    pick->scope = &chain.scope;
    MB_DO(takes(pick, layout, task, why));
    const cJSON *requires = mb_pick(pick, pick->manifest->json.root, "requires");
    const cJSON *subgroup = mb_pick(pick, requires, "subgroup");
    MB_DO(info ? has_features(pick, requires, info, why) : MB_OK);
    if (subgroup) {
        MB_DO(choose_subgroup_size(pick, subgroup, info, why));
    }
    pick->format = layout->format;
    pick->reduce = task->reduce;
    pick->alpha = mb_weighs_alpha(task->reduce, task->alpha, layout->format)
                      ? MB_ALPHA_PREMULTIPLIED
                      : MB_ALPHA_STRAIGHT;
    pick->scope = NULL;
    return MB_OK;
}
