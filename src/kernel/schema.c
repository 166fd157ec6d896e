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
    {"size", MB_KEY_EXPRESSIONS,
     .help = "sizes that the kernel is written for: the device's own if it is listed, else the "
             "first that "
             "it can have; none: its own"},
    {"min_size", MB_KEY_EXPRESSION, .help = "least size, with any above it (4)"},
    {"max_size", MB_KEY_EXPRESSION, .help = "largest size (128)"},
    {"full", MB_KEY_BOOLEAN,
     .help = "whether all lanes have to be there and the size is required (true)"},
    {0},
};

static const struct mb_key requires_keys[] = {
    {"features", MB_KEY_TEXTS,
     .help = "features and extensions of Vulkan, by name: shaderFloat16, VK_KHR_shader_clock"},
    {"subgroup", MB_KEY_OBJECT, .help = "what it needs of subgroups; left out: nothing",
     .keys = subgroup_keys},
    {0},
};

static const struct mb_key domain_keys[] = {
    {"formats", MB_KEY_CHOICES, .help = "formats that it takes (all)"},
    {"reduce", MB_KEY_CHOICES, .help = "reductions that it makes (avg)",
     .choices = mb_reduce_names},
    {"alpha", MB_KEY_CHOICES, .help = "what alpha may be (straight)",
     .choices = NAMES("straight", "premultiplied")},
    {"size", MB_KEY_EXPRESSIONS, .help = "the width and height that it is made for (any)"},
    {"max_size", MB_KEY_EXPRESSION, .help = "largest width and height (any)"},
    {"multiple_of", MB_KEY_EXPRESSION, .help = "what width and height are multiples of (1)"},
    {"power_of_two", MB_KEY_BOOLEAN,
     .help = "whether width and height are powers of two (false)"},
    {"square", MB_KEY_BOOLEAN, .help = "whether they are equal (false)"},
    {"max_layers", MB_KEY_EXPRESSION, .help = "most array layers (any)"},
    {"max_levels", MB_KEY_EXPRESSION, .help = "most levels, the base included (any)"},
    {"full_chain", MB_KEY_BOOLEAN, .help = "whether it makes full chains only (false)"},
    {0},
};

static const struct mb_key shader_keys[] = {
    {"file", MB_KEY_TEXT,
     .help = "a path from the manifest's folder: .spv is SPIR-V, .hlsl HLSL, all else GLSL",
     .is_required = true},
    {"entry", MB_KEY_TEXT, .help = "the entry point of SPIR-V or HLSL (main)"},
    {"target", MB_KEY_CHOICE, .help = "what GLSL and HLSL are compiled for (vulkan1.2)",
     .choices = NAMES("vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3")},
    {"defines", MB_KEY_DEFINES, .help = "macros and their values"},
    {"include", MB_KEY_TEXTS, .help = "folders of included files, from the manifest's folder"},
    {"constants", MB_KEY_VALUE_MAP, .help = "specialisation constants, by name or by number"},
    {0},
};

static const struct mb_key buffer_keys[] = {
    {"bytes", MB_KEY_EXPRESSION, .help = "its size; left out where \"fields\" says it"},
    {"zero", MB_KEY_CHOICE,
     .help = "when it is zeroed: once, or before each run, within the timed commands (once)",
     .choices = mb_kernel_zeroings},
    {"fields", MB_KEY_VALUE_MAP,
     .help = "what it holds from the beginning: members of the block that it is bound to, by "
             "name or "
             "by "
             "position"},
    {"addressed", MB_KEY_BOOLEAN,
     .help = "whether expressions ask for address(NAME), which needs the feature "
             "bufferDeviceAddress "
             "(false)"},
    {0},
};

static const struct mb_key sampler_keys[] = {
    {"filter", MB_KEY_CHOICE, .help = "linear or nearest (nearest)",
     .choices = mb_kernel_filters},
    {"reduction", MB_KEY_CHOICE, .help = "what a linear filter makes of four texels (avg)",
     .choices = mb_reduce_names},
    {"address", MB_KEY_CHOICE,
     .help = "what lies beyond the edges; border: transparent black (clamp)",
     .choices = mb_kernel_addresses},
    {0},
};

static const struct mb_key binding_keys[] = {
    {"binding", MB_KEY_EXPRESSION, .help = "its number", .scope = MB_SCOPE_STEP,
     .is_required = true},
    {"set", MB_KEY_EXPRESSION, .help = "its descriptor set (0)", .scope = MB_SCOPE_STEP},
    {"level", MB_KEY_EXPRESSION, .help = "the level that it shows, with a view of that one",
     .scope = MB_SCOPE_STEP},
    {"levels", MB_KEY_RANGE,
     .help =
         "of an array, the level that each element shows; elements that are left show the last",
     .scope = MB_SCOPE_STEP},
    {"mips", MB_KEY_RANGE, .help = "the levels of one view that has several",
     .scope = MB_SCOPE_STEP},
    {"layer", MB_KEY_EXPRESSION,
     .help =
         "the layer that a view without layers shows (layer, which is 0 without each_layer)",
     .scope = MB_SCOPE_STEP},
    {"format", MB_KEY_CHOICE,
     .help = "of the view: the image's; the same without the sRGB curve; or R32_UINT or "
             "R32G32_UINT "
             "words "
             "(image where it is sampled, linear where it is stored to)",
     .choices = mb_kernel_view_formats},
    {"layout", MB_KEY_CHOICE, .help = "of what is sampled (read-only)",
     .choices = mb_kernel_view_layouts},
    {"sampler", MB_KEY_OBJECT, .help = "the sampler (nearest)", .keys = sampler_keys},
    {"buffer", MB_KEY_BUFFER, .help = "the buffer that is bound, all of it"},
    {0},
};

const struct mb_key mb_range_keys[] = {
    {"first", MB_KEY_EXPRESSION, .help = "the first level", .scope = MB_SCOPE_STEP,
     .is_required = true},
    {"last", MB_KEY_EXPRESSION, .help = "the last one", .scope = MB_SCOPE_STEP,
     .is_required = true},
    {0},
};

static const struct mb_key dispatch_keys[] = {
    {"shader", MB_KEY_SHADER, .help = "which one", .is_required = true},
    {"when", MB_KEY_EXPRESSION, .help = "of which steps; those where this is not 0 (all)",
     .scope = MB_SCOPE_STEP},
    {"groups", MB_KEY_EXPRESSIONS, .help = "workgroups along x, y and z; those left out are 1",
     .scope = MB_SCOPE_STEP, .is_required = true},
    {"bindings", MB_KEY_OBJECTS, .help = "what each descriptor is", .keys = binding_keys},
    {"push", MB_KEY_VALUE_MAP,
     .help = "push constants: members of the block, by name or by position",
     .scope = MB_SCOPE_STEP},
    {"barrier", MB_KEY_CHOICE,
     .help = "before it: auto, where it reads what a dispatch before it wrote; or none, where "
             "it needs "
             "none (auto)",
     .choices = mb_kernel_barriers},
    {0},
};

static const struct mb_key tolerance_keys[] = {
    {"policy", MB_KEY_CHOICE,
     .help = "which texels weigh in, and so what it is held to; none: it is timed, not judged "
             "(box)",
     .choices = mb_kernel_policies},
    {"arithmetic", MB_KEY_CHOICE,
     .help = "how it computes, from which the bound of errors follows (fp32)",
     .choices = mb_kernel_arithmetics},
    {"rounding", MB_KEY_CHOICE,
     .help =
         "who rounds to UNORM codes: the device, when it stores, by up to a tenth of a code "
         "otherwise than to the nearest; or the kernel, exactly (device)",
     .choices = mb_kernel_roundings},
    {"max_error_lsb", MB_KEY_EXPRESSION,
     .help = "a bound in its place, in codes or ulp of floats, which tables then show"},
    {"reread", MB_KEY_EXPRESSIONS,
     .help = "levels that it reads as they are stored, besides those that a step begins with"},
    {0},
};

const struct mb_key mb_manifest_keys[] = {
    {"$schema", MB_KEY_TEXT, .help = "for editors", .is_fixed = true},
    {"mipbench_kernel", MB_KEY_VERSION, .help = "the version of this format: 1",
     .is_required = true, .is_fixed = true},
    {"name", MB_KEY_NAME, .help = "what --strategy and tables call it", .is_required = true,
     .is_fixed = true},
    {"title", MB_KEY_TEXT, .help = "what it is, in a line (the manifest's path)",
     .is_fixed = true},
    {"source", MB_KEY_TEXT, .help = "where it is from (the manifest's path)", .is_fixed = true},
    {"parameters", MB_KEY_PARAMETERS,
     .help = "named values to choose from; numbers are names of expressions, too",
     .is_fixed = true},
    {"requires", MB_KEY_OBJECT, .help = "what it needs of a device", .keys = requires_keys,
     .is_by_parameter = true},
    {"domain", MB_KEY_OBJECT, .help = "which images it takes", .keys = domain_keys,
     .is_by_parameter = true},
    {"shaders", MB_KEY_OBJECT_MAP, .help = "its modules", .keys = shader_keys,
     .is_required = true, .is_fixed = true},
    {"buffers", MB_KEY_OBJECT_MAP, .help = "buffers that it works with", .keys = buffer_keys,
     .is_fixed = true},
    {"levels_per_step", MB_KEY_EXPRESSION,
     .help = "how the chain is cut: how many levels the next step makes of `remaining` ones "
             "(remaining)",
     .scope = MB_SCOPE_STEP},
    {"each_layer", MB_KEY_BOOLEAN,
     .help = "whether each dispatch is made once for each layer (false)"},
    {"dispatches", MB_KEY_OBJECTS, .help = "what each step dispatches, in order",
     .keys = dispatch_keys, .is_required = true},
    {"tolerance", MB_KEY_OBJECT, .help = "what its output is held to", .keys = tolerance_keys},
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
