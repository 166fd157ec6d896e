/* Reads values of a manifest. */
#include "kernel/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/text.h"

#define MAX_CHOICES 6u /* one within another, and names of values */
#define MAX_WORDS   256u

static const char *const names_of_chain[] = {"width",  "height",      "layers",
                                             "levels", "texel_bytes", "subgroup_size"};
static const char *const names_of_step[] = {"source_level", "first_level", "n_levels",
                                            "last_level", "remaining"};
static const char *const range_keys[] = {"first", "last", NULL};

const char *const mb_kernel_reduces[] = {"avg", "min", "max", NULL};
const char *const mb_kernel_alphas[] = {"straight", "premultiplied", NULL};

/* ---- Errors */

enum mb_status mb_reader_blame(struct mb_reader *r, const cJSON *node)
{
    if (r->status == MB_OK) {
        r->status = mb_manifest_blame(r->pick->manifest, node, r->err);
    }
    return r->status;
}

enum mb_status mb_refuse_word(struct mb_reader *r, const cJSON *node, const char *what,
                              const char *word, const char *const *words, size_t n)
{
    if (r->status == MB_OK) {
        MB_FAIL(r->err, MB_ERRC_INPUT, "%s '%.63s'", what, word);
        mb_err_hint_nearest(r->err, word, words, n, NULL);
    }
    return mb_reader_blame(r, node);
}

/* ---- Choices */

struct words {
    const char *of[MAX_WORDS];
    size_t n;
};

static void add_word(struct words *words, const char *word)
{
    if (words->n < MAX_WORDS) {
        words->of[words->n++] = word;
    }
}

/* NULL-terminated; NULL: formats. */
static void add_words(struct words *words, const char *const *list)
{
    for (size_t i = 0; list ? list[i] != NULL : i < mb_format_count; i++) {
        add_word(words, list ? list[i] : mb_formats[i].name);
    }
}

static void add_members(struct words *words, const cJSON *object)
{
    for (const cJSON *member = cJSON_IsObject(object) ? object->child : NULL; member;
         member = member->next) {
        add_word(words, member->string);
    }
}

/* Which of the words it is; words->n: none of them. */
static size_t find(const struct words *words, const char *word)
{
    size_t i = 0;
    while (i < words->n && strcmp(words->of[i], word) != 0) {
        i++;
    }
    return i;
}

static enum mb_status refuse_word(struct mb_reader *r, const cJSON *node, const char *what,
                                  const char *word, const struct words *words)
{
    return mb_refuse_word(r, node, what, word, words->of, words->n);
}

static const char *const choosers[] = {"format", "reduce", "alpha", "subgroup_size", NULL};

/* The values that `by` chooses among, and which of them is chosen; without any: `by` is no
 * choice. */
static const char *list_values(const struct mb_pick *pick, const char *by, struct words *words)
{
    static const char *const sizes[] = {"4", "8", "16", "32", "64", "128", NULL};
    const struct mb_param *params = pick->manifest->params;
    size_t chosen = 0;
    for (size_t i = 0; params[i].name; i++) {
        if (strcmp(params[i].name, by) == 0) {
            add_words(words, params[i].values);
            return words->of[pick->params ? pick->params->choice[i] : 0];
        }
    }
    if (pick->format && strcmp(by, "format") == 0) {
        add_words(words, NULL);
        chosen = (size_t)(pick->format - mb_formats);
    } else if (pick->format && strcmp(by, "reduce") == 0) {
        add_words(words, mb_kernel_reduces);
        chosen = pick->reduce;
    } else if (pick->format && strcmp(by, "alpha") == 0) {
        add_words(words, mb_kernel_alphas);
        chosen = pick->alpha;
    } else if (pick->format && strcmp(by, "subgroup_size") == 0) {
        add_words(words, sizes);
        chosen = find(words, mb_text("%u", pick->subgroup_size).s);
    }
    return chosen < words->n ? words->of[chosen] : "any other";
}

static enum mb_status refuse_choice(struct mb_reader *r, const cJSON *by)
{
    struct words words = {.n = 0};
    for (const struct mb_param *param = r->pick->manifest->params; param->name; param++) {
        add_word(&words, param->name);
    }
    if (r->pick->format) {
        add_words(&words, choosers);
    }
    MB_REFUSE_IF(words.n == 0, r, by, "nothing can choose here: there are no \"parameters\"");
    return refuse_word(r, by, "nothing is chosen by", by->valuestring, &words);
}

/* The branch of an object that has "by". */
static const cJSON *choose(struct mb_reader *r, const cJSON *node, const cJSON *by)
{
    struct words words = {.n = 0};
    if (!cJSON_IsString(by)) {
        MB_REFUSE(r, by,
                  "expected the name of a parameter, format, reduce, alpha or subgroup_size");
        return NULL;
    }
    const char *value = list_values(r->pick, by->valuestring, &words);
    if (words.n == 0) {
        refuse_choice(r, by);
        return NULL;
    }
    const cJSON *chosen = NULL, *other = NULL;
    for (const cJSON *branch = node->child; branch; branch = branch->next) {
        const bool is_other = strcmp(branch->string, "*") == 0;
        if (branch != by && !is_other && find(&words, branch->string) == words.n) {
            refuse_word(r, branch, "no value of it is", branch->string, &words);
        }
        chosen = strcmp(branch->string, value) == 0 ? branch : chosen;
        other = is_other ? branch : other;
    }
    if (!chosen && !other) {
        MB_REFUSE(r, node, "there is no branch for %s, and none for \"*\"", value);
    }
    return chosen ? chosen : other;
}

const cJSON *mb_choose(struct mb_reader *r, const cJSON *node)
{
    for (const cJSON *by; r->status == MB_OK && (by = mb_json_get(node, "by")) != NULL;) {
        node = choose(r, node, by);
    }
    return r->status == MB_OK ? node : NULL;
}

static const cJSON *get(struct mb_reader *r, const cJSON *parent, const char *key)
{
    return mb_choose(r, mb_json_get(parent, key));
}

/* ---- Names */

bool mb_is_expression_name(const char *name)
{
    bool is_one = false;
    for (size_t i = 0; i < MB_COUNTOF(names_of_chain) + MB_COUNTOF(names_of_step); i++) {
        const size_t n = MB_COUNTOF(names_of_chain);
        is_one |= strcmp(name, i < n ? names_of_chain[i] : names_of_step[i - n]) == 0;
    }
    return is_one;
}

static void add_name(struct mb_reader *r, struct mb_named_value name)
{
    if (r->scope.n_names < MB_MAX_NAMES) {
        r->names[r->scope.n_names++] = name;
    }
}

/* A member of "names" that no branch fits has no value. */
static void add_own_names(struct mb_reader *r)
{
    const cJSON *names = mb_json_get(r->pick->manifest->json.root, "names");
    struct mb_err *err = r->err, ignored;
    r->err = &ignored;
    for (const cJSON *own = names ? names->child : NULL; own; own = own->next) {
        const cJSON *node = mb_choose(r, own);
        r->status = MB_OK;
        if (cJSON_IsString(node)) {
            add_name(r, (struct mb_named_value){own->string, .text = node->valuestring});
        } else if (cJSON_IsNumber(node)) {
            add_name(r,
                     (struct mb_named_value){own->string, mb_read_value(r, node, false), NULL});
        }
    }
    r->err = err;
}

void mb_reader_init(struct mb_reader *r, const struct mb_pick *pick,
                    const struct mb_layout *layout, struct mb_err *err)
{
    *r = (struct mb_reader){.pick = pick, .err = err};
    const uint32_t values[] = {
        layout->base.width, layout->base.height,         layout->n_layers,
        layout->n_levels,   layout->format->texel_bytes, pick->subgroup_size};
    r->scope = (struct mb_scope){.names = r->names, .layout = layout};
    for (size_t i = 0; i < MB_COUNTOF(values); i++) {
        add_name(r, (struct mb_named_value){names_of_chain[i], mb_integer(values[i]), NULL});
    }
    add_own_names(r);
    r->n_chain_names = r->scope.n_names;
}

void mb_reader_set_step(struct mb_reader *r, const struct mb_kernel_step *step,
                        const uint64_t *addresses)
{
    const struct mb_strlist *buffers = &r->pick->manifest->buffers;
    const uint32_t values[] = {step->source_level, step->source_level + 1, step->n_levels,
                               step->source_level + step->n_levels,
                               r->scope.layout->n_levels - 1 - step->source_level};
    r->scope.n_names = r->n_chain_names;
    for (size_t i = 0; i < MB_COUNTOF(values); i++) {
        add_name(r, (struct mb_named_value){names_of_step[i], mb_integer(values[i]), NULL});
    }
    for (size_t i = 0; i < buffers->n; i++) {
        add_name(r, (struct mb_named_value){buffers->items[i],
                                            mb_integer((int64_t)addresses[i]), NULL});
    }
}

/* ---- Numbers */

/* Blame an expression for its value, which depends on the image. */
static void blame_value(struct mb_reader *r, const cJSON *node)
{
    if (cJSON_IsString(node)) {
        const size_t n = strlen(r->err->text);
        snprintf(r->err->text + n, sizeof r->err->text - n, ", for %ux%u",
                 r->scope.layout->base.width, r->scope.layout->base.height);
    }
    mb_reader_blame(r, node);
}

struct mb_value mb_read_value(struct mb_reader *r, const cJSON *parent, bool wants_float)
{
    const cJSON *node = mb_choose(r, parent);
    struct mb_value value = mb_integer(0);
    if (cJSON_IsNumber(node)) {
        const double number = node->valuedouble;
        const bool is_integer =
            number >= -9e15 && number <= 9e15 && number == (double)(int64_t)number;
        return is_integer ? mb_integer((int64_t)number) : mb_real(number);
    }
    r->scope.wants_float = wants_float;
    if (!cJSON_IsString(node)) {
        MB_REFUSE(r, parent, "expected a number or an expression in quotes");
    } else if (mb_evaluate(node->valuestring, &r->scope, &value, r->err) != MB_OK) {
        /* What is no expression is none for any image. */
        struct mb_err ignored;
        if (mb_expression_check(node->valuestring, &r->scope, &ignored) == MB_OK) {
            blame_value(r, node);
        } else {
            mb_reader_blame(r, node);
        }
    }
    return value;
}

static int64_t read_integer(struct mb_reader *r, const cJSON *parent, int64_t least,
                            int64_t most)
{
    const struct mb_value value = mb_read_value(r, parent, false);
    if (r->status == MB_OK &&
        (value.is_float || value.integer < least || value.integer > most)) {
        const double real = mb_value_real(value);
        MB_FAIL(r->err, MB_ERRC_INPUT, "%s%s is not an integer from %lld to %lld",
                mb_number_text(real).s,
                value.is_float && real == floor(real) ? ", a float," : "", (long long)least,
                (long long)most);
        blame_value(r, mb_choose(r, parent));
    }
    return r->status == MB_OK ? value.integer : least;
}

int64_t mb_read_integer(struct mb_reader *r, const cJSON *parent, const char *key,
                        int64_t least, int64_t most, int64_t otherwise)
{
    const cJSON *node = mb_json_get(parent, key);
    return node ? read_integer(r, node, least, most) : otherwise;
}

void mb_read_integers(struct mb_reader *r, const cJSON *parent, const char *key, int64_t least,
                      int64_t most, struct mb_numbers *out)
{
    const cJSON *node = get(r, parent, key);
    *out = (struct mb_numbers){0};
    if (cJSON_IsObject(node)) {
        mb_open(r, node, range_keys, 2);
        const int64_t last = mb_read_integer(r, node, "last", least, most, 0);
        for (int64_t i = mb_read_integer(r, node, "first", least, most, 0);
             r->status == MB_OK && i <= last && out->n < MB_MAX_LEVELS; i++) {
            out->of[out->n++] = i;
        }
        return;
    }
    for (node = mb_read_list(r, parent, key, NULL); node && r->status == MB_OK;
         node = node->next) {
        if (out->n == MB_MAX_LEVELS) {
            MB_REFUSE(r, node, "a list has at most %u numbers", MB_MAX_LEVELS);
            return;
        }
        out->of[out->n++] = read_integer(r, node, least, most);
    }
}

/* ---- Lists and objects */

const cJSON *mb_open(struct mb_reader *r, const cJSON *parent, const char *const *keys,
                     size_t n_required)
{
    const cJSON *node = mb_choose(r, parent);
    struct words words = {.n = 0};
    if (!node) {
        return NULL;
    }
    if (!cJSON_IsObject(node)) {
        MB_REFUSE(r, node, "expected an object");
    }
    add_words(&words, keys);
    for (size_t i = 0; i < n_required; i++) {
        if (!mb_json_get(node, keys[i])) {
            MB_REFUSE(r, node, "the key \"%s\" is missing", keys[i]);
        }
    }
    for (const cJSON *member = node->child; member && r->status == MB_OK;
         member = member->next) {
        if (find(&words, member->string) == words.n) {
            refuse_word(r, member, "unknown key", member->string, &words);
        }
    }
    return r->status == MB_OK ? node : NULL;
}

/* Follow the names of "names" to what is of the wanted kind. */
static const cJSON *read_children(struct mb_reader *r, const cJSON *parent, const char *key,
                                  bool is_list, const cJSON **out)
{
    const cJSON *names = mb_json_get(r->pick->manifest->json.root, "names");
    const cJSON *node = get(r, parent, key);
    const char *what = is_list ? "expected a list, such as [...], or a member of \"names\", not"
                               : "expected an object or a member of \"names\", not";
    struct words words = {.n = 0};
    add_members(&words, names);
    for (unsigned n = 0; cJSON_IsString(node); n++) {
        const char *name = node->valuestring;
        if (n == MAX_CHOICES) {
            MB_REFUSE(r, node, "names name each other");
        } else if (words.n == 0) {
            MB_REFUSE(r, node, "%s '%.63s'", what, name);
        } else if (find(&words, name) == words.n) {
            refuse_word(r, node, what, name, &words);
        }
        node = get(r, names, name);
    }
    if (node && (is_list ? !cJSON_IsArray(node) : !cJSON_IsObject(node))) {
        MB_REFUSE(r, node, is_list ? "expected a list, such as [...]" : "expected an object");
    }
    if (out) {
        *out = node;
    }
    return node && r->status == MB_OK ? node->child : NULL;
}

const cJSON *mb_read_list(struct mb_reader *r, const cJSON *parent, const char *key,
                          const cJSON **node)
{
    return read_children(r, parent, key, true, node);
}

const cJSON *mb_read_map(struct mb_reader *r, const cJSON *parent, const char *key,
                         const cJSON **node)
{
    return read_children(r, parent, key, false, node);
}

/* ---- Words */

static const char *read_text(struct mb_reader *r, const cJSON *parent, const char *what)
{
    const cJSON *node = mb_choose(r, parent);
    const bool is_text = cJSON_IsString(node) && node->valuestring[0] != '\0';
    if (parent && !is_text) {
        MB_REFUSE(r, parent, "expected a %s in quotes", what);
    }
    return is_text ? node->valuestring : NULL;
}

const char *mb_read_text(struct mb_reader *r, const cJSON *parent, const char *key)
{
    return read_text(r, key ? mb_json_get(parent, key) : parent, "text");
}

bool mb_read_flag(struct mb_reader *r, const cJSON *parent, const char *key)
{
    const cJSON *node = get(r, parent, key);
    if (node && !cJSON_IsBool(node)) {
        MB_REFUSE(r, node, "expected true or false");
    }
    return cJSON_IsTrue(node);
}

/* The index of a word in the list, or 0 if it is not in there. */
static uint32_t read_index(struct mb_reader *r, const cJSON *node, const struct words *words,
                           const char *what)
{
    const char *word = read_text(r, node, "name");
    const size_t i = word ? find(words, word) : 0;
    if (i == words->n) {
        refuse_word(r, mb_choose(r, node), what, word, words);
    }
    return r->status == MB_OK ? (uint32_t)i : 0;
}

uint32_t mb_read_word(struct mb_reader *r, const cJSON *parent, const char *key,
                      const char *const *list, uint32_t otherwise)
{
    const cJSON *node = mb_json_get(parent, key);
    struct words words = {.n = 0};
    add_words(&words, list);
    return node ? read_index(r, node, &words, "unknown name") : otherwise;
}

uint32_t mb_read_words(struct mb_reader *r, const cJSON *parent, const char *key,
                       const char *const *list, uint32_t otherwise)
{
    const cJSON *node;
    struct words words = {.n = 0};
    uint32_t bits = 0;
    add_words(&words, list);
    for (const cJSON *child = mb_read_list(r, parent, key, &node); child; child = child->next) {
        bits |= UINT32_C(1) << read_index(r, child, &words, "unknown name");
    }
    if (node && bits == 0) {
        MB_REFUSE(r, node, "the list is empty");
    }
    return node ? bits : otherwise;
}

const cJSON *mb_read_member(struct mb_reader *r, const cJSON *parent, const char *key,
                            const char *map)
{
    const cJSON *node = mb_json_get(parent, key);
    const cJSON *object = mb_json_get(r->pick->manifest->json.root, map);
    struct words words = {.n = 0};
    add_members(&words, object);
    const uint32_t i = node ? read_index(r, node, &words, mb_text("\"%s\" has no", map).s) : 0;
    return node && r->status == MB_OK ? mb_json_get(object, words.of[i]) : NULL;
}
