/* Reads a manifest, taking one branch of every choice, and checks its keys, values, names and
 * expressions. */
#pragma once

#include "image/pyramid.h"
#include "kernel/manifest.h"

#define MB_MAX_WORDS            256u
#define MB_MAX_EXPRESSION_BYTES 1024u
#define MB_MAX_NAMES            96u /* in a scope */

/* Expressions of a manifest: numbers, names and operators of C.
 *
 *     a ? b : c    || && == != < <= > >= + - * / % << >> unary - and !
 *
 * with C's precedence; parentheses; and the functions min, max and ceil_div of two arguments,
 * width and height of a level, and even_levels of a level (mb_even_levels). All numbers are
 * doubles: "/" keeps its remainder, ">>" rounds down, and integers are exact up to 2^53. */
struct mb_scope {
    const struct mb_layout *layout; /* of width(), height() and even_levels() */
    size_t n_names;
    struct {
        const char *name;
        double value; /* NaN: no value yet */
    } names[MB_MAX_NAMES];
};

/* Evaluate all of `text`. The value is NaN if it depends on a name without a value, a level
 * that the image lacks, or a division by zero. An operand of ?:, && or || may be NaN if the
 * result does not depend on it. A syntax error is MB_ERRC_INPUT with the place; so is an
 * unknown name, with the nearest known name. */
MB_MUST_CHECK enum mb_status mb_evaluate(const char *text, const struct mb_scope *scope,
                                         double *value, struct mb_err *err);

/* The values by which {"by": ...} chooses a branch in a manifest. */
struct mb_pick {
    struct mb_params params;        /* of the manifest in `self` */
    const struct mb_format *format; /* NULL: only parameters choose */
    enum mb_reduce reduce;
    uint32_t subgroup_size; /* of full subgroups; 0: the manifest does not rely on them */
};

/* Set all but the parameters, for a task on a device or, if `info` is NULL, on one that has
 * everything the manifest needs. MB_UNSUPPORTED if the task is excluded. (domain.c) */
MB_MUST_CHECK enum mb_status mb_pick_init(struct mb_pick *pick, const struct mb_gpu_info *info,
                                          const struct mb_layout *layout,
                                          const struct mb_task *task, struct mb_err *why);

/* A step: levels [source_level + 1, source_level + n_levels] from `source_level`. */
struct mb_kernel_step {
    uint32_t index, source_level, n_levels;
};

/* The first error is kept; after it every read returns its default, or NULL for lists and
 * objects. So a caller may read all keys of an object and check `status` once. */
struct mb_reader {
    const struct mb_pick *pick;
    const struct mb_manifest *manifest;
    const struct cJSON *root;   /* of the manifest */
    struct mb_kernel_step step; /* the step being planned */
    enum mb_status status;
    struct mb_err *err;        /* MB_ERRC_INPUT, with the place in the manifest */
    struct mb_scope scope;     /* names that expressions know now */
    const uint64_t *addresses; /* of the manifest's buffers */
};

/* Words in the order of mb_reduce. */
extern const char *const mb_kernel_reduces[];

/* A list of numbers. */
struct mb_numbers {
    uint32_t n, of[MB_MAX_LEVELS];
};

/* Start a reader whose expressions know the image's chain, but no step and no "names" yet. */
void mb_reader_init(struct mb_reader *reader, const struct mb_pick *pick,
                    const struct mb_layout *layout, struct mb_err *err);

/* Set the values of a step's names, and evaluate the expressions of "names", each of which
 * knows the names before it. If `step` is NULL, a step's names have no value; if its n_levels
 * is 0, "n_levels" and "last_level" have none yet. */
void mb_reader_set_step(struct mb_reader *reader, const struct mb_kernel_step *step);

/* Put the path of the file and of a node in front of reader->err, unless there was an error
 * before; returns MB_FAILED. */
enum mb_status mb_reader_blame(struct mb_reader *reader, const struct cJSON *node);

/* Refuse a node with a message, unless there was an error before; returns MB_FAILED. */
#define MB_REFUSE(reader, node, ...)                                                           \
    ((void)((reader)->status != MB_OK || MB_FAIL((reader)->err, MB_ERRC_INPUT, __VA_ARGS__)),  \
     mb_reader_blame(reader, node))
#define MB_REFUSE_IF(is_wrong, reader, node, ...)                                              \
    do {                                                                                       \
        if (is_wrong) {                                                                        \
            return MB_REFUSE(reader, node, __VA_ARGS__);                                       \
        }                                                                                      \
    } while (0)

/* A list of valid words. */
struct mb_words {
    const char *of[MB_MAX_WORDS];
    size_t n;
};
void mb_words_add(struct mb_words *words, const char *word);

/* The index of `word` in the list. If it is not in there, refuses `node` with `what` and the
 * nearest word, and returns words->n. */
size_t mb_words_find(struct mb_reader *reader, const struct cJSON *node, const char *what,
                     const char *word, const struct mb_words *words);

/* Follow a node {"by": ...} to its chosen branch, repeatedly; returns a node without "by". */
const struct cJSON *mb_choose(struct mb_reader *reader, const struct cJSON *node);

/* mb_choose() for an object, which may have only these keys (NULL-terminated) and must have the
 * first `n_required`. Returns NULL if `node` is NULL. */
const struct cJSON *mb_open(struct mb_reader *reader, const struct cJSON *node,
                            const char *const *keys, size_t n_required);

/* The member `key` of `parent`: the first element of a list, or an object. The member may name
 * a list or object of "names" instead. NULL if the member is absent or the list empty. */
const struct cJSON *mb_read_list(struct mb_reader *reader, const struct cJSON *parent,
                                 const char *key);
const struct cJSON *mb_read_map(struct mb_reader *reader, const struct cJSON *parent,
                                const char *key);

/* Read the member `key` of `parent`; if it is absent, the result is `otherwise`, or NULL, or
 * false. mb_read_word() returns the index of a word in `words`, which ends with NULL, and
 * mb_read_words() returns a bit for each word in the list. If `words` is NULL, the names of the
 * image formats are valid. If `key` is NULL, mb_read_text() reads `parent` itself. */
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

/* The member `key` of `parent` names a member of the manifest's object `map`: returns its index
 * there; UINT32_MAX if `key` is absent. */
uint32_t mb_read_member(struct mb_reader *reader, const struct cJSON *parent, const char *key,
                        const char *map);

/* A number, or an expression that has a finite value. */
double mb_read_value(struct mb_reader *reader, const struct cJSON *node);

/* The module of a member of "shaders" whose choices are made; compiled the first time, then
 * kept. Failures are MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_manifest_module(struct mb_reader *reader,
                                                const struct cJSON *shader,
                                                const struct mb_spirv **spirv);
