/* One triangle that covers the viewport, the square; what lies outside is cut off:
 *
 *     (-1,-1) +---+---+ (3,-1)
 *             |   | /
 *             +---+
 *             | /
 *     (-1, 3) +
 *
 * Two triangles would shade the texels along their common edge twice, in blocks of 2x2. */
#version 460

void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(4.0 * corner - 1.0, 0.0, 1.0);
}
