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

/* What two strategies can do on one device: all that blit can do is averages of the first
 * format; spd can do everything, but minima as a variant. */
static const char two_strategies[] =
    "{\"strategies\": ["
    "  {\"name\": \"blit\", \"title\": \"blits\", \"source\": \"a book\", \"devices\": ["
    "    {\"index\": 3, \"name\": \"Test GPU\", \"reason\": null}]},"
    "  {\"name\": \"spd\", \"title\": \"one pass\", \"source\": \"a paper\", \"devices\": ["
    "    {\"index\": 3, \"name\": \"Test GPU\", \"reason\": \"no such stage\"}]}],"
    " \"formats\": ["
    "  {\"name\": \"rgba8\", \"title\": \"codes\", \"devices\": ["
    "    {\"index\": 3, \"name\": \"Test GPU\", \"strategies\": {"
    "      \"blit\": {"
    "        \"avg\": {\"as\": \"blit\", \"reason\": null},"
    "        \"min\": {\"as\": null, \"reason\": \"it is only a blit\"}},"
    "      \"spd\": {"
    "        \"avg\": {\"as\": \"spd\", \"reason\": null},"
    "        \"min\": {\"as\": \"spd:load=texel\", \"reason\": \"no such filter\"}}}}]},"
    "  {\"name\": \"r8\", \"title\": \"one channel\", \"devices\": ["
    "    {\"index\": 3, \"name\": \"Test GPU\", \"strategies\": {"
    "      \"blit\": {"
    "        \"avg\": {\"as\": null, \"reason\": \"it is only a blit\"},"
    "        \"min\": {\"as\": null, \"reason\": \"it is only a blit\"}},"
    "      \"spd\": {"
    "        \"avg\": {\"as\": \"spd\", \"reason\": null},"
    "        \"min\": {\"as\": \"spd:load=texel\", \"reason\": \"no such filter\"},"
    "        \"max\": {\"as\": \"spd\", \"reason\": null},"
    "        \"premultiplied\": null}}}]}]}";

static void show(const char *heading, enum mb_list_what what)
{
    struct mb_strbuf out = {0};
    struct mb_json json;
    struct mb_err err = {0};
    must(mb_json_parse(&json, two_strategies, &err), &err);
    mb_list_text(&out, &json, what);
    snapshot_add(heading, &out);
    mb_json_finish(&json);
}

/* What one strategy can do is shown for each kind of answer. */
static void test_text(void)
{
    show("list formats", MB_LIST_FORMATS);
    show("list strategies, one that cannot run", MB_LIST_STRATEGIES);
}

/* The JSON, which is owned by the caller, and the text of facts. */
static char *list(const struct mb_list_facts *facts, enum mb_list_what what,
                  struct mb_strbuf *out)
{
    struct mb_strbuf text = {0};
    struct mb_json json;
    struct mb_err err = {0};
    mb_json_init(&json);
    must(mb_list_json(&json, facts, what, &err), &err);
    mb_json_print(&json, &text);
    mb_list_text(out, &json, what);
    mb_json_finish(&json);
    return text.text;
}

/* A device that cannot be used has a reason, and no facts that nobody asked it for. */
static void test_unusable_device(void)
{
    struct mb_strbuf out = {0};
    struct mb_gpu_info device = {
        .index = 1, .name = "Old GPU", .unusable = "it has Vulkan 1.1"};
    const struct mb_list_facts facts = {
        .table = mb_strategies, .devices = {device}, .n_devices = 1};
    char *text = list(&facts, MB_LIST_DEVICES, &out);
    CHECK(strstr(text, "\"unusable\":\t\"it has Vulkan 1.1\"") != NULL);
    CHECK(strstr(text, "\"type\":\t\"other\"") != NULL);
    CHECK(strstr(text, "limits") == NULL && strstr(text, "subgroup_size") == NULL &&
          strstr(text, "timestamp_valid_bits") == NULL && strstr(text, "0.0.0") == NULL);
    mb_free(text);
    snapshot_add("list devices, one that cannot be used", &out);
}

/* What a wildcard passes over is said where the parameters are. */
static void test_no_device(void)
{
    struct mb_strbuf out = {0};
    const struct mb_list_facts facts = {.table = mb_strategies,
                                        .no_device = {.text = "no driver"}};
    mb_free(list(&facts, MB_LIST_STRATEGIES, &out));
    snapshot_add("list strategies, no device", &out);
    mb_free(list(&facts, MB_LIST_FORMATS, &out));
    snapshot_add("list formats, no device", &out);
}

/* A device that cannot be opened can do nothing, for one reason. */
static void test_closed_device(void)
{
    struct mb_gpu_info device = {.index = 3, .name = "Test GPU"};
    struct mb_list_device closed = {
        .why_closed = {.text = "vkCreateDevice: VK_ERROR_INITIALIZATION_FAILED"}};
    struct mb_list_facts facts = {
        .table = mb_strategies, .devices = {device}, .n_devices = 1, .open = &closed};
    struct mb_strbuf out = {0};
    char *text = list(&facts, MB_LIST_FORMATS, &out);
    CHECK(strstr(text, "\"able\":\ttrue") == NULL);
    CHECK(strstr(text, "\"premultiplied\":\tnull") != NULL); /* of a format without alpha */
    mb_free(text);
    snapshot_add("list formats, a device that cannot be opened", &out);
}

static void test_snapshot(void)
{
    snapshot_check("list");
}

int main(void)
{
    return CHECK_TESTS(test_text, test_unusable_device, test_no_device, test_closed_device,
                       test_snapshot);
}
