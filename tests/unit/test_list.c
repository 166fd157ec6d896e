/* The matrix of `mipbench list formats`: what is shown for each kind of answer. */
#include "cli/list/list.h"

#include "base/alloc.h"
#include "snapshot.h"
#include "vk/shader.h"

static const struct mb_strategy blit = {.name = "blit", .title = "blits", .source = "a book"};
static const struct mb_param params[] = {
    {.name = "load",
     .values = (const char *const[]){"auto", "texel", NULL},
     .help = "how texels are read"},
    {.name = "parts",
     .values = (const char *const[]){"all", "tiles", NULL},
     .help = "what is left out",
     .is_diagnostic = true},
    {0},
};
static const struct mb_strategy spd = {
    .name = "spd", .title = "one pass", .source = "a paper", .params = params};
const struct mb_strategy *const mb_strategies[] = {&blit, &spd, NULL};
const struct mb_shader *const mb_shaders[] = {NULL};

/* Operations, by their column. */
enum { AVG = 0, MIN = 1, PREMULTIPLIED = 3, CUBE = 5 };

/* One device. All that blit can do is averages of the first format; spd can do everything, but
 * minima as a variant. */
struct fixture {
    struct mb_gpu_info device;
    struct mb_capabilities capabilities;
    struct mb_capability_note notes[2];
    struct mb_list_facts facts;
};

static size_t *capability_of(struct fixture *f, size_t strategy, size_t format,
                             size_t operation)
{
    return &f->capabilities
                .of[(strategy * mb_format_count + format) * MB_N_OPERATIONS + operation];
}

static void make_fixture(struct fixture *f)
{
    *f = (struct fixture){
        .device = {.index = 3, .name = "Test GPU"},
        .notes = {{.reason = "it is only a blit"},
                  {.variant = "spd:load=texel", .reason = "no such filter"}},
    };
    f->capabilities.of =
        mb_alloc(2 * mb_format_count * MB_N_OPERATIONS, sizeof *f->capabilities.of);
    f->capabilities.notes = f->notes;
    f->capabilities.n_notes = MB_COUNTOF(f->notes);
    for (size_t i = 0; i < mb_format_count; i++) {
        for (size_t operation = 0; operation < MB_N_OPERATIONS; operation++) {
            *capability_of(f, 0, i, operation) = 1;
        }
        *capability_of(f, 1, i, MIN) = 2;
    }
    *capability_of(f, 0, 0, AVG) = MB_CAPABLE;
    *capability_of(f, 1, 0, PREMULTIPLIED) = MB_MEANINGLESS;
    f->facts = (struct mb_list_facts){
        .table = mb_strategies,
        .devices = &f->device,
        .n_devices = 1,
        .capabilities = &f->capabilities,
    };
}

static void test_text(void)
{
    struct fixture f;
    struct mb_strbuf out = {0};
    make_fixture(&f);
    mb_list_text(&out, &f.facts, MB_LIST_FORMATS, false);
    snapshot_add("list formats", &out);
    f.facts.n_devices = 0;
    f.facts.no_device = (struct mb_err){.text = "no driver"};
    mb_list_text(&out, &f.facts, MB_LIST_FORMATS, false);
    snapshot_add("list formats, no device", &out);
    mb_free(f.capabilities.of);
}

/* Names and titles, and what keeps one from running. */
static void test_strategies(void)
{
    struct fixture f;
    struct mb_strbuf out = {0};
    make_fixture(&f);
    mb_list_text(&out, &f.facts, MB_LIST_STRATEGIES, false);
    snapshot_add("list strategies", &out);
    *capability_of(&f, 0, 0, AVG) = 1;
    mb_list_text(&out, &f.facts, MB_LIST_STRATEGIES, false);
    snapshot_add("list strategies, one that cannot run", &out);
    mb_free(f.capabilities.of);
}

/* A device that cannot be used has a reason, and no facts that nobody asked it for. */
static void test_unusable_device(void)
{
    struct mb_strbuf out = {0};
    struct mb_json json;
    struct mb_err err = {0};
    char *text = NULL;
    struct mb_gpu_info device = {
        .index = 1, .name = "Old GPU", .unusable = "it has Vulkan 1.1"};
    const struct mb_list_facts facts = {
        .table = mb_strategies, .devices = &device, .n_devices = 1};
    mb_list_text(&out, &facts, MB_LIST_DEVICES, false);
    snapshot_add("list devices, one that cannot be used", &out);
    mb_json_init(&json);
    mb_list_json(&json, &facts, MB_LIST_DEVICES);
    CHECK_EQ_INT(mb_json_print(&json, &text, &err), MB_OK);
    CHECK(strstr(text, "\"unusable\":\t\"it has Vulkan 1.1\"") != NULL);
    CHECK(strstr(text, "\"type\":\t\"other\"") != NULL);
    CHECK(strstr(text, "limits") == NULL && strstr(text, "subgroup_size") == NULL &&
          strstr(text, "timestamp_valid_bits") == NULL && strstr(text, "0.0.0") == NULL);
    mb_free(text);
    mb_json_finish(&json);
}

/* What a wildcard passes over is said where the parameters are. */
static void test_diagnostic(void)
{
    struct mb_strbuf out = {0};
    const struct mb_list_facts facts = {.table = mb_strategies,
                                        .no_device = {.text = "no driver"}};
    mb_list_text(&out, &facts, MB_LIST_STRATEGIES, true);
    snapshot_add("list strategies -v, no device", &out);
}

static void test_json(void)
{
    struct fixture f;
    struct mb_json json;
    struct mb_err err = {0};
    char *text = NULL;
    make_fixture(&f);
    mb_json_init(&json);
    mb_list_json(&json, &f.facts, MB_LIST_FORMATS);
    CHECK_EQ_INT(mb_json_print(&json, &text, &err), MB_OK);
    const char *spd_json = strstr(text, "\"spd\"");
    CHECK(strstr(text, "\"as\":\t\"blit\"") != NULL && spd_json != NULL);
    CHECK(spd_json != NULL && strstr(spd_json, "\"as\":\t\"spd:load=texel\"") != NULL);
    CHECK(spd_json != NULL && strstr(spd_json, "\"premultiplied\":\tnull") != NULL);
    mb_free(text);
    mb_json_finish(&json);
    mb_free(f.capabilities.of);
}

static enum mb_status ask(void *why, struct mb_err *err)
{
    struct mb_capabilities capabilities;
    const enum mb_status status =
        mb_capabilities_ask(&capabilities, mb_strategies, NULL, why, err);
    mb_capabilities_finish(&capabilities);
    return status;
}

/* A device that cannot be opened can do nothing, for one reason. */
static void test_closed_device(void)
{
    struct mb_capabilities capabilities;
    struct mb_err err = {0};
    struct mb_err why = {.text = "vkCreateDevice: VK_ERROR_INITIALIZATION_FAILED"};
    CHECK_EQ_INT(mb_capabilities_ask(&capabilities, mb_strategies, NULL, &why, &err), MB_OK);
    CHECK_EQ_INT(capabilities.n_notes, 1);
    CHECK_EQ_STR(capabilities.notes[0].reason, why.text);
    for (size_t i = 0; i < mb_format_count; i++) {
        const bool has_alpha = mb_formats[i].n_channels == 4;
        const size_t *of_spd = &capabilities.of[(mb_format_count + i) * MB_N_OPERATIONS];
        CHECK(of_spd[CUBE] == 1);
        CHECK(of_spd[PREMULTIPLIED] == (has_alpha ? 1 : MB_MEANINGLESS));
    }
    mb_capabilities_finish(&capabilities);
    CHECK(check_each_allocation(ask, &why) >= 2);
}

static void test_snapshot(void)
{
    snapshot_check("list");
}

int main(void)
{
    return CHECK_TESTS(test_text, test_strategies, test_unusable_device, test_diagnostic,
                       test_json, test_closed_device, test_snapshot);
}
