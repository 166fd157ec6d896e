/* The reference chains of one case. */
#include "bench/verify/reference_cache.h"

#include <string.h>

#include "base/alloc.h"

void mb_reference_init(struct mb_reference *reference, const struct mb_layout *layout,
                       const void *source)
{
    *reference = (struct mb_reference){.layout = *layout, .source = source};
}

void mb_reference_finish(struct mb_reference *reference)
{
    for (uint32_t i = 0; i < MB_N_FILTERS; i++) {
        if (!reference->ideal[i]) {
            continue;
        }
        for (uint32_t layer = 0; layer < reference->layout.n_layers; layer++) {
            mb_ideal_finish(&reference->ideal[i][layer]);
        }
        mb_free(reference->ideal[i]);
    }
    *reference = (struct mb_reference){0};
}

static const void *source_layer(const struct mb_reference *reference, uint32_t layer)
{
    return (const uint8_t *)reference->source + layer * reference->layout.level_layer_bytes[0];
}

static uint32_t filter_index(const struct mb_filter *filter)
{
    return ((uint32_t)filter->alpha * MB_N_REDUCES + (uint32_t)filter->reduce) * MB_N_POLICIES +
           (uint32_t)filter->policy;
}

enum mb_policy mb_reference_policy(const struct mb_reference *reference,
                                   const struct mb_filter *filter)
{
    const struct mb_layout *layout = &reference->layout;
    const bool is_box =
        !mb_policy_is_wide(filter->policy) && mb_policies_agree(layout->base, layout->n_levels);
    return is_box ? MB_POLICY_BOX : filter->policy;
}

enum mb_status mb_reference_ideal(struct mb_reference *reference,
                                  const struct mb_filter *filter, uint32_t layer,
                                  const struct mb_ideal **ideal, struct mb_err *err)
{
    const struct mb_layout *layout = &reference->layout;
    struct mb_filter used = *filter;
    used.policy = mb_reference_policy(reference, filter);
    struct mb_ideal **chains = &reference->ideal[filter_index(&used)];
    if (!*chains) {
        *chains = mb_alloc(layout->n_layers, sizeof **chains);
        MB_DO(MB_NEED(*chains, "reference"));
    }
    if ((*chains)[layer].n_levels == 0) {
        const struct mb_plane level0 = {
            .extent = layout->base,
            .format = layout->format,
            .texels = source_layer(reference, layer),
        };
        MB_DO(mb_ideal_init(&(*chains)[layer], &used, &level0, layout->n_levels, err));
    }
    *ideal = &(*chains)[layer];
    return MB_OK;
}

enum mb_status mb_reference_encode(struct mb_reference *reference,
                                   const struct mb_filter *filter, uint32_t n_layers,
                                   uint8_t *texels, struct mb_err *err)
{
    const struct mb_layout *layout = &reference->layout;
    memcpy(texels, reference->source, layout->level_layer_bytes[0] * n_layers);
    for (uint32_t layer = 0; layer < n_layers; layer++) {
        const struct mb_ideal *ideal;
        MB_DO(mb_reference_ideal(reference, filter, layer, &ideal, err));
        for (uint32_t level = 1; level < layout->n_levels; level++) {
            const struct mb_extent extent = mb_level_extent(layout->base, level);
            mb_format_encode(layout->format, ideal->level[level],
                             (size_t)extent.width * extent.height,
                             texels + layout->level_offset_bytes[level] +
                                 layer * layout->level_layer_bytes[level]);
        }
    }
    return MB_OK;
}

enum mb_status mb_verify(struct mb_reference *reference, const void *output,
                         const struct mb_tolerance *tolerance, struct mb_verdict *verdict,
                         struct mb_err *err)
{
    struct mb_filter box_filter = tolerance->filter;
    box_filter.policy = MB_POLICY_BOX;
    *verdict = (struct mb_verdict){0};
    for (uint32_t layer = 0; layer < reference->layout.n_layers; layer++) {
        struct mb_judged_chain chain = {
            .layout = &reference->layout,
            .output = output,
            .layer = layer,
            .source = source_layer(reference, layer),
            .tolerance = tolerance,
        };
        MB_DO(mb_reference_ideal(reference, &tolerance->filter, layer, &chain.ideal, err));
        MB_DO(mb_reference_ideal(reference, &box_filter, layer, &chain.box, err));
        MB_DO(mb_compare_chain(&chain, verdict, err));
    }
    return MB_OK;
}
