/* The matrix of `mipbench list formats`: what is shown for each kind of answer. */
#include "cli/list_facts.h"

#include "base/alloc.h"
#include "check.h"

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

/* One device. All that blit can do is averages of the first format; spd can do everything, but
 * minima as a variant. */
struct fixture {
    struct mb_gpu_info device;
    struct mb_abilities abilities;
    struct mb_ability_note notes[2];
    struct mb_list_facts facts;
};

static struct mb_ability *ability_of(struct fixture *f, size_t strategy, size_t format,
                                     enum mb_deed deed)
{
    return &f->abilities.of[(strategy * mb_format_count + format) * MB_N_DEEDS + (size_t)deed];
}

static void make_fixture(struct fixture *f)
{
    *f = (struct fixture){
        .device = {.index = 3, .name = "Test GPU"},
        .notes = {{.reason = "it is only a blit"},
                  {.variant = "spd:load=texel", .reason = "no such filter"}},
    };
    f->abilities.of = mb_alloc(2 * mb_format_count * MB_N_DEEDS, sizeof *f->abilities.of);
    f->abilities.notes = f->notes;
    f->abilities.n_notes = MB_COUNTOF(f->notes);
    for (size_t i = 0; i < mb_format_count; i++) {
        for (int deed = 0; deed < MB_N_DEEDS; deed++) {
            ability_of(f, 1, i, (enum mb_deed)deed)->kind = MB_ABILITY_DEFAULT;
        }
        *ability_of(f, 1, i, MB_DEED_MIN) =
            (struct mb_ability){.kind = MB_ABILITY_VARIANT, .note = 1};
    }
    ability_of(f, 0, 0, MB_DEED_AVG)->kind = MB_ABILITY_DEFAULT;
    ability_of(f, 1, 0, MB_DEED_PREMULTIPLIED)->kind = MB_ABILITY_MEANINGLESS;
    f->facts = (struct mb_list_facts){
        .strategies = mb_strategies,
        .n_strategies = 2,
        .devices = &f->device,
        .n_devices = 1,
        .abilities = &f->abilities,
    };
}

static void test_text(void)
{
    struct fixture f;
    struct mb_strbuf out = {0};
    make_fixture(&f);
    mb_list_text(&out, &f.facts, MB_LIST_FORMATS);
    const char *text = mb_strbuf_text(&out);
    CHECK(strstr(text,
                 "\nDevice 3: Test GPU\n"
                 "  blit          avg     min     max     alpha   array   cube    update\n"
                 "    rgba8       yes     [1]     [1]     [1]     [1]     [1]     [1]\n"
                 "    rgba8-srgb  [1]     [1]     [1]     [1]     [1]     [1]     [1]\n"));
    CHECK(strstr(text,
                 "  spd           avg     min     max     alpha   array   cube    update\n"
                 "    rgba8       yes     yes[2]  yes     -       yes     yes     yes\n"
                 "    rgba8-srgb  yes     yes[2]  yes     yes     yes     yes     yes\n"));
    CHECK(strstr(text, "\n  [1] no: it is only a blit\n"
                       "  [2] only as spd:load=texel; by default: no such filter\n"));
    mb_strbuf_finish(&out);
    f.facts.n_devices = 0;
    f.facts.no_device = (struct mb_err){.text = "no driver"};
    mb_list_text(&out, &f.facts, MB_LIST_FORMATS);
    CHECK(strstr(mb_strbuf_text(&out), "No device to ask what it can do with them: no driver"));
    mb_strbuf_finish(&out);
    mb_free(f.abilities.of);
}

/* What a wildcard passes over is said where the parameters are. */
static void test_diagnostic(void)
{
    struct mb_strbuf out = {0};
    const struct mb_list_facts facts = {
        .strategies = mb_strategies, .n_strategies = 2, .no_device = {.text = "no driver"}};
    mb_list_text(&out, &facts, MB_LIST_STRATEGIES);
    CHECK(strstr(mb_strbuf_text(&out), "      load=auto|texel (auto)\n"
                                       "          how texels are read\n"
                                       "      parts=all|tiles (all)\n"
                                       "          what is left out\n"
                                       "          diagnostic: not verified, not ranked, not in "
                                       "spd:*\n") != NULL);
    CHECK(strstr(mb_strbuf_text(&out), "leaves diagnostic parameters out)\n") != NULL);
    mb_strbuf_finish(&out);
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
    mb_free(f.abilities.of);
}

/* A device that cannot be opened can do nothing, for one reason. */
static void test_closed_device(void)
{
    struct mb_abilities abilities;
    struct mb_err err = {0};
    const struct mb_err why = {.text = "vkCreateDevice: VK_ERROR_INITIALIZATION_FAILED"};
    CHECK_EQ_INT(mb_abilities_ask(&abilities, mb_strategies, NULL, &why, &err), MB_OK);
    CHECK_EQ_INT(abilities.n_notes, 1);
    CHECK_EQ_STR(abilities.notes[0].reason, why.text);
    for (size_t i = 0; i < mb_format_count; i++) {
        const bool has_alpha = mb_formats[i].n_channels == 4;
        const enum mb_ability_kind of_alpha =
            mb_abilities_get(&abilities, 1, i, MB_DEED_PREMULTIPLIED)->kind;
        CHECK_EQ_INT(mb_abilities_get(&abilities, 1, i, MB_DEED_CUBE)->kind, MB_ABILITY_NONE);
        CHECK_EQ_INT(of_alpha, has_alpha ? MB_ABILITY_NONE : MB_ABILITY_MEANINGLESS);
    }
    mb_abilities_finish(&abilities);
    const uint64_t live = mb_alloc_live_count();
    enum mb_status status = MB_FAILED;
    int n_failed = -1;
    for (uint64_t nth = 1; nth < 20 && status != MB_OK; nth++) {
        mb_alloc_fail_nth(nth, false);
        status = mb_abilities_ask(&abilities, mb_strategies, NULL, &why, &err);
        mb_alloc_fail_nth(0, false);
        mb_abilities_finish(&abilities);
        CHECK_EQ_INT(mb_alloc_live_count(), live);
        n_failed++;
    }
    CHECK_EQ_INT(status, MB_OK);
    CHECK(n_failed >= 3);
}

int main(void)
{
    test_text();
    test_diagnostic();
    test_json();
    test_closed_device();
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return check_summary("list");
}
