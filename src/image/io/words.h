/* Words of fixed byte order in the headers of files. */
#pragma once

#include <stdint.h>

/* The unsigned word at `p`, little-endian or big-endian. */
static inline uint32_t mb_get_le16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t mb_get_le32(const uint8_t *p)
{
    return mb_get_le16(p) | mb_get_le16(p + 2) << 16;
}

static inline uint64_t mb_get_le64(const uint8_t *p)
{
    return mb_get_le32(p) | (uint64_t)mb_get_le32(p + 4) << 32;
}

static inline uint32_t mb_get_be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t mb_get_be32(const uint8_t *p)
{
    return mb_get_be16(p) << 16 | mb_get_be16(p + 2);
}

/* Store a word at `out`; returns where the next one goes. */
static inline uint8_t *mb_put_le32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        *out++ = (uint8_t)(value >> (8 * i));
    }
    return out;
}

static inline uint8_t *mb_put_le64(uint8_t *out, uint64_t value)
{
    return mb_put_le32(mb_put_le32(out, (uint32_t)value), (uint32_t)(value >> 32));
}
