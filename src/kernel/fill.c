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
static enum mb_status fill_scalar(struct mb_reader *r, const cJSON *node, enum mb_scalar scalar,
                                  unsigned char *out)
{
    const bool is_real = scalar == MB_SCALAR_F32;
    const struct mb_value value = mb_read_value(r, node, is_real);
    const float single = (float)mb_value_real(value);
    MB_REFUSE_IF(!is_real && (value.is_float || !is_within(value.integer, scalar)), r, node,
                 "%s is not of type %s", mb_number_text(mb_value_real(value)).s,
                 mb_scalar_names[scalar]);
    /* The low half of an integer comes first. */
    memcpy(out, is_real ? (const void *)&single : (const void *)&value.integer,
           mb_scalar_bytes(scalar));
    return r->status;
}

/* A member: a scalar, or the list of all its components, element by element. */
static enum mb_status fill_member(struct mb_reader *r, const cJSON *node,
                                  const struct mb_spirv_member *member, uint32_t n_bytes,
                                  unsigned char *out)
{
    const cJSON *list = mb_choose(r, node);
    MB_DO(r->status);
    const uint32_t n = member->n_components * member->n_elements;
    const uint32_t n_given = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 1;
    const cJSON *value = cJSON_IsArray(list) ? list->child : list;
    MB_REFUSE_IF(
        member->scalar == MB_SCALAR_OTHER, r, node,
        "the shader's member is a structure, or of a width that a manifest cannot fill");
    MB_REFUSE_IF(n_given != n, r, node, "the shader's member has %u values, and this %u", n,
                 n_given);
    for (uint32_t i = 0; i < n; i++, value = value->next) {
        const uint32_t at = mb_component_at(member, i);
        MB_REFUSE_IF(at > n_bytes || n_bytes - at < mb_scalar_bytes(member->scalar), r, node,
                     "the module places the member beyond its block");
        MB_DO(fill_scalar(r, value, member->scalar, out + at));
    }
    return MB_OK;
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

enum mb_status mb_fill_block(struct mb_reader *r, const cJSON *values, const cJSON *map,
                             const struct mb_spirv *spirv, const struct mb_spirv_block *block,
                             unsigned char *out)
{
    const struct mb_spirv_member *members = &spirv->members[block->first_member];
    const char *names[MB_SPIRV_MAX_MEMBERS];
    bool is_filled[MB_SPIRV_MAX_MEMBERS] = {false};
    for (uint32_t i = 0; i < block->n_members; i++) {
        names[i] = members[i].name[0] != '\0' ? members[i].name : "its position";
    }
    for (const cJSON *node = values; node; node = node->next) {
        const uint32_t i = find(node->string, names, NULL, block->n_members);
        if (i == block->n_members) {
            return mb_refuse_word(r, node, "the shader's block has no member", node->string,
                                  names, i);
        }
        MB_REFUSE_IF(is_filled[i], r, node, "the member is there twice");
        is_filled[i] = true;
        MB_DO(fill_member(r, node, &members[i], block->n_bytes, out));
    }
    for (uint32_t i = 0; i < block->n_members; i++) {
        MB_REFUSE_IF(!is_filled[i], r, map,
                     "member %u of the shader's block is missing: %s '%s' at byte %u of %u", i,
                     mb_scalar_names[members[i].scalar], members[i].name,
                     members[i].offset_bytes, block->n_bytes);
    }
    return MB_OK;
}

enum mb_status mb_fill_constants(struct mb_reader *r, const cJSON *values,
                                 const struct mb_spirv *spirv,
                                 struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS],
                                 uint32_t *n_constants)
{
    const uint32_t n = spirv->shader.n_constants;
    const char *names[MB_SPIRV_MAX_CONSTANTS];
    for (uint32_t i = 0; i < n; i++) {
        names[i] = spirv->shader.constants[i].name;
    }
    *n_constants = 0;
    for (const cJSON *node = values; node; node = node->next) {
        const uint32_t i = find(node->string, names, spirv->constant_ids, n);
        if (i == n || *n_constants == MB_SPIRV_MAX_CONSTANTS) {
            return mb_refuse_word(r, node, "the module has no specialisation constant",
                                  node->string, names, n);
        }
        struct mb_constant *constant = &constants[(*n_constants)++];
        *constant = (struct mb_constant){.name = names[i]};
        MB_DO(fill_scalar(r, node, spirv->constant_scalars[i],
                          (unsigned char *)&constant->value));
    }
    return MB_OK;
}
