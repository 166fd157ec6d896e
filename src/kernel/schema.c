/* The tables of a manifest's keys. */
#include "kernel/schema.h"

#define NAMES(...)             ((const char *const[]){__VA_ARGS__, NULL})
#define AT(key, part)          (1 + offsetof(struct mb_##key##_keys, part))
#define KEY(key, type, place)  .name = key, .kind = MB_KEY_##type, .at = place
#define LIST(key, type, place) KEY(key, type, place), .shape = MB_KEY_LIST
#define MAP(key, type, place)  KEY(key, type, place), .shape = MB_KEY_MAP
#define STEP                   .scope = MB_SCOPE_STEP
#define LEVEL                  .scope = MB_SCOPE_STEP, .most_of = "levels - 1"
#define SIZE                   .least = 1, .most = UINT32_MAX, .otherwise = UINT32_MAX
#define REQUIRED               .is_required = true
#define FIXED                  .is_fixed = true

const char *const mb_kernel_view_formats[] = {"image", "linear", "words", "uint8x4", NULL};
const char *const mb_kernel_addresses[] = {"clamp", "repeat", "mirror", "border", NULL};
const char *const mb_kernel_policies[] = {"box", "floor", "blit", "none", NULL};

const char *const mb_expression_names[] = {
    "width",        "height",      "layers",   "levels",     "texel_bytes", "subgroup_size",
    "source_level", "first_level", "n_levels", "last_level", "remaining",   NULL};
const size_t mb_n_chain_names = 6;

/* clang-format off */
static const struct mb_key subgroup_keys[] = {
    {LIST("size", NUMBER, AT(requires, subgroup.size)), .least = 1, .most = 1024},
    {KEY("min_size", NUMBER, AT(requires, subgroup.min_size)), .least = 1, .most = 1024, .otherwise = 4},
    {0},
};

const struct mb_key mb_requires_keys[] = {
    {LIST("features", TEXT, AT(requires, features))},
    {KEY("subgroup", OBJECT, AT(requires, subgroup.is_there)), .keys = subgroup_keys},
    {0},
};

const struct mb_key mb_domain_keys[] = {
    {LIST("formats", CHOICE, AT(domain, formats)), .otherwise = UINT32_MAX},
    {LIST("reduce", CHOICE, AT(domain, reduces)), .choices = NAMES("avg", "min", "max"), .otherwise = 1},
    {LIST("alpha", CHOICE, AT(domain, alphas)), .choices = NAMES("straight", "premultiplied"), .otherwise = 1},
    {LIST("size", NUMBER, AT(domain, size)), SIZE},
    {KEY("min_size", NUMBER, AT(domain, min_size)), .least = 1, .most = UINT32_MAX, .otherwise = 1},
    {KEY("max_size", NUMBER, AT(domain, max_size)), SIZE},
    {KEY("multiple_of", NUMBER, AT(domain, multiple_of)), .least = 1, .most = UINT32_MAX, .otherwise = 1},
    {KEY("power_of_two", BOOLEAN, AT(domain, power_of_two))},
    {KEY("square", BOOLEAN, AT(domain, square))},
    {KEY("max_layers", NUMBER, AT(domain, max_layers)), SIZE},
    {KEY("full_chain", BOOLEAN, AT(domain, full_chain))},
    {0},
};

const struct mb_key mb_shader_keys[] = {
    {KEY("file", TEXT, AT(shader, file)), REQUIRED},
    {KEY("entry", TEXT, AT(shader, entry))},
    {KEY("target", CHOICE, AT(shader, target)), .choices = NAMES("vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3"), .otherwise = 2},
    {KEY("preamble", TEXT, AT(shader, preamble))},
    {MAP("defines", DEFINE, AT(shader, defines))},
    {LIST("include", TEXT, AT(shader, include))},
    {KEY("register_shift", NUMBER, AT(shader, register_shift)), .most = 10000},
    {MAP("constants", VALUE, AT(shader, constants))},
    {0},
};

const struct mb_key mb_buffer_keys[] = {
    {KEY("bytes", NUMBER, AT(buffer, n_bytes)), .least = 1, .most = INT64_C(1) << 40},
    {KEY("zero", CHOICE, AT(buffer, is_each_run)), .choices = NAMES("once", "each-run")},
    {MAP("fields", VALUE, AT(buffer, fields)), .scope = MB_SCOPE_CONTENT},
    {KEY("addressed", BOOLEAN, AT(buffer, is_addressed))},
    {0},
};

static const struct mb_key sampler_keys[] = {
    {KEY("filter", CHOICE, AT(binding, sampler.is_linear)), .choices = NAMES("nearest", "linear")},
    {KEY("reduction", CHOICE, AT(binding, sampler.reduction)), .choices = NAMES("avg", "min", "max")},
    {KEY("address", CHOICE, AT(binding, sampler.address)), .choices = mb_kernel_addresses},
    {0},
};

const struct mb_key mb_binding_keys[] = {
    {KEY("binding", NUMBER, AT(binding, binding)), STEP, .most = UINT16_MAX, REQUIRED},
    {KEY("set", NUMBER, AT(binding, set)), STEP, .most = 3},
    {KEY("level", NUMBER, AT(binding, level)), LEVEL},
    {KEY("levels", RANGE, AT(binding, levels)), LEVEL},
    {KEY("mips", RANGE, AT(binding, mips)), LEVEL},
    {KEY("format", CHOICE, AT(binding, format)), .choices = mb_kernel_view_formats, .otherwise = 4},
    {KEY("layout", CHOICE, AT(binding, is_general)), .choices = NAMES("read-only", "general")},
    {KEY("sampler", OBJECT, AT(binding, sampler.is_there)), .keys = sampler_keys},
    {KEY("buffer", BUFFER, AT(binding, buffer))},
    {0},
};

const struct mb_key mb_range_keys[] = {
    {KEY("first", NUMBER, AT(range, first)), LEVEL, REQUIRED},
    {KEY("last", NUMBER, AT(range, last)), LEVEL, REQUIRED},
    {0},
};

const struct mb_key mb_dispatch_keys[] = {
    {KEY("when", WHEN, AT(dispatch, when)), STEP},
    {KEY("shader", SHADER, AT(dispatch, shader)), REQUIRED},
    {LIST("groups", NUMBER, AT(dispatch, groups)), STEP, .most = INT32_MAX, REQUIRED},
    {LIST("bindings", OBJECT, AT(dispatch, bindings)), .keys = mb_binding_keys},
    {MAP("push", VALUE, AT(dispatch, push)), .scope = MB_SCOPE_CONTENT},
    {0},
};

const struct mb_key mb_tolerance_keys[] = {
    {KEY("policy", CHOICE, AT(tolerance, policy)), .choices = mb_kernel_policies},
    {KEY("arithmetic", CHOICE, AT(tolerance, arithmetic)), .choices = NAMES("fp32", "fp16", "filter", "corner", "filter-fp16")},
    {KEY("rounding", CHOICE, AT(tolerance, is_by_kernel)), .choices = NAMES("device", "kernel")},
    {KEY("max_error_lsb", REAL, AT(tolerance, max_error_lsb))},
    {LIST("reread", NUMBER, AT(tolerance, reread)), .most = MB_MAX_LEVELS - 1},
    {0},
};

const struct mb_key mb_manifest_keys[] = {
    {KEY("$schema", TEXT, 0), FIXED},
    {KEY("mipbench_kernel", NUMBER, 0), REQUIRED, FIXED},
    {KEY("name", TEXT, 0), REQUIRED, FIXED},
    {KEY("title", TEXT, 0), FIXED},
    {KEY("source", TEXT, 0), FIXED},
    {KEY("parameters", ANY, 0), FIXED},
    {KEY("names", ANY, 0), FIXED},
    {KEY("requires", OBJECT, 0), .keys = mb_requires_keys, .is_by_parameter = true},
    {KEY("domain", OBJECT, 0), .keys = mb_domain_keys, .is_by_parameter = true},
    {MAP("shaders", OBJECT, 0), .keys = mb_shader_keys, REQUIRED, FIXED},
    {MAP("buffers", OBJECT, 0), .keys = mb_buffer_keys, FIXED},
    {KEY("levels_per_step", NUMBER, AT(step, levels_per_step)), STEP, .least = 1, .most_of = "remaining"},
    {KEY("each_layer", BOOLEAN, AT(step, each_layer))},
    {LIST("dispatches", OBJECT, AT(step, dispatches)), .keys = mb_dispatch_keys, REQUIRED},
    {KEY("tolerance", OBJECT, 0), .keys = mb_tolerance_keys},
    {0},
};
/* clang-format on */
