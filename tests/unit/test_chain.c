/* Which chain files are written: those of verified chains, and no others; and what is said
 * where one cannot be. */
#include "bench/settings.h"
#include "cli/chain.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "check.h"
#include "image/io/texture.h"

#define ALL    (1u << MB_CHAIN_KTX2 | 1u << MB_CHAIN_DDS)
#define FOLDER "grey_2x2_r8_avg/spd"

const struct mb_strategy *const mb_strategies[] = {NULL};

struct fixture {
    char dir[64];
    struct mb_case c;
    struct mb_result result;
    uint8_t block[32];
};

static void setup(struct fixture *f, enum mb_verify_status verify)
{
    *f = (struct fixture){
        .dir = "/tmp/mipbench-test-chain-XXXXXX",
        .c = {.input_name = "grey"},
        .result = {.slug = "spd", .verify = verify},
        .block = {1, 2, 3, 4},
    };
    mb_layout_init(&f->c.layout, mb_format_find("r8"), (struct mb_extent){2, 2}, 1, 2);
    f->block[f->c.layout.level_offset_bytes[1]] = 5;
    if (mkdtemp(f->dir) == NULL) {
        perror("mkdtemp");
        exit(1);
    }
}

static void remove_all(const char *dir)
{
    static const char *const names[] = {FOLDER "/chain.ktx2", FOLDER "/chain.dds", FOLDER,
                                        "grey_2x2_r8_avg", ""};
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        char *path = mb_path_join(dir, names[i]);
        (void)remove(path); /* most tests leave only some of them */
        mb_free(path);
    }
    CHECK(access(dir, F_OK) != 0);
}

static void teardown(struct fixture *f)
{
    remove_all(f->dir);
    mb_result_finish(&f->result);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

static enum mb_status write_them(struct fixture *f, unsigned chains, struct mb_err *err)
{
    const struct mb_settings settings = {.chains = chains};
    const struct mb_artifacts artifacts = {f->dir, &settings};
    return mb_chains_write(&artifacts, &f->c, &f->result, f->block, err);
}

static void check_file(const struct fixture *f, const char *name,
                       enum mb_status (*encode)(const struct mb_texture *, struct mb_bytes *,
                                                struct mb_err *))
{
    const struct mb_texture texture = {.layout = &f->c.layout, .block = f->block};
    struct mb_bytes want = {0};
    struct mb_bytes got = {0};
    struct mb_err err = {0};
    char *path = mb_path_join(f->dir, name);
    CHECK_EQ_INT(encode(&texture, &want, &err), MB_OK);
    CHECK_EQ_INT(mb_file_read(path, 1 << 20, &got, &err), MB_OK);
    CHECK(got.n_bytes == want.n_bytes && memcmp(got.data, want.data, got.n_bytes) == 0);
    mb_bytes_finish(&want);
    mb_bytes_finish(&got);
    mb_free(path);
}

static void test_verified(void)
{
    struct fixture f;
    struct mb_err err = {0};
    setup(&f, MB_VERIFY_PASS);
    CHECK_EQ_INT(write_them(&f, ALL, &err), MB_OK);
    CHECK_EQ_INT(f.result.chains.n, 2);
    CHECK_EQ_STR(f.result.chains.items[0], FOLDER "/chain.ktx2");
    CHECK_EQ_STR(f.result.chains.items[1], FOLDER "/chain.dds");
    check_file(&f, FOLDER "/chain.ktx2", mb_ktx2_encode);
    check_file(&f, FOLDER "/chain.dds", mb_dds_encode);
    teardown(&f);
}

static void test_only_what_was_asked_for(void)
{
    struct fixture f;
    struct mb_err err = {0};
    setup(&f, MB_VERIFY_PASS);
    CHECK_EQ_INT(write_them(&f, 0, &err), MB_OK);
    CHECK_EQ_INT(f.result.chains.n, 0);
    CHECK_EQ_INT(rmdir(f.dir), 0); /* not even a folder */
    CHECK_EQ_INT(mkdir(f.dir, 0700), 0);
    CHECK_EQ_INT(write_them(&f, 1u << MB_CHAIN_DDS, &err), MB_OK);
    CHECK_EQ_INT(f.result.chains.n, 1);
    CHECK_EQ_STR(f.result.chains.items[0], FOLDER "/chain.dds");
    teardown(&f);
}

static void test_not_verified(void)
{
    static const enum mb_verify_status verdicts[] = {MB_VERIFY_FAIL, MB_VERIFY_SKIPPED};
    for (size_t i = 0; i < MB_COUNTOF(verdicts); i++) {
        struct fixture f;
        struct mb_err err = {0};
        setup(&f, verdicts[i]);
        CHECK_EQ_INT(write_them(&f, ALL, &err), MB_OK);
        CHECK_EQ_INT(f.result.chains.n, 0);
        CHECK_EQ_INT(rmdir(f.dir), 0);
        teardown(&f);
    }
}

/* The file that a picture was loaded from stays, whatever its name. */
static void test_input_in_the_way(void)
{
    struct fixture f;
    struct mb_err err = {0};
    setup(&f, MB_VERIFY_PASS);
    CHECK_EQ_INT(write_them(&f, ALL, &err), MB_OK);
    char *path = mb_path_join(f.dir, FOLDER "/chain.ktx2");
    const char *const inputs[] = {"elsewhere", path};
    const struct mb_settings settings = {.chains = ALL, .inputs = inputs, .n_inputs = 2};
    const struct mb_artifacts artifacts = {f.dir, &settings};
    CHECK_EQ_INT(mb_chains_write(&artifacts, &f.c, &f.result, f.block, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    CHECK(strstr(err.text, "chain.ktx2: is an input") != NULL);
    mb_free(path);
    teardown(&f);
}

static void test_failures(void)
{
    struct fixture f;
    struct mb_err err = {0};
    setup(&f, MB_VERIFY_PASS);
    char *in_the_way = mb_path_join(f.dir, FOLDER "/chain.dds");
    CHECK_EQ_INT(mb_make_dirs(in_the_way, &err), MB_OK);
    CHECK_EQ_INT(write_them(&f, ALL, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    CHECK(strstr(err.text, "chain.dds") != NULL);
    CHECK_EQ_INT(f.result.chains.n, 1); /* the one before */
    mb_free(in_the_way);
    teardown(&f);
    for (uint64_t nth = 1;; nth++) {
        struct mb_err why = {0};
        setup(&f, MB_VERIFY_PASS);
        mb_alloc_fail_nth(nth, false);
        enum mb_status status = write_them(&f, ALL, &why);
        mb_alloc_fail_nth(0, false);
        teardown(&f);
        if (status == MB_OK) {
            CHECK(nth > 4);
            break;
        }
        CHECK(why.text[0] != '\0');
    }
}

int main(void)
{
    return CHECK_TESTS(test_verified, test_only_what_was_asked_for, test_not_verified,
                       test_input_in_the_way, test_failures);
}
