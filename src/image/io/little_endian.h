/* Little-endian words in the headers of files. */
#ifndef MB_IMAGE_IO_LITTLE_ENDIAN_H
#define MB_IMAGE_IO_LITTLE_ENDIAN_H

#include <stdint.h>

/* The unsigned word at `p`. */
static inline uint32_t mb_get_u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t mb_get_u32(const uint8_t *p)
{
    return mb_get_u16(p) | mb_get_u16(p + 2) << 16;
}

/* Store a word at `out`; returns where the next one goes. */
static inline uint8_t *mb_put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        *out++ = (uint8_t)(value >> (8 * i));
    }
    return out;
}

static inline uint8_t *mb_put_u64(uint8_t *out, uint64_t value)
{
    return mb_put_u32(mb_put_u32(out, (uint32_t)value), (uint32_t)(value >> 32));
}

#endif
