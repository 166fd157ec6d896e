/* Running a strategy's own commands and judging what they leave. */
#include "bench/verify/judge.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/verify/update.h"

/* A checksum over every texel, to tell whether an output is the one already judged: 64-bit
 * multiply and rotate over words, order-dependent, not cryptographic. */
static uint64_t fingerprint(const struct mb_layout *layout, const void *block)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const uint8_t *bytes = mb_layout_level(layout, block, level, 0);
        size_t n_bytes = layout->level_layer_bytes[level] * layout->n_layers;
        for (size_t i = 0; i < n_bytes; i += sizeof(uint64_t)) {
            uint64_t word = 0;
            memcpy(&word, bytes + i, n_bytes - i < sizeof word ? n_bytes - i : sizeof word);
            hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
            hash = (hash << 29) | (hash >> 35);
        }
    }
    return hash;
}

static void note_failure(struct mb_result *result, const char *when,
                         const struct mb_bad_texel *bad)
{
    char where[256];
    mb_bad_texel_describe(bad, where, sizeof where);
    result->verify = MB_VERIFY_FAIL;
    result->status = MB_RESULT_FAILED;
    result->verdict.pass = false;
    result->verdict.first_bad = *bad;
    snprintf(result->reason, sizeof result->reason, "%s: %s", when, where);
}

static enum mb_status judge_made_levels(const struct mb_judge *judge,
                                        struct mb_candidate *candidate, bool is_first,
                                        const char *when, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_result *result = candidate->result;
    const void *block = judge->test_image->readback.mapped;
    struct mb_verdict verdict;
    uint64_t hash = fingerprint(&judge->c->layout, block);
    if (!is_first && hash == candidate->fingerprint) {
        return MB_OK;
    }
    MB_TRY(mb_verify(judge->verifier, block, &result->work.tolerance, &verdict, err));
    candidate->fingerprint = hash;
    if (is_first || !verdict.pass) {
        result->verdict = verdict;
    }
    if (!verdict.pass) {
        note_failure(result, when, &verdict.first_bad);
    }
    if (verdict.level[0].n_bad_texels > 0) {
        MB_TRY(mb_test_image_upload(judge->test_image, judge->verifier->source, err));
    }
fail:
    return status;
}

/* Levels that were not asked for are as the poison left them. */
static void judge_other_levels(const struct mb_judge *judge, struct mb_candidate *candidate,
                               const char *when)
{
    const struct mb_test_image *test_image = judge->test_image;
    const struct mb_layout *full = &test_image->full;
    uint32_t n_made = judge->c->layout.n_levels;
    struct mb_bad_texel bad = {0};
    char text[128];
    for (uint32_t i = n_made * full->n_layers; i < full->n_levels * full->n_layers; i++) {
        uint32_t level = i / full->n_layers, layer = i % full->n_layers;
        const uint8_t *got = mb_layout_level(full, test_image->readback.mapped, level, layer);
        const uint8_t *begin = mb_layout_level(full, test_image->readback.mapped, n_made, 0);
        const struct mb_plane want = {mb_level_extent(full->base, level), full->format,
                                      test_image->poisoned + (got - begin)};
        mb_find_difference(&want, got, NULL, 0, 0.0, &bad);
        if (bad.found) {
            bad.level = level;
            bad.layer = layer;
            snprintf(text, sizeof text, "%s: writes a level that was not asked for", when);
            note_failure(candidate->result, text, &bad);
            return;
        }
    }
}

/* The chain just judged is in the read-back buffer: it is what the update must lead to. */
static enum mb_status judge_update(const struct mb_judge *judge, struct mb_candidate *candidate,
                                   const char *when, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_test_image *test_image = judge->test_image;
    struct mb_bad_texel bad = {0};
    const char *what = "";
    char text[128];
    void *regenerated = mb_malloc(test_image->full.total_bytes);
    if (!regenerated) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "partial update: out of memory");
    }
    memcpy(regenerated, test_image->readback.mapped, test_image->full.total_bytes);
    const struct mb_update_check check = {
        .test_image = judge->test_image,
        .partial = &candidate->instance,
        .task = &judge->c->task,
        .regenerated = regenerated,
    };
    MB_TRY(mb_update_check(&check, &bad, &what, err));
    if (bad.found) {
        snprintf(text, sizeof text, "%s: %s", when, what);
        note_failure(candidate->result, text, &bad);
        MB_TRY(mb_test_image_upload(judge->test_image, judge->verifier->source, err));
    }
fail:
    mb_free(regenerated);
    return status;
}

enum mb_status mb_judge_run(const struct mb_judge *judge, struct mb_candidate *candidate,
                            uint32_t poison, bool is_again, const char *when,
                            struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_result *result = candidate->result;
    bool is_update = judge->c->task.is_update;
    struct mb_submission *submission =
        is_update ? &candidate->whole.submission : &candidate->instance.submission;
    MB_TRY(mb_test_image_poison(judge->test_image, poison, err));
    MB_TRY(mb_submission_run(submission, err));
    MB_TRY(mb_test_image_read(judge->test_image, err));
    if (!judge->is_on || result->verify == MB_VERIFY_FAIL) {
        return MB_OK;
    }
    result->verify = MB_VERIFY_PASS;
    MB_TRY(judge_made_levels(judge, candidate, poison == 0 && !is_again, when, err));
    if (result->verify == MB_VERIFY_PASS) {
        judge_other_levels(judge, candidate, when);
    }
    if (result->verify == MB_VERIFY_PASS && is_update) {
        MB_TRY(judge_update(judge, candidate, when, err));
    }
fail:
    return status;
}
