/* Values of a manifest as a module has them. */
#include "kernel/fill.h"

#include <string.h>

#include <cJSON.h>

#include "base/text.h"

uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i)
{
    const uint32_t k = i % member->n_components;
    return member->offset_bytes + i / member->n_components * member->stride_bytes +
           k / member->n_rows * member->column_bytes + k % member->n_rows * member->row_bytes;
}

/* An address may have its highest bit set. */
static bool is_within(int64_t value, enum mb_scalar scalar)
{
    return scalar == MB_SCALAR_U32    ? value >= 0 && value <= UINT32_MAX
           : scalar == MB_SCALAR_I32  ? value >= INT32_MIN && value <= INT32_MAX
           : scalar == MB_SCALAR_BOOL ? value == 0 || value == 1
                                      : true;
}

/* Evaluate a node as a scalar; `out` gets its bytes. */
static enum mb_status fill_scalar(const struct mb_pick *pick, const cJSON *node,
                                  enum mb_scalar scalar, unsigned char *out, struct mb_err *err)
{
    const bool is_real = scalar == MB_SCALAR_F32;
    struct mb_scope scope = *pick->scope;
    struct mb_pick own = *pick;
    struct mb_value value;
    scope.wants_float = is_real;
    own.scope = &scope;
    MB_DO(mb_read_value(&own, node, &value, err));
    const float single = (float)mb_value_real(value);
    MB_BLAME_IF(!is_real && (value.is_float || !is_within(value.integer, scalar)),
                pick->manifest, node, err, "%s is not of type %s",
                mb_number_text(mb_value_real(value)).s, mb_scalar_names[scalar]);
    /* The low half of an integer comes first. */
    memcpy(out, is_real ? (const void *)&single : (const void *)&value.integer,
           mb_scalar_bytes(scalar));
    return MB_OK;
}

/* A member: a scalar, or the list of all its components, element by element. */
static enum mb_status fill_member(const struct mb_pick *pick, const cJSON *node,
                                  const struct mb_spirv_member *member, uint32_t n_bytes,
                                  unsigned char *out, struct mb_err *err)
{
    const cJSON *list;
    MB_DO(mb_pick_branch(pick, node, &list, err));
    const uint32_t n = member->n_components * member->n_elements;
    const uint32_t n_given = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 1;
    const uint32_t n_scalar = mb_scalar_bytes(member->scalar);
    const cJSON *value = cJSON_IsArray(list) ? list->child : list;
    MB_BLAME_IF(
        member->scalar == MB_SCALAR_OTHER, pick->manifest, node, err,
        "the shader's member is a structure, or of a width that a manifest cannot fill");
    MB_BLAME_IF(n_given != n, pick->manifest, node, err,
                "the shader's member has %u values, and this %u", n, n_given);
    for (uint32_t i = 0; i < n; i++, value = value->next) {
        const uint32_t at = mb_component_at(member, i);
        MB_BLAME_IF(at > n_bytes || n_bytes - at < n_scalar, pick->manifest, node, err,
                    "the module places the member beyond its block");
        MB_DO(fill_scalar(pick, value, member->scalar, out + at, err));
    }
    return MB_OK;
}

/* Say that there is no such member or constant, and which is meant. */
static enum mb_status fail_name(const struct mb_pick *pick, const cJSON *node, const char *what,
                                const char *const *names, uint32_t n, struct mb_err *err)
{
    MB_FAIL(err, MB_ERRC_INPUT, "the %s '%.63s'", what, node->string);
    if (n > 0) {
        mb_err_hint_nearest(err, node->string, names, n, NULL);
    }
    return mb_manifest_blame(pick->manifest, node, err);
}

/* The one that a key names, or else has as its number: of `n`, numbers[i] or i; or n. */
static uint32_t find(const char *key, const char *const *names, const uint32_t *numbers,
                     uint32_t n)
{
    int64_t number;
    const bool is_number = mb_parse_int(key, 0, UINT32_MAX, &number);
    uint32_t found = n;
    for (uint32_t i = n; i-- > 0;) {
        const bool is_numbered = is_number && (numbers ? numbers[i] : i) == number;
        found = strcmp(names[i], key) == 0 || (is_numbered && found == n) ? i : found;
    }
    return found;
}

enum mb_status mb_fill_block(const struct mb_pick *pick, const cJSON *map,
                             const struct mb_spirv *spirv, const struct mb_spirv_block *block,
                             unsigned char *out, struct mb_err *err)
{
    const struct mb_spirv_member *members = &spirv->members[block->first_member];
    const char *names[MB_SPIRV_MAX_MEMBERS];
    bool is_filled[MB_SPIRV_MAX_MEMBERS] = {false};
    for (uint32_t i = 0; i < block->n_members; i++) {
        names[i] = members[i].name[0] != '\0' ? members[i].name : "its position";
    }
    for (const cJSON *node = map ? map->child : NULL; node; node = node->next) {
        const uint32_t i = find(node->string, names, NULL, block->n_members);
        if (i == block->n_members) {
            return fail_name(pick, node, "shader's block has no member", names, i, err);
        }
        MB_BLAME_IF(is_filled[i], pick->manifest, node, err, "the member is there twice");
        is_filled[i] = true;
        MB_DO(fill_member(pick, node, &members[i], block->n_bytes, out, err));
    }
    for (uint32_t i = 0; i < block->n_members; i++) {
        if (!is_filled[i]) {
            MB_FAIL(err, MB_ERRC_INPUT,
                    "member %u of the shader's block is missing: %s '%s' at byte %u of %u", i,
                    mb_scalar_names[members[i].scalar], members[i].name,
                    members[i].offset_bytes, block->n_bytes);
            /* Without a map, the caller knows a better place. */
            return map ? mb_manifest_blame(pick->manifest, map, err) : MB_FAILED;
        }
    }
    return MB_OK;
}

enum mb_status mb_fill_constants(const struct mb_pick *pick, const cJSON *map,
                                 const struct mb_spirv *spirv,
                                 struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS],
                                 uint32_t *n_constants, struct mb_err *err)
{
    const uint32_t n = spirv->shader.n_constants;
    const char *names[MB_SPIRV_MAX_CONSTANTS];
    for (uint32_t i = 0; i < n; i++) {
        names[i] = spirv->shader.constants[i].name;
    }
    *n_constants = 0;
    for (const cJSON *node = map ? map->child : NULL; node; node = node->next) {
        const uint32_t i = find(node->string, names, spirv->constant_ids, n);
        if (i == n || *n_constants == MB_SPIRV_MAX_CONSTANTS) {
            return fail_name(pick, node, "module has no specialisation constant", names, n,
                             err);
        }
        struct mb_constant *constant = &constants[(*n_constants)++];
        *constant = (struct mb_constant){.name = names[i]};
        MB_DO(fill_scalar(pick, node, spirv->constant_scalars[i],
                          (unsigned char *)&constant->value, err));
    }
    return MB_OK;
}
