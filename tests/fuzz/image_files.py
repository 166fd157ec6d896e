"""Image files made here from texels, by numpy and the formats' specifications: what a decoder that
shares no line with ours makes of them. files() yields (name, bytes, texels), where texels are
[height][width][4] of uint8, uint16 or float32, or None for a file that must be refused."""

import struct
import zlib

import numpy as np

RNG = np.random.default_rng(1)
SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, INDEXED, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, INDEXED: 1, GREY_ALPHA: 2, RGBA: 4}
DEPTHS = {GREY: (1, 2, 4, 8, 16), RGB: (8, 16), INDEXED: (1, 2, 4, 8), GREY_ALPHA: (8, 16),
          RGBA: (8, 16)}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2))


def chunk(kind, body=b"", crc_flip=0):
    crc = zlib.crc32(kind + body) ^ crc_flip
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)


def packed_rows(values, depth):
    """Rows of bytes of values[height][n], the first value in the highest bits."""
    if depth == 16:
        return values.astype(">u2").view(np.uint8).reshape(len(values), -1)
    bits = (values[:, :, None] >> np.arange(depth - 1, -1, -1)) & 1
    return np.packbits(bits.reshape(len(values), -1).astype(np.uint8), axis=1)


def paeth(left, up, corner):
    estimate = left + up - corner
    distances = [abs(estimate - left), abs(estimate - up), abs(estimate - corner)]
    return (left, up, corner)[distances.index(min(distances))]


def filtered_rows(rows, step, first_filter):
    """Filters 0 to 4 in turn."""
    out = bytearray()
    above = np.zeros(rows.shape[1], int)
    for y, row in enumerate(rows.astype(int)):
        kind = (y + first_filter) % 5
        left = np.concatenate([np.zeros(step, int), row])[:len(row)]
        corner = np.concatenate([np.zeros(step, int), above])[:len(row)]
        predicted = (np.zeros(len(row), int), left, above, (left + above) // 2,
                     np.array([paeth(*p) for p in zip(left, above, corner)], int))[kind]
        out.append(kind)
        out += ((row - predicted) & 255).astype(np.uint8).tobytes()
        above = row
    return bytes(out)


def png_data(values, depth, is_interlaced):
    """The filtered rows of values[height][width][channels]."""
    n_channels = values.shape[2]
    step = max(1, n_channels * depth // 8)
    out = b""
    for i, (x, y, dx, dy) in enumerate(ADAM7 if is_interlaced else ((0, 0, 1, 1),)):
        part = values[y::dy, x::dx]
        if part.size:
            rows = packed_rows(part.reshape(len(part), -1), depth)
            out += filtered_rows(rows, step, i)
    return out


def png_head(shape, depth, colour, is_interlaced=False):
    return SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", shape[1], shape[0], depth, colour, 0,
                                                  0, is_interlaced))


def png(values, depth, colour, is_interlaced=False, before=b"", n_parts=1):
    body = zlib.compress(png_data(values, depth, is_interlaced))
    size = -(-len(body) // n_parts)
    parts = [body[i:i + size] for i in range(0, len(body), size)]
    return (png_head(values.shape, depth, colour, is_interlaced) + before
            + b"".join(chunk(b"IDAT", part) for part in parts) + chunk(b"IEND"))


def expand(values, depth, colour, key=None):
    """As a decoder has to: to 8 or 16 bits, grey spread, a key transparent."""
    top = (1 << depth) - 1
    scale = 255 // top if depth < 8 else 1
    n = values.shape[2]
    out = np.empty(values.shape[:2] + (4,), np.uint16 if depth == 16 else np.uint8)
    out[..., :3] = (values[..., :1] if n < 3 else values[..., :3]) * scale
    out[..., 3] = values[..., -1] if n in (2, 4) else top * scale
    if key is not None:
        out[(values == key).all(axis=2), 3] = 0
    return out


def random_values(height, width, n, depth):
    return RNG.integers(0, 1 << depth, (height, width, n)).astype(np.int64)


def coloured_pngs():
    for colour, depths in DEPTHS.items():
        for depth in depths:
            for is_interlaced in (False, True):
                name = f"png-{colour}-{depth}-{'adam7' if is_interlaced else 'rows'}"
                values = random_values(11, 13, CHANNELS[colour], depth)
                if colour == INDEXED:
                    palette = RNG.integers(0, 256, (1 << depth, 4)).astype(np.uint8)
                    plte = chunk(b"PLTE", palette[:, :3].tobytes())
                    trns = chunk(b"tRNS", palette[:, 3].tobytes())
                    yield (name + "-alpha", png(values, depth, colour, is_interlaced, plte + trns),
                           palette[values[..., 0]])
                    palette[:, 3] = 255
                    yield (name, png(values, depth, colour, is_interlaced, plte, 3),
                           palette[values[..., 0]])
                    continue
                yield (name, png(values, depth, colour, is_interlaced, n_parts=2),
                       expand(values, depth, colour))
                if colour in (GREY, RGB):
                    key = values[2, 3]
                    trns = chunk(b"tRNS", key.astype(">u2").tobytes())
                    yield (name + "-key", png(values, depth, colour, is_interlaced, trns),
                           expand(values, depth, colour, key))


def small_pngs():
    for height, width in ((1, 1), (1, 5), (5, 1), (2, 2), (3, 4), (9, 8)):
        values = random_values(height, width, 3, 8)
        yield (f"png-{width}x{height}-adam7", png(values, 8, RGB, True), expand(values, 8, RGB))


def odd_pngs():
    """Good ones that few writers make, and bad ones."""
    values = random_values(4, 5, 3, 8)
    texels = expand(values, 8, RGB)
    good = png(values, 8, RGB)
    head = png_head(values.shape, 8, RGB)
    body = zlib.compress(png_data(values, 8, False))
    end = chunk(b"IEND")
    yield "png-empty-idat", head + chunk(b"IDAT") + chunk(b"IDAT", body) + chunk(b"IDAT") + end, texels
    yield "png-text", png(values, 8, RGB, before=chunk(b"tEXt", b"Title\0x")), texels
    yield "png-after-end", good + b"more", texels
    stored = zlib.compress(png_data(values, 8, False), 0)
    yield "png-stored", head + chunk(b"IDAT", stored) + end, texels
    for i, name in enumerate(("ihdr", "text", "idat", "iend")):
        parts = [(b"IHDR", head[16:29]), (b"tEXt", b"a\0b"), (b"IDAT", body), (b"IEND", b"")]
        bad = b"".join(chunk(kind, data, int(j == i)) for j, (kind, data) in enumerate(parts))
        yield f"bad-png-crc-{name}", SIGNATURE + bad, None
    adler = body[:-1] + bytes([body[-1] ^ 1])
    yield "bad-png-adler", head + chunk(b"IDAT", adler) + end, None
    yield "bad-png-no-idat", head + end, None
    yield "bad-png-only-empty-idat", head + chunk(b"IDAT") + end, None
    yield "bad-png-no-end", head + chunk(b"IDAT", body), None
    yield "bad-png-gap", (head + chunk(b"IDAT", body[:9]) + chunk(b"tEXt", b"a\0b")
                          + chunk(b"IDAT", body[9:]) + end), None
    yield "bad-png-two-headers", head + head[8:] + chunk(b"IDAT", body) + end, None
    yield "bad-png-critical", head + chunk(b"ABCD") + chunk(b"IDAT", body) + end, None
    yield "bad-png-filter", head + chunk(b"IDAT", zlib.compress(b"\5" * 64)) + end, None
    yield "bad-png-short", head + chunk(b"IDAT", zlib.compress(b"\0" * 63)) + end, None
    yield "bad-png-long", head + chunk(b"IDAT", zlib.compress(b"\0" * 65)) + end, None
    yield "bad-png-no-header", SIGNATURE + chunk(b"IDAT", body) + end, None
    yield "bad-png-rgba-key", png(random_values(2, 2, 4, 8), 8, RGBA,
                                  before=chunk(b"tRNS", b"\0\0")), None
    for depth in DEPTHS[INDEXED]:
        indices = np.full((3, 3, 1), (1 << depth) - 1)
        plte = chunk(b"PLTE", bytes(3 * ((1 << depth) - 1)))
        yield f"bad-png-index-{depth}", png(indices, depth, INDEXED, before=plte), None
    yield "bad-png-no-palette", png(np.zeros((2, 2, 1), int), 8, INDEXED), None
    yield "bad-png-long-palette", png(np.zeros((2, 2, 1), int), 8, INDEXED,
                                      before=chunk(b"PLTE", bytes(771))), None


def bmp(rows, bits, extent, palette=b"", masks=b"", compression=0, header_bytes=40):
    """`rows`: whole rows of bytes in the file's order; `extent`: width and height of the header."""
    padded = b"".join(row + bytes(-len(row) % 4) for row in rows)
    if header_bytes == 12:
        info = struct.pack("<IHHHH", 12, *extent, 1, bits)
    else:
        n_colours = len(palette) // 4 % 256
        info = struct.pack("<IiiHHIIiiII", header_bytes, *extent, 1, bits, compression,
                           len(padded), 2835, 2835, n_colours, 0)
        info += masks.ljust(header_bytes - 40, b"\0") if header_bytes > 40 else masks
    offset = 14 + len(info) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(padded), 0, 0, offset) + info + palette + padded


def opaque(rgb):
    return np.dstack([rgb, np.full(rgb.shape[:2], 255)]).astype(np.uint8)


def indexed_bmps():
    for bits in (1, 4, 8):
        n = 1 << bits
        palette = RNG.integers(0, 256, (n, 4)).astype(np.uint8)
        rgb = palette[:, 2::-1]
        values = random_values(5, 11, 1, bits)[..., 0]
        rows = [bytes(row) for row in packed_rows(values, bits)]
        texels = opaque(rgb[values])
        colours = palette.tobytes()
        yield f"bmp-{bits}", bmp(rows[::-1], bits, (11, 5), colours), texels
        yield f"bmp-{bits}-top-down", bmp(rows, bits, (11, -5), colours), texels
        yield f"bmp-{bits}-v5", bmp(rows, bits, (11, -5), colours, header_bytes=124), texels
        core = np.ascontiguousarray(palette[:, :3]).tobytes()
        yield (f"bmp-{bits}-core", bmp(rows[::-1], bits, (11, 5), core, header_bytes=12), texels)
        top = packed_rows(np.full((2, 3), n - 1), bits)
        yield f"bad-bmp-index-{bits}", bmp([bytes(r) for r in top], bits, (3, 2), colours[:-4]), None
        yield f"bad-bmp-rle-{bits}", bmp(rows, bits, (11, 5), colours, compression=1), None
        yield f"bad-bmp-cut-{bits}", bmp(rows[:4], bits, (11, 5), colours), None


def true_bmps():
    rgb = RNG.integers(0, 256, (5, 7, 3)).astype(np.uint8)
    rows = [row[:, ::-1].tobytes() for row in rgb]
    yield "bmp-24", bmp(rows[::-1], 24, (7, 5)), opaque(rgb)
    yield "bmp-24-top-down", bmp(rows, 24, (7, -5)), opaque(rgb)
    yield "bmp-24-core", bmp(rows[::-1], 24, (7, 5), header_bytes=12), opaque(rgb)
    yield "bmp-24-v4", bmp(rows[::-1], 24, (7, 5), header_bytes=108), opaque(rgb)
    bgrx = np.dstack([rgb[..., ::-1], np.zeros((5, 7, 1), np.uint8)])
    yield "bmp-32", bmp([row.tobytes() for row in bgrx[::-1]], 32, (7, 5)), opaque(rgb)
    bgra = np.dstack([rgb[..., ::-1], RNG.integers(1, 256, (5, 7, 1)).astype(np.uint8)])
    rgba = np.dstack([rgb, bgra[..., 3:]])
    yield "bmp-32-top-down", bmp([row.tobytes() for row in bgra], 32, (7, -5)), rgba
    masks = struct.pack("<III", 0xF800, 0x7E0, 0x1F)
    r, g, b = (RNG.integers(0, n, (5, 7)) for n in (32, 64, 32))
    values = (r << 11 | g << 5 | b).astype("<u2")
    wide = opaque(np.dstack([r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]))
    yield "bmp-565", bmp([row.tobytes() for row in values[::-1]], 16, (7, 5), masks=masks,
                         compression=3), wide
    g = g >> 1
    values = (r << 10 | g << 5 | b).astype("<u2")
    wide = opaque(np.dstack([v << 3 | v >> 2 for v in (r, g, b)]))
    yield "bmp-555", bmp([row.tobytes() for row in values[::-1]], 16, (7, 5)), wide
    nibbles = RNG.integers(0, 16, (5, 7, 4))
    values = (nibbles << (8, 4, 0, 12)).sum(axis=2).astype("<u2")
    masks = struct.pack("<IIII", 0xF00, 0xF0, 0xF, 0xF000)
    yield "bmp-4444-v4", bmp([row.tobytes() for row in values[::-1]], 16, (7, 5), masks=masks,
                             compression=3, header_bytes=108), (nibbles * 17).astype(np.uint8)
    masks = struct.pack("<III", 0xF80, 0x7D, 0x2)
    yield "bad-bmp-mask", bmp([row.tobytes() for row in values], 16, (7, 5), masks=masks,
                              compression=3), None
    yield "bad-bmp-cut", bmp(rows[:3], 24, (7, 5)), None
    yield "bad-bmp-least-height", bmp(rows, 24, (7, -1 << 31)), None


def tga_runs(texels):
    """Packets of one row: a run of two and the rest as they are."""
    out = b""
    for row in texels:
        out += bytes([0x81]) + row[0].tobytes() if (row[0] == row[1]).all() else bytes(
            [1]) + row[0].tobytes() + row[1].tobytes()
        out += bytes([len(row) - 3]) + row[2:].tobytes()
    return out


def tga(kind, stored, bits, descriptor, colour_map=b"", n_map=0, map_bits=0, first=0):
    """`stored[height][width][bytes]`, rows and texels in the file's order."""
    head = struct.pack("<BBBHHBHHHHBB", 3, bool(colour_map), kind, first, n_map, map_bits, 0, 0,
                       stored.shape[1], stored.shape[0], bits, descriptor)
    data = tga_runs(stored) if kind & 8 else stored.tobytes()
    return head + b"id\0" + colour_map + data


def tga_images():
    """(name, type, bytes as stored, texels, further arguments)"""
    rgb = RNG.integers(0, 256, (4, 6, 3)).astype(np.uint8)
    rgb[1, 1] = rgb[1, 0]
    alpha = RNG.integers(0, 256, (4, 6, 1)).astype(np.uint8)
    grey = rgb[..., :1]
    yield "24", 2, rgb[..., ::-1], opaque(rgb), {"bits": 24}
    yield "32", 2, np.dstack([rgb[..., ::-1], alpha]), np.dstack([rgb, alpha]), {"bits": 32}
    yield "grey", 3, grey, opaque(np.repeat(grey, 3, axis=2)), {"bits": 8}
    yield ("grey-alpha", 3, np.dstack([grey, alpha]), np.dstack([grey, grey, grey, alpha]),
           {"bits": 16})
    fives = rgb >> 3
    r, g, b = (fives[..., i].astype(np.uint16) for i in range(3))
    words = (r << 10 | g << 5 | b).astype("<u2").view(np.uint8).reshape(4, 6, 2)
    yield "16", 2, words, opaque((fives.astype(int) * 255 // 31)), {"bits": 16}
    palette = RNG.integers(0, 256, (9, 3)).astype(np.uint8)
    indices = RNG.integers(0, 9, (4, 6, 1)).astype(np.uint8)
    yield ("map", 1, indices, opaque(palette[indices[..., 0]]),
           {"bits": 8, "colour_map": np.ascontiguousarray(palette[:, ::-1]).tobytes(), "n_map": 9,
            "map_bits": 24})
    palette = RNG.integers(0, 256, (300, 4)).astype(np.uint8)
    indices = RNG.integers(0, 300, (4, 6)).astype("<u2")
    yield ("wide-map", 1, indices.view(np.uint8).reshape(4, 6, 2), palette[indices],
           {"bits": 16, "colour_map": palette[:, (2, 1, 0, 3)].tobytes(), "n_map": 300,
            "map_bits": 32})


def tgas():
    for name, kind, stored, texels, extra in tga_images():
        alpha_bits = 8 if name in ("32", "grey-alpha") else 0
        for runs in (0, 8):
            for descriptor in (0, 0x10, 0x20, 0x30):
                ordered = stored if descriptor & 0x20 else stored[::-1]
                ordered = ordered[:, ::-1] if descriptor & 0x10 else ordered
                data = tga(kind | runs, np.ascontiguousarray(ordered),
                           descriptor=descriptor | alpha_bits, **extra)
                yield f"tga-{name}-{runs}-{descriptor:02x}", data, texels
        yield f"bad-tga-{name}-cut", data[:-1], None
        if name == "map":
            yield "bad-tga-map-begin", tga(kind, stored, descriptor=0x20, first=2, **extra), None
            beyond = stored.copy()
            beyond[3, 5] = 9
            for runs in (0, 8):
                yield (f"bad-tga-map-beyond-{runs}",
                       tga(kind | runs, beyond, descriptor=0x20, **extra), None)
    for bits, kind in ((24, 2), (32, 2), (8, 3)):
        stored = RNG.integers(0, 256, (3, 200, bits // 8)).astype(np.uint8)
        data = tga(kind, stored, bits=bits, descriptor=0x20)
        for n in (1, 9, 18, 21):
            yield f"bad-tga-wide-{bits}-cut-{n}", data[:-n], None


def netpbms():
    for magic, n in ((b"P5", 1), (b"P6", 3)):
        for top in (1, 100, 255, 256, 1000, 65535):
            full = 65535 if top > 255 else 255
            values = RNG.integers(0, top + 1, (3, 5, n))
            data = values.astype(">u2" if top > 255 else np.uint8).tobytes()
            texels = np.full((3, 5, 4), full, np.uint16 if top > 255 else np.uint8)
            texels[..., :3] = (values * full + top // 2) // top
            head = magic + b"\n# a comment\n5 3\n%d\n" % top
            yield f"pnm-{n}-{top}", head + data, texels
            yield f"bad-pnm-{n}-{top}-cut", head + data[:-1], None


def pfms():
    odd = np.array([-0.0, 1e-40, -1e38, np.inf, -np.inf, np.nan, -2.5, 1e-38], np.float32)
    for magic, n in ((b"PF", 3), (b"Pf", 1)):
        values = RNG.uniform(-9, 9, (3, 5, n)).astype(np.float32)
        values[1].flat = odd[:5 * n] if n == 1 else np.resize(odd, 15)
        texels = np.ones((3, 5, 4), np.float32)
        texels[..., :3] = values
        for order, scale in (("<", b"-1.0"), (">", b"1"), ("<", b"-3.5e-7"), (">", b"20")):
            data = values[::-1].astype(order + "f4").tobytes()
            name = f"pfm-{n}-{scale.decode()}"
            yield name, magic + b"\n5 3\n" + scale + b"\n" + data, texels
            yield f"bad-{name}-cut", magic + b"\n5 3\n" + scale + b"\n" + data[:-1], None
            yield f"bad-{name}-long", magic + b"\n5 3\n" + scale + b"\n" + data + b"\n", None
        for scale in (b"0", b"-0.0", b"nan", b"inf", b"-inf", b"1e999", b"", b"one", b"1,0"):
            data = values.tobytes()
            yield f"bad-pfm-{n}-{scale.decode()}", magic + b"\n5 3\n" + scale + b"\n" + data, None


def hdrs():
    for width in (5, 9):
        rgbe = RNG.integers(0, 256, (3, width, 4)).astype(np.uint8)
        rgbe[..., 3] = RNG.integers(100, 150, (3, width))
        rgbe[1, 1] = 0
        rgbe[:, 0, 0] = 9 # not the mark of a row in runs
        scale = np.where(rgbe[..., 3:] == 0, 0, np.exp2(rgbe[..., 3:].astype(float) - 136))
        texels = np.ones((3, width, 4), np.float32)
        texels[..., :3] = rgbe[..., :3] * scale
        head = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 3 +X %d\n" % width
        yield f"hdr-{width}", head + rgbe.tobytes(), texels
        yield f"bad-hdr-{width}-cut", head + rgbe.tobytes()[:-1], None
        if width >= 8:
            rows = b"".join(bytes([2, 2, 0, width]) + b"".join(
                bytes([width]) + row[:, c].tobytes() for c in range(4)) for row in rgbe)
            yield f"hdr-{width}-runs", head + rows, texels


def files():
    for source in (coloured_pngs, small_pngs, odd_pngs, indexed_bmps, true_bmps, tgas, netpbms,
                   pfms, hdrs):
        yield from source()
