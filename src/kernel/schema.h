/* What a manifest may say: one table for each kind of object in it, of names, types, bounds and
 * where a value is stored. kernel/read.h checks and reads by them; results/kernel.schema.json
 * says the same to editors and in the manual. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/pyramid.h"

struct cJSON;

/* A list of numbers. */
struct mb_numbers {
    uint32_t n;
    int64_t of[MB_MAX_LEVELS];
};

enum mb_key_kind {                 /* stored as, and a list of them as */
                   MB_KEY_ANY,     /* by hand; nothing */
                   MB_KEY_TEXT,    /* const char *; const struct cJSON * */
                   MB_KEY_BOOLEAN, /* bool */
                   MB_KEY_CHOICE,  /* one of some names: uint32_t, its index; a bit for each */
                   MB_KEY_REAL,    /* an expression (kernel/expression.h): double */
                   MB_KEY_WHEN,    /* the same; where it is 0, nothing behind it is read */
                   MB_KEY_NUMBER,  /* an expression that comes to an integer: int64_t; struct
                                      mb_numbers */
                   MB_KEY_RANGE,   /* a list of these, or {"first": ..., "last": ...}: struct
                                      mb_numbers */
                   MB_KEY_SHADER,  /* the name of a member of "shaders": const char * */
                   MB_KEY_BUFFER,  /* the name of a member of "buffers": const char * */
                   MB_KEY_OBJECT,  /* by another table: bool, and as that says; const struct
                                      cJSON * */
                   MB_KEY_VALUE,   /* an expression, or a list of them: const struct cJSON * */
                   MB_KEY_DEFINE,  /* a number, a text or null: likewise */
};

/* What it is of that kind. Lists and maps may stand in "names", and their name in their place.
 */
enum mb_key_shape {
    MB_KEY_ONE,
    MB_KEY_LIST,
    MB_KEY_MAP, /* an object whose members, of any name, are: const struct cJSON * */
};

/* Where expressions are evaluated, and so which names they know. */
enum mb_key_scope {
    MB_SCOPE_CHAIN,   /* once for an image */
    MB_SCOPE_STEP,    /* for each step of it */
    MB_SCOPE_CONTENT, /* the same, with addresses of buffers */
};

struct mb_key {
    const char *name;
    enum mb_key_kind kind;
    enum mb_key_shape shape;
    size_t at;                  /* 1 + its offset in the struct; 0: it is not stored */
    const struct mb_key *keys;  /* of an object, ended by a NULL name */
    const char *const *choices; /* ended by NULL; NULL: names of formats */
    enum mb_key_scope scope;
    int64_t least, most, otherwise; /* bounds; and what is stored where it is absent */
    const char *most_of;            /* an expression in place of `most` and `otherwise` */
    bool is_required;
    bool is_fixed; /* {"by": ...} cannot choose here */
    /* Only parameters can: what is within is read before a format or a device is known. */
    bool is_by_parameter;
};

/* What is read of each object. Pointers are NULL where a key is absent. */
struct mb_requires_keys {
    const struct cJSON *features;
    struct {
        bool is_there;
        struct mb_numbers size;
        int64_t min_size;
    } subgroup;
};

struct mb_domain_keys {
    uint32_t formats, reduces, alphas; /* bits: of mb_formats, mb_reduce, mb_alpha */
    struct mb_numbers size;
    int64_t min_size, max_size, multiple_of, max_layers;
    bool power_of_two, square, full_chain;
};

struct mb_shader_keys {
    const char *file, *entry, *preamble;
    uint32_t target; /* Vulkan 1.n */
    const struct cJSON *defines, *include, *constants;
    int64_t register_shift;
};

struct mb_buffer_keys {
    int64_t n_bytes;
    uint32_t is_each_run;
    bool is_addressed;
    const struct cJSON *fields;
};

struct mb_sampler_keys {
    bool is_there;
    uint32_t is_linear, reduction, address; /* mb_reduce; an index of mb_kernel_addresses */
};

struct mb_binding_keys {
    int64_t set, binding, level;
    struct mb_numbers levels, mips;
    uint32_t format; /* an index of mb_kernel_view_formats; their number where it says none */
    uint32_t is_general;
    struct mb_sampler_keys sampler;
    const char *buffer;
};

struct mb_range_keys {
    int64_t first, last;
};

struct mb_dispatch_keys {
    const char *shader;
    double when;
    struct mb_numbers groups;
    const struct cJSON *bindings, *push;
};

struct mb_tolerance_keys {
    uint32_t policy, arithmetic, is_by_kernel;
    double max_error_lsb;
    struct mb_numbers reread;
};

struct mb_step_keys {
    int64_t levels_per_step;
    bool each_layer;
    const struct cJSON *dispatches;
};

extern const struct mb_key mb_manifest_keys[]; /* struct mb_step_keys */
extern const struct mb_key mb_requires_keys[], mb_domain_keys[], mb_shader_keys[],
    mb_buffer_keys[], mb_binding_keys[], mb_dispatch_keys[], mb_tolerance_keys[],
    mb_range_keys[];

/* What some keys choose from, ended by NULL; formats of views in the order of mb_view_format,
 * and policies and arithmetics in that of mb_policy and mb_arithmetic. */
extern const char *const mb_kernel_view_formats[];
extern const char *const mb_kernel_addresses[];
extern const char *const mb_kernel_policies[];

/* The names that expressions know besides those of the manifest, ended by NULL; those of a step
 * come last, from mb_n_chain_names on. */
extern const char *const mb_expression_names[];
extern const size_t mb_n_chain_names;
