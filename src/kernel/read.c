/* Reads values of a manifest. */
#include "kernel/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MAX_WAY       200u /* bytes of the path of a node, in a message */
#define N_GIVEN_NAMES 11u  /* names that an image and a step give */

static const char *const range_keys[] = {"first", "last", NULL};

const char *const mb_kernel_reduces[] = {"avg", "min", "max", NULL};

/* ---- Errors */

/* Append the path from a tree's root to a node, "dispatches[0].groups"; false if not in it. */
static bool find_way(const cJSON *tree, const cJSON *node, char way[MAX_WAY])
{
    const size_t n = strlen(way);
    size_t index = 0;
    for (const cJSON *child = tree->child; child && tree != node; child = child->next) {
        if (cJSON_IsArray(tree)) {
            snprintf(way + n, MAX_WAY - n, "[%zu]", index++);
        } else {
            snprintf(way + n, MAX_WAY - n, "%s%.80s", n > 0 ? "." : "", child->string);
        }
        if (find_way(child, node, way)) {
            return true;
        }
        way[n] = '\0';
    }
    return tree == node;
}

enum mb_status mb_reader_blame(struct mb_reader *r, const cJSON *node)
{
    if (r->status == MB_OK) {
        const struct mb_err why = *r->err;
        char way[MAX_WAY] = "";
        find_way(r->root, node, way);
        MB_FAIL(r->err, why.code, "%.200s: %s%s%s", r->manifest->file.path, way,
                way[0] != '\0' ? ": " : "", why.text);
        mb_err_hint(r->err, "%s", why.hint);
        r->status = MB_FAILED;
    }
    return r->status;
}

/* ---- Words */

void mb_words_add(struct mb_words *words, const char *word)
{
    if (words->n < MB_MAX_WORDS) {
        words->of[words->n++] = word;
    }
}

static size_t find(const struct mb_words *words, const char *word)
{
    size_t i = 0;
    while (i < words->n && strcmp(words->of[i], word) != 0) {
        i++;
    }
    return i;
}

size_t mb_words_find(struct mb_reader *r, const cJSON *node, const char *what, const char *word,
                     const struct mb_words *words)
{
    const size_t i = find(words, word);
    if (i == words->n && r->status == MB_OK) {
        MB_FAIL(r->err, MB_ERRC_INPUT, "%s '%.63s'", what, word);
        mb_err_hint_nearest(r->err, word, words->of, words->n, NULL);
        mb_reader_blame(r, node);
    }
    return i;
}

/* ---- Choices */

/* Add a NULL-terminated list, or if `list` is NULL the names of the formats. */
static void add_words(struct mb_words *words, const char *const *list)
{
    for (size_t i = 0; list ? list[i] != NULL : i < mb_format_count; i++) {
        mb_words_add(words, list ? list[i] : mb_formats[i].name);
    }
}

static void add_members(struct mb_words *words, const cJSON *object)
{
    for (const cJSON *member = cJSON_IsObject(object) ? object->child : NULL; member;
         member = member->next) {
        mb_words_add(words, member->string);
    }
}

/* List the values of `by`, and return the chosen one. If `words` stays empty, `by` is not a
 * choice. */
static const char *list_values(const struct mb_reader *r, const char *by,
                               struct mb_words *words)
{
    static const char *const sizes[] = {"4", "8", "16", "32", "64", "128", NULL};
    const struct mb_pick *pick = r->pick;
    const struct mb_param *params = r->manifest->params;
    size_t chosen = 0;
    for (size_t i = 0; params[i].name; i++) {
        if (strcmp(params[i].name, by) == 0) {
            add_words(words, params[i].values);
            return words->of[pick->params.choice[i]];
        }
    }
    if (pick->format && strcmp(by, "format") == 0) {
        add_words(words, NULL);
        chosen = (size_t)(pick->format - mb_formats);
    } else if (pick->format && strcmp(by, "reduce") == 0) {
        add_words(words, mb_kernel_reduces);
        chosen = pick->reduce;
    } else if (pick->format && strcmp(by, "subgroup_size") == 0) {
        add_words(words, sizes);
        chosen = find(words, mb_text("%u", pick->subgroup_size).s);
    }
    return chosen < words->n ? words->of[chosen] : "any other";
}

/* The chosen branch of an object that has "by". */
static const cJSON *choose(struct mb_reader *r, const cJSON *node, const cJSON *by)
{
    struct mb_words words = {.n = 0};
    const char *value = cJSON_IsString(by) ? list_values(r, by->valuestring, &words) : "none";
    if (words.n == 0) {
        MB_REFUSE(r, by, "expected a parameter%s",
                  r->pick->format ? ", \"format\", \"reduce\" or \"subgroup_size\"" : "");
        return NULL;
    }
    mb_words_add(&words, "*");
    for (const cJSON *branch = node->child; branch; branch = branch->next) {
        if (branch != by) {
            mb_words_find(r, branch, "unknown value", branch->string, &words);
        }
    }
    const cJSON *chosen = cJSON_GetObjectItemCaseSensitive(node, value);
    const cJSON *other = cJSON_GetObjectItemCaseSensitive(node, "*");
    if (!chosen && !other) {
        MB_REFUSE(r, node, "no branch for %s, and none for \"*\"", value);
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

static void set_name(struct mb_reader *r, const char *name, double value)
{
    struct mb_scope *scope = &r->scope;
    size_t i = 0;
    while (i < scope->n_names && strcmp(scope->names[i].name, name) != 0) {
        i++;
    }
    if (i < MB_MAX_NAMES) {
        scope->names[i].name = name;
        scope->names[i].value = value;
        scope->n_names = i < scope->n_names ? scope->n_names : i + 1;
    }
}

void mb_reader_init(struct mb_reader *r, const struct mb_pick *pick,
                    const struct mb_layout *layout, struct mb_err *err)
{
    const struct mb_manifest *manifest = pick->params.self;
    *r = (struct mb_reader){.pick = pick,
                            .manifest = manifest,
                            .root = manifest->json.root,
                            .err = err,
                            .scope.layout = layout};
    set_name(r, "width", layout->base.width);
    set_name(r, "height", layout->base.height);
    set_name(r, "layers", layout->n_layers);
    set_name(r, "levels", layout->n_levels);
    set_name(r, "texel_bytes", layout->format->texel_bytes);
    set_name(r, "subgroup_size", pick->subgroup_size);
}

/* The value of a number or an expression; may be NaN. */
static double evaluate(struct mb_reader *r, const cJSON *node)
{
    double value = 0.0;
    if (cJSON_IsNumber(node)) {
        value = node->valuedouble;
    } else if (!cJSON_IsString(node)) {
        MB_REFUSE(r, node, "expected a number or an expression in quotes");
    } else if (mb_evaluate(node->valuestring, &r->scope, &value, r->err) != MB_OK) {
        mb_reader_blame(r, node);
    }
    return value;
}

void mb_reader_set_step(struct mb_reader *r, const struct mb_kernel_step *step)
{
    const double none = (double)NAN, source = step ? step->source_level : none;
    const double n = step && step->n_levels > 0 ? step->n_levels : none;
    set_name(r, "source_level", source);
    set_name(r, "first_level", source + 1);
    set_name(r, "n_levels", n);
    set_name(r, "last_level", source + n);
    set_name(r, "remaining", r->scope.layout->n_levels - 1 - source);
    r->scope.n_names = N_GIVEN_NAMES;
    for (const cJSON *own = mb_json_members(r->root, "names"); own; own = own->next) {
        const cJSON *node = mb_choose(r, own);
        if (node && !cJSON_IsObject(node) && !cJSON_IsArray(node)) {
            const size_t n_before = r->scope.n_names;
            set_name(r, own->string, evaluate(r, node));
            if (r->scope.n_names == n_before) {
                MB_REFUSE(r, own, "the name is taken, or there are too many names");
            }
        }
    }
}

/* ---- Numbers */

double mb_read_value(struct mb_reader *r, const cJSON *parent)
{
    const cJSON *node = mb_choose(r, parent);
    const double value = node ? evaluate(r, node) : 0.0;
    if (r->status == MB_OK && !isfinite(value)) {
        MB_REFUSE(r, node,
                  "the expression has no value here: it divides by zero, or asks for a level "
                  "or a step that is not there");
    }
    return r->status == MB_OK ? value : 0.0;
}

static uint32_t read_integer(struct mb_reader *r, const cJSON *node, uint32_t least,
                             uint32_t most)
{
    const double value = mb_read_value(r, node);
    if (r->status == MB_OK && (value < least || value > most || value != floor(value))) {
        MB_REFUSE(r, mb_choose(r, node), "%s is not an integer from %u to %u",
                  mb_number_text(value).s, least, most);
    }
    return r->status == MB_OK ? (uint32_t)value : least;
}

uint32_t mb_read_integer(struct mb_reader *r, const cJSON *parent, const char *key,
                         uint32_t least, uint32_t most, uint32_t otherwise)
{
    const cJSON *node = mb_json_get(parent, key);
    return node ? read_integer(r, node, least, most) : otherwise;
}

void mb_read_integers(struct mb_reader *r, const cJSON *parent, const char *key, uint32_t least,
                      uint32_t most, struct mb_numbers *out)
{
    const cJSON *node = get(r, parent, key);
    *out = (struct mb_numbers){0};
    if (cJSON_IsObject(node)) {
        mb_open(r, node, range_keys, 2);
        const uint32_t last = mb_read_integer(r, node, "last", least, most, 0);
        for (uint32_t i = mb_read_integer(r, node, "first", least, most, 0);
             r->status == MB_OK && i <= last && out->n < MB_MAX_LEVELS; i++) {
            out->of[out->n++] = i;
        }
        return;
    }
    for (node = mb_read_list(r, parent, key); node && r->status == MB_OK; node = node->next) {
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
    struct mb_words words = {.n = 0};
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
        mb_words_find(r, member, "unknown key", member->string, &words);
        if (cJSON_GetObjectItemCaseSensitive(node, member->string) != member) {
            MB_REFUSE(r, member, "duplicate key");
        }
    }
    return r->status == MB_OK ? node : NULL;
}

/* Read a list or an object, given in place or by the name of a member of "names". */
static const cJSON *read_named(struct mb_reader *r, const cJSON *parent, const char *key,
                               bool is_list)
{
    const cJSON *names = mb_json_get(r->root, "names");
    const cJSON *node = get(r, parent, key);
    if (cJSON_IsString(node)) {
        const cJSON *named = get(r, names, node->valuestring);
        struct mb_words words = {.n = 0};
        add_members(&words, names);
        if (!named) {
            mb_words_find(r, node,
                          mb_text("expected %s or a member of \"names\", not",
                                  is_list ? "a list" : "an object")
                              .s,
                          node->valuestring, &words);
        }
        node = named;
    }
    if (node && !(is_list ? cJSON_IsArray(node) : cJSON_IsObject(node))) {
        MB_REFUSE(r, node, "expected %s", is_list ? "a list, such as [...]" : "an object");
    }
    return r->status == MB_OK ? node : NULL;
}

const cJSON *mb_read_list(struct mb_reader *r, const cJSON *parent, const char *key)
{
    const cJSON *node = read_named(r, parent, key, true);
    return node ? node->child : NULL;
}

const cJSON *mb_read_map(struct mb_reader *r, const cJSON *parent, const char *key)
{
    return read_named(r, parent, key, false);
}

/* ---- Words */

const char *mb_read_text(struct mb_reader *r, const cJSON *parent, const char *key)
{
    const cJSON *node = key ? get(r, parent, key) : mb_choose(r, parent);
    const bool is_text = cJSON_IsString(node) && node->valuestring[0] != '\0';
    if (node && !is_text) {
        MB_REFUSE(r, node, "expected a text in quotes");
    }
    return is_text ? node->valuestring : NULL;
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
static uint32_t read_index(struct mb_reader *r, const cJSON *node, const struct mb_words *words)
{
    const char *word = mb_read_text(r, node, NULL);
    const size_t i =
        word ? mb_words_find(r, mb_choose(r, node), "unknown name", word, words) : 0;
    return r->status == MB_OK ? (uint32_t)i : 0;
}

uint32_t mb_read_word(struct mb_reader *r, const cJSON *parent, const char *key,
                      const char *const *list, uint32_t otherwise)
{
    const cJSON *node = mb_json_get(parent, key);
    struct mb_words words = {.n = 0};
    add_words(&words, list);
    return node ? read_index(r, node, &words) : otherwise;
}

uint32_t mb_read_words(struct mb_reader *r, const cJSON *parent, const char *key,
                       const char *const *list, uint32_t otherwise)
{
    const cJSON *node = mb_json_get(parent, key);
    struct mb_words words = {.n = 0};
    uint32_t bits = 0;
    add_words(&words, list);
    for (const cJSON *child = mb_read_list(r, parent, key); child; child = child->next) {
        bits |= UINT32_C(1) << read_index(r, child, &words);
    }
    if (node && bits == 0) {
        MB_REFUSE(r, node, "the list is empty");
    }
    return node ? bits : otherwise;
}

uint32_t mb_read_member(struct mb_reader *r, const cJSON *parent, const char *key,
                        const char *map)
{
    const cJSON *node = mb_json_get(parent, key);
    struct mb_words words = {.n = 0};
    add_members(&words, mb_json_get(r->root, map));
    return node ? read_index(r, node, &words) : UINT32_MAX;
}
