/* The tables of a manifest's keys. */
#include "kernel/schema.h"

#include "image/filter.h"

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

const char *const mb_kernel_view_formats[] = {"image", "linear", "words", NULL};
const char *const mb_kernel_view_layouts[] = {"read-only", "general", NULL};
const char *const mb_kernel_filters[] = {"nearest", "linear", NULL};
const char *const mb_kernel_addresses[] = {"clamp", "repeat", "mirror", "border", NULL};
const char *const mb_kernel_barriers[] = {"auto", "none", NULL};
const char *const mb_kernel_policies[] = {"box", "floor", "blit", "none", NULL};
const char *const mb_kernel_arithmetics[] = {"fp32", "fp16", "filter", "corner", "root", NULL};
const char *const mb_kernel_roundings[] = {"device", "kernel", NULL};
const char *const mb_kernel_zeroings[] = {"once", "each-run", NULL};

const char *const mb_expression_names[] = {
    "width",    "height",        "layers",    "levels",       "texel_bytes",
    "channels", "subgroup_size", "step",      "source_level", "first_level",
    "n_levels", "last_level",    "remaining", "layer",        NULL};
const size_t mb_n_chain_names = 7;

static const struct mb_key subgroup_keys[] = {
    {.name = "size", .kind = MB_KEY_EXPRESSIONS},
    {.name = "min_size", .kind = MB_KEY_EXPRESSION},
    {.name = "max_size", .kind = MB_KEY_EXPRESSION},
    {.name = "full", .kind = MB_KEY_BOOLEAN},
    {0},
};

static const struct mb_key requires_keys[] = {
    {.name = "features", .kind = MB_KEY_TEXTS},
    {.name = "subgroup", .kind = MB_KEY_OBJECT, .keys = subgroup_keys},
    {0},
};

static const struct mb_key domain_keys[] = {
    {.name = "formats", .kind = MB_KEY_CHOICES},
    {.name = "reduce", .kind = MB_KEY_CHOICES, .choices = mb_reduce_names},
    {.name = "alpha", .kind = MB_KEY_CHOICES, .choices = NAMES("straight", "premultiplied")},
    {.name = "size", .kind = MB_KEY_EXPRESSIONS},
    {.name = "max_size", .kind = MB_KEY_EXPRESSION},
    {.name = "multiple_of", .kind = MB_KEY_EXPRESSION},
    {.name = "power_of_two", .kind = MB_KEY_BOOLEAN},
    {.name = "square", .kind = MB_KEY_BOOLEAN},
    {.name = "max_layers", .kind = MB_KEY_EXPRESSION},
    {.name = "max_levels", .kind = MB_KEY_EXPRESSION},
    {.name = "full_chain", .kind = MB_KEY_BOOLEAN},
    {0},
};

static const struct mb_key shader_keys[] = {
    {.name = "file", .kind = MB_KEY_TEXT, .is_required = true},
    {.name = "entry", .kind = MB_KEY_TEXT},
    {.name = "target",
     .kind = MB_KEY_CHOICE,
     .choices = NAMES("vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3")},
    {.name = "defines", .kind = MB_KEY_DEFINES},
    {.name = "include", .kind = MB_KEY_TEXTS},
    {.name = "constants", .kind = MB_KEY_VALUE_MAP},
    {0},
};

static const struct mb_key buffer_keys[] = {
    {.name = "bytes", .kind = MB_KEY_EXPRESSION},
    {.name = "zero", .kind = MB_KEY_CHOICE, .choices = mb_kernel_zeroings},
    {.name = "fields", .kind = MB_KEY_VALUE_MAP},
    {.name = "addressed", .kind = MB_KEY_BOOLEAN},
    {0},
};

static const struct mb_key sampler_keys[] = {
    {.name = "filter", .kind = MB_KEY_CHOICE, .choices = mb_kernel_filters},
    {.name = "reduction", .kind = MB_KEY_CHOICE, .choices = mb_reduce_names},
    {.name = "address", .kind = MB_KEY_CHOICE, .choices = mb_kernel_addresses},
    {0},
};

static const struct mb_key binding_keys[] = {
    {.name = "binding", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP, .is_required = true},
    {.name = "set", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP},
    {.name = "level", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP},
    {.name = "levels", .kind = MB_KEY_RANGE, .scope = MB_SCOPE_STEP},
    {.name = "mips", .kind = MB_KEY_RANGE, .scope = MB_SCOPE_STEP},
    {.name = "layer", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP},
    {.name = "format", .kind = MB_KEY_CHOICE, .choices = mb_kernel_view_formats},
    {.name = "layout", .kind = MB_KEY_CHOICE, .choices = mb_kernel_view_layouts},
    {.name = "sampler", .kind = MB_KEY_OBJECT, .keys = sampler_keys},
    {.name = "buffer", .kind = MB_KEY_BUFFER},
    {0},
};

const struct mb_key mb_range_keys[] = {
    {.name = "first", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP, .is_required = true},
    {.name = "last", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP, .is_required = true},
    {0},
};

static const struct mb_key dispatch_keys[] = {
    {.name = "shader", .kind = MB_KEY_SHADER, .is_required = true},
    {.name = "when", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP},
    {.name = "groups", .kind = MB_KEY_EXPRESSIONS, .scope = MB_SCOPE_STEP, .is_required = true},
    {.name = "bindings", .kind = MB_KEY_OBJECTS, .keys = binding_keys},
    {.name = "push", .kind = MB_KEY_VALUE_MAP, .scope = MB_SCOPE_STEP},
    {.name = "barrier", .kind = MB_KEY_CHOICE, .choices = mb_kernel_barriers},
    {0},
};

static const struct mb_key tolerance_keys[] = {
    {.name = "policy", .kind = MB_KEY_CHOICE, .choices = mb_kernel_policies},
    {.name = "arithmetic", .kind = MB_KEY_CHOICE, .choices = mb_kernel_arithmetics},
    {.name = "rounding", .kind = MB_KEY_CHOICE, .choices = mb_kernel_roundings},
    {.name = "max_error_lsb", .kind = MB_KEY_EXPRESSION},
    {.name = "reread", .kind = MB_KEY_EXPRESSIONS},
    {0},
};

const struct mb_key mb_manifest_keys[] = {
    {.name = "$schema", .kind = MB_KEY_TEXT, .is_fixed = true},
    {.name = "mipbench_kernel", .kind = MB_KEY_VERSION, .is_required = true, .is_fixed = true},
    {.name = "name", .kind = MB_KEY_NAME, .is_required = true, .is_fixed = true},
    {.name = "title", .kind = MB_KEY_TEXT, .is_fixed = true},
    {.name = "source", .kind = MB_KEY_TEXT, .is_fixed = true},
    {.name = "parameters", .kind = MB_KEY_PARAMETERS, .is_fixed = true},
    {.name = "requires", .kind = MB_KEY_OBJECT, .keys = requires_keys, .is_by_parameter = true},
    {.name = "domain", .kind = MB_KEY_OBJECT, .keys = domain_keys, .is_by_parameter = true},
    {.name = "shaders",
     .kind = MB_KEY_OBJECT_MAP,
     .keys = shader_keys,
     .is_required = true,
     .is_fixed = true},
    {.name = "buffers", .kind = MB_KEY_OBJECT_MAP, .keys = buffer_keys, .is_fixed = true},
    {.name = "levels_per_step", .kind = MB_KEY_EXPRESSION, .scope = MB_SCOPE_STEP},
    {.name = "each_layer", .kind = MB_KEY_BOOLEAN},
    {.name = "dispatches", .kind = MB_KEY_OBJECTS, .keys = dispatch_keys, .is_required = true},
    {.name = "tolerance", .kind = MB_KEY_OBJECT, .keys = tolerance_keys},
    {0},
};

size_t mb_key_choices(const struct mb_key *key, const char **names, size_t most)
{
    size_t n = 0;
    if (key->choices == mb_reduce_names) {
        for (; n < MB_N_REDUCES && n < most; n++) {
            names[n] = mb_reduce_names[n];
        }
    } else if (key->choices) {
        for (; key->choices[n] && n < most; n++) {
            names[n] = key->choices[n];
        }
    } else {
        for (; n < mb_format_count && n < most; n++) {
            names[n] = mb_formats[n].name;
        }
    }
    return n;
}
