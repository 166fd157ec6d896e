/* Runs a strategy's own commands and verifies what they leave. */
#include "bench/verify/judge.h"

#include <libdeflate.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/text.h"
#include "image/pattern.h"

#define N_CHANGED 64u /* pairs of texels */

/* A checksum over every texel, to recognise an output that was verified before. */
static uint64_t fingerprint(const struct mb_layout *layout, const void *block)
{
    return (uint64_t)libdeflate_crc32(0, block, layout->total_bytes) << 32 |
           libdeflate_adler32(1, block, layout->total_bytes);
}

void mb_candidate_fail(struct mb_candidate *candidate, bool is_wrong, const char *format, ...)
{
    struct mb_result *result = candidate->result;
    const bool is_told =
        is_wrong ? result->verify == MB_VERIFY_FAIL : result->status == MB_RESULT_FAILED;
    va_list args;
    va_start(args, format);
    if (!is_told) {
        vsnprintf(result->reason, sizeof result->reason, format, args);
    }
    va_end(args);
    result->status = MB_RESULT_FAILED;
    if (is_wrong) {
        result->verify = MB_VERIFY_FAIL;
        result->verdict.pass = false;
    }
}

/* The name of the probe's pattern. Float formats get values that kernels tend to clamp or lose
 * the sign of, except r32f, which may be read as depth in [0, 1]. */
static const char *probe_of(const struct mb_format *format)
{
    const bool is_depth = format->vk_format == VK_FORMAT_R32_SFLOAT;
    return mb_format_is_unorm(format) || is_depth ? "probe" : "probe-float";
}

enum mb_status mb_judge_init(struct mb_judge *judge, struct mb_test_image *test_image,
                             const void *source, const struct mb_task *task, bool is_blind,
                             struct mb_err *err)
{
    const struct mb_vk_image *image = &test_image->image;
    const struct mb_layout *layout = &image->layout;
    MB_SCOPED(mb_image) probe = {0};
    const struct mb_text spec = mb_text("pattern:%s:%ux%u", probe_of(layout->format),
                                        layout->base.width, layout->base.height);
    *judge = (struct mb_judge){.test_image = test_image, .task = *task, .is_blind = is_blind};
    if (is_blind) {
        return MB_OK;
    }
    MB_DO(mb_pattern_make(&probe, spec.s, 0, err));
    judge->probe = mb_image_encode_layers(&probe, layout);
    MB_DO(MB_NEED(judge->probe, "probe image"));
    mb_reference_init(&judge->reference[MB_CONTENT_IMAGE], layout, source);
    mb_reference_init(&judge->reference[MB_CONTENT_PROBE], layout, judge->probe);
    return mb_chain_hash_supports(image)
               ? mb_chain_hash_init(&judge->hash, image, NULL, 0, 1, err)
               : MB_OK;
}

void mb_judge_finish(struct mb_judge *judge)
{
    mb_chain_hash_finish(&judge->hash);
    for (int i = 0; i < MB_N_CONTENTS; i++) {
        mb_reference_finish(&judge->reference[i]);
    }
    mb_free(judge->probe);
    judge->probe = NULL;
}

static struct mb_reference *reference_of(struct mb_judge *judge)
{
    return &judge->reference[judge->content];
}

static void note_failure(struct mb_judge *judge, const char *what)
{
    mb_candidate_fail(judge->candidate, true, "wrong%s%s: %s",
                      judge->content == MB_CONTENT_PROBE ? " on the probe image" : "",
                      judge->pass == MB_JUDGE_AFTER ? " after timing" : "", what);
}

/* Note which `rule` the candidate broke at a texel. */
static void note_breach(struct mb_judge *judge, const char *rule,
                        const struct mb_bad_texel *bad)
{
    const struct mb_format *format = reference_of(judge)->layout.format;
    note_failure(judge, mb_text("%s: %s", rule, mb_bad_texel_describe(bad, format).s).s);
    judge->candidate->result->verdict.first_bad = *bad;
}

static enum mb_status judge_made_levels(struct mb_judge *judge, struct mb_err *err)
{
    struct mb_result *result = judge->candidate->result;
    const void *block = judge->test_image->readback.mapped;
    uint64_t *judged_last = &judge->candidate->fingerprint[judge->content];
    struct mb_verdict verdict;
    const uint64_t hash = fingerprint(&reference_of(judge)->layout, block);
    if (judge->pass == MB_JUDGE_AFTER && hash == *judged_last) {
        return MB_OK;
    }
    MB_DO(mb_verify(reference_of(judge), block, &result->work.tolerance, &verdict, err));
    *judged_last = hash;
    if ((judge->content == MB_CONTENT_IMAGE && judge->pass == MB_JUDGE_BEFORE) ||
        !verdict.pass) {
        result->verdict = verdict;
    }
    if (!verdict.pass) {
        const struct mb_format *format = reference_of(judge)->layout.format;
        note_failure(judge, mb_failure_describe(&verdict, format).s);
    }
    return MB_OK;
}

static void invert(uint8_t *bytes, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (uint8_t)~bytes[i];
    }
}

/* Copy `regenerated` to `block`, and in the levels below 0 that the task makes invert all
 * texels inside the affected regions or, with `outside`, all texels outside them. */
static void spoil(const struct mb_test_image *test_image, const struct mb_rect *affected,
                  bool outside, const uint8_t *regenerated, uint8_t *block)
{
    const struct mb_layout *layout = &test_image->image.layout;
    const size_t texel_bytes = layout->format->texel_bytes;
    memcpy(block, regenerated, test_image->full.total_bytes);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        const struct mb_rect rect = affected[level];
        const size_t row_bytes = mb_level_extent(layout->base, level).width * texel_bytes;
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            uint8_t *texels = block + layout->level_offset_bytes[level] +
                              layer * layout->level_layer_bytes[level];
            if (outside) {
                invert(texels, layout->level_layer_bytes[level]); /* inverting twice restores */
            }
            for (uint32_t y = rect.y; y < rect.y + rect.height; y++) {
                invert(texels + y * row_bytes + rect.x * texel_bytes, rect.width * texel_bytes);
            }
        }
    }
}

/* Upload the first `n_levels` of `block`, leave other levels as they are, and run the
 * candidate. */
static enum mb_status run_over(struct mb_judge *judge, const void *block, uint32_t n_levels,
                               struct mb_err *err)
{
    MB_DO(mb_test_image_upload(judge->test_image, block, n_levels, err));
    return mb_submission_run(&judge->candidate->instances[0].submission, err);
}

/* Do the same, and read the result back. */
static enum mb_status read_over(struct mb_judge *judge, const void *block, uint32_t n_levels,
                                struct mb_err *err)
{
    MB_DO(run_over(judge, block, n_levels, err));
    return mb_test_image_read(judge->test_image, err);
}

/* Find the first texel of the read-back buffer, from level `first_level` on, that differs from
 * `want`, a packed block, by more than `allowed_lsb`. `ignored` is NULL, or has a rectangle for
 * each level whose texels are not compared. */
static void find_difference(const struct mb_test_image *test_image, const void *want,
                            uint32_t first_level, const struct mb_rect *ignored,
                            double allowed_lsb, struct mb_bad_texel *bad)
{
    const struct mb_layout *layout = &test_image->full;
    *bad = (struct mb_bad_texel){0};
    for (uint32_t level = first_level; level < layout->n_levels; level++) {
        const bool is_ignored =
            ignored && level > 0 && level < test_image->image.layout.n_levels;
        for (uint32_t layer = 0; layer < layout->n_layers; layer++) {
            const struct mb_plane wanted = {mb_level_extent(layout->base, level),
                                            layout->format,
                                            mb_layout_level(layout, want, level, layer)};
            const void *got =
                mb_layout_level(layout, test_image->readback.mapped, level, layer);
            mb_find_difference(&wanted, got, is_ignored ? ignored[level] : (struct mb_rect){0},
                               allowed_lsb, bad);
            if (bad->found) {
                bad->level = level;
                bad->layer = layer;
                return;
            }
        }
    }
}

/* Verify that levels that were not asked for still hold the poison. */
static void judge_other_levels(struct mb_judge *judge)
{
    const struct mb_test_image *test_image = judge->test_image;
    struct mb_bad_texel bad;
    find_difference(test_image, test_image->poisoned, test_image->image.layout.n_levels, NULL,
                    0.0, &bad);
    if (bad.found) {
        note_breach(judge, "writes to a level it was not asked for", &bad);
    }
}

/* Verify an update, which must lead to the verified full chain in the read-back buffer. It runs
 * twice over that chain: once with every texel outside the affected regions spoilt, once with
 * every texel inside. In a spoilt texel each bit is inverted: a write, even of the right value,
 * shows. */
static enum mb_status judge_update(struct mb_judge *judge, struct mb_err *err)
{
    struct mb_candidate *candidate = judge->candidate;
    const struct mb_test_image *test_image = judge->test_image;
    const struct mb_tolerance *tolerance = &candidate->instances[0].work.tolerance;
    const size_t n_bytes = test_image->full.total_bytes;
    const uint32_t n_levels = test_image->full.n_levels;
    const char *rule = "writes outside the rectangle's affected region";
    struct mb_rect affected[MB_MAX_LEVELS];
    struct mb_bad_texel bad;
    MB_FREED uint8_t *regenerated = mb_alloc(2, n_bytes);
    MB_DO(MB_NEED(regenerated, "partial update"));
    uint8_t *spoilt = regenerated + n_bytes;
    memcpy(regenerated, test_image->readback.mapped, n_bytes);
    mb_filter_affected_levels(tolerance->filter.policy, &test_image->image.layout,
                              judge->task.rect, affected);
    spoil(test_image, affected, true, regenerated, spoilt);
    MB_DO(read_over(judge, spoilt, n_levels, err));
    find_difference(test_image, spoilt, 0, affected, 0.0, &bad);
    if (!bad.found) {
        rule = "differs from a full regeneration";
        spoil(test_image, affected, false, regenerated, spoilt);
        MB_DO(read_over(judge, spoilt, n_levels, err));
        /* Sums of half floats often tie, and an update's kernel may be compiled differently. */
        const bool is_half = tolerance->arithmetic == MB_ARITHMETIC_FP16;
        find_difference(test_image, regenerated, 0, NULL, is_half ? 1.0 : 0.0, &bad);
    }
    if (bad.found) {
        note_breach(judge, rule, &bad);
    }
    return MB_OK;
}

/* Exchange N_CHANGED pairs of texels of level 0. */
static void change(const struct mb_layout *layout, uint8_t *texels)
{
    struct mb_rng rng;
    const size_t n_bytes = layout->format->texel_bytes;
    const uint32_t n_texels =
        (uint32_t)(layout->level_layer_bytes[0] / n_bytes * layout->n_layers);
    mb_rng_init(&rng, N_CHANGED);
    for (uint32_t i = 0; i < N_CHANGED; i++) {
        uint8_t kept[4 * sizeof(float)];
        uint8_t *a = texels + mb_rng_below(&rng, n_texels) * n_bytes;
        uint8_t *b = texels + mb_rng_below(&rng, n_texels) * n_bytes;
        memcpy(kept, a, n_bytes);
        memmove(a, b, n_bytes);
        memcpy(b, kept, n_bytes);
    }
}

/* Catch a kernel that keeps its output as long as the few texels that it looks at stay the
 * same: it would be right, and fast, in timed runs. A few texels of level 0 change between two
 * runs, and the second must make the chain that a run over poison makes of the changed image.
 * The read-back buffer is restored. */
static enum mb_status judge_change(struct mb_judge *judge, struct mb_err *err)
{
    struct mb_test_image *test_image = judge->test_image;
    const struct mb_layout *full = &test_image->full;
    const size_t n_bytes = full->level_layer_bytes[0] * full->n_layers;
    struct mb_bad_texel bad;
    MB_FREED uint8_t *kept = mb_malloc(full->total_bytes);
    MB_FREED uint8_t *wanted = mb_malloc(full->total_bytes);
    MB_FREED uint8_t *changed = mb_malloc(n_bytes);
    MB_DO(MB_NEED(kept && wanted && changed, "changed image"));
    memcpy(kept, test_image->readback.mapped, full->total_bytes);
    memcpy(changed, reference_of(judge)->source, n_bytes);
    change(full, changed);
    MB_DO(mb_test_image_poison(test_image, 0, err));
    MB_DO(read_over(judge, changed, 1, err));
    memcpy(wanted, test_image->readback.mapped, full->total_bytes);
    MB_DO(mb_test_image_poison(test_image, 0, err));
    MB_DO(run_over(judge, reference_of(judge)->source, 1, err));
    MB_DO(read_over(judge, changed, 1, err));
    find_difference(test_image, wanted, 1, NULL, 0.0, &bad);
    if (bad.found) {
        note_breach(judge, "keeps what it made of earlier texels", &bad);
    }
    memcpy(test_image->readback.mapped, kept, full->total_bytes);
    return mb_test_image_upload(test_image, reference_of(judge)->source, 1, err);
}

/* Overwrite scratch memory before the first verified run after timing, to catch kernels that
 * keep results there: timed runs find what the previous run left, as in an engine. */
static enum mb_status spoil_scratch(const struct mb_instance *instance, struct mb_err *err)
{
    const struct mb_strategy *strategy = instance->strategy;
    return strategy && strategy->spoil ? strategy->spoil(instance->state, err) : MB_OK;
}

/* Run the candidate with the content in level 0, and verify what it leaves. */
static enum mb_status judge_content(struct mb_judge *judge, struct mb_err *err)
{
    struct mb_test_image *test_image = judge->test_image;
    struct mb_candidate *candidate = judge->candidate;
    struct mb_result *result = candidate->result;
    const bool is_update = judge->task.is_update;
    /* The last run is over the probe's chain, so that knowing the poison does not help a
     * kernel. */
    const bool has_probe = candidate->fingerprint[MB_CONTENT_PROBE] != 0;
    if (judge->pass == MB_JUDGE_BEFORE || judge->content == MB_CONTENT_PROBE || !has_probe) {
        MB_DO(mb_test_image_poison(test_image, judge->content == MB_CONTENT_PROBE, err));
    }
    if (judge->pass == MB_JUDGE_AFTER && judge->content == MB_CONTENT_PROBE) {
        MB_DO(spoil_scratch(candidate->instances, err));
        MB_DO(spoil_scratch(&candidate->whole, err));
    }
    MB_DO(mb_submission_run(
        is_update ? &candidate->whole.submission : &candidate->instances[0].submission, err));
    if (judge->hash.gpu && judge->content == MB_CONTENT_IMAGE &&
        judge->pass == MB_JUDGE_BEFORE) {
        MB_DO(mb_chain_hash_run(&judge->hash, 0, &candidate->hash, err));
    }
    MB_DO(mb_test_image_read(test_image, err));
    if (judge->is_blind || result->verify == MB_VERIFY_FAIL) {
        return MB_OK;
    }
    result->verify = MB_VERIFY_PASS;
    MB_DO(judge_made_levels(judge, err));
    if (result->verify == MB_VERIFY_PASS) {
        judge_other_levels(judge);
    }
    if (result->verify == MB_VERIFY_PASS && is_update) {
        MB_DO(judge_update(judge, err));
    } else if (result->verify == MB_VERIFY_PASS && has_probe && judge->pass == MB_JUDGE_AFTER &&
               judge->content == MB_CONTENT_IMAGE) {
        MB_DO(judge_change(judge, err));
    }
    return MB_OK;
}

enum mb_status mb_judge_run(struct mb_judge *judge, struct mb_candidate *candidate,
                            enum mb_content content, enum mb_judge_pass pass,
                            struct mb_err *err)
{
    judge->candidate = candidate;
    judge->content = content;
    judge->pass = pass;
    const void *image = judge->reference[MB_CONTENT_IMAGE].source;
    if (content == MB_CONTENT_PROBE) {
        MB_DO(mb_test_image_upload(judge->test_image, judge->probe, 1, err));
    }
    MB_DO(judge_content(judge, err));
    const bool is_damaged = candidate->result->verify == MB_VERIFY_FAIL;
    return content == MB_CONTENT_PROBE || is_damaged
               ? mb_test_image_upload(judge->test_image, image, 1, err)
               : MB_OK;
}

/* Note how far the chain in the read-back buffer is from the exact average: nothing else can be
 * said of a chain that no filter describes. */
static enum mb_status measure_box(struct mb_judge *judge, struct mb_result *result,
                                  struct mb_err *err)
{
    struct mb_verdict verdict;
    MB_DO(mb_verify(&judge->reference[MB_CONTENT_IMAGE], judge->test_image->readback.mapped,
                    &result->work.tolerance, &verdict, err));
    result->verdict.n_levels = verdict.n_levels;
    result->verdict.box_lsb = verdict.box_lsb;
    for (uint32_t level = 0; level < verdict.n_levels; level++) {
        result->verdict.level[level].box_lsb = verdict.level[level].box_lsb;
    }
    return MB_OK;
}

enum mb_status mb_judge_bounds(struct mb_judge *judge, struct mb_candidate *candidate,
                               struct mb_err *err)
{
    struct mb_result *result = candidate->result;
    const struct mb_layout *layout = &judge->test_image->full;
    const size_t n_bytes = layout->level_layer_bytes[0] * layout->n_layers;
    const void *source = judge->reference[MB_CONTENT_IMAGE].source;
    judge->candidate = candidate;
    judge->content = MB_CONTENT_IMAGE;
    judge->pass = MB_JUDGE_BEFORE;
    MB_DO(mb_test_image_poison(judge->test_image, 0, err));
    MB_DO(mb_submission_run(&candidate->instances[0].submission, err));
    MB_DO(mb_test_image_read(judge->test_image, err));
    if (memcmp(judge->test_image->readback.mapped, source, n_bytes) != 0) {
        mb_candidate_fail(candidate, true, "writes to level 0");
        result->verdict.level[0].n_bad_texels = 1;
        return mb_test_image_upload(judge->test_image, source, 1, err);
    }
    if (result->work.tolerance.has_no_policy) {
        MB_DO(measure_box(judge, result, err));
    }
    judge_other_levels(judge);
    return MB_OK;
}
