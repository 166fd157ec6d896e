/* Decides which tasks a manifest takes, and on which devices. */
#include "kernel/plan.h"

#include "strategy/needs.h"

/* The needs of a manifest: features, and sizes of subgroups. */
struct device_needs {
    const cJSON *features;
    struct mb_numbers sizes; /* of full subgroups; the first without a device; 0: none */
};

static enum mb_status read_needs(struct mb_reader *r, struct device_needs *needs)
{
    static const char *const keys[] = {"features", "subgroup", NULL};
    static const char *const subgroup_keys[] = {"size", "min_size", NULL};
    static const uint32_t usual[] = {32, 64, 16, 8, 128, 4, 2, 1};
    const cJSON *node = mb_open(r, mb_json_get(r->root, "requires"), keys, 0);
    const cJSON *subgroup = mb_open(r, mb_json_get(node, "subgroup"), subgroup_keys, 0);
    needs->features = mb_read_list(r, node, "features");
    mb_read_integers(r, subgroup, "size", 1, 1024, &needs->sizes);
    const uint32_t least = mb_read_integer(r, subgroup, "min_size", 1, 128, 4);
    if (!subgroup) {
        needs->sizes.n = 1;
    } else if (needs->sizes.n == 0) {
        for (size_t i = 0; i < MB_COUNTOF(usual); i++) {
            if (usual[i] >= least) {
                needs->sizes.of[needs->sizes.n++] = usual[i];
            }
        }
    }
    return r->status;
}

#define REFUSE_IF(is_refused, ...) MB_FAIL_IF(is_refused, why, MB_ERRC_UNSUPPORTED, __VA_ARGS__)

static const cJSON *open_domain(struct mb_reader *r)
{
    static const char *const keys[] = {
        "formats",      "reduce", "size",       "min_size",   "max_size", "multiple_of",
        "power_of_two", "square", "max_layers", "full_chain", NULL};
    return mb_open(r, mb_json_get(r->root, "domain"), keys, 0);
}

static enum mb_status takes(struct mb_reader *r, const struct mb_layout *layout,
                            const struct mb_task *task)
{
    const cJSON *node = open_domain(r);
    const uint32_t formats = mb_read_words(r, node, "formats", NULL, UINT32_MAX);
    const uint32_t reduces = mb_read_words(r, node, "reduce", mb_kernel_reduces, 1);
    const uint32_t least = mb_read_integer(r, node, "min_size", 1, UINT32_MAX, 1);
    const uint32_t most = mb_read_integer(r, node, "max_size", 1, UINT32_MAX, UINT32_MAX);
    const uint32_t multiple = mb_read_integer(r, node, "multiple_of", 1, UINT32_MAX, 1);
    const uint32_t max_layers =
        mb_read_integer(r, node, "max_layers", 1, UINT32_MAX, UINT32_MAX);
    const bool power_of_two = mb_read_flag(r, node, "power_of_two");
    const bool square = mb_read_flag(r, node, "square");
    const bool full_chain = mb_read_flag(r, node, "full_chain");
    const uint32_t width = layout->base.width, height = layout->base.height;
    const uint32_t small = width < height ? width : height;
    const uint32_t large = width < height ? height : width;
    struct mb_err *why = r->err;
    struct mb_numbers size;
    mb_read_integers(r, node, "size", 1, UINT32_MAX, &size);
    MB_DO(r->status);
    MB_REFUSE_IF(size.n != 0 && size.n != 2, r, mb_json_get(node, "size"),
                 "expected a width and a height");
    REFUSE_IF(!(formats >> (layout->format - mb_formats) & 1u), "its manifest does not take %s",
              layout->format->name);
    REFUSE_IF(!(reduces >> task->reduce & 1u), "its manifest does not make --reduce %s",
              mb_reduce_names[task->reduce]);
    REFUSE_IF(size.n == 2 && (width != size.of[0] || height != size.of[1]),
              "its manifest is made for %ux%u", size.of[0], size.of[1]);
    REFUSE_IF(small < least, "its manifest takes images of at least %u texels a side", least);
    REFUSE_IF(large > most, "its manifest takes images of at most %u texels a side", most);
    REFUSE_IF(width % multiple != 0 || height % multiple != 0,
              "its manifest takes sizes that are multiples of %u", multiple);
    REFUSE_IF(power_of_two && !(mb_is_power_of_two(small) && mb_is_power_of_two(large)),
              "its manifest takes powers of two");
    REFUSE_IF(square && small != large, "its manifest takes square images");
    REFUSE_IF(layout->n_layers > max_layers, "its manifest takes at most %u layer%s",
              max_layers, max_layers == 1 ? "" : "s");
    REFUSE_IF(full_chain && layout->n_levels < mb_full_level_count(layout->base),
              "its manifest makes full chains only");
    return MB_OK;
}

void mb_kernel_suggest(const struct mb_params *params, const struct mb_format **format,
                       struct mb_extent *size, enum mb_reduce *reduce)
{
    const struct mb_extent sizes[] = {*size,        {1920, 1088}, {481, 271},
                                      {1024, 1024}, {4096, 4096}, {64, 64}};
    const struct mb_pick pick = {.params = *params};
    const size_t n = mb_format_count * MB_N_REDUCES;
    for (size_t i = 0; i < MB_COUNTOF(sizes) * n; i++) {
        const struct mb_extent extent = sizes[i / n];
        const struct mb_task task = {.reduce = (enum mb_reduce)(i % MB_N_REDUCES)};
        struct mb_reader reader;
        struct mb_layout layout;
        struct mb_err ignored;
        mb_layout_init(&layout, &mb_formats[i % n / MB_N_REDUCES], extent, 1,
                       mb_full_level_count(extent));
        mb_reader_init(&reader, &pick, &layout, &ignored);
        if (takes(&reader, &layout, &task) == MB_OK) {
            *format = layout.format;
            *size = extent;
            *reduce = task.reduce;
            return;
        }
    }
}

/* Refuse a feature that is unknown or, if there is a device, that the device lacks. */
static enum mb_status has_features(struct mb_reader *r, const cJSON *features,
                                   const struct mb_gpu_info *info)
{
    for (const cJSON *node = features; node; node = node->next) {
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

/* Choose the device's own size if the manifest takes it, else the first size it supports. */
static enum mb_status choose_subgroup_size(struct mb_pick *pick, const struct mb_numbers *sizes,
                                           const struct mb_gpu_info *info, struct mb_err *why)
{
    pick->subgroup_size = sizes->of[0];
    if (!info || pick->subgroup_size == 0) {
        return MB_OK;
    }
    REFUSE_IF(!info->has_full_subgroups, "the device cannot promise full subgroups");
    pick->subgroup_size = 0;
    for (uint32_t i = 0; i < sizes->n; i++) {
        const uint32_t n_lanes = sizes->of[i];
        if (mb_has_lanes(info, n_lanes) &&
            (pick->subgroup_size == 0 || n_lanes == mb_lanes(info, 0))) {
            pick->subgroup_size = n_lanes;
        }
    }
    REFUSE_IF(pick->subgroup_size == 0,
              "the device has subgroups of %u to %u lanes%s; its manifest takes others",
              info->min_subgroup_size, info->max_subgroup_size,
              info->max_workgroup_subgroups > 0 ? "" : ", which nobody can choose");
    return MB_OK;
}

/* Load the module of each member of "shaders", for one format, reduction and subgroup size. */
static enum mb_status load_shaders(const struct mb_pick *pick, struct mb_err *err)
{
    struct mb_reader reader;
    struct mb_layout layout;
    const struct mb_spirv *ignored;
    mb_layout_init(&layout, pick->format, (struct mb_extent){1, 1}, 1, 1);
    mb_reader_init(&reader, pick, &layout, err);
    mb_reader_set_step(&reader, NULL);
    const cJSON *shaders = mb_read_map(&reader, reader.root, "shaders");
    for (const cJSON *own = shaders ? shaders->child : NULL; own; own = own->next) {
        MB_DO(mb_manifest_module(&reader, mb_choose(&reader, own), &ignored));
    }
    return reader.status;
}

enum mb_status mb_kernel_load(const struct mb_params *params, struct mb_err *err)
{
    struct mb_pick pick = {.params = *params};
    struct mb_reader reader;
    struct device_needs needs;
    mb_reader_init(&reader, &pick, &(struct mb_layout){.format = mb_formats}, err);
    const cJSON *domain = open_domain(&reader);
    const uint32_t formats = mb_read_words(&reader, domain, "formats", NULL, UINT32_MAX);
    const uint32_t reduces = mb_read_words(&reader, domain, "reduce", mb_kernel_reduces, 1);
    MB_DO(read_needs(&reader, &needs));
    for (size_t i = 0; i < mb_format_count * MB_N_REDUCES; i++) {
        pick.format = &mb_formats[i / MB_N_REDUCES];
        pick.reduce = (enum mb_reduce)(i % MB_N_REDUCES);
        const bool is_taken =
            (formats >> i / MB_N_REDUCES & 1u) && (reduces >> pick.reduce & 1u);
        for (uint32_t k = 0; is_taken && k < needs.sizes.n; k++) {
            pick.subgroup_size = needs.sizes.of[k];
            MB_DO(load_shaders(&pick, err));
        }
    }
    return MB_OK;
}

enum mb_status mb_pick_init(struct mb_pick *pick, const struct mb_gpu_info *info,
                            const struct mb_layout *layout, const struct mb_task *task,
                            struct mb_err *why)
{
    struct mb_reader reader;
    struct device_needs needs;
    mb_reader_init(&reader, pick, layout, why);
    REFUSE_IF(task->is_update, "manifests do not support partial updates");
    REFUSE_IF(mb_weighs_alpha(task->reduce, task->alpha, layout->format),
              "a manifest cannot say that colour is weighted by alpha");
    MB_DO(takes(&reader, layout, task));
    MB_DO(read_needs(&reader, &needs));
    MB_DO(has_features(&reader, needs.features, info));
    MB_DO(choose_subgroup_size(pick, &needs.sizes, info, why));
    pick->format = layout->format;
    pick->reduce = task->reduce;
    return MB_OK;
}
