/* Values of a manifest as a module has them. */
#include "kernel/fill.h"

#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/text.h"

/* Bytes of a scalar in a block. */
static uint32_t scalar_bytes(enum mb_scalar scalar)
{
    return scalar == MB_SCALAR_U64 || scalar == MB_SCALAR_I64 || scalar == MB_SCALAR_F64 ? 8
                                                                                         : 4;
}

static bool is_within(int64_t value, enum mb_scalar scalar)
{
    switch (scalar) {
    case MB_SCALAR_U32:
        return value >= 0 && value <= UINT32_MAX;
    case MB_SCALAR_I32:
        return value >= INT32_MIN && value <= INT32_MAX;
    case MB_SCALAR_BOOL:
        return value == 0 || value == 1;
    case MB_SCALAR_U64:
        return value >= 0;
    default:
        return true;
    }
}

/* Evaluate a node as a scalar; `out` gets its bytes. */
static enum mb_status fill_scalar(const struct mb_pick *pick, const cJSON *node,
                                  enum mb_scalar scalar, unsigned char *out, struct mb_err *err)
{
    const bool is_real = scalar == MB_SCALAR_F32 || scalar == MB_SCALAR_F64;
    struct mb_scope scope = *pick->scope;
    struct mb_pick own = *pick;
    struct mb_value value;
    scope.wants_float = is_real;
    own.scope = &scope;
    MB_DO(mb_pick_value(&own, node, NULL, &value, err));
    const double real = value.is_float ? value.real : (double)value.integer;
    const float single = (float)real;
    MB_BLAME_IF(!is_real && (value.is_float || !is_within(value.integer, scalar)),
                pick->manifest, node, err, "%s is not of type %s", mb_number_text(real).s,
                mb_scalar_names[scalar]);
    const void *from = scalar == MB_SCALAR_F32 ? (const void *)&single
                       : is_real               ? (const void *)&real
                                               : (const void *)&value.integer;
    memcpy(out, from, scalar_bytes(scalar)); /* the low half of an integer comes first */
    return MB_OK;
}

struct block_bytes {
    unsigned char *out;
    uint32_t n_bytes;
};

/* A member: a scalar, or the list of all its components, element by element. */
static enum mb_status fill_member(const struct mb_pick *pick, const cJSON *node,
                                  const struct mb_spirv_member *member,
                                  struct block_bytes block, struct mb_err *err)
{
    const cJSON *list = mb_pick(pick, node, NULL);
    const uint32_t n_components = member->n_components;
    const uint32_t n = n_components * member->n_elements;
    const uint32_t n_given = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 1;
    if (member->scalar == MB_SCALAR_OTHER || n_given != n) {
        MB_FAIL(
            err, MB_ERRC_INPUT,
            member->scalar == MB_SCALAR_OTHER
                ? "the shader's member is a matrix, a structure or of a width that a manifest "
                  "cannot fill"
                : "the shader's member has %u values, and this %u",
            n, n_given);
        return mb_manifest_blame(pick->manifest, node, err);
    }
    const cJSON *value = cJSON_IsArray(list) ? list->child : list;
    for (uint32_t i = 0; i < n; i++, value = value->next) {
        const uint32_t at = member->offset_bytes + i / n_components * member->stride_bytes +
                            i % n_components * scalar_bytes(member->scalar);
        MB_BLAME_IF(at > block.n_bytes || block.n_bytes - at < scalar_bytes(member->scalar),
                    pick->manifest, node, err, "the module places the member beyond its block");
        MB_DO(fill_scalar(pick, value, member->scalar, block.out + at, err));
    }
    return MB_OK;
}

/* The member of a block that a key names, or n_members. */
static uint32_t find_member(const struct mb_spirv_member *members, uint32_t n_members,
                            const char *key)
{
    int64_t position;
    for (uint32_t i = 0; i < n_members; i++) {
        if (members[i].name[0] != '\0' && strcmp(members[i].name, key) == 0) {
            return i;
        }
    }
    return mb_parse_int(key, 0, (int64_t)n_members - 1, &position) ? (uint32_t)position
                                                                   : n_members;
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

enum mb_status mb_fill_block(const struct mb_pick *pick, const cJSON *map,
                             const struct mb_spirv *spirv, const struct mb_spirv_block *block,
                             unsigned char *out, struct mb_err *err)
{
    const struct mb_spirv_member *members = &spirv->members[block->first_member];
    bool is_filled[MB_SPIRV_MAX_MEMBERS] = {false};
    for (const cJSON *node = map ? map->child : NULL; node; node = node->next) {
        const uint32_t i = find_member(members, block->n_members, node->string);
        if (i == block->n_members) {
            const char *names[MB_SPIRV_MAX_MEMBERS];
            for (uint32_t k = 0; k < i; k++) {
                names[k] = members[k].name[0] != '\0' ? members[k].name : "its position";
            }
            return fail_name(pick, node, "shader's block has no member", names, i, err);
        }
        MB_BLAME_IF(is_filled[i], pick->manifest, node, err, "the member is there twice");
        is_filled[i] = true;
        MB_DO(fill_member(pick, node, &members[i], (struct block_bytes){out, block->n_bytes},
                          err));
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

static uint32_t find_constant(const struct mb_spirv *spirv, const char *key)
{
    int64_t number;
    const bool is_number = mb_parse_int(key, 0, UINT32_MAX, &number);
    for (uint32_t i = 0; i < spirv->shader.n_constants; i++) {
        if (strcmp(spirv->shader.constants[i].name, key) == 0 ||
            (is_number && spirv->constant_ids[i] == number)) {
            return i;
        }
    }
    return UINT32_MAX;
}

enum mb_status mb_fill_constants(const struct mb_pick *pick, const cJSON *map,
                                 const struct mb_spirv *spirv,
                                 struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS],
                                 uint32_t *n_constants, struct mb_err *err)
{
    *n_constants = 0;
    for (const cJSON *node = map ? map->child : NULL; node; node = node->next) {
        const uint32_t i = find_constant(spirv, node->string);
        if (i == UINT32_MAX || *n_constants == MB_SPIRV_MAX_CONSTANTS) {
            const char *names[MB_SPIRV_MAX_CONSTANTS];
            for (uint32_t k = 0; k < spirv->shader.n_constants; k++) {
                names[k] = spirv->shader.constants[k].name;
            }
            return fail_name(pick, node, "module has no specialisation constant", names,
                             spirv->shader.n_constants, err);
        }
        struct mb_constant *constant = &constants[(*n_constants)++];
        constant->name = spirv->shader.constants[i].name;
        MB_DO(fill_scalar(pick, node, spirv->constant_scalars[i],
                          (unsigned char *)&constant->value, err));
    }
    return MB_OK;
}
