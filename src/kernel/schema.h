/* What a manifest may say: one table for each kind of object in it, which the checker
 * goes by. results/kernel.schema.json says the same to editors and in the manual. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum mb_key_kind {
    MB_KEY_VERSION, /* the number 1 */
    MB_KEY_NAME,    /* [a-z0-9-]+ */
    MB_KEY_TEXT,
    MB_KEY_TEXTS, /* a list of them */
    MB_KEY_BOOLEAN,
    MB_KEY_CHOICE,      /* one of some names */
    MB_KEY_CHOICES,     /* a list of some of them */
    MB_KEY_EXPRESSION,  /* a number, or a text (kernel/expression.h) */
    MB_KEY_EXPRESSIONS, /* a list of them */
    MB_KEY_RANGE,       /* such a list, or {"first": ..., "last": ...} */
    MB_KEY_SHADER,      /* the name of a member of "shaders" */
    MB_KEY_BUFFER,      /* the name of a member of "buffers" */
    MB_KEY_OBJECT,      /* with the keys of another table */
    MB_KEY_OBJECTS,     /* a list of such */
    MB_KEY_OBJECT_MAP,  /* an object whose members, of any name, are such */
    MB_KEY_VALUE_MAP,  /* whose members are expressions, or lists of them for vectors and arrays
                        */
    MB_KEY_SCALAR,     /* a number or a text */
    MB_KEY_DEFINES,    /* whose members are scalars */
    MB_KEY_PARAMETERS, /* whose members are lists of names, the default first */
};

/* Where an expression is evaluated, and so which names it may use. */
enum mb_key_scope {
    MB_SCOPE_CHAIN, /* once for an image */
    MB_SCOPE_STEP,  /* for each step of it */
};

struct mb_key {
    const char *name;
    enum mb_key_kind kind;
    const struct mb_key *keys;  /* of an object, ended by a NULL name */
    const char *const *choices; /* NULL-terminated; NULL: names of formats */
    enum mb_key_scope scope;
    bool is_required;
    bool is_fixed; /* {"by": ...} cannot choose here */
    /* Only parameters can: what is within is read before a format or a device is known. */
    bool is_by_parameter;
};

/* The keys of a manifest, and those of an MB_KEY_RANGE. */
extern const struct mb_key mb_manifest_keys[];
extern const struct mb_key mb_range_keys[];

/* What some keys choose from, the default first; ended by NULL. The order of formats is that of
 * mb_view_format, of policies and arithmetics that of mb_policy and mb_arithmetic. */
extern const char *const mb_kernel_view_formats[],
    *const mb_kernel_view_layouts[], *const mb_kernel_filters[],
                                         *const mb_kernel_addresses[],
                                             *const mb_kernel_barriers[],
                                                 *const mb_kernel_policies[],
                                                     *const mb_kernel_arithmetics[],
                                                         *const mb_kernel_roundings[],
                                                             *const mb_kernel_zeroings[];

/* The names that a key chooses from, at most `most`; returns how many. */
size_t mb_key_choices(const struct mb_key *key, const char **names, size_t most);

/* The names that expressions know besides parameters and buffers, ended by NULL; those of a
 * step come last, from mb_n_chain_names on. */
extern const char *const mb_expression_names[];
extern const size_t mb_n_chain_names;
