/* 16x16 texels in shared memory, in one of three layouts. */
#ifndef CELLS_GLSL
#define CELLS_GLSL

#define CELL_PITCH 17 /* rows are padded by one, which spreads a column over the banks */

#define LDS_VEC4 0   /* a cell's channels side by side */
#define LDS_SPLIT 1  /* an array for each channel */
#define LDS_PACKED 2 /* side by side as halves */
layout(constant_id = 4) const int LDS = LDS_VEC4;

const int N_VEC4 = LDS == LDS_VEC4 ? 16 * CELL_PITCH : 1;
const int N_SPLIT = LDS == LDS_SPLIT ? 16 * CELL_PITCH : 1;
const int N_PACKED = LDS == LDS_PACKED ? 16 * CELL_PITCH : 1;
shared vec4 cells[N_VEC4];
shared float cells_r[N_SPLIT], cells_g[N_SPLIT], cells_b[N_SPLIT], cells_a[N_SPLIT];
shared uvec2 cells_packed[N_PACKED];

void put_cell(ivec2 at, Texel texel)
{
    int i = at.y * CELL_PITCH + at.x;
    if (LDS == LDS_PACKED) {
        cells_packed[i] = packed(texel);
    } else if (LDS == LDS_SPLIT) {
        cells_r[i] = texel.r;
        cells_g[i] = texel.g;
        cells_b[i] = texel.b;
        cells_a[i] = texel.a;
    } else {
        cells[i] = texel;
    }
}

Texel get_cell(ivec2 at)
{
    int i = at.y * CELL_PITCH + at.x;
    if (LDS == LDS_PACKED) {
        return unpacked(cells_packed[i]);
    }
    if (LDS == LDS_SPLIT) {
        return Texel(cells_r[i], cells_g[i], cells_b[i], cells_a[i]);
    }
    return Texel(cells[i]);
}

#endif
