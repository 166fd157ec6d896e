/* Which tasks a manifest takes, and on which devices. */
#include "kernel/kernel.h"

#include <cJSON.h>

#include "strategy/needs.h"

#define USUAL_SUBGROUP_SIZE 32

static bool is_power_of_two(uint32_t size)
{
    return (size & (size - 1)) == 0;
}

/* What a manifest says of images. */
struct domain {
    uint32_t formats, reduces; /* bits: of mb_formats, mb_reduce */
    struct mb_numbers size;    /* a width and a height, or any */
    uint32_t min_size, max_size, multiple_of, max_layers;
    bool power_of_two, square, full_chain;
};

/* What it asks of a device. */
struct requires
{
    const cJSON *features;
    bool has_subgroup;
    struct mb_numbers sizes; /* of it */
    uint32_t min_size;
};

static uint32_t read_size(struct mb_reader *r, const cJSON *node, const char *key,
                          uint32_t otherwise)
{
    return (uint32_t)mb_read_integer(r, node, key, 1, UINT32_MAX, otherwise);
}

static enum mb_status read_domain(struct mb_reader *r, struct domain *domain)
{
    static const char *const keys[] = {
        "formats",      "reduce", "size",       "min_size",   "max_size", "multiple_of",
        "power_of_two", "square", "max_layers", "full_chain", NULL};
    const cJSON *node =
        mb_open(r, mb_json_get(r->pick->manifest->json.root, "domain"), keys, 0);
    *domain = (struct domain){
        .formats = mb_read_words(r, node, "formats", NULL, UINT32_MAX),
        .reduces = mb_read_words(r, node, "reduce", mb_kernel_reduces, 1),
        .min_size = read_size(r, node, "min_size", 1),
        .max_size = read_size(r, node, "max_size", UINT32_MAX),
        .multiple_of = read_size(r, node, "multiple_of", 1),
        .max_layers = read_size(r, node, "max_layers", UINT32_MAX),
        .power_of_two = mb_read_flag(r, node, "power_of_two"),
        .square = mb_read_flag(r, node, "square"),
        .full_chain = mb_read_flag(r, node, "full_chain"),
    };
    mb_read_integers(r, node, "size", 1, UINT32_MAX, &domain->size);
    MB_DO(r->status);
    MB_REFUSE_IF(domain->size.n != 0 && domain->size.n != 2, r, mb_json_get(node, "size"),
                 "expected a width and a height");
    MB_REFUSE_IF(domain->min_size > domain->max_size, r, mb_json_get(node, "min_size"),
                 "it is above \"max_size\"");
    return MB_OK;
}

static enum mb_status read_requires(struct mb_reader *r, struct requires *requires)
{
    static const char *const keys[] = {"features", "subgroup", NULL};
    static const char *const subgroup_keys[] = {"size", "min_size", NULL};
    const cJSON *node =
        mb_open(r, mb_json_get(r->pick->manifest->json.root, "requires"), keys, 0);
    const cJSON *subgroup = mb_open(r, mb_json_get(node, "subgroup"), subgroup_keys, 0);
    requires->features = mb_read_list(r, node, "features");
    requires->has_subgroup = subgroup != NULL;
    mb_read_integers(r, subgroup, "size", 1, 1024, &requires->sizes);
    requires->min_size = (uint32_t)mb_read_integer(r, subgroup, "min_size", 1, 1024, 4);
    return r->status;
}

#define REFUSE_IF(is_refused, ...) MB_FAIL_IF(is_refused, why, MB_ERRC_UNSUPPORTED, __VA_ARGS__)

static enum mb_status takes_sizes(const struct domain *domain, const struct mb_layout *layout,
                                  struct mb_err *why)
{
    const struct mb_extent base = layout->base;
    const uint32_t small = base.width < base.height ? base.width : base.height;
    const uint32_t large = base.width < base.height ? base.height : base.width;
    REFUSE_IF(domain->size.n == 2 &&
                  (base.width != domain->size.of[0] || base.height != domain->size.of[1]),
              "its manifest is made for %ux%u", domain->size.of[0], domain->size.of[1]);
    REFUSE_IF(small < domain->min_size,
              "its manifest takes images of at least %u texels a side", domain->min_size);
    REFUSE_IF(large > domain->max_size, "its manifest takes images of at most %u texels a side",
              domain->max_size);
    REFUSE_IF(base.width % domain->multiple_of != 0 || base.height % domain->multiple_of != 0,
              "its manifest takes sizes that are multiples of %u", domain->multiple_of);
    REFUSE_IF(domain->power_of_two && !(is_power_of_two(small) && is_power_of_two(large)),
              "its manifest takes powers of two");
    REFUSE_IF(domain->square && small != large, "its manifest takes square images");
    REFUSE_IF(layout->n_layers > domain->max_layers, "its manifest takes at most %u layer%s",
              domain->max_layers, domain->max_layers == 1 ? "" : "s");
    REFUSE_IF(domain->full_chain && layout->n_levels < mb_full_level_count(base),
              "its manifest makes full chains only");
    return MB_OK;
}

/* A size of an axis within the domain, no larger unless it has to be. */
static uint32_t fitting(const struct domain *domain, uint32_t size)
{
    const uint32_t most = domain->max_size, multiple = domain->multiple_of;
    size = most < size ? most : size;
    while (domain->power_of_two && !is_power_of_two(size)) {
        size &= size - 1;
    }
    size = multiple <= size ? size - size % multiple : size;
    return size < domain->min_size ? domain->min_size : size;
}

void mb_kernel_suggest(const struct mb_params *params, const struct mb_format **format,
                       struct mb_extent *size, enum mb_reduce *reduce)
{
    const struct mb_pick pick = {.manifest = params->self, .params = params};
    struct domain domain;
    struct mb_reader reader;
    struct mb_layout layout;
    struct mb_err ignored;
    mb_layout_init(&layout, *format, *size, 1, mb_full_level_count(*size));
    mb_reader_init(&reader, &pick, &layout, &ignored);
    if (read_domain(&reader, &domain) != MB_OK) {
        return; /* the error is told where the image is planned */
    }
    if (!(domain.formats >> (*format - mb_formats) & 1u)) {
        *format = &mb_formats[__builtin_ctz(domain.formats)];
    }
    if (!(domain.reduces >> *reduce & 1u)) {
        *reduce = (enum mb_reduce)__builtin_ctz(domain.reduces);
    }
    if (domain.size.n == 2) {
        *size = (struct mb_extent){domain.size.of[0], domain.size.of[1]};
        return;
    }
    size->width = fitting(&domain, size->width);
    size->height = fitting(&domain, size->height);
    if (domain.square) {
        size->width = size->height = size->width < size->height ? size->width : size->height;
    }
}

static enum mb_status takes(struct mb_reader *r, const struct mb_layout *layout,
                            const struct mb_task *task)
{
    struct domain domain;
    struct mb_err *why = r->err;
    MB_DO(read_domain(r, &domain));
    REFUSE_IF(task->is_update, "a manifest cannot say how a part is updated");
    REFUSE_IF(!(domain.formats >> (layout->format - mb_formats) & 1u),
              "its manifest does not take %s", layout->format->name);
    REFUSE_IF(!(domain.reduces >> task->reduce & 1u), "its manifest does not make --reduce %s",
              mb_reduce_names[task->reduce]);
    REFUSE_IF(mb_weighs_alpha(task->reduce, task->alpha, layout->format),
              "a manifest cannot say that colour is weighed by alpha");
    return takes_sizes(&domain, layout, why);
}

/* Each is known, and the device has it, unless it is no device in particular. */
static enum mb_status has_features(struct mb_reader *r, const cJSON *features,
                                   const struct mb_gpu_info *info)
{
    for (const cJSON *node = features ? features->child : NULL; node; node = node->next) {
        const char *names[] = {mb_read_text(r, node, NULL), NULL};
        MB_DO(r->status);
        MB_REFUSE_IF(!mb_features_is_known(names[0]), r, node,
                     "'%.80s' is not a feature or extension that mipbench knows, spelt as in "
                     "Vulkan's specification",
                     names[0]);
        MB_DO(info ? mb_features_require(&info->features, names, r->err) : MB_OK);
    }
    return MB_OK;
}

static bool takes_lanes(const struct requires *requires, uint32_t n_lanes)
{
    bool is_listed = requires->sizes.n == 0 && n_lanes >= requires->min_size;
    for (uint32_t i = 0; i < requires->sizes.n; i++) {
        is_listed = is_listed || requires->sizes.of[i] == n_lanes;
    }
    return is_listed;
}

/* The device's own size where that will do, else the first of the list that it can have; or, of
 * no device in particular, the first. */
static enum mb_status choose_subgroup_size(struct mb_pick *pick,
                                           const struct requires *requires,
                                           const struct mb_gpu_info *info, struct mb_err *why)
{
    const struct mb_numbers *list = &requires->sizes;
    const uint32_t own = info ? mb_lanes(info, 0) : USUAL_SUBGROUP_SIZE;
    pick->is_full = true;
    REFUSE_IF(info && !info->has_full_subgroups, "the device cannot promise full subgroups");
    pick->subgroup_size = takes_lanes(requires, own) && (info || list->n == 0) ? own : 0;
    for (uint32_t i = 0; i < list->n && pick->subgroup_size == 0; i++) {
        pick->subgroup_size = !info || mb_has_lanes(info, list->of[i]) ? list->of[i] : 0;
    }
    REFUSE_IF(pick->subgroup_size == 0 && info,
              "the device has subgroups of %u to %u lanes%s; its manifest takes others",
              info->min_subgroup_size, info->max_subgroup_size,
              info->max_workgroup_subgroups > 0 ? "" : ", which nobody can choose");
    pick->subgroup_size = pick->subgroup_size ? pick->subgroup_size : own;
    return MB_OK;
}

bool mb_kernel_takes_lanes(const struct mb_pick *pick, const struct mb_layout *layout,
                           uint32_t n_lanes)
{
    struct requires requires;
    struct mb_reader reader;
    struct mb_err ignored;
    mb_reader_init(&reader, pick, layout, &ignored);
    return read_requires(&reader, &requires) == MB_OK && requires.has_subgroup &&
           takes_lanes(&requires, n_lanes);
}

enum mb_status mb_kernel_pick(struct mb_pick *pick, const struct mb_gpu_info *info,
                              const struct mb_layout *layout, const struct mb_task *task,
                              const struct mb_params *params, struct mb_err *why)
{
    struct mb_reader reader;
    struct requires requires;
    *pick = (struct mb_pick){.manifest = params->self, .params = params};
    mb_reader_init(&reader, pick, layout, why);
    MB_DO(takes(&reader, layout, task));
    MB_DO(read_requires(&reader, &requires));
    MB_DO(has_features(&reader, requires.features, info));
    MB_DO(requires.has_subgroup ? choose_subgroup_size(pick, &requires, info, why) : MB_OK);
    pick->format = layout->format;
    pick->reduce = task->reduce;
    return MB_OK;
}
