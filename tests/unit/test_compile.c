/* Shaders of a manifest: compiled, or refused with the compiler's own words; and nothing is
 * read from outside the folders that may be. Skipped where this build has no compiler. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "kernel/compile/compile.h"
#include "kernel/spirv.h"
#include "temp_folder.h"

#define SKIPPED 77 /* as meson has it */

#define HEAD                                                                                   \
    "#version 450\n#extension GL_GOOGLE_include_directive : require\n"                         \
    "layout(local_size_x = 4) in;\n"                                                           \
    "layout(set = 0, binding = 2) buffer Block { float value; };\n"

static char folder[MB_PATH_BYTES]; /* root/ in it may be read, and outside/ not */
static struct mb_strlist roots, includes;
static const char *preamble = "";

/* A path in the folder, until it is asked for the fifth time from then. */
static const char *at(const char *name)
{
    static char paths[4][MB_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, MB_PATH_BYTES, "%.3000s/%s", folder, name);
    return path;
}

static const char *put(const char *name, const char *text)
{
    struct mb_err err = {0};
    must(mb_file_write_atomic(at(name), text, strlen(text), &err), &err);
    return at(name);
}

static enum mb_status compile(const char *path, const char *entry, struct mb_spirv *spirv,
                              struct mb_err *err)
{
    struct mb_bytes code;
    const struct mb_compile_options options = {.path = path,
                                               .entry = entry,
                                               .vulkan_minor = 2,
                                               .preamble = preamble,
                                               .includes = &includes,
                                               .roots = &roots};
    *err = (struct mb_err){0};
    *spirv = (struct mb_spirv){0};
    enum mb_status status = mb_compile(&options, &code, err);
    if (status == MB_OK) {
        status = mb_spirv_init(spirv, path, code.data, code.n_bytes, entry, err);
    } else {
        CHECK_EQ_INT(err->code, MB_ERRC_INPUT);
        CHECK(code.data == NULL);
    }
    mb_bytes_finish(&code);
    return status;
}

static void check_compiles(const char *path, const char *entry)
{
    struct mb_spirv spirv;
    struct mb_err err;
    CHECK_EQ_INT(compile(path, entry, &spirv, &err), MB_OK);
    CHECK_EQ_STR(err.text, "");
    CHECK(mb_spirv_find(&spirv, 0, 2) != NULL);
}

static void check_refused(const char *path, const char *entry, const char *words)
{
    struct mb_spirv spirv;
    struct mb_err err;
    CHECK(compile(path, entry, &spirv, &err) != MB_OK);
    if (!check_record(strstr(err.text, words) != NULL, __FILE__, __LINE__)) {
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", err.text, words);
    }
}

static void add(struct mb_strlist *list, const char *text)
{
    struct mb_err err = {0};
    must(mb_strlist_add(list, &err, "%s", text), &err);
}

static const char *put_including(const char *name, const char *file)
{
    char text[MB_PATH_BYTES];
    snprintf(text, sizeof text, HEAD "#include \"%.3000s\"\nvoid main() { value = SECRET; }\n",
             file);
    return put(name, text);
}

static void test_includes(void)
{
    put("root/in side.glsl", "#define SECRET 1.0\n");
    put("root/inner/side.glsl", "#include \"../in side.glsl\"\n");
    put("outside/secret.glsl", "#define SECRET 2.0\n");
    CHECK_EQ_INT(symlink("../outside/secret.glsl", at("root/link.glsl")), 0);
    CHECK_EQ_INT(symlink("in side.glsl", at("root/near.glsl")), 0);

    check_compiles(put_including("root/a.comp", "in side.glsl"), "main");
    check_compiles(put_including("root/a.comp", "inner/side.glsl"), "main");
    check_compiles(put_including("root/a.comp", "inner/../in side.glsl"), "main");
    check_compiles(put_including("root/a.comp", "near.glsl"), "main");
    put("root/marked.glsl", "\xef\xbb\xbf#define SECRET 1.0\n");
    check_compiles(put("root/marked.comp", "\xef\xbb\xbf" HEAD "#include \"marked.glsl\"\n"
                                           "void main() { value = SECRET; }\n"),
                   "main");

    static const char outside[] = "outside the folders that may be read";
    check_refused(put_including("root/a.comp", "../outside/secret.glsl"), "main", outside);
    check_refused(put_including("root/a.comp", "link.glsl"), "main", outside);
    check_refused(put_including("root/a.comp", at("outside/secret.glsl")), "main", "a.comp");
    check_refused(put_including("root/a.comp", "none.glsl"), "main", "none.glsl");

    check_refused(put_including("outside/a.comp", "secret.glsl"), "main", outside);
    CHECK_EQ_INT(symlink("../outside/a.comp", at("root/linked.comp")), 0);
    check_refused(at("root/linked.comp"), "main", outside);
    if (geteuid() == 0) { /* a link of another user in a shared folder says what it is */
        CHECK_EQ_INT(chmod(at("root"), 01777), 0);
        CHECK_EQ_INT(lchown(at("root/linked.comp"), 12345, 12345), 0);
        check_refused(at("root/linked.comp"), "main", mb_os_error_text(MB_FOREIGN_LINK));
        CHECK_EQ_INT(chmod(at("root"), 0755), 0);
    }
}

/* A folder to look into is not one that may be read, until it is. */
static void test_include_folders(void)
{
    const char *path = put_including("root/b.comp", "secret.glsl");
    check_refused(path, "main", "there is no 'secret.glsl' beside it");
    add(&includes, at("outside"));
    check_refused(path, "main", "outside the folders that may be read");
    add(&roots, at("outside"));
    check_compiles(path, "main");
    mb_free(roots.items[--roots.n]);
    mb_strlist_finish(&includes);
}

/* What is in a file that may not be read is not shown. */
static void test_hidden_messages(void)
{
    struct mb_spirv spirv;
    struct mb_err err;
    put("outside/bad.glsl", "#define SECRET 1\nint token = password;\nint token2 = p;\n");
    CHECK(compile(put_including("root/c.comp", "../outside/bad.glsl"), "main", &spirv, &err) !=
          MB_OK);
    CHECK(strstr(err.text, "password") == NULL);
    CHECK(strstr(err.text, "c.comp:5: '#include' : ") != NULL);
}

static void test_messages(void)
{
    char want[2 * MB_PATH_BYTES];
    const char *path = put("root/d.comp", HEAD "\nvoid main() {\n    value = wrong;\n}\n");
    snprintf(want, sizeof want, "%s:7: 'wrong' : undeclared identifier", path);
    check_refused(path, "main", want);

    put("root/broken.glsl", "\n\nfloat f() { return wrong; }\n");
    path = put("root/e.comp", HEAD "#include \"broken.glsl\"\nvoid main() { value = f(); }\n");
    check_refused(path, "main", "root/broken.glsl:3: 'wrong' : undeclared identifier");

    struct mb_err err;
    struct mb_spirv spirv;
    path = put("root/f.hlsl", "[numthreads(1, 1, 1)] void go() { x = 1; }\n");
    CHECK(compile(path, "go", &spirv, &err) != MB_OK);
    CHECK(strstr(err.text, "f.hlsl:1: 'x' : unknown variable") != NULL);
    CHECK(strchr(err.text, '\n') == NULL);
}

static void test_defines(void)
{
    const char *path = put("root/g.comp", HEAD "void main() { value = float(N) + VALUE; }\n");
    check_refused(path, "main", "'N' : undeclared identifier");
    preamble = "#define N\n";
    check_refused(path, "main", "g.comp:5: ");
    preamble = "#define N 3\n#define VALUE (1.0 + 2.0)\n";
    check_compiles(path, "main");
    preamble = "#define OK\n#error wrong\n";
    check_refused(path, "main", "g.comp: defines and preamble: line 2: ");
    preamble = "";
}

static void test_hlsl(void)
{
    struct mb_spirv spirv;
    struct mb_err err;
    const char *path =
        put("root/h.hlsl", "Texture2D<float4> from : register(t0);\n"
                           "SamplerState how : register(s1);\n"
                           "[[vk::binding(2, 0)]] RWTexture2D<float4> to;\n"
                           "cbuffer Sizes : register(b3) { float2 inverse; uint level; };\n"
                           "[numthreads(8, 4, 1)]\n"
                           "void down(uint3 id : SV_DispatchThreadID)\n"
                           "{\n"
                           "    to[id.xy] = from.SampleLevel(how, inverse, level);\n"
                           "}\n");
    must(compile(path, "down", &spirv, &err), &err);
    CHECK_EQ_INT(spirv.shader.n_bindings, 4);
    CHECK_EQ_INT(spirv.shader.bindings[0].type, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
    CHECK_EQ_INT(spirv.shader.bindings[1].type, VK_DESCRIPTOR_TYPE_SAMPLER);
    CHECK_EQ_INT(spirv.shader.bindings[2].type, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
    CHECK_EQ_INT(spirv.shader.bindings[3].type, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
    CHECK_EQ_STR(spirv.use[3].name, "Sizes");
    CHECK_EQ_INT(spirv.workgroup_size[0], 8);
    CHECK_EQ_INT(spirv.workgroup_size[1], 4);
    check_refused(path, "up", "h.hlsl: it has no entry point 'up'");
}

static void test_modules(void)
{
    struct mb_bytes code;
    struct mb_err err = {0};
    const struct mb_compile_options options = {.path = put("root/x.spv", "as it is"),
                                               .roots = &roots};
    must(mb_compile(&options, &code, &err), &err);
    CHECK(code.n_bytes == 8 && memcmp(code.data, "as it is", 8) == 0);
    mb_bytes_finish(&code);
    check_refused(at("root/none.spv"), "main", "No such file");
    check_refused(put("outside/x.spv", "x"), "main", "outside the folders");
}

/* What was compiled before stands in for a source that is not there. */
static void test_compiled_before(void)
{
    struct mb_bytes code;
    struct mb_err err = {0};
    const struct mb_compile_options options = {.path = at("root/gone.comp"),
                                               .module = put("root/gone.spv", "as it was"),
                                               .roots = &roots};
    must(mb_compile(&options, &code, &err), &err);
    CHECK(code.n_bytes == 9 && memcmp(code.data, "as it was", 9) == 0);
    mb_bytes_finish(&code);
}

static void check_limit(const char *path, const char *words)
{
    const uint64_t begin_ns = mb_now_ns();
    check_refused(path, "main", words);
    CHECK(mb_now_ns() - begin_ns < UINT64_C(1000000000));
}

/* Trees of includes that have no end, or too many leaves; and what would be waited for. */
static void test_limits(void)
{
    static char large[6u << 20];
    put("root/twice.glsl", "#include \"twice.glsl\"\n#include \"twice.glsl\"\n");
    check_limit(put_including("root/l.comp", "twice.glsl"),
                "twice.glsl:1: '#include' : includes are nested more than 32 deep");
    for (int i = 0; i < 31; i++) { /* 2^31 leaves, none of them too deep */
        char name[32], text[64];
        snprintf(name, sizeof name, "root/%d.glsl", i);
        snprintf(text, sizeof text, "#include \"%d.glsl\"\n#include \"%d.glsl\"\n", i + 1,
                 i + 1);
        put(name, i < 30 ? text : "#define SECRET 1.0\n");
    }
    check_limit(put_including("root/l.comp", "0.glsl"), "includes more than 16 MiB of files");
    check_compiles(put_including("root/l.comp", "21.glsl"), "main");
    memset(large, '\n', sizeof large - 1);
    put("root/large.glsl", large);
    put("root/l.comp", HEAD "#include \"large.glsl\"\n#include \"large.glsl\"\n"
                            "void main() { value = 1.0; }\n");
    check_compiles(at("root/l.comp"), "main");
    put("root/l.comp", HEAD "#include \"large.glsl\"\n#include \"large.glsl\"\n"
                            "#include \"large.glsl\"\nvoid main() { value = 1.0; }\n");
    check_limit(at("root/l.comp"), "includes more than 16 MiB of files");
    CHECK_EQ_INT(mkfifo(at("root/pipe.glsl"), 0600), 0);
    check_limit(put_including("root/l.comp", "pipe.glsl"), "pipe.glsl: is not a regular file");
    check_limit(put_including("root/l.comp", "inner"), "root/inner: is a folder");
}

static void make_folders(void)
{
    static const char *const names[] = {"root", "root/inner", "outside"};
    check_make_folder(folder);
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        CHECK_EQ_INT(mb_os_make_folder(at(names[i])), 0);
    }
    add(&roots, at("root"));
}

static void remove_folders(void)
{
    static const char *const names[] = {"root/inner", "root", "outside", ""};
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        check_remove_folder(at(names[i]));
    }
    mb_strlist_finish(&roots);
}

int main(void)
{
    static void (*const tests[])(void) = {make_folders,
                                          test_includes,
                                          test_include_folders,
                                          test_hidden_messages,
                                          test_messages,
                                          test_defines,
                                          test_hlsl,
                                          test_modules,
                                          test_compiled_before,
                                          test_limits,
                                          remove_folders,
                                          NULL};
    if (!MB_HAS_GLSLANG) {
        make_folders();
        check_refused(put("root/a.comp", ""), "main", "this build compiles no GLSL or HLSL");
        remove_folders();
        return check_n_failed == 0 ? SKIPPED : 1;
    }
    return check_tests(__FILE__, tests);
}
