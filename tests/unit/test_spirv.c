/* The reader of SPIR-V modules. What it finds in each embedded shader is what the build's own
 * reader wrote beside it. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/os.h"
#include "check.h"
#include "kernel/compile/compile.h"
#include "kernel/spirv.h"
#include "temp_folder.h"

static void check_constants(const struct mb_shader *found, const struct mb_shader *want)
{
    CHECK_EQ_INT(found->n_constants, want->n_constants);
    for (uint32_t i = 0; i < found->n_constants && i < want->n_constants; i++) {
        CHECK_EQ_STR(found->constants[i].name, want->constants[i].name);
        CHECK_EQ_INT(found->constants[i].value, want->constants[i].value);
        CHECK(memcmp(&found->entries[i], &want->entries[i], sizeof *want->entries) == 0);
    }
}

static void check_bindings(const struct mb_shader *found, const struct mb_shader *want)
{
    CHECK_EQ_INT(found->n_sets, want->n_sets);
    CHECK_EQ_INT(found->n_bindings, want->n_bindings);
    for (uint32_t i = 0; i < found->n_bindings && i < want->n_bindings; i++) {
        const struct mb_binding *a = &found->bindings[i], *b = &want->bindings[i];
        CHECK_EQ_INT(a->set, b->set);
        CHECK_EQ_INT(a->binding, b->binding);
        CHECK_EQ_INT(a->type, b->type);
        CHECK_EQ_INT(a->n_descriptors, b->n_descriptors);
    }
}

static void test_embedded(void)
{
    unsigned n = 0;
    for (size_t i = 0; mb_shaders[i] != NULL; i++) {
        const struct mb_shader *shader = mb_shaders[i];
        struct mb_spirv *spirv = mb_malloc(sizeof *spirv);
        struct mb_err err = {0};
        if (mb_spirv_init(spirv, shader->name, shader->code, shader->code_bytes, "main",
                          &err) != MB_OK) {
            /* The harness draws too. */
            CHECK(strstr(err.text, "no entry point 'main' of a compute shader") != NULL);
        } else {
            check_constants(&spirv->shader, shader);
            check_bindings(&spirv->shader, shader);
            CHECK_EQ_STR(spirv->shader.sha256, shader->sha256);
            CHECK(spirv->shader.code_bytes == shader->code_bytes &&
                  memcmp(spirv->shader.code, shader->code, shader->code_bytes) == 0);
            n++;
        }
        mb_free(spirv);
    }
    CHECK(n >= 40);
}

/* ---- Modules that are compiled here */

static struct mb_strlist roots;
static char folder[MB_PATH_BYTES];

/* For Vulkan `target`. */
static void *compile(const char *name, const char *target, const char *text, size_t *n_bytes)
{
    static const struct mb_strlist none;
    char path[MB_PATH_BYTES];
    struct mb_bytes code;
    struct mb_err err = {0};
    snprintf(path, sizeof path, "%.4000s/%s", folder, name);
    must(mb_file_write_atomic(path, text, strlen(text), &err), &err);
    const struct mb_compile_options options = {.path = path,
                                               .entry = "go",
                                               .vulkan_minor = (unsigned)(target[8] - '0'),
                                               .preamble = "",
                                               .includes = &none,
                                               .roots = &roots};
    must(mb_compile(&options, &code, &err), &err);
    *n_bytes = code.n_bytes;
    return code.data;
}

static enum mb_status read_text(const char *name, const char *target, const char *text,
                                struct mb_spirv *spirv, struct mb_err *err)
{
    size_t n_bytes = 0;
    MB_FREED void *code = compile(name, target, text, &n_bytes);
    return mb_spirv_init(spirv, name, code, n_bytes, strstr(name, ".hlsl") ? "go" : "main",
                         err);
}

#define MEMBER(text, kind, n, elements, at, stride)                                            \
    {                                                                                          \
        .name = text, .scalar = MB_SCALAR_##kind, .n_components = n, .n_rows = n,              \
        .n_elements = elements, .offset_bytes = at, .stride_bytes = stride                     \
    }
/* Of floats: columns of so many rows. */
#define MATRIX(text, columns, rows, at, column, row)                                           \
    {                                                                                          \
        .name = text, .scalar = MB_SCALAR_F32, .n_components = columns * rows, .n_rows = rows, \
        .n_elements = 1, .offset_bytes = at, .column_bytes = column, .row_bytes = row          \
    }

/* Of a binding; NULL: it has none. */
static const struct mb_spirv_block *block_of(const struct mb_spirv *spirv, uint32_t set,
                                             uint32_t binding)
{
    const struct mb_binding *found = mb_spirv_find(spirv, set, binding);
    const struct mb_spirv_use *use = &spirv->use[found - spirv->shader.bindings];
    return use->block.n_members > 0 ? &use->block : NULL;
}

static void check_member(const struct mb_spirv *spirv, const struct mb_spirv_block *block,
                         uint32_t i, const struct mb_spirv_member *want)
{
    const struct mb_spirv_member *found = &spirv->members[block->first_member + i];
    CHECK(i < block->n_members);
    CHECK_EQ_STR(found->name, want->name);
    CHECK_EQ_STR(mb_scalar_names[found->scalar], mb_scalar_names[want->scalar]);
    CHECK_EQ_INT(found->n_components, want->n_components);
    CHECK_EQ_INT(found->n_elements, want->n_elements);
    CHECK_EQ_INT(found->offset_bytes, want->offset_bytes);
    CHECK_EQ_INT(found->stride_bytes, want->stride_bytes);
    CHECK_EQ_INT(found->n_rows, want->n_rows);
    CHECK_EQ_INT(found->column_bytes, want->column_bytes);
    CHECK(want->row_bytes == 0 || found->row_bytes == want->row_bytes);
}

static void check_block(const struct mb_spirv *spirv, const struct mb_spirv_block *block,
                        uint32_t n_bytes, const struct mb_spirv_member *members,
                        uint32_t n_members)
{
    CHECK(block != NULL);
    if (block == NULL) {
        return;
    }
    CHECK_EQ_INT(block->n_bytes, n_bytes);
    CHECK_EQ_INT(block->n_members, n_members);
    for (uint32_t i = 0; i < n_members; i++) {
        check_member(spirv, block, i, &members[i]);
    }
}

static const char glsl[] =
    "#version 450\n"
    "#extension GL_EXT_buffer_reference : require\n"
    "#extension GL_EXT_nonuniform_qualifier : require\n"
    "#extension GL_KHR_shader_subgroup_quad : require\n"
    "layout(local_size_x_id = 3, local_size_y = 4) in;\n"
    "layout(constant_id = 3) const uint WIDTH = 8;\n"
    "layout(constant_id = 1) const int N = 12;\n"
    "layout(constant_id = 7) const bool HAS = true;\n"
    "layout(constant_id = 8) const float SCALE = 1.5;\n"
    "layout(constant_id = 9) const double WIDE = 1.5;\n"
    "layout(buffer_reference) buffer Ref { uint x; };\n"
    "struct Inner { uint a; vec3 b; };\n"
    "layout(push_constant) uniform Push {\n"
    "    Ref where; vec2 inverse; mat3 turn; uint list[3]; ivec4 last;\n"
    "};\n"
    "layout(set = 0, binding = 2) uniform texture2D many[];\n"
    "layout(set = 0, binding = 1, rgba8) uniform writeonly image2D levels[12];\n"
    "layout(set = 0, binding = 0) readonly buffer Data { uint n; vec4 all[]; } data;\n"
    "layout(set = 1, binding = 0) uniform sampler2DArray both;\n"
    "layout(set = 1, binding = 1, std140) uniform Nested { Inner i[2]; float w[3]; Inner k; "
    "};\n"
    "layout(set = 1, binding = 2) uniform sampler how;\n"
    "layout(set = 1, binding = 3) writeonly buffer Out { dvec2 d; bool b; };\n"
    "layout(set = 2, binding = 9, r32ui) uniform coherent uimage3D volume[6];\n"
    "shared float plain[100];\n"
    "shared vec4 special[WIDTH * 2];\n"
    "void main() { plain[0] = N; if (HAS) special[0] = "
    "vec4(SCALE + float(WIDE)) + texture(sampler2D(many[gl_LocalInvocationIndex], how), "
    "vec2(0)); }\n";

static void check_push_and_buffers(const struct mb_spirv *spirv)
{
    static const struct mb_spirv_member push[] = {
        MEMBER("where", U64, 1, 1, 0, 0), MEMBER("inverse", F32, 2, 1, 8, 0),
        MATRIX("turn", 3, 3, 16, 16, 4),  MEMBER("list", U32, 1, 3, 64, 4),
        MEMBER("last", I32, 4, 1, 80, 0),
    };
    static const struct mb_spirv_member data[] = {MEMBER("n", U32, 1, 1, 0, 0),
                                                  MEMBER("all", F32, 4, 0, 16, 16)};
    static const struct mb_spirv_member nested[] = {MEMBER("i", OTHER, 1, 2, 0, 32),
                                                    MEMBER("w", F32, 1, 3, 64, 16),
                                                    MEMBER("k", OTHER, 1, 1, 112, 0)};
    static const struct mb_spirv_member out[] = {MEMBER("d", OTHER, 2, 1, 0, 0),
                                                 MEMBER("b", U32, 1, 1, 16, 0)};
    check_block(spirv, &spirv->push, 96, push, MB_COUNTOF(push));
    check_block(spirv, block_of(spirv, 0, 0), 16, data, MB_COUNTOF(data));
    check_block(spirv, block_of(spirv, 1, 1), 112 + 16 + 12, nested, MB_COUNTOF(nested));
    check_block(spirv, block_of(spirv, 1, 3), 20, out, MB_COUNTOF(out));
    CHECK(block_of(spirv, 0, 1) == NULL);
    CHECK(block_of(spirv, 1, 0) == NULL);
}

struct use {
    uint32_t set, binding;
    VkDescriptorType type;
    uint32_t n_descriptors;
    struct mb_spirv_use use;
};

static void check_uses(const struct mb_spirv *spirv, const struct use *uses, uint32_t n)
{
    CHECK_EQ_INT(spirv->shader.n_bindings, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct use *want = &uses[i];
        const struct mb_binding *found = mb_spirv_find(spirv, want->set, want->binding);
        CHECK(found == &spirv->shader.bindings[i]);
        CHECK_EQ_INT(spirv->shader.bindings[i].type, want->type);
        CHECK_EQ_INT(spirv->shader.bindings[i].n_descriptors, want->n_descriptors);
        CHECK_EQ_STR(spirv->use[i].name, want->use.name);
        CHECK_EQ_INT(spirv->use[i].is_2d, want->use.is_2d);
        CHECK_EQ_INT(spirv->use[i].is_arrayed, want->use.is_arrayed);
        CHECK_EQ_INT(spirv->use[i].only_reads, want->use.only_reads);
        CHECK_EQ_INT(spirv->use[i].image_format, want->use.image_format);
    }
    CHECK(mb_spirv_find(spirv, 3, 0) == NULL);
}

static void test_glsl(void)
{
    static const struct use uses[] = {
        {0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, {.name = "data", .only_reads = true}},
        {0,
         1,
         VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
         12,
         {.name = "levels", .is_2d = true, .image_format = 4}},
        {0,
         2,
         VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
         MB_SPIRV_UNBOUNDED,
         {.name = "many", .is_2d = true}},
        {1,
         0,
         VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         1,
         {.name = "both", .is_2d = true, .is_arrayed = true}},
        {1, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, {.name = "Nested", .only_reads = true}},
        {1, 2, VK_DESCRIPTOR_TYPE_SAMPLER, 1, {.name = "how"}},
        {1, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, {.name = "Out"}},
        {2, 9, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 6, {.name = "volume", .image_format = 33}},
    };
    static const struct {
        const char *name;
        uint32_t value, id;
        enum mb_scalar scalar;
    } constants[] = {{"N", 12, 1, MB_SCALAR_I32},
                     {"WIDTH", 8, 3, MB_SCALAR_U32},
                     {"HAS", 1, 7, MB_SCALAR_BOOL},
                     {"SCALE", 0x3fc00000, 8, MB_SCALAR_F32}};
    struct mb_spirv spirv;
    struct mb_err err = {0};
    must(read_text("a.comp", "vulkan1.2", glsl, &spirv, &err), &err);
    check_push_and_buffers(&spirv);
    check_uses(&spirv, uses, MB_COUNTOF(uses));
    CHECK_EQ_INT(spirv.shader.n_sets, 3);
    CHECK_EQ_INT(spirv.shader.n_constants, MB_COUNTOF(constants));
    for (uint32_t i = 0; i < MB_COUNTOF(constants); i++) {
        CHECK_EQ_STR(spirv.shader.constants[i].name, constants[i].name);
        CHECK_EQ_INT(spirv.shader.constants[i].value, constants[i].value);
        CHECK_EQ_INT(spirv.constants[i].id, constants[i].id);
        CHECK_EQ_INT(spirv.constants[i].scalar, constants[i].scalar);
        CHECK_EQ_INT(spirv.shader.entries[i].constantID, constants[i].id);
        CHECK_EQ_INT(spirv.shader.entries[i].offset, 4 * i);
        CHECK_EQ_INT(spirv.shader.entries[i].size, 4);
    }
    CHECK_EQ_INT(spirv.size_constants[0], 1);
    CHECK_EQ_INT(spirv.size_constants[1], UINT32_MAX);
    CHECK_EQ_INT(spirv.workgroup_size[1], 4);
    CHECK_EQ_INT(spirv.workgroup_size[2], 1);
}

static const char hlsl[] =
    "Texture2D<float4> from : register(t0);\n"
    "SamplerState how : register(s2);\n"
    "RWTexture2D<unorm float4> to[4] : register(u4);\n"
    "cbuffer Sizes : register(b9) { float2 inverse; row_major float3x4 m; };\n"
    "StructuredBuffer<uint2> pairs : register(t7);\n"
    "RWStructuredBuffer<uint> counter : register(u8);\n"
    "groupshared float4 tile[64];\n"
    "[numthreads(8, 8, 1)] void go(uint3 id : SV_DispatchThreadID)\n"
    "{\n"
    "    uint n;\n"
    "    InterlockedAdd(counter[0], pairs[1].x, n);\n"
    "    tile[id.x] = from.SampleLevel(how, inverse, 0) + m[0].x + WaveActiveSum(1.0);\n"
    "    to[0][id.xy] = tile[id.y];\n"
    "}\n";

/* Buffers as they were before storage buffers had a class of their own; names of HLSL. */
static void test_hlsl(void)
{
    static const struct use uses[] = {
        {0, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, {.name = "from", .is_2d = true}},
        {0, 2, VK_DESCRIPTOR_TYPE_SAMPLER, 1, {.name = "how"}},
        {0,
         4,
         VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
         4,
         {.name = "to", .is_2d = true, .image_format = 1}},
        {0, 7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, {.name = "pairs", .only_reads = true}},
        {0, 8, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, {.name = "counter"}},
        {0, 9, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, {.name = "Sizes", .only_reads = true}},
    };
    static const struct mb_spirv_member sizes[] = {MEMBER("inverse", F32, 2, 1, 0, 0),
                                                   MATRIX("m", 3, 4, 16, 16, 4)};
    static const struct mb_spirv_member pairs[] = {MEMBER("@data", U32, 2, 0, 0, 8)};
    struct mb_spirv spirv;
    struct mb_err err = {0};
    must(read_text("a.hlsl", "vulkan1.1", hlsl, &spirv, &err), &err);
    check_uses(&spirv, uses, MB_COUNTOF(uses));
    check_block(&spirv, block_of(&spirv, 0, 9), 64, sizes, MB_COUNTOF(sizes));
    check_block(&spirv, block_of(&spirv, 0, 7), 0, pairs, MB_COUNTOF(pairs));
    CHECK_EQ_INT(spirv.push.n_members, 0);
    CHECK((spirv.operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0);
    CHECK((spirv.operations & VK_SUBGROUP_FEATURE_QUAD_BIT) == 0);
}

static void test_unbindable(void)
{
    static const struct {
        const char *declaration, *words;
    } table[] = {
        {"layout(set = 4, binding = 0) uniform sampler a;",
         "a: set 4 and binding 0, not up to 3 and"},
        {"layout(binding = 3) uniform sampler a; layout(binding = 3) buffer B { uint x; } b;",
         "b and a are both at binding 3 of set 0"},
        {"layout(binding = 3) uniform sampler a; layout(binding = 3) uniform texture2D b[2];",
         "b and a are both at binding 3"},
        {"layout(binding = 0) uniform sampler a[70000];", "a: more than 65536 descriptors"},
        {"layout(binding = 0) uniform texture2D t[2][2];", "has illegal type"},
        {"layout(constant_id = 1) const int N = 12;"
         "layout(binding = 0) uniform texture2D t[N + 1];",
         "t: more than 65536 descriptors, an array of arrays, or a length that"},
        {"layout(binding = 0) uniform sampler s0; layout(binding = 1) uniform sampler s1;"
         "layout(binding = 2) uniform sampler s2; layout(binding = 3) uniform sampler s3;"
         "layout(binding = 4) uniform sampler s4; layout(binding = 5) uniform sampler s5;"
         "layout(binding = 6) uniform sampler s6; layout(binding = 7) uniform sampler s7;"
         "layout(binding = 8) uniform sampler s8; layout(binding = 9) uniform sampler s9;"
         "layout(binding = 10) uniform sampler sa; layout(binding = 11) uniform sampler sb;"
         "layout(binding = 12) uniform sampler sc; layout(binding = 13) uniform sampler sd;"
         "layout(binding = 14) uniform sampler se; layout(binding = 15) uniform sampler sf;"
         "layout(binding = 16) uniform sampler sg;",
         "sg: more than 16 bindings"},
    };
    for (size_t i = 0; i < MB_COUNTOF(table); i++) {
        char text[4096];
        struct mb_spirv spirv;
        struct mb_err err = {0};
        snprintf(text, sizeof text,
                 "#version 460\n#extension GL_EXT_ray_query : require\n"
                 "layout(local_size_x = 1) in;\n%s\nvoid main() {}\n",
                 table[i].declaration);
        CHECK_EQ_INT(read_text("b.comp", "vulkan1.2", text, &spirv, &err), MB_FAILED);
        CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
        if (!check_record(strstr(err.text, table[i].words) != NULL, __FILE__, __LINE__)) {
            fprintf(stderr, "\"%s\" does not say \"%s\"\n", err.text, table[i].words);
        }
    }
}

static void make_folder(void)
{
    struct mb_err err = {0};
    check_make_folder(folder);
    must(mb_strlist_add(&roots, &err, "%s", folder), &err);
}

static void remove_folder(void)
{
    check_remove_folder(folder);
    mb_strlist_finish(&roots);
}

static void test_compiled(void)
{
    if (!MB_HAS_GLSLANG) {
        printf("built without glslang: modules compiled here are skipped\n");
        return;
    }
    make_folder();
    test_glsl();
    test_hlsl();
    test_unbindable();
    remove_folder();
}

/* The modules compiled here, for those who mutate them. */
static int write_modules(const char *to)
{
    static const struct {
        const char *name, *target, *text, *module;
    } table[] = {{"a.comp", "vulkan1.2", glsl, "glsl.spv"},
                 {"a.hlsl", "vulkan1.1", hlsl, "hlsl.spv"}};
    if (!MB_HAS_GLSLANG) {
        return 77;
    }
    make_folder();
    for (size_t i = 0; i < MB_COUNTOF(table); i++) {
        size_t n_bytes = 0;
        struct mb_err err = {0};
        MB_FREED void *code = compile(table[i].name, table[i].target, table[i].text, &n_bytes);
        must(mb_file_write_in(to, table[i].module, code, n_bytes, &err), &err);
    }
    remove_folder();
    return check_n_failed == 0 ? 0 : 1;
}

/* ---- Modules that are made of an embedded one */

static const struct mb_shader *embedded(void)
{
    for (size_t i = 0; mb_shaders[i] != NULL; i++) {
        if (strcmp(mb_shaders[i]->name, "compute/compute.comp") == 0) {
            return mb_shaders[i];
        }
    }
    fprintf(stderr, "there is no compute/compute.comp\n");
    exit(1);
}

/* Of an embedded module, with room for more. */
struct words {
    uint32_t at[1u << 16];
    size_t n;
    size_t entry; /* its OpEntryPoint */
};

static struct words *copy_embedded(void)
{
    const struct mb_shader *shader = embedded();
    struct words *words = mb_alloc(1, sizeof *words);
    words->n = shader->code_bytes / 4;
    CHECK(words->n + 100 < MB_COUNTOF(words->at));
    memcpy(words->at, shader->code, shader->code_bytes);
    words->entry = 5;
    while ((words->at[words->entry] & 0xffff) != 15) {
        words->entry += words->at[words->entry] >> 16;
    }
    return words;
}

static void insert(struct words *words, size_t at, const uint32_t *added, size_t n)
{
    memmove(&words->at[at + n], &words->at[at], (words->n - at) * sizeof *words->at);
    memcpy(&words->at[at], added, n * sizeof *added);
    words->n += n;
}

/* One more entry point, "none", of a function that does and lists nothing. */
static void add_entry(struct words *words)
{
    const uint32_t id = words->at[3];
    uint32_t entry[] = {5u << 16 | 15, 5, id, 0, 0};
    const uint32_t mode[] = {6u << 16 | 16, id, 17, 1, 1, 1};
    size_t main_at = words->entry, modes_at = words->entry;
    while ((words->at[modes_at] & 0xffff) == 15) {
        modes_at += words->at[modes_at] >> 16;
    }
    while ((words->at[main_at] & 0xffff) != 54 ||
           words->at[main_at + 2] != words->at[words->entry + 2]) {
        main_at += words->at[main_at] >> 16;
    }
    const uint32_t function[] = {
        5u << 16 | 54,          words->at[main_at + 1], id,     0,
        words->at[main_at + 4], 2u << 16 | 248,         id + 1, 1u << 16 | 253,
        1u << 16 | 56};
    memcpy(&entry[3], "none", 4);
    words->at[3] = id + 2;
    insert(words, words->n, function, MB_COUNTOF(function));
    insert(words, modes_at, mode, MB_COUNTOF(mode));
    insert(words, words->entry, entry, MB_COUNTOF(entry));
}

static enum mb_status read_words(const struct words *words, const char *entry,
                                 struct mb_spirv *spirv, struct mb_err *err)
{
    *err = (struct mb_err){0};
    return mb_spirv_init(spirv, "made.spv", words->at, words->n * 4, entry, err);
}

/* The copy is as it was, whichever entry point is asked for. */
static void test_entries(void)
{
    struct words *words = copy_embedded();
    struct mb_spirv spirv;
    struct mb_err err;
    add_entry(words);
    must(read_words(words, "none", &spirv, &err), &err);
    CHECK_EQ_STR(spirv.shader.entry, "none");
    CHECK_EQ_INT(spirv.shader.code_bytes, words->n * 4);
    CHECK(memcmp(spirv.shader.code, words->at, words->n * 4) == 0);
    /* In SPIR-V 1.4 and later it is the entry point that says what it uses: nothing. */
    CHECK(words->at[1] >= 0x00010400);
    CHECK_EQ_INT(spirv.shader.n_bindings, 0);

    must(read_words(words, "main", &spirv, &err), &err);
    CHECK(memcmp(spirv.shader.code, words->at, words->n * 4) == 0);
    check_bindings(&spirv.shader, embedded());

    CHECK(read_words(words, "up", &spirv, &err) != MB_OK);
    CHECK_EQ_STR(err.text, "made.spv: no entry point 'up' of a compute shader");
    memcpy(&words->at[words->entry + 3], "main", 4);
    CHECK(read_words(words, "main", &spirv, &err) != MB_OK);
    CHECK(strstr(err.text, "cannot share the same name") != NULL);
    mb_free(words);
}

static void check_damaged(const struct words *words, const char *what)
{
    struct mb_spirv spirv;
    struct mb_err err;
    CHECK(read_words(words, "main", &spirv, &err) != MB_OK);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    if (!check_record(strstr(err.text, what) != NULL, __FILE__, __LINE__)) {
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", err.text, what);
    }
}

static void test_damaged(void)
{
    static const struct {
        size_t word;
        uint32_t value;
        const char *what;
    } table[] = {
        {0, 0x03022307, "does not begin as one"},
        {0, 0x46464952, "does not begin as one"},
        {1, 0x00020000, "invalid SPIR-V: Invalid SPIR-V header"},
        {3, 0, "invalid SPIR-V: "},
        {3, 1, "invalid SPIR-V: "},
        {5, 0x00000011, "invalid SPIR-V: Invalid instruction word count: 0"},
        {5, 0xffff0011, "invalid SPIR-V: "},
    };
    struct words *words = copy_embedded();
    for (size_t i = 0; i < MB_COUNTOF(table); i++) {
        const uint32_t before = words->at[table[i].word];
        words->at[table[i].word] = table[i].value;
        check_damaged(words, table[i].what);
        words->at[table[i].word] = before;
    }
    words->at[words->entry + 1] = 4;
    check_damaged(words, "invalid SPIR-V: ");
    words->at[words->entry + 1] = 5;
    words->at[words->entry + 2] = 0xffffffff;
    check_damaged(words, "invalid SPIR-V: ");
    for (words->n = 0; words->n < 5; words->n++) {
        check_damaged(words, words->n == 0 ? "not a SPIR-V module" : "made.spv: ");
    }
    mb_free(words);
}

/* Modules with one flipped bit: most are refused by the validator, in one line with its words,
 * and without it SPIRV-Cross would be handed them. */
static void test_flipped(void)
{
    struct words *words = copy_embedded();
    unsigned n_refused = 0;
    for (size_t i = 0; i < 200; i++) {
        const size_t bit = 160 + i * 7919 % (words->n * 32 - 160);
        struct mb_spirv spirv;
        struct mb_err err;
        words->at[bit / 32] ^= 1u << bit % 32;
        if (read_words(words, "main", &spirv, &err) != MB_OK) {
            CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
            CHECK(strstr(err.text, "?  %") == NULL); /* the instruction, a line of its own */
            n_refused += strstr(err.text, "made.spv: invalid SPIR-V: ") == err.text;
        }
        words->at[bit / 32] ^= 1u << bit % 32;
    }
    CHECK(n_refused > 100);
    mb_free(words);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {test_embedded, test_compiled, test_entries,
                                          test_damaged,  test_flipped,  NULL};
    return argc > 1 ? write_modules(argv[1]) : check_tests(__FILE__, tests);
}
