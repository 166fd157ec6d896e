/* Which tasks a manifest takes, and on which devices. */
#include "kernel/kernel.h"

#include <stdio.h>

#include <cJSON.h>

#include "strategy/needs.h"

#define USUAL_SUBGROUP_SIZE 32

static bool is_power_of_two(uint32_t size)
{
    return (size & (size - 1)) == 0;
}

static const cJSON *part(const struct mb_pick *pick, const char *name)
{
    return mb_json_get(pick->manifest->json.root, name);
}

#define REFUSE_IF(is_refused, ...) MB_FAIL_IF(is_refused, why, MB_ERRC_UNSUPPORTED, __VA_ARGS__)

static enum mb_status takes_sizes(const struct mb_domain_keys *domain,
                                  const struct mb_layout *layout, struct mb_err *why)
{
    const struct mb_extent base = layout->base;
    const uint32_t small = base.width < base.height ? base.width : base.height;
    const uint32_t large = base.width < base.height ? base.height : base.width;
    REFUSE_IF(domain->size.n == 2 &&
                  (base.width != domain->size.of[0] || base.height != domain->size.of[1]),
              "its manifest is made for %ux%u", (unsigned)domain->size.of[0],
              (unsigned)domain->size.of[1]);
    REFUSE_IF(small < domain->min_size,
              "its manifest takes images of at least %u texels a side",
              (unsigned)domain->min_size);
    REFUSE_IF(large > domain->max_size, "its manifest takes images of at most %u texels a side",
              (unsigned)domain->max_size);
    REFUSE_IF(base.width % domain->multiple_of != 0 || base.height % domain->multiple_of != 0,
              "its manifest takes sizes that are multiples of %u",
              (unsigned)domain->multiple_of);
    REFUSE_IF(domain->power_of_two && !(is_power_of_two(small) && is_power_of_two(large)),
              "its manifest takes powers of two");
    REFUSE_IF(domain->square && small != large, "its manifest takes square images");
    REFUSE_IF(layout->n_layers > domain->max_layers, "its manifest takes at most %u layer%s",
              (unsigned)domain->max_layers, domain->max_layers == 1 ? "" : "s");
    REFUSE_IF(domain->full_chain && layout->n_levels < mb_full_level_count(base),
              "its manifest makes full chains only");
    return MB_OK;
}

/* A size of an axis within the domain, no larger unless it has to be. */
static uint32_t fitting(const struct mb_domain_keys *domain, uint32_t size)
{
    const uint32_t most = (uint32_t)domain->max_size, multiple = (uint32_t)domain->multiple_of;
    size = most < size ? most : size;
    while (domain->power_of_two && !is_power_of_two(size)) {
        size &= size - 1;
    }
    size = multiple <= size ? size - size % multiple : size;
    return size < domain->min_size ? (uint32_t)domain->min_size : size;
}

void mb_kernel_suggest(const struct mb_params *params, const struct mb_format **format,
                       struct mb_extent *size, enum mb_reduce *reduce)
{
    struct mb_pick pick = {.manifest = params->self, .params = params};
    struct mb_domain_keys domain = {0};
    struct mb_names names;
    struct mb_layout layout;
    struct mb_err ignored;
    mb_layout_init(&layout, *format, *size, 1, mb_full_level_count(*size));
    mb_names_init(&names, &pick, &layout, NULL, NULL);
    pick.scope = &names.scope;
    if (mb_read(&pick, mb_domain_keys, part(&pick, "domain"), &domain, &ignored) != MB_OK) {
        return; /* the error is told where the image is planned */
    }
    if (!(domain.formats >> (*format - mb_formats) & 1u) && domain.formats != 0) {
        *format = &mb_formats[__builtin_ctz(domain.formats)];
    }
    if (!(domain.reduces >> *reduce & 1u) && domain.reduces != 0) {
        *reduce = (enum mb_reduce)__builtin_ctz(domain.reduces);
    }
    if (domain.size.n == 2) {
        *size = (struct mb_extent){(uint32_t)domain.size.of[0], (uint32_t)domain.size.of[1]};
        return;
    }
    size->width = fitting(&domain, size->width);
    size->height = fitting(&domain, size->height);
    if (domain.square) {
        size->width = size->height = size->width < size->height ? size->width : size->height;
    }
}

static enum mb_status takes(const struct mb_pick *pick, const struct mb_layout *layout,
                            const struct mb_task *task, struct mb_err *why)
{
    struct mb_domain_keys domain = {0};
    const cJSON *node = part(pick, "domain");
    MB_DO(mb_read(pick, mb_domain_keys, node, &domain, why));
    REFUSE_IF(task->is_update, "a manifest cannot say how a part is updated");
    REFUSE_IF(!(domain.formats >> (layout->format - mb_formats) & 1u),
              "its manifest does not take %s", layout->format->name);
    REFUSE_IF(!(domain.reduces >> task->reduce & 1u), "its manifest does not make --reduce %s",
              mb_reduce_names[task->reduce]);
    REFUSE_IF(mb_weighs_alpha(task->reduce, task->alpha, layout->format) &&
                  !(domain.alphas >> MB_ALPHA_PREMULTIPLIED & 1u),
              "its manifest does not weigh colour by alpha");
    MB_BLAME_IF(domain.size.n != 0 && domain.size.n != 2, pick->manifest,
                mb_json_get(mb_pick(pick, node, NULL), "size"), why,
                "expected a width and a height");
    MB_BLAME_IF(domain.min_size > domain.max_size, pick->manifest,
                mb_json_get(mb_pick(pick, node, NULL), "min_size"), why,
                "it is above \"max_size\"");
    return takes_sizes(&domain, layout, why);
}

static enum mb_status has_features(const struct mb_pick *pick, const cJSON *list,
                                   const struct mb_gpu_info *info, struct mb_err *why)
{
    for (const cJSON *node = list ? list->child : NULL; node; node = node->next) {
        const char *names[] = {mb_pick_text(pick, node), NULL};
        MB_DO(names[0] ? mb_features_require(&info->features, names, why) : MB_OK);
    }
    return MB_OK;
}

static bool takes_lanes(const struct mb_requires_keys *requires, uint32_t n_lanes)
{
    bool is_listed = requires->subgroup.size.n == 0 && n_lanes >= requires->subgroup.min_size;
    for (uint32_t i = 0; i < requires->subgroup.size.n; i++) {
        is_listed = is_listed || requires->subgroup.size.of[i] == n_lanes;
    }
    return is_listed;
}

static enum mb_status refuse_sizes(const struct mb_numbers *list,
                                   const struct mb_gpu_info *info, struct mb_err *why)
{
    char sizes[12 * MB_MAX_LEVELS] = "", most[20] = "";
    for (uint32_t i = 0, n = 0; i < list->n; i++) {
        n += (uint32_t)snprintf(sizes + n, sizeof sizes - n, "%s%u", i > 0 ? ", " : "",
                                (unsigned)list->of[i]);
    }
    if (info->max_subgroup_size > info->min_subgroup_size) {
        snprintf(most, sizeof most, " to %u", info->max_subgroup_size);
    }
    return MB_FAIL(
        why, MB_ERRC_UNSUPPORTED, "the device has subgroups of %u%s%s; its manifest lists %s",
        info->min_subgroup_size, most,
        info->max_workgroup_subgroups > 0 ? "" : ", and does not let anyone choose", sizes);
}

/* The device's own size where that will do, else the first of the list that it can have; or, of
 * no device in particular, the first. */
static enum mb_status choose_subgroup_size(struct mb_pick *pick,
                                           const struct mb_requires_keys *requires,
                                           const struct mb_gpu_info *info, struct mb_err *why)
{
    const struct mb_numbers *list = &requires->subgroup.size;
    const uint32_t own = info ? mb_lanes(info, 0) : USUAL_SUBGROUP_SIZE;
    pick->is_full = true;
    REFUSE_IF(info && !info->has_full_subgroups, "the device cannot promise full subgroups");
    pick->subgroup_size = takes_lanes(requires, own) && (info || list->n == 0) ? own : 0;
    for (uint32_t i = 0; i < list->n && pick->subgroup_size == 0; i++) {
        pick->subgroup_size =
            !info || mb_has_lanes(info, (uint32_t)list->of[i]) ? (uint32_t)list->of[i] : 0;
    }
    if (pick->subgroup_size == 0 && list->n > 0) {
        return refuse_sizes(list, info, why);
    }
    REFUSE_IF(pick->subgroup_size == 0 && info,
              "the device's subgroup size is %u; at least %u is needed", own,
              (unsigned) requires->subgroup.min_size);
    pick->subgroup_size = pick->subgroup_size ? pick->subgroup_size : own;
    return MB_OK;
}

static enum mb_status read_requires(const struct mb_pick *of, const struct mb_layout *layout,
                                    struct mb_requires_keys *requires, struct mb_err *err)
{
    struct mb_pick pick = *of;
    struct mb_names names;
    mb_names_init(&names, &pick, layout, NULL, NULL);
    pick.scope = &names.scope;
    return mb_read(&pick, mb_requires_keys, part(&pick, "requires"), requires, err);
}

bool mb_kernel_takes_lanes(const struct mb_pick *of, const struct mb_layout *layout,
                           uint32_t n_lanes)
{
    struct mb_requires_keys requires = {0};
    struct mb_err ignored;
    return read_requires(of, layout, &requires, &ignored) == MB_OK &&
           requires.subgroup.is_there && takes_lanes(&requires, n_lanes);
}

enum mb_status mb_kernel_pick(struct mb_pick *pick, const struct mb_gpu_info *info,
                              const struct mb_layout *layout, const struct mb_task *task,
                              const struct mb_params *params, struct mb_err *why)
{
    struct mb_names names;
    struct mb_requires_keys requires = {0};
    *pick = (struct mb_pick){.manifest = params->self, .params = params};
    mb_names_init(&names, pick, layout, NULL, NULL);
    pick->scope = &names.scope;
    MB_DO(takes(pick, layout, task, why));
    MB_DO(read_requires(pick, layout, &requires, why));
    MB_DO(info ? has_features(pick, requires.features, info, why) : MB_OK);
    MB_DO(requires.subgroup.is_there ? choose_subgroup_size(pick, &requires, info, why)
                                     : MB_OK);
    pick->format = layout->format;
    pick->reduce = task->reduce;
    pick->alpha = mb_weighs_alpha(task->reduce, task->alpha, layout->format)
                      ? MB_ALPHA_PREMULTIPLIED
                      : MB_ALPHA_STRAIGHT;
    pick->scope = NULL;
    return MB_OK;
}
