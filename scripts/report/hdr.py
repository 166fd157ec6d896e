"""Radiance HDR as mipbench writes it, taken apart into rows of RGBE. Standard library only."""

import re

HEAD = re.compile(rb"#\?RADIANCE\n(?:[^\n]+\n)*\n-Y (\d{1,5}) \+X (\d{1,5})\n")


def decode(data, size):
    """The rows of an image of this size, each four bytes a texel; None if it is another, or
    damaged."""
    head = HEAD.match(data)
    if head is None or (int(head[2]), int(head[1])) != size:
        return None
    rows, at = [], head.end()
    for _ in range(size[1]):
        row, at = decode_row(data, at, size[0])
        if row is None:
            return None
        rows.append(row)
    return rows


def decode_row(data, at, width):
    """(row, where the next one begins): runs of each channel, or texels as they are."""
    if data[at:at + 4] != bytes((2, 2, width >> 8 & 255, width & 255)):
        row = data[at:at + 4 * width]
        return (row, at + 4 * width) if len(row) == 4 * width else (None, at)
    row, at = bytearray(4 * width), at + 4
    for channel in range(4):
        values = bytearray()
        while len(values) < width:
            if at + 1 >= len(data) or data[at] == 0:
                return None, at
            n = data[at]
            values += data[at + 1:at + 2] * (n - 128) if n > 128 else data[at + 1:at + 1 + n]
            at += 2 if n > 128 else 1 + n
        if len(values) != width:
            return None, at
        row[channel::4] = values
    return bytes(row), at
