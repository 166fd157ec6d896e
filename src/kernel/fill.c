/* Values of a manifest as a module has them. */
#include "kernel/fill.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define MAX_EXACT 9007199254740992.0 /* 2^53: up to here doubles are exact integers */

const char *const mb_scalar_names[MB_N_SCALARS] = {
    [MB_SCALAR_U32] = "uint",  [MB_SCALAR_I32] = "int",    [MB_SCALAR_F32] = "float",
    [MB_SCALAR_BOOL] = "bool", [MB_SCALAR_U64] = "uint64", [MB_SCALAR_OTHER] = "other",
};

uint32_t mb_scalar_bytes(enum mb_scalar scalar)
{
    return scalar == MB_SCALAR_U64 ? 8 : 4;
}

uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i)
{
    const uint32_t k = i % member->n_components;
    return member->offset_bytes + i / member->n_components * member->stride_bytes +
           k / member->n_rows * member->column_bytes + k % member->n_rows * member->row_bytes;
}

static bool is_within(double value, enum mb_scalar scalar)
{
    const double least = scalar == MB_SCALAR_I32 ? INT32_MIN : 0;
    const double most = scalar == MB_SCALAR_U32   ? UINT32_MAX
                        : scalar == MB_SCALAR_I32 ? INT32_MAX
                        : scalar == MB_SCALAR_U64 ? MAX_EXACT
                                                  : 1;
    return value == floor(value) && value >= least && value <= most;
}

/* "address(NAME)" alone, as a double may not hold an address; false: it is something else. */
static bool read_address(struct mb_reader *r, const cJSON *node, uint64_t *address)
{
    const cJSON *text = mb_choose(r, node);
    const cJSON *buffer = mb_json_members(r->pick->manifest->json.root, "buffers");
    for (size_t i = 0; cJSON_IsString(text) && buffer; buffer = buffer->next, i++) {
        if (strcmp(text->valuestring, mb_text("address(%s)", buffer->string).s) == 0) {
            *address = r->addresses[i];
            return true;
        }
    }
    return false;
}

/* Evaluate a node as a scalar; `out` gets its bytes. */
static enum mb_status fill_scalar(struct mb_reader *r, const cJSON *node, enum mb_scalar scalar,
                                  unsigned char *out)
{
    uint64_t word = 0;
    if (scalar != MB_SCALAR_U64 || !read_address(r, node, &word)) {
        const double value = mb_read_value(r, node);
        const float single = (float)value;
        MB_DO(r->status);
        MB_REFUSE_IF(scalar != MB_SCALAR_F32 && !is_within(value, scalar), r, node,
                     "%s is not of type %s", mb_number_text(value).s, mb_scalar_names[scalar]);
        if (scalar == MB_SCALAR_F32) {
            memcpy(&word, &single, sizeof single);
        } else {
            word = (uint64_t)(int64_t)value;
        }
    }
    memcpy(out, &word, mb_scalar_bytes(scalar)); /* the low half comes first */
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

enum mb_status mb_fill_block(struct mb_reader *r, const cJSON *map,
                             const struct mb_spirv *spirv, const struct mb_spirv_block *block,
                             unsigned char *out)
{
    const struct mb_spirv_member *members = &spirv->members[block->first_member];
    struct mb_words names = {.n = 0};
    for (uint32_t i = 0; i < block->n_members; i++) {
        mb_words_add(&names, members[i].name);
    }
    for (const cJSON *node = map->child; node; node = node->next) {
        if (mb_words_find(&names, node->string) == names.n) {
            return mb_refuse_word(r, node, "the shader's block has no member", node->string,
                                  &names);
        }
    }
    for (uint32_t i = 0; i < block->n_members; i++) {
        const cJSON *node = mb_json_get(map, members[i].name);
        MB_REFUSE_IF(!node, r, map,
                     "member %u of the shader's block is missing: %s '%s' at byte %u of %u", i,
                     mb_scalar_names[members[i].scalar], members[i].name,
                     members[i].offset_bytes, block->n_bytes);
        MB_DO(fill_member(r, node, &members[i], block->n_bytes, out));
    }
    return MB_OK;
}

enum mb_status mb_fill_constants(struct mb_reader *r, const cJSON *map,
                                 const struct mb_spirv *spirv,
                                 struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS],
                                 uint32_t *n_constants)
{
    struct mb_words names = {.n = 0};
    for (uint32_t i = 0; i < spirv->shader.n_constants; i++) {
        mb_words_add(&names, spirv->constants[i].name);
    }
    *n_constants = 0;
    for (const cJSON *node = map ? map->child : NULL; node; node = node->next) {
        const size_t i = mb_words_find(&names, node->string);
        if (i == names.n || *n_constants == MB_SPIRV_MAX_CONSTANTS) {
            return mb_refuse_word(r, node, "the module has no specialisation constant",
                                  node->string, &names);
        }
        struct mb_constant *constant = &constants[(*n_constants)++];
        *constant = (struct mb_constant){.name = names.of[i]};
        MB_DO(fill_scalar(r, node, spirv->constants[i].scalar,
                          (unsigned char *)&constant->value));
    }
    return MB_OK;
}
