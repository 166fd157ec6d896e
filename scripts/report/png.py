"""PNG as mipbench writes it, taken apart into rows, for scripts/report.py.

A row is one large integer here, a byte of the row in every eight bits of it, least first. Sums and
differences of bytes modulo 256 then are a few operations on the whole row: fast enough for
pictures of millions of texels without anything but the standard library."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
RGBA8 = bytes((8, 6, 0, 0, 0))  # depth, colour type, compression, filters, interlace
TEXEL_BITS = 32
NONE, SUB, UP = range(3)  # filters; others are not read


def size_of(data):
    """(width, height) in texels of a PNG; None if it is none."""
    if len(data) < 33 or data[:8] != SIGNATURE or data[12:16] != b"IHDR":
        return None
    return struct.unpack(">II", data[16:24])


class Lanes:
    """Arithmetic on rows of `n_bytes` bytes, four a texel."""

    def __init__(self, n_bytes):
        self.n_bytes = n_bytes
        self.all = (1 << 8 * n_bytes) - 1
        self.high = self.all // 255 << 7  # the top bit of each byte, and the seven below it
        self.low = self.all ^ self.high

    def add(self, a, b):
        return ((a & self.low) + (b & self.low)) ^ ((a ^ b) & self.high)

    def subtract(self, a, b):
        return ((a | self.high) - (b & self.low)) ^ ((a ^ ~b) & self.high)

    def left_of(self, row):
        """For each texel the one at its left; 0 for the first."""
        return row << TEXEL_BITS & self.all

    def sum_from_left(self, row):
        """Each texel plus all at its left, by doubling."""
        shift = TEXEL_BITS
        while shift < 8 * self.n_bytes:
            row = self.add(row, row << shift & self.all)
            shift *= 2
        return row

    def to_bytes(self, row):
        return row.to_bytes(self.n_bytes, "little")


def image_data(data):
    """The deflated bytes of a PNG; None if it is cut short."""
    at, parts = 33, []
    while at + 12 <= len(data):
        n_bytes, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IEND":
            return b"".join(parts)
        parts += [data[at + 8:at + 8 + n_bytes]] if kind == b"IDAT" else []
        at += 12 + n_bytes
    return None


def decode(data):
    """The rows of a PNG, each the bytes of its texels, RGBA; None if it is not as mipbench writes
    it: another kind of texel, other filters, or damaged."""
    size, packed = size_of(data), image_data(data)
    if size is None or packed is None or data[24:29] != RGBA8:
        return None
    stride, limit = 4 * size[0] + 1, (4 * size[0] + 1) * size[1]
    try:
        filtered = zlib.decompressobj().decompress(packed, limit)
    except zlib.error:
        return None
    if len(filtered) != limit:
        return None
    lanes, rows, above = Lanes(stride - 1), [], 0
    for at in range(0, limit, stride):
        row, kind = int.from_bytes(filtered[at + 1:at + stride], "little"), filtered[at]
        if kind > UP:
            return None
        if kind == SUB:
            row = lanes.sum_from_left(row)
        above = lanes.add(row, above) if kind == UP else row
        rows.append(lanes.to_bytes(above))
    return rows


def crop(rows, x, y, width, height):
    return [row[4 * x:4 * (x + width)] for row in rows[y:y + height]]


def less_left(rows):
    """The bytes of all rows, each texel less the one at its left: most are small then."""
    lanes = Lanes(len(rows[0]))
    numbers = [int.from_bytes(row, "little") for row in rows]
    return b"".join(lanes.to_bytes(lanes.subtract(row, lanes.left_of(row))) for row in numbers)
