/* One walk along the tables of keys: through every branch to check a manifest, or by one choice
 * to read it. */
#include "kernel/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/text.h"

#define MAX_VARIANTS 4096u
#define MAX_MEMBERS  256u
#define MAX_NAMES    64
#define MAX_BRANCHES 6u /* one within another, and names of values */

struct walk {
    const struct mb_pick *pick;
    const struct mb_manifest *manifest;
    bool is_check;        /* through every branch; nothing is stored */
    bool is_by_parameter; /* nothing else can choose here */
    unsigned n_branches;
    struct mb_err *err;
};

#define BLAME(node, ...) MB_BLAME(walk->manifest, node, walk->err, __VA_ARGS__)
#define BLAME_IF(is_wrong, node, ...)                                                          \
    MB_BLAME_IF(is_wrong, walk->manifest, node, walk->err, __VA_ARGS__)

static enum mb_status read_value(struct walk *walk, const struct mb_key *key, const cJSON *node,
                                 void *out);

/* ---- Choices */

/* The branch that `by` stands for. */
static const char *chosen_value(const struct mb_pick *pick, const char *by, char number[16])
{
    const struct mb_param *params = pick->manifest->params;
    for (size_t i = 0; params[i].name; i++) {
        if (strcmp(params[i].name, by) == 0) {
            return params[i].values[pick->params ? pick->params->choice[i] : 0];
        }
    }
    snprintf(number, 16, "%u", pick->subgroup_size);
    return strcmp(by, "format") == 0   ? pick->format ? pick->format->name : ""
           : strcmp(by, "reduce") == 0 ? mb_reduce_names[pick->reduce]
           : strcmp(by, "alpha") == 0  ? mb_alpha_name(pick->alpha)
                                       : number;
}

enum mb_status mb_pick_branch(const struct mb_pick *pick, const cJSON *node,
                              const cJSON **picked, struct mb_err *err)
{
    const char *by;
    for (*picked = node; (by = mb_json_read_string(*picked, "by")) != NULL;) {
        char number[16];
        const char *value = chosen_value(pick, by, number);
        const cJSON *branch = cJSON_GetObjectItemCaseSensitive(*picked, value);
        branch = branch ? branch : mb_json_get(*picked, "*");
        MB_BLAME_IF(!branch, pick->manifest, *picked, err,
                    "there is no branch for %s, and none for \"*\"", value);
        *picked = branch;
    }
    return MB_OK;
}

const cJSON *mb_pick(const struct mb_pick *pick, const cJSON *parent, const char *key)
{
    const cJSON *picked;
    struct mb_err ignored;
    return mb_pick_branch(pick, mb_json_get(parent, key), &picked, &ignored) == MB_OK ? picked
                                                                                      : NULL;
}

const char *mb_pick_text(const struct mb_pick *pick, const cJSON *node)
{
    return mb_json_read_string(mb_pick(pick, node, NULL), NULL);
}

/* ---- Names */

static void add_name(struct mb_names *names, struct mb_named_value name)
{
    if (names->scope.n_names < MB_MAX_NAMED) {
        names->of[names->scope.n_names++] = name;
    }
}

void mb_names_init(struct mb_names *names, const struct mb_pick *pick,
                   const struct mb_layout *layout, const struct mb_kernel_step *step,
                   const uint64_t *addresses)
{
    const struct mb_kernel_step none = {0}, *s = step ? step : &none;
    const int64_t values[] = {layout->base.width,
                              layout->base.height,
                              layout->n_layers,
                              layout->n_levels,
                              layout->format->texel_bytes,
                              pick->subgroup_size,
                              s->source_level,
                              s->source_level + 1,
                              s->n_levels,
                              s->source_level + s->n_levels,
                              (int64_t)layout->n_levels - 1 - s->source_level};
    const struct mb_manifest *manifest = pick->manifest;
    const cJSON *own = mb_json_get(manifest->json.root, "names");
    names->scope = (struct mb_scope){.names = names->of, .layout = layout};
    for (size_t i = 0; i < (step ? MB_COUNTOF(values) : mb_n_chain_names); i++) {
        add_name(names,
                 (struct mb_named_value){mb_expression_names[i], mb_integer(values[i]), NULL});
    }
    for (own = own ? own->child : NULL; own; own = own->next) {
        const cJSON *node = mb_pick(pick, own, NULL);
        struct mb_value value;
        struct mb_err ignored;
        if (cJSON_IsString(node)) {
            add_name(names,
                     (struct mb_named_value){.name = own->string, .text = node->valuestring});
        } else if (cJSON_IsNumber(node) &&
                   mb_read_value(pick, node, &value, &ignored) == MB_OK) {
            add_name(names, (struct mb_named_value){own->string, value, NULL});
        }
    }
    for (size_t i = 0; addresses && i < manifest->buffers.n; i++) {
        add_name(names, (struct mb_named_value){manifest->buffers.items[i],
                                                mb_integer((int64_t)addresses[i]), NULL});
    }
}

/* Of an object's members, or of a list of choices; at most MAX_MEMBERS. */
struct words {
    const char *of[MAX_MEMBERS];
    size_t n;
};

static void add_members(struct words *words, const cJSON *object)
{
    for (const cJSON *member = cJSON_IsObject(object) ? object->child : NULL;
         member && words->n < MAX_MEMBERS; member = member->next) {
        words->of[words->n++] = member->string;
    }
}

static void add_choices(struct words *words, const struct mb_key *key)
{
    for (size_t i = 0; key->choices ? key->choices[i] != NULL : i < mb_format_count; i++) {
        words->of[words->n++] = key->choices ? key->choices[i] : mb_formats[i].name;
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

/* Say that a word is unknown, and which is meant. */
static enum mb_status fail_word(const struct walk *walk, const cJSON *node, const char *what,
                                const char *word, const struct words *words)
{
    MB_FAIL(walk->err, MB_ERRC_INPUT, "%s '%.63s'", what, word);
    mb_err_hint_nearest(walk->err, word, words->of, words->n, NULL);
    return mb_manifest_blame(walk->manifest, node, walk->err);
}

/* ---- Numbers */

/* Blame an expression for its value, which depends on the image. */
static enum mb_status blame_value(const struct mb_pick *pick, const cJSON *node,
                                  struct mb_err *err)
{
    if (pick->scope && cJSON_IsString(node)) {
        const size_t n = strlen(err->text);
        snprintf(err->text + n, sizeof err->text - n, ", for %ux%u",
                 pick->scope->layout->base.width, pick->scope->layout->base.height);
    }
    return mb_manifest_blame(pick->manifest, node, err);
}

enum mb_status mb_read_value(const struct mb_pick *pick, const cJSON *parent,
                             struct mb_value *value, struct mb_err *err)
{
    const cJSON *node;
    MB_DO(mb_pick_branch(pick, parent, &node, err));
    if (cJSON_IsNumber(node)) {
        const double number = node->valuedouble;
        const bool is_integer =
            number >= -9e15 && number <= 9e15 && number == (double)(int64_t)number;
        *value = is_integer ? mb_integer((int64_t)number) : mb_real(number);
        return MB_OK;
    }
    MB_BLAME_IF(!cJSON_IsString(node), pick->manifest, parent, err, "expected a number");
    return mb_evaluate(node->valuestring, pick->scope, value, err) == MB_OK
               ? MB_OK
               : blame_value(pick, node, err);
}

/* The largest value of a key. */
static enum mb_status read_most(const struct walk *walk, const struct mb_key *key,
                                int64_t *most)
{
    struct mb_value value = mb_integer(key->most);
    if (key->most_of) {
        MB_DO(mb_evaluate(key->most_of, walk->pick->scope, &value, walk->err));
    }
    *most = value.integer;
    return MB_OK;
}

static enum mb_status read_integer(const struct walk *walk, const struct mb_key *key,
                                   const cJSON *node, int64_t *out)
{
    struct mb_value value;
    int64_t most;
    MB_DO(mb_read_value(walk->pick, node, &value, walk->err));
    MB_DO(read_most(walk, key, &most));
    if (value.is_float || value.integer < key->least || value.integer > most) {
        const double real = mb_value_real(value);
        MB_FAIL(walk->err, MB_ERRC_INPUT, "%s%s is not an integer from %lld to %lld",
                mb_number_text(real).s,
                value.is_float && real == floor(real) ? ", a float," : "",
                (long long)key->least, (long long)most);
        return blame_value(walk->pick, mb_pick(walk->pick, node, NULL), walk->err);
    }
    *out = value.integer;
    return MB_OK;
}

static enum mb_status read_real(const struct walk *walk, const cJSON *node, bool is_when,
                                double *out)
{
    struct mb_scope scope = *walk->pick->scope;
    struct mb_pick pick = *walk->pick;
    struct mb_value value;
    scope.wants_float = !is_when;
    pick.scope = &scope;
    MB_DO(mb_read_value(&pick, node, &value, walk->err));
    *out = mb_value_real(value);
    BLAME_IF(!is_when && !(*out > 0.0), node, "expected a bound above 0");
    return MB_OK;
}

static enum mb_status add_number(const struct walk *walk, const struct mb_key *key,
                                 const cJSON *node, struct mb_numbers *out)
{
    BLAME_IF(out->n == MB_MAX_LEVELS, node, "a list has at most %u numbers", MB_MAX_LEVELS);
    return read_integer(walk, key, node, &out->of[out->n++]);
}

static enum mb_status read_numbers(const struct walk *walk, const struct mb_key *key,
                                   const cJSON *node, struct mb_numbers *out)
{
    struct mb_range_keys range;
    if (cJSON_IsObject(node)) {
        MB_DO(mb_read(walk->pick, mb_range_keys, node, &range, walk->err));
        for (int64_t i = range.first; i <= range.last; i++) {
            out->of[out->n++] = i;
        }
        BLAME_IF(out->n == 0, node, "there are no levels in it");
        return MB_OK;
    }
    for (const cJSON *child = node->child; child; child = child->next) {
        MB_DO(add_number(walk, key, child, out));
    }
    return MB_OK;
}

/* By names that have some values. */
static enum mb_status check_expression(const struct walk *walk, const struct mb_key *key,
                                       const cJSON *node)
{
    static const uint64_t addresses[MB_MAX_KERNEL_BUFFERS];
    static const struct mb_kernel_step step = {.n_levels = 1};
    struct mb_layout layout;
    struct mb_names names;
    if (cJSON_IsNumber(node)) {
        return MB_OK;
    }
    BLAME_IF(!cJSON_IsString(node), node, "expected a number or an expression in quotes");
    mb_layout_init(&layout, &mb_formats[0], (struct mb_extent){64, 64}, 1, 7);
    mb_names_init(&names, walk->pick, &layout, key->scope == MB_SCOPE_CHAIN ? NULL : &step,
                  key->scope == MB_SCOPE_CONTENT ? addresses : NULL);
    const cJSON *own = mb_json_get(walk->manifest->json.root, "names");
    for (own = own ? own->child : NULL; own; own = own->next) {
        add_name(&names, (struct mb_named_value){.name = own->string}); /* a choice */
    }
    return mb_expression_check(node->valuestring, &names.scope, walk->err) == MB_OK
               ? MB_OK
               : mb_manifest_blame(walk->manifest, node, walk->err);
}

/* ---- Objects and lists */

static void *place_of(const struct mb_key *key, void *out)
{
    return out && key->at > 0 ? (char *)out + key->at - 1 : NULL;
}

/* An object, without a key twice. */
static enum mb_status check_members(const struct walk *walk, const cJSON *node)
{
    size_t n = 0;
    BLAME_IF(!cJSON_IsObject(node), node, "expected an object");
    for (const cJSON *member = node->child; member; member = member->next) {
        BLAME_IF(++n > MAX_MEMBERS, member, "too many members");
        for (const cJSON *other = node->child; other != member; other = other->next) {
            BLAME_IF(strcmp(other->string, member->string) == 0, member, "duplicate key");
        }
    }
    return MB_OK;
}

static enum mb_status check_keys(const struct walk *walk, const struct mb_key *keys,
                                 const cJSON *node)
{
    struct words words = {.n = 0};
    MB_DO(check_members(walk, node));
    for (const struct mb_key *key = keys; key->name; key++) {
        words.of[words.n++] = key->name;
        BLAME_IF(key->is_required && !mb_json_get(node, key->name), node,
                 "the key \"%s\" is missing", key->name);
    }
    for (const cJSON *member = node->child; member; member = member->next) {
        if (find(&words, member->string) == words.n) {
            return fail_word(walk, member, "unknown key", member->string, &words);
        }
    }
    return MB_OK;
}

/* What is stored for an absent key. */
static enum mb_status store_default(const struct walk *walk, const struct mb_key *key,
                                    void *out)
{
    switch (key->kind) {
    case MB_KEY_NUMBER:
        if (key->shape == MB_KEY_ONE) {
            *(int64_t *)out = key->otherwise;
            return key->most_of ? read_most(walk, key, out) : MB_OK;
        }
        return MB_OK;
    case MB_KEY_CHOICE:
        *(uint32_t *)out = (uint32_t)key->otherwise;
        return MB_OK;
    case MB_KEY_WHEN:
        *(double *)out = 1.0;
        return MB_OK;
    default:
        return MB_OK; /* zero, as all is from the beginning */
    }
}

/* `out` is zeroed by then. */
static enum mb_status read_keys(struct walk *walk, const struct mb_key *keys, const cJSON *node,
                                void *out)
{
    MB_DO(walk->is_check ? check_keys(walk, keys, node) : MB_OK);
    for (const struct mb_key *key = keys; key->name; key++) {
        const cJSON *member = node ? mb_json_get(node, key->name) : NULL;
        void *place = place_of(key, out);
        const bool was_by_parameter = walk->is_by_parameter;
        walk->is_by_parameter = was_by_parameter || key->is_by_parameter;
        if (key->kind == MB_KEY_OBJECT && key->shape == MB_KEY_ONE && place) {
            *(bool *)place = member != NULL;
            MB_DO(read_keys(walk, key->keys, member ? mb_pick(walk->pick, member, NULL) : NULL,
                            out));
        } else if (member && (walk->is_check || place)) {
            MB_DO(read_value(walk, key, member, place));
        } else if (place) {
            MB_DO(store_default(walk, key, place));
        }
        walk->is_by_parameter = was_by_parameter;
        if (key->kind == MB_KEY_WHEN && place && *(double *)place == 0.0) {
            return MB_OK;
        }
    }
    return MB_OK;
}

/* The elements of a list, or members of any name. */
static enum mb_status check_each(struct walk *walk, const struct mb_key *key, const cJSON *node)
{
    struct mb_key each = *key;
    each.shape = MB_KEY_ONE;
    each.is_fixed = false;
    BLAME_IF(key->shape == MB_KEY_LIST && !cJSON_IsArray(node), node,
             "expected a list, such as [...]");
    BLAME_IF(key->shape == MB_KEY_LIST && key->kind == MB_KEY_CHOICE && !node->child, node,
             "the list is empty");
    MB_DO(key->shape == MB_KEY_MAP ? check_members(walk, node) : MB_OK);
    for (const cJSON *child = node->child; child; child = child->next) {
        MB_DO(read_value(walk, &each, child, NULL));
    }
    return MB_OK;
}

/* ---- {"by": ...} */

static const char *const choosers[] = {"format", "reduce", "alpha", "subgroup_size"};

/* The values that "by" chooses among. */
static void list_values(const struct walk *walk, const char *by, struct words *words)
{
    static const char *const sizes[] = {"4", "8", "16", "32", "64", "128"};
    const size_t n_values[] = {mb_format_count, MB_N_REDUCES, MB_N_ALPHAS, MB_COUNTOF(sizes)};
    size_t kind = 0;
    for (const struct mb_param *param = walk->manifest->params; param->name; param++) {
        for (size_t i = 0; strcmp(param->name, by) == 0 && param->values[i]; i++) {
            words->of[words->n++] = param->values[i];
        }
    }
    while (kind < MB_COUNTOF(choosers) && strcmp(choosers[kind], by) != 0) {
        kind++;
    }
    if (words->n > 0 || walk->is_by_parameter || kind == MB_COUNTOF(choosers)) {
        return;
    }
    for (uint32_t i = 0; i < n_values[kind]; i++) {
        words->of[words->n++] = kind == 0   ? mb_formats[i].name
                                : kind == 1 ? mb_reduce_names[i]
                                : kind == 2 ? mb_alpha_name((enum mb_alpha)i)
                                            : sizes[i];
    }
}

static enum mb_status fail_by(const struct walk *walk, const cJSON *by)
{
    struct words words = {.n = 0};
    for (const struct mb_param *p = walk->manifest->params; p->name; p++) {
        words.of[words.n++] = p->name;
    }
    for (size_t i = 0; i < MB_COUNTOF(choosers) && !walk->is_by_parameter; i++) {
        words.of[words.n++] = choosers[i];
    }
    BLAME_IF(words.n == 0, by, "nothing can choose here: there are no \"parameters\"");
    return fail_word(walk, by, "nothing is chosen by", by->valuestring, &words);
}

static enum mb_status check_branches(struct walk *walk, const struct mb_key *key,
                                     const cJSON *node, const cJSON *by)
{
    struct words words = {.n = 0};
    BLAME_IF(key->is_fixed, by, "nothing can choose here");
    BLAME_IF(!cJSON_IsString(by), by,
             "expected the name of a parameter, format, reduce, alpha "
             "or subgroup_size");
    list_values(walk, by->valuestring, &words);
    if (words.n == 0) {
        return fail_by(walk, by);
    }
    for (const cJSON *branch = node->child; branch; branch = branch->next) {
        if (branch == by) {
            continue;
        }
        if (strcmp(branch->string, "*") != 0 && find(&words, branch->string) == words.n) {
            return fail_word(walk, branch, "no value of it is", branch->string, &words);
        }
        MB_DO(read_value(walk, key, branch, NULL));
    }
    return MB_OK;
}

/* ---- Every kind */

/* One of the names that a key, or a part of the manifest, has. */
static enum mb_status read_word(const struct walk *walk, const struct mb_key *key,
                                const cJSON *node, size_t *index)
{
    const cJSON *root = walk->manifest->json.root;
    struct words words = {.n = 0};
    BLAME_IF(!cJSON_IsString(node), node, "expected a name in quotes");
    if (key->kind == MB_KEY_CHOICE) {
        add_choices(&words, key);
    } else {
        add_members(&words,
                    mb_json_get(root, key->kind == MB_KEY_SHADER ? "shaders" : "buffers"));
    }
    *index = find(&words, node->valuestring);
    return *index < words.n ? MB_OK
                            : fail_word(walk, node,
                                        key->kind == MB_KEY_CHOICE   ? "unknown name"
                                        : key->kind == MB_KEY_SHADER ? "\"shaders\" has no"
                                                                     : "\"buffers\" has no",
                                        node->valuestring, &words);
}

static enum mb_status check_kind(struct walk *walk, const struct mb_key *key, const cJSON *node)
{
    struct mb_key list = *key;
    size_t ignored;
    list.shape = MB_KEY_LIST;
    switch (key->kind) {
    case MB_KEY_ANY:
        return check_members(walk, node);
    case MB_KEY_DEFINE:
        BLAME_IF(!cJSON_IsString(node) && !cJSON_IsNumber(node) && !cJSON_IsNull(node), node,
                 "expected a number, a text or null");
        return MB_OK;
    case MB_KEY_TEXT:
        BLAME_IF(!cJSON_IsString(node) || node->valuestring[0] == '\0', node,
                 "expected a text in quotes");
        return MB_OK;
    case MB_KEY_BOOLEAN:
        BLAME_IF(!cJSON_IsBool(node), node, "expected true or false");
        return MB_OK;
    case MB_KEY_CHOICE:
    case MB_KEY_SHADER:
    case MB_KEY_BUFFER:
        return read_word(walk, key, node, &ignored);
    case MB_KEY_RANGE:
        if (cJSON_IsObject(node)) {
            return read_keys(walk, mb_range_keys, node, NULL);
        }
        list.kind = MB_KEY_NUMBER;
        return check_each(walk, &list, node);
    case MB_KEY_OBJECT:
        return read_keys(walk, key->keys, node, NULL);
    case MB_KEY_VALUE:
        list.kind = MB_KEY_REAL;
        return cJSON_IsArray(node) ? check_each(walk, &list, node)
                                   : check_expression(walk, key, node);
    default:
        return check_expression(walk, key, node);
    }
}

static enum mb_status store_bits(const struct walk *walk, const struct mb_key *key,
                                 const cJSON *node, uint32_t *out)
{
    for (const cJSON *child = node->child; child; child = child->next) {
        const cJSON *own;
        size_t index;
        MB_DO(mb_pick_branch(walk->pick, child, &own, walk->err));
        MB_DO(read_word(walk, key, own, &index));
        *out |= UINT32_C(1) << index;
    }
    return MB_OK;
}

static enum mb_status store(const struct walk *walk, const struct mb_key *key,
                            const cJSON *node, void *out)
{
    const bool is_list = key->shape == MB_KEY_LIST;
    size_t index;
    if (key->kind == MB_KEY_RANGE || (key->kind == MB_KEY_NUMBER && is_list)) {
        return read_numbers(walk, key, node, out);
    }
    if (key->kind == MB_KEY_CHOICE && is_list) {
        return store_bits(walk, key, node, out);
    }
    if (key->shape != MB_KEY_ONE) {
        *(const cJSON **)out = node;
        return MB_OK;
    }
    switch (key->kind) {
    case MB_KEY_BOOLEAN:
        *(bool *)out = cJSON_IsTrue(node);
        return MB_OK;
    case MB_KEY_CHOICE:
        MB_DO(read_word(walk, key, node, &index));
        *(uint32_t *)out = (uint32_t)index;
        return MB_OK;
    case MB_KEY_REAL:
    case MB_KEY_WHEN:
        return read_real(walk, node, key->kind == MB_KEY_WHEN, out);
    case MB_KEY_NUMBER:
        return read_integer(walk, key, node, out);
    default:
        *(const char **)out = node->valuestring;
        return MB_OK;
    }
}

/* Check a value, or store it at `out`. */
static enum mb_status read_value(struct walk *walk, const struct mb_key *key, const cJSON *node,
                                 void *out)
{
    const cJSON *by = mb_json_get(node, "by");
    if (walk->is_check && by) {
        BLAME_IF(++walk->n_branches > MAX_BRANCHES, node,
                 "too many choices within one another");
        MB_DO(check_branches(walk, key, node, by));
        walk->n_branches--;
        return MB_OK;
    }
    const cJSON *picked;
    MB_DO(mb_pick_branch(walk->pick, node, &picked, walk->err));
    if (key->shape != MB_KEY_ONE && cJSON_IsString(picked)) {
        const cJSON *names = mb_json_get(walk->manifest->json.root, "names");
        struct words words = {.n = 0};
        BLAME_IF(++walk->n_branches > MAX_BRANCHES, node, "names name each other");
        add_members(&words, names);
        const char *what = key->shape == MB_KEY_LIST
                               ? "expected a list, such as [...], or a member of \"names\", not"
                               : "expected an object or a member of \"names\", not";
        BLAME_IF(words.n == 0, picked, "%s '%.63s'", what, picked->valuestring);
        if (find(&words, picked->valuestring) == words.n) {
            return fail_word(walk, picked, what, picked->valuestring, &words);
        }
        MB_DO(read_value(walk, key, mb_json_get(names, picked->valuestring), out));
        walk->n_branches--;
        return MB_OK;
    }
    return !walk->is_check            ? store(walk, key, picked, out)
           : key->shape != MB_KEY_ONE ? check_each(walk, key, picked)
                                      : check_kind(walk, key, picked);
}

enum mb_status mb_read(const struct mb_pick *pick, const struct mb_key *keys, const cJSON *node,
                       void *out, struct mb_err *err)
{
    struct walk walk = {.pick = pick, .manifest = pick->manifest, .err = err};
    return read_keys(&walk, keys, mb_pick(pick, node, NULL), out);
}

/* ---- What tables do not say */

static enum mb_status check_features(const struct walk *walk, const cJSON *node)
{
    for (const cJSON *child = node ? node->child : NULL; child; child = child->next) {
        const bool is_by = child->string && strcmp(child->string, "by") == 0;
        if (cJSON_IsString(child) && !is_by && !mb_features_is_known(child->valuestring)) {
            const char *names[MAX_MEMBERS];
            MB_FAIL(walk->err, MB_ERRC_INPUT,
                    "'%.80s' is not a feature or extension that mipbench knows",
                    child->valuestring);
            mb_err_hint_nearest(walk->err, child->valuestring, names,
                                mb_features_list(names, MAX_MEMBERS),
                                "they are spelt as in Vulkan's specification");
            return mb_manifest_blame(walk->manifest, child, walk->err);
        }
        MB_DO(check_features(walk, child));
    }
    return MB_OK;
}

/* Expressions that have names; lists and objects are checked where they are used. */
static enum mb_status check_named(struct walk *walk, const cJSON *map)
{
    const struct mb_key key = {.kind = MB_KEY_REAL, .scope = MB_SCOPE_CONTENT};
    BLAME_IF(map && !cJSON_IsObject(map), map, "expected an object");
    BLAME_IF(map && cJSON_GetArraySize(map) > MAX_NAMES, map, "at most %d names", MAX_NAMES);
    for (const cJSON *member = map ? map->child : NULL; member; member = member->next) {
        for (size_t i = 0; mb_expression_names[i]; i++) {
            BLAME_IF(strcmp(member->string, mb_expression_names[i]) == 0, member,
                     "the name has a meaning already");
        }
        MB_DO(cJSON_IsString(member) ? read_value(walk, &key, member, NULL) : MB_OK);
    }
    return MB_OK;
}

/* Longer labels would be cut in tables and files. */
static enum mb_status check_label(const struct walk *walk)
{
    const cJSON *root = walk->manifest->json.root;
    const char *name = mb_json_read_string(root, "name");
    size_t n_bytes = strlen(name), n_variants = 1;
    BLAME_IF(!mb_is_kernel_name(name, true) || strcmp(name, "all") == 0,
             mb_json_get(root, "name"),
             "a name has at most 40 small letters, digits and '-', and is not 'all'");
    for (const struct mb_param *param = walk->manifest->params; param->name; param++) {
        size_t longest = 0, n_values = 0;
        for (; param->values[n_values]; n_values++) {
            const size_t n = strlen(param->values[n_values]);
            longest = n > longest ? n : longest;
        }
        n_variants *= n_values;
        n_bytes += 2 + strlen(param->name) + longest;
        BLAME_IF(n_variants > MAX_VARIANTS || n_bytes >= MB_MAX_KERNEL_LABEL,
                 mb_json_get(root, "parameters"),
                 "a manifest has at most %u variants, and %u letters in its name with all "
                 "parameters",
                 MAX_VARIANTS, MB_MAX_KERNEL_LABEL);
    }
    return MB_OK;
}

enum mb_status mb_manifest_check(const struct mb_manifest *manifest, struct mb_err *err)
{
    const struct mb_pick pick = {.manifest = manifest};
    struct walk state = {.pick = &pick, .manifest = manifest, .is_check = true, .err = err};
    struct walk *walk = &state;
    const cJSON *root = manifest->json.root;
    BLAME_IF(!mb_json_get(root, "mipbench_kernel"), root,
             "the key \"mipbench_kernel\": 1 is missing");
    BLAME_IF(mb_json_read_number(root, "mipbench_kernel") != 1.0,
             mb_json_get(root, "mipbench_kernel"), "this program reads version 1");
    MB_DO(check_named(walk, mb_json_get(root, "names")));
    MB_DO(read_keys(walk, mb_manifest_keys, root, NULL));
    MB_DO(check_label(walk));
    return check_features(walk, mb_json_get(mb_json_get(root, "requires"), "features"));
}
