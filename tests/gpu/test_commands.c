/* The commands of a recorded sample, one by one: what is timed is a strategy's own work and
 * nothing else, between stamps that wait for what came before and hold up what comes after.
 *
 * Spies stand in for commands while a sample is recorded; what they see is written down in
 * words, one command a word, and compared with what there must be. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/roofline/traffic.h"
#include "bench/timing/recorded_sample.h"
#include "harness.h"
#include "strategy/marks.h"
#include "vk/barrier.h"

#define MAX_TRIALS 4u
#define MAX_TEXT   65536u

struct text {
    char words[MAX_TEXT];
    size_t n;
};

/* What a spy knows: where it writes, and pipelines that have a name. */
static struct {
    struct text *out;
    const struct mb_timer *timer;
    VkPipeline primer, evictor, hash, bound;
} spy;

static void add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text->words + text->n, MAX_TEXT - text->n, format, args);
    va_end(args);
    CHECK(n >= 0 && (size_t)n < MAX_TEXT - text->n);
    text->n += (size_t)n < MAX_TEXT - text->n ? (size_t)n : 0;
}

static const char *pool_name(VkQueryPool pool)
{
    return pool == spy.timer->pool ? "" : "-of-another-pool";
}

static VKAPI_ATTR void VKAPI_CALL note_reset(VkCommandBuffer cmd, VkQueryPool pool,
                                             uint32_t first, uint32_t n)
{
    add(spy.out, "reset%s:%u+%u ", pool_name(pool), first, n);
    REAL(vkCmdResetQueryPool)(cmd, pool, first, n);
}

/* Anything but ALL_COMMANDS waits for less than all that came before. */
static VKAPI_ATTR void VKAPI_CALL note_stamp(VkCommandBuffer cmd, VkPipelineStageFlagBits stage,
                                             VkQueryPool pool, uint32_t query)
{
    const bool is_all = stage == VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    add(spy.out, "stamp%s%s:%u ", pool_name(pool), is_all ? "" : "-too-early", query);
    REAL(vkCmdWriteTimestamp)(cmd, stage, pool, query);
}

/* "full": memory, too; "order": execution only; "some" for less than all commands. */
static VKAPI_ATTR void VKAPI_CALL note_barrier(VkCommandBuffer cmd, VkPipelineStageFlags from,
                                               VkPipelineStageFlags to, VkDependencyFlags flags,
                                               uint32_t n_memory, const VkMemoryBarrier *memory,
                                               uint32_t n_buffers,
                                               const VkBufferMemoryBarrier *buffers,
                                               uint32_t n_images,
                                               const VkImageMemoryBarrier *images)
{
    const VkAccessFlags reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                                VK_ACCESS_COLOR_ATTACHMENT_READ_BIT;
    const VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                                 VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    const bool is_all = from == VK_PIPELINE_STAGE_ALL_COMMANDS_BIT &&
                        to == VK_PIPELINE_STAGE_ALL_COMMANDS_BIT && n_buffers + n_images == 0;
    const bool is_full = is_all && n_memory == 1 &&
                         (memory->srcAccessMask & VK_ACCESS_MEMORY_WRITE_BIT) != 0 &&
                         (memory->dstAccessMask & (reads | writes)) == (reads | writes);
    add(spy.out, "%s ", is_full ? "full" : is_all && n_memory == 0 ? "order" : "some");
    REAL(vkCmdPipelineBarrier)
    (cmd, from, to, flags, n_memory, memory, n_buffers, buffers, n_images, images);
}

static VKAPI_ATTR void VKAPI_CALL note_bind(VkCommandBuffer cmd, VkPipelineBindPoint point,
                                            VkPipeline pipeline)
{
    spy.bound = pipeline;
    REAL(vkCmdBindPipeline)(cmd, point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL note_dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y,
                                                uint32_t z)
{
    add(spy.out, "%s:%ux%ux%u ",
        spy.bound == spy.primer    ? "primer"
        : spy.bound == spy.evictor ? "evict"
        : spy.bound == spy.hash    ? "hash"
                                   : "dispatch",
        x, y, z);
    REAL(vkCmdDispatch)(cmd, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL note_draw(VkCommandBuffer cmd, uint32_t n_vertices,
                                            uint32_t n_instances, uint32_t first_vertex,
                                            uint32_t first_instance)
{
    add(spy.out, "draw:%ux%u ", n_vertices, n_instances);
    REAL(vkCmdDraw)(cmd, n_vertices, n_instances, first_vertex, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL note_blit(VkCommandBuffer cmd, VkImage from,
                                            VkImageLayout from_layout, VkImage to,
                                            VkImageLayout to_layout, uint32_t n_regions,
                                            const VkImageBlit *regions, VkFilter filter)
{
    const VkOffset3D *size = &regions[0].dstOffsets[1];
    add(spy.out, "blit:%ux%d,%d ", n_regions, size->x, size->y);
    REAL(vkCmdBlitImage)(cmd, from, from_layout, to, to_layout, n_regions, regions, filter);
}

static VKAPI_ATTR void VKAPI_CALL note_copy_image(VkCommandBuffer cmd, VkImage from,
                                                  VkImageLayout from_layout, VkImage to,
                                                  VkImageLayout to_layout, uint32_t n,
                                                  const VkImageCopy *regions)
{
    add(spy.out, "copy ");
    REAL(vkCmdCopyImage)(cmd, from, from_layout, to, to_layout, n, regions);
}

static VKAPI_ATTR void VKAPI_CALL note_copy_buffer(VkCommandBuffer cmd, VkBuffer from,
                                                   VkBuffer to, uint32_t n,
                                                   const VkBufferCopy *regions)
{
    add(spy.out, "copy ");
    REAL(vkCmdCopyBuffer)(cmd, from, to, n, regions);
}

static VKAPI_ATTR void VKAPI_CALL note_fill(VkCommandBuffer cmd, VkBuffer buffer,
                                            VkDeviceSize offset, VkDeviceSize size,
                                            uint32_t word)
{
    add(spy.out, "fill ");
    REAL(vkCmdFillBuffer)(cmd, buffer, offset, size, word);
}

static VKAPI_ATTR void VKAPI_CALL note_update(VkCommandBuffer cmd, VkBuffer buffer,
                                              VkDeviceSize offset, VkDeviceSize size,
                                              const void *data)
{
    add(spy.out, "update ");
    REAL(vkCmdUpdateBuffer)(cmd, buffer, offset, size, data);
}

static VKAPI_ATTR void VKAPI_CALL note_clear(VkCommandBuffer cmd, VkImage image,
                                             VkImageLayout layout,
                                             const VkClearColorValue *colour, uint32_t n,
                                             const VkImageSubresourceRange *ranges)
{
    add(spy.out, "clear ");
    REAL(vkCmdClearColorImage)(cmd, image, layout, colour, n, ranges);
}

static VKAPI_ATTR void VKAPI_CALL note_upload(VkCommandBuffer cmd, VkBuffer from, VkImage to,
                                              VkImageLayout layout, uint32_t n,
                                              const VkBufferImageCopy *regions)
{
    add(spy.out, "spots:%u ", n);
    REAL(vkCmdCopyBufferToImage)(cmd, from, to, layout, n, regions);
}

/* A word for the name, whatever is in it. */
static VKAPI_ATTR void VKAPI_CALL note_begin_label(VkCommandBuffer cmd,
                                                   const VkDebugUtilsLabelEXT *label)
{
    const size_t start = spy.out->n;
    add(spy.out, "[%s", label->pLabelName);
    for (char *c = strchr(spy.out->words + start, ' '); c; c = strchr(c, ' ')) {
        *c = '_';
    }
    add(spy.out, " ");
    REAL(vkCmdBeginDebugUtilsLabelEXT)(cmd, label);
}

static VKAPI_ATTR void VKAPI_CALL note_end_label(VkCommandBuffer cmd)
{
    add(spy.out, "] ");
    REAL(vkCmdEndDebugUtilsLabelEXT)(cmd);
}

static void start_spying(struct text *out)
{
    out->n = 0;
    out->words[0] = '\0';
    spy.out = out;
    spy.bound = VK_NULL_HANDLE;
    STAND_IN(vkCmdResetQueryPool, note_reset);
    STAND_IN(vkCmdWriteTimestamp, note_stamp);
    STAND_IN(vkCmdPipelineBarrier, note_barrier);
    STAND_IN(vkCmdBindPipeline, note_bind);
    STAND_IN(vkCmdDispatch, note_dispatch);
    STAND_IN(vkCmdDraw, note_draw);
    STAND_IN(vkCmdBlitImage, note_blit);
    STAND_IN(vkCmdCopyImage, note_copy_image);
    STAND_IN(vkCmdCopyBuffer, note_copy_buffer);
    STAND_IN(vkCmdFillBuffer, note_fill);
    STAND_IN(vkCmdUpdateBuffer, note_update);
    STAND_IN(vkCmdClearColorImage, note_clear);
    STAND_IN(vkCmdCopyBufferToImage, note_upload);
    STAND_IN(vkCmdBeginDebugUtilsLabelEXT, note_begin_label);
    STAND_IN(vkCmdEndDebugUtilsLabelEXT, note_end_label);
}

static void stop_spying(void)
{
    stand_ins_end();
}

/* A strategy set up on an image, as often as there are images in the rotation. */
struct bed {
    struct mb_gpu *gpu;
    struct mb_test_image test_image;
    struct mb_timer timer;
    struct mb_field evictor;
    struct mb_chain_hash hash;
    struct mb_buffer spots;
    struct mb_instance instances[MAX_TRIALS];
};

/* What the strategy itself records. */
static bool spy_on_chain(const struct bed *bed, const struct mb_instance *instance,
                         struct text *chain)
{
    struct mb_err err = {0};
    struct mb_submission submission = {0};
    enum mb_status status = MB_OK;
    MB_TRY(mb_submission_init(&submission, bed->gpu, "chain", &err));
    start_spying(chain);
    mb_instance_chain(instance, submission.cmd);
    stop_spying();
    MB_TRY(mb_submission_end(&submission, &err));
fail:
    mb_submission_finish(&submission);
    return status == MB_OK;
}

static unsigned count(const char *words, const char *word)
{
    unsigned n = 0;
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word)) {
        n += at == words || at[-1] == ' ';
    }
    return n;
}

/* As much work as the strategy says, none of it empty, and nothing that belongs to a sample. */
static void check_chain(const struct mb_work *work, const char *words)
{
    const unsigned n_barriers =
        count(words, "some ") + count(words, "full ") + count(words, "order ");
    CHECK_EQ_INT(count(words, "dispatch:") + count(words, "draw:") + count(words, "blit:"),
                 work->n_dispatches);
    CHECK_EQ_INT(n_barriers, work->n_barriers);
    CHECK_EQ_INT(count(words, "stamp") + count(words, "reset") + count(words, "primer"), 0);
    CHECK(!strstr(words, ":0x") && !strstr(words, "x0 ") && !strstr(words, "x0x"));
}

static void expect_chains(struct text *want, const char *chain, uint32_t n, bool is_overlapped)
{
    for (uint32_t i = 0; i < n; i++) {
        add(want, "%s%s", i > 0 && !is_overlapped ? "full " : "", chain);
    }
}

static void expect_spoil(struct text *want, const struct mb_recorded_sample *options,
                         uint32_t n)
{
    const char *words = options->spots ? "some spots:4 some " : "some clear some ";
    for (uint32_t i = 0; i < n && i < options->n_instances; i++) {
        add(want, "%s", words);
    }
}

/* [what leaves nothing in the cache] [a chain, for its code] [chains, for their images,
 * which lose what they made]; the queries' reset, the primer; stamp; chains; stamp; [hashes of
 * what images still hold]; these lose it, and the other image. */
static void expect_part(struct text *want, const struct mb_recorded_sample *options,
                        uint32_t part, const char *chain)
{
    const uint32_t query = 2 * (options->first_pair + part);
    if (options->evictor) {
        add(want, "evict:%ux1x1 full ", (unsigned)(MB_TRAFFIC_UNIT_BYTES / (256 * 4 * 16)));
    }
    if (options->warms_code) {
        expect_chains(want, chain, 1, false);
        add(want, "full ");
        expect_spoil(want, options, options->n_instances == 1);
    }
    expect_chains(want, chain, options->n_lead, false);
    expect_spoil(want, options, options->n_lead);
    add(want, "reset:%u+2 primer:1x1x1 full stamp:%u order ", query, query);
    expect_chains(want, chain, options->n_chains[part], options->is_overlapped);
    add(want, "stamp:%u full ", query + 1);
    for (uint32_t i = 0;
         options->hash && i < options->n_chains[part] && i < options->n_instances; i++) {
        add(want, "hash:%ux1x1 ", options->hash->n_groups);
    }
    add(want, "%s", options->hash ? "full " : "");
    expect_spoil(want, options, options->n_chains[part]);
    expect_spoil(want, options, options->warms_code && options->n_instances > 1);
}

/* Both from the first word on that differs. */
static void check_words(const char *got, const char *want)
{
    size_t at = 0, word = 0;
    while (got[at] != '\0' && got[at] == want[at]) {
        at++;
        word = got[at - 1] == ' ' ? at : word;
    }
    CHECK(got[at] == want[at]);
    if (got[at] != want[at]) {
        fprintf(stderr, "  %.60s\nnot %.60s\n", got + word, want + word);
    }
}

/* With a tool attached, the validation layer here, a label for the strategy and in it one for
 * each part that makes levels; without one none, and the same commands. */
static void check_labels(struct bed *bed, const struct mb_variant *row, const char *chain)
{
    static struct text plain, rest;
    char first[64];
    unsigned depth = 0;
    rest.n = 0;
    CHECK(bed->gpu->has_tool);
    snprintf(first, sizeof first, "[%s ", row->strategy->name);
    CHECK_EQ_INT(strncmp(chain, first, strlen(first)), 0);
    CHECK((count(chain, "[level") > 0) == (strncmp(row->strategy->name, "spd", 3) != 0));
    for (const char *word = chain; *word != '\0'; word = strchr(word, ' ') + 1) {
        CHECK(word == chain || depth > 0);
        if (*word == '[' || *word == ']') {
            depth = *word == '[' ? depth + 1 : depth - 1;
        } else {
            CHECK(depth == 2 || strncmp(word, "some ", 5) == 0 || !strstr(chain, "[level"));
            add(&rest, "%.*s", (int)(strchr(word, ' ') - word) + 1, word);
        }
    }
    CHECK_EQ_INT(depth, 0);
    bed->gpu->has_tool = false;
    CHECK(spy_on_chain(bed, &bed->instances[0], &plain));
    bed->gpu->has_tool = true;
    check_words(plain.words, rest.words);
}

static void check_take(struct bed *bed, const struct mb_recorded_sample *options,
                       const char *chain)
{
    static struct text got, want;
    struct mb_recorded_sample recorded = *options;
    struct mb_err err = {0};
    double part_ns[MB_MAX_PARTS];
    start_spying(&got);
    const enum mb_status status = mb_recorded_sample_init(&recorded, &err);
    stop_spying();
    want.n = 0;
    add(&want, "%s", options->hash ? "fill some " : "");
    for (uint32_t part = 0; part < options->n_parts; part++) {
        expect_part(&want, options, part, chain);
    }
    add(&want, "%s", options->hash ? "copy some " : "");
    CHECK_EQ_INT(status, MB_OK);
    check_words(got.words, want.words);
    CHECK_EQ_INT(mb_submission_run(&recorded.submission, &err), MB_OK);
    const struct mb_intervals pairs = {2 * options->first_pair, 2, options->n_parts};
    CHECK_EQ_INT(mb_timer_read(&bed->timer, &recorded.submission, pairs, part_ns, &err), MB_OK);
    mb_recorded_sample_finish(&recorded);
}

/* Every kind of sample that a timing takes. */
static void check_samples(struct bed *bed, const char *chain)
{
    const struct mb_recorded_sample latency = {
        .timer = &bed->timer,
        .n_parts = 1,
        .n_chains = {1},
        .instances = bed->instances,
        .n_instances = MAX_TRIALS,
        .spots = &bed->spots,
        .name = "sample",
    };
    check_take(bed, &latency, chain);
    struct mb_recorded_sample sample = latency;
    sample.spots = NULL;
    check_take(bed, &sample, chain);
    sample = latency;
    sample.first_pair = 2;
    sample.warms_code = true;
    check_take(bed, &sample, chain);
    sample.n_instances = 1;
    check_take(bed, &sample, chain);
    sample.n_instances = MAX_TRIALS;
    sample.evictor = &bed->evictor;
    check_take(bed, &sample, chain);
    sample.hash = &bed->hash;
    check_take(bed, &sample, chain);
    sample = latency;
    sample.n_chains[0] = 3;
    sample.is_overlapped = true;
    check_take(bed, &sample, chain);
    sample.hash = &bed->hash;
    check_take(bed, &sample, chain);
    sample = latency;
    sample.n_parts = 3;
    sample.n_chains[1] = 2;
    sample.n_chains[2] = 4;
    check_take(bed, &sample, chain);
    sample.n_lead = MAX_TRIALS;
    check_take(bed, &sample, chain);
    sample.n_chains[2] = MAX_TRIALS + 1;
    sample.hash = &bed->hash;
    check_take(bed, &sample, chain);
}

/* What is marked: the chain as it was, a pair of stamps around each of its levels, no barrier
 * within a pair, and all levels in their order; or nothing. */
static void check_marks(const struct bed *bed, const struct mb_variant *row, const char *chain)
{
    static struct text marked, rest;
    const struct mb_task task = mb_test_whole(bed->test_image.full.base);
    const char *const words = marked.words;
    struct mb_marks marks = {.timer = &bed->timer};
    struct mb_instance instance = {0};
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_instance_init(&instance, &bed->test_image.image, row, &task, &marks, &err),
                 MB_OK);
    CHECK(spy_on_chain(bed, &instance, &marked));
    uint32_t n_stamps = 0, next_level = 1;
    rest.n = 0;
    for (const char *word = words; *word != '\0'; word = strchr(word, ' ') + 1) {
        const int n = (int)(strchr(word, ' ') - word) + 1;
        if (strncmp(word, "stamp:", 6) == 0) {
            CHECK_EQ_INT(atoi(word + 6), ++n_stamps);
        } else {
            CHECK(n_stamps % 2 == 0 || strncmp(word, "some ", 5) != 0);
            add(&rest, "%.*s", n, word);
        }
    }
    CHECK_EQ_INT(n_stamps, 2 * marks.n);
    check_words(rest.words, chain);
    for (uint32_t i = 0; i < marks.n; i++) {
        const uint32_t first = marks.step[i].first_level;
        CHECK(first == next_level || first + marks.step[i].n_levels == next_level);
        next_level = first + marks.step[i].n_levels;
    }
    CHECK_EQ_INT(next_level, marks.n > 0 ? bed->test_image.full.n_levels : 1u);
    CHECK((marks.n > 0) == (strncmp(row->strategy->name, "spd", 3) != 0));
    mb_instance_finish(&instance);
}

static void check_row(struct bed *bed, const struct mb_variant *row)
{
    static struct text chain;
    struct mb_err err = {0};
    const struct mb_task task = mb_test_whole(bed->test_image.full.base);
    enum mb_status status = MB_OK;
    for (uint32_t i = 0; i < MAX_TRIALS && status == MB_OK; i++) {
        status = mb_test_instance(&bed->instances[i], &bed->test_image, row, &task, &err);
    }
    if (status == MB_UNSUPPORTED) {
        printf("skipped %s: %s\n", row->strategy->name, err.text);
        return;
    }
    CHECK(status == MB_OK && spy_on_chain(bed, &bed->instances[0], &chain));
    printf("%s: %s\n", row->strategy->name, chain.words);
    check_chain(&bed->instances[0].work, chain.words);
    check_labels(bed, row, chain.words);
    check_samples(bed, chain.words);
    check_marks(bed, row, chain.words);
    for (uint32_t i = 0; i < MAX_TRIALS; i++) {
        mb_instance_finish(&bed->instances[i]);
    }
}

static bool make_bed(struct bed *bed, const struct mb_layout *layout, const void *texels)
{
    struct mb_err err = {0};
    bool is_made = mb_test_open_image(&bed->test_image, bed->gpu, layout, texels);
    const struct mb_vk_image *image = &bed->test_image.image;
    const struct mb_vk_image copies[MAX_TRIALS - 1] = {*image, *image, *image};
    is_made =
        is_made && mb_timer_init(&bed->timer, bed->gpu, 1 + MB_MAX_MARKS, &err) == MB_OK &&
        mb_field_init_evictor(&bed->evictor, bed->gpu, 1, &err) == MB_OK &&
        mb_chain_hash_init(&bed->hash, image, copies, MAX_TRIALS - 1, 1 + MB_MAX_PARTS, &err) ==
            MB_OK &&
        mb_buffer_init(&bed->spots, bed->gpu, MB_BUFFER_DEVICE, 8, "spots", &err) == MB_OK;
    spy.timer = &bed->timer;
    CHECK(is_made);
    if (is_made) {
        spy.primer = bed->timer.primer.made->pipeline;
        spy.evictor = bed->evictor.compute.made->pipeline;
        spy.hash = bed->hash.compute.made->pipeline;
    }
    return is_made;
}

/* One dispatch of so many workgroups in every slice. */
static void check_groups(struct bed *bed, const struct mb_variant *row, struct mb_rect change,
                         const char *want)
{
    static struct text chain;
    const struct mb_task task = {.is_update = true, .rect = change};
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_test_instance(&bed->instances[0], &bed->test_image, row, &task, &err),
                 MB_OK);
    CHECK_EQ_STR(err.text, "");
    if (bed->instances[0].state && spy_on_chain(bed, &bed->instances[0], &chain)) {
        CHECK_EQ_INT(count(chain.words, "dispatch:"), 1);
        CHECK_EQ_INT(count(chain.words, want), 1);
    }
    mb_instance_finish(&bed->instances[0]);
}

/* The single-pass kernels dispatch the workgroups of tiles that an update changes: if they made
 * the whole image, the texels would be the same. SPD's examples: of 512x512 a change in 3x4
 * tiles of 64x64, and one in 5x4. Tiles of spd-tree are strips as wide as the image and 16
 * texels high: 15 and 15. */
static void test_groups(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"spd", "spd-metal", "spd-tree", NULL};
    static const char *const want[][2] = {
        {"dispatch:3x4x2 ", "dispatch:5x4x2 "},
        {"dispatch:3x4x2 ", "dispatch:5x4x2 "},
        {"dispatch:1x15x2 ", "dispatch:1x15x2 "},
    };
    const struct mb_layout layout = mb_test_layout("rgba8", (struct mb_extent){512, 512}, 2);
    struct bed bed = {.gpu = gpu};
    size_t n_rows = 0;
    MB_FREED struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    MB_FREED void *texels = mb_test_texels(&layout, "noise");
    const bool is_open = mb_test_open_image(&bed.test_image, gpu, &layout, texels);
    CHECK_EQ_INT(n_rows, MB_COUNTOF(want));
    for (size_t i = 0; is_open && i < n_rows; i++) {
        check_groups(&bed, &rows[i], (struct mb_rect){70, 10, 170, 230}, want[i][0]);
        check_groups(&bed, &rows[i], (struct mb_rect){64, 64, 316, 236}, want[i][1]);
    }
    mb_test_image_finish(&bed.test_image);
}

static void test_commands(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"all", NULL};
    static struct bed bed;
    struct mb_layout layout;
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan(specs, &n_rows);
    if (gpu->info.timestamp_valid_bits == 0) {
        mb_test_skip("the device has no timestamps");
        mb_free(rows);
        return;
    }
    bed.gpu = gpu;
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){200, 130}, 2, 5);
    void *texels = mb_test_texels(&layout, "noise");
    const bool is_ready = make_bed(&bed, &layout, texels);
    CHECK(n_rows > 5);
    for (size_t i = 0; is_ready && i < n_rows; i++) {
        check_row(&bed, &rows[i]);
    }
    mb_free(rows);
    mb_free(texels);
    mb_chain_hash_finish(&bed.hash);
    mb_buffer_finish(&bed.spots);
    mb_field_finish(&bed.evictor);
    mb_timer_finish(&bed.timer);
    mb_test_image_finish(&bed.test_image);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_groups, test_commands);
}
