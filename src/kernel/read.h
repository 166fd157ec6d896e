/* Reads a manifest by one choice of everything that can be chosen, and checks what it meets:
 * keys, values, names, expressions. */
#pragma once

#include "image/pyramid.h"
#include "kernel/manifest.h"

#define MB_MAX_WORDS            256u
#define MB_MAX_EXPRESSION_BYTES 1024u
#define MB_MAX_NAMES            96u /* of a scope */

/* Expressions of a manifest: numbers from names, by the operators of C.
 *
 *     a ? b : c    || && == != < <= > >= + - * / % << >> unary - and !
 *
 * with the precedence that they have there, parentheses, and the functions min, max, ceil_div
 * (two arguments each), width, height (of a level) and even_levels (how many levels in a row
 * can be halved from a level on without an odd size above 1). All numbers are doubles: "/"
 * keeps its remainder, ">>" rounds down, and integers are exact up to 2^53. */
struct mb_scope {
    const struct mb_layout *layout; /* of width(), height() and even_levels() */
    size_t n_names;
    struct {
        const char *name;
        double value; /* NaN: none yet */
    } names[MB_MAX_NAMES];
};

/* Evaluate all of `text`. The value is NaN where it depends on a name without a value, a level
 * that the image lacks, or a division by zero; the operand of ?:, && or || that decides nothing
 * may be NaN. MB_ERRC_INPUT with the place of what cannot be read, and the nearest name of an
 * unknown one. */
MB_MUST_CHECK enum mb_status mb_evaluate(const char *text, const struct mb_scope *scope,
                                         double *value, struct mb_err *err);

/* What {"by": ...} chooses among the branches of a manifest. */
struct mb_pick {
    const struct mb_manifest *manifest;
    const struct mb_params *params; /* NULL: the first of each */
    const struct mb_format *format; /* NULL where only parameters choose */
    enum mb_reduce reduce;
    uint32_t subgroup_size; /* the manifest relies on full subgroups of it; 0: on none */
};

/* A step: levels [source_level + 1, source_level + n_levels] from `source_level`. */
struct mb_kernel_step {
    uint32_t index, source_level, n_levels;
};

/* The first error is kept. After it what is read is its default, lists and objects are NULL,
 * so that a caller may read all keys of an object and look at `status` once. */
struct mb_reader {
    const struct mb_pick *pick;
    const struct cJSON *root;   /* of the manifest */
    struct mb_kernel_step step; /* in hand: of a plan */
    enum mb_status status;
    struct mb_err *err;        /* MB_ERRC_INPUT, with the place in the manifest */
    struct mb_scope scope;     /* what expressions know now */
    const uint64_t *addresses; /* of the manifest's buffers */
};

/* Words in the order of mb_reduce. */
extern const char *const mb_kernel_reduces[];

/* A list of numbers. */
struct mb_numbers {
    uint32_t n, of[MB_MAX_LEVELS];
};

/* A reader whose expressions know the image's chain: not yet a step, nor "names". */
void mb_reader_init(struct mb_reader *reader, const struct mb_pick *pick,
                    const struct mb_layout *layout, struct mb_err *err);

/* Give the names of a step their values, and evaluate the expressions of "names", each of which
 * knows those before it. NULL: no step in particular, and its names have no value. A step
 * without levels is one whose number of levels is about to be read. */
void mb_reader_set_step(struct mb_reader *reader, const struct mb_kernel_step *step);

/* Put the file and the way to a node in front of reader->err, unless something was blamed
 * before; MB_FAILED. */
enum mb_status mb_reader_blame(struct mb_reader *reader, const struct cJSON *node);

/* Refuse what a node says, unless something was refused before; MB_FAILED. */
#define MB_REFUSE(reader, node, ...)                                                           \
    ((void)((reader)->status != MB_OK || MB_FAIL((reader)->err, MB_ERRC_INPUT, __VA_ARGS__)),  \
     mb_reader_blame(reader, node))
#define MB_REFUSE_IF(is_wrong, reader, node, ...)                                              \
    do {                                                                                       \
        if (is_wrong) {                                                                        \
            return MB_REFUSE(reader, node, __VA_ARGS__);                                       \
        }                                                                                      \
    } while (0)

/* What a word may be. */
struct mb_words {
    const char *of[MB_MAX_WORDS];
    size_t n;
};
void mb_words_add(struct mb_words *words, const char *word);

/* Which of the words it is; words->n: none of them. */
size_t mb_words_find(const struct mb_words *words, const char *word);

/* Refuse a word, and say which of the others is meant; MB_FAILED. */
enum mb_status mb_refuse_word(struct mb_reader *reader, const struct cJSON *node,
                              const char *what, const char *word, const struct mb_words *words);

/* A node after every choice. */
const struct cJSON *mb_choose(struct mb_reader *reader, const struct cJSON *node);

/* The same of an object that may have these keys only, NULL-terminated, and must have the first
 * `n_required`. Of NULL: NULL. */
const struct cJSON *mb_open(struct mb_reader *reader, const struct cJSON *node,
                            const char *const *keys, size_t n_required);

/* The first element of the list, or the object, that the member `key` of `parent` is, or that
 * has the name which it is in "names"; NULL where it is absent, or the list empty. */
const struct cJSON *mb_read_list(struct mb_reader *reader, const struct cJSON *parent,
                                 const char *key);
const struct cJSON *mb_read_map(struct mb_reader *reader, const struct cJSON *parent,
                                const char *key);

/* Read the member `key` of `parent`; an absent one has the value `otherwise`, or NULL, or
 * false. mb_read_word() returns the index of a word in `words`, which ends with NULL, and
 * mb_read_words() a bit for each word given. With NULL for `words` they are the names of the
 * image formats. Without a key, mb_read_text() reads `parent` itself. */
const char *mb_read_text(struct mb_reader *reader, const struct cJSON *parent, const char *key);
bool mb_read_flag(struct mb_reader *reader, const struct cJSON *parent, const char *key);
uint32_t mb_read_word(struct mb_reader *reader, const struct cJSON *parent, const char *key,
                      const char *const *words, uint32_t otherwise);
uint32_t mb_read_words(struct mb_reader *reader, const struct cJSON *parent, const char *key,
                       const char *const *words, uint32_t otherwise);
uint32_t mb_read_integer(struct mb_reader *reader, const struct cJSON *parent, const char *key,
                         uint32_t least, uint32_t most, uint32_t otherwise);
/* A list of integers, or {"first": ..., "last": ...}. */
void mb_read_integers(struct mb_reader *reader, const struct cJSON *parent, const char *key,
                      uint32_t least, uint32_t most, struct mb_numbers *out);

/* Which member of the object `map` of the manifest the member `key` of `parent` names, from 0;
 * UINT32_MAX: none. */
uint32_t mb_read_member(struct mb_reader *reader, const struct cJSON *parent, const char *key,
                        const char *map);

/* A number, or an expression that has a finite value. */
double mb_read_value(struct mb_reader *reader, const struct cJSON *node);

/* ---- What a module reads */

/* Fill in the members of a block, `out[n_bytes]`, from those of the object `map`, which have
 * the same names; each has to be there. */
MB_MUST_CHECK enum mb_status mb_fill_block(struct mb_reader *reader, const struct cJSON *map,
                                           const struct mb_spirv *spirv,
                                           const struct mb_spirv_block *block,
                                           unsigned char *out);

/* The specialisation constants that an object (NULL: none) gives by name, in its order. */
MB_MUST_CHECK enum mb_status
mb_fill_constants(struct mb_reader *reader, const struct cJSON *map,
                  const struct mb_spirv *spirv,
                  struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS], uint32_t *n_constants);

/* Where component `i` of a member is in its block, counted element by element and column by
 * column. */
uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i);

/* The module of a member of "shaders", after every choice; it is compiled at the first time,
 * and kept. Failures are MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_manifest_module(struct mb_reader *reader,
                                                const struct cJSON *shader,
                                                const struct mb_spirv **spirv);
