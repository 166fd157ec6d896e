"""Image files made here from texels, by numpy and the formats' specifications: what a decoder that
shares no line with ours makes of them. files() yields (name, bytes, texels), where texels are
[height][width][4] of uint8, uint16 or float32, or, for a file that must be refused, None or words of
the message."""

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
    for depth in (1, 2, 4): # Of a colour key, only so many bits matter.
        greys = np.arange(20).reshape(4, 5, 1) % (1 << depth)
        trns = chunk(b"tRNS", struct.pack(">H", 0xFFFF - 1))
        yield (f"png-wide-key-{depth}", png(greys, depth, GREY, before=trns),
               expand(greys, depth, GREY, (1 << depth) - 2))
    yield "png-after-end", good + b"more", texels
    stored = zlib.compress(png_data(values, 8, False), 0)
    yield "png-stored", head + chunk(b"IDAT", stored) + end, texels
    for i, name in enumerate(("ihdr", "text", "idat", "iend")):
        parts = [(b"IHDR", head[16:29]), (b"tEXt", b"a\0b"), (b"IDAT", body), (b"IEND", b"")]
        bad = b"".join(chunk(kind, data, int(j == i)) for j, (kind, data) in enumerate(parts))
        if name == "text": # No texel depends on it.
            yield "png-crc-text", SIGNATURE + bad, texels
        else:
            yield f"bad-png-crc-{name}", SIGNATURE + bad, None
    adler = body[:-1] + bytes([body[-1] ^ 1])
    greys = np.zeros((2, 2, 1), int)
    for kind in (b"tRNS", b"tRnS", b"pRNS"):
        trns = chunk(b"tRNS", b"\0\1", kind == b"tRNS").replace(b"tRNS", kind)
        yield f"bad-png-crc-{kind.decode()}", png(greys, 8, GREY, before=trns), None
    yield "bad-png-name", good.replace(b"IHDR", b"\x1bHDR"), "chunk ?HDR is damaged: its checksum is wrong"
    yield "bad-png-texel", good.replace(body, body[:-9] + b"\0" + body[-8:]), "chunk IDAT is damaged"
    yield "bad-png-adler", head + chunk(b"IDAT", adler) + end, None
    yield "bad-png-no-idat", head + end, None
    yield "bad-png-only-empty-idat", head + chunk(b"IDAT") + end, None
    yield "bad-png-no-end", head + chunk(b"IDAT", body), None
    yield "bad-png-gap", (head + chunk(b"IDAT", body[:9]) + chunk(b"tEXt", b"a\0b")
                          + chunk(b"IDAT", body[9:]) + end), None
    yield "bad-png-two-headers", head + head[8:] + chunk(b"IDAT", body) + end, None
    yield "bad-png-critical", head + chunk(b"ABCD") + chunk(b"IDAT", body) + end, "chunk ABCD is not known"
    yield "bad-png-filter", head + chunk(b"IDAT", zlib.compress(b"\5" * 64)) + end, None
    yield "bad-png-short", head + chunk(b"IDAT", zlib.compress(b"\0" * 63)) + end, "not enough texels"
    for n in (65, 2_600_000): # A bomb takes no more memory than its texels do.
        yield f"bad-png-{n}", head + chunk(b"IDAT", zlib.compress(bytes(n))) + end, "holds more than its texels"
    for name, shape, depth, colour, reason in (
            ("no-columns", (2, 0), 8, RGBA, "no texels (its header says 0x2)"), ("no-rows", (0, 2), 8, RGBA, "no texels"),
            ("huge", (16384, 16384), 8, RGBA, "cannot hold the 16384x"), ("wide", (1, 16385), 8, RGBA, "too large"),
            ("largest", (2**31 - 1, 2**31 - 1), 8, RGBA, "too large"), ("colour-5", (2, 2), 8, 5, "chunk IHDR is damaged"),
            ("depth-7", (2, 2), 7, RGBA, "bad PNG: chunk IHDR")):
        yield f"bad-png-{name}", png_head(shape, depth, colour) + chunk(b"IDAT", body) + end, reason
    yield "bad-png-no-header", SIGNATURE + chunk(b"IDAT", body) + end, None
    yield "bad-png-rgba-key", png(random_values(2, 2, 4, 8), 8, RGBA,
                                  before=chunk(b"tRNS", b"\0\0")), None
    for depth in DEPTHS[INDEXED]:
        indices = np.full((3, 3, 1), (1 << depth) - 1)
        plte = chunk(b"PLTE", bytes(3 * ((1 << depth) - 1)))
        yield f"bad-png-index-{depth}", png(indices, depth, INDEXED, before=plte), "a texel's index is beyond its palette"
    yield "bad-png-no-palette", png(np.zeros((2, 2, 1), int), 8, INDEXED), "it has no palette"
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
        yield f"bad-bmp-index-{bits}", bmp([bytes(r) for r in top], bits, (3, 2), colours[:-4]), "index is beyond its palette"
        yield f"bad-bmp-rle-{bits}", bmp(rows, bits, (11, 5), colours, compression=1), "compressed"
        yield f"bad-bmp-cut-{bits}", bmp(rows[:4], bits, (11, 5), colours), None


def true_bmps():
    rgb = RNG.integers(0, 256, (5, 7, 3)).astype(np.uint8)
    rows = [row[:, ::-1].tobytes() for row in rgb]
    yield "bmp-24", bmp(rows[::-1], 24, (7, 5)), opaque(rgb)
    yield "bmp-24-top-down", bmp(rows, 24, (7, -5)), opaque(rgb)
    yield "bmp-24-core", bmp(rows[::-1], 24, (7, 5), header_bytes=12), opaque(rgb)
    yield "bmp-24-gap", bmp(rows[::-1], 24, (7, 5), bytes(4)), opaque(rgb)
    yield "bmp-24-os2", bmp(rows[::-1], 24, (7, 5), header_bytes=64), opaque(rgb)
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
    yield "bmp-4444-info", bmp([row.tobytes() for row in values[::-1]], 16, (7, 5), masks=masks,
                               compression=6), (nibbles * 17).astype(np.uint8)
    yield "bmp-4444-v3", bmp([row.tobytes() for row in values[::-1]], 16, (7, 5), masks=masks,
                             compression=3, header_bytes=56), (nibbles * 17).astype(np.uint8)
    masks = struct.pack("<III", 0xF80, 0x7D, 0x2)
    yield "bad-bmp-mask", bmp([row.tobytes() for row in values], 16, (7, 5), masks=masks,
                              compression=3), None
    yield "bad-bmp-cut", bmp(rows[:3], 24, (7, 5)), None
    for width, height, reason in ((7, -1 << 31, "too large: 7x2147483648"), (0, 2, "no texels"), (16385, 1, "too large"),
                                  (16384, 16384, "cannot hold")):
        yield f"bad-bmp-{width}x{height}", bmp(rows, 24, (width, height)), reason


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
        if kind != 1:
            yield f"tga-{name}-unused-map", tga(kind, stored, descriptor=0x20 | alpha_bits,
                                                colour_map=bytes(6), n_map=2, map_bits=24,
                                                **extra), texels
        if name == "map":
            yield "bad-tga-map-begin", tga(kind, stored, descriptor=0x20, first=2, **extra), None
            yield "tga-map-begin", tga(kind, stored + np.uint8(2), descriptor=0x20, first=2, **extra), texels
            yield ("bad-tga-map-end",
                   tga(kind, stored, descriptor=0x20, first=0xFFFF, **extra), None)
            beyond = stored.copy()
            beyond[3, 5] = 9
            for runs in (0, 8):
                yield (f"bad-tga-map-beyond-{runs}",
                       tga(kind | runs, beyond, descriptor=0x20, **extra), None)
    for bits, kind in ((24, 2), (32, 2), (8, 3)):
        stored = RNG.integers(0, 256, (3, 200, bits // 8)).astype(np.uint8)
        data = tga(kind, stored, bits=bits, descriptor=0x20)
        for name, extent in (("no-columns", (0, 1)), ("no-rows", (1, 0)), ("huge", (65535, 65535))):
            yield f"bad-tga-{bits}-{name}", data[:12] + struct.pack("<HH", *extent) + data[16:], (
                "too large" if extent[0] > 1 else "not an image")
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
    yield "pnm-beyond", b"P5 1 1 100\n\xc8", np.full((1, 1, 4), 255, np.uint8)
    for head, reason in ((b"0 1 255", "no texels"), (b"99999999999999 1 255", "too large"), (b"1 1 0", "its header is damaged"),
                         (b"1 1 65536", "its header is damaged"), (b"-1 1 255", "its header is damaged")):
        yield f"bad-pnm-{head.decode()}", b"P6 " + head + b"\nabcdef", reason


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
            yield f"bad-{name}-long", magic + b"\n5 3\n" + scale + b"\n" + data + b"\n", "bad PFM: "
        for scale in (b"0", b"-0.0", b"nan", b"inf", b"-inf", b"1e999", b"", b"one", b"1,0"):
            data = values.tobytes()
            yield f"bad-pfm-{n}-{scale.decode()}", magic + b"\n5 3\n" + scale + b"\n" + data, "its header is damaged"
    for extent, reason in ((b"0 1", "no texels"), (b"1 -1", "no texels"), (b"99999 1", "too large"),
                           (b"16384 16384", "truncated: 4 bytes")):
        yield f"bad-pfm-{extent.decode()}", b"PF\n" + extent + b"\n-1\nabcd", reason
    yield "bad-pfm-magic", b"Pf4\n1 1\n-1\nabcd", "its header is damaged"


def repeated_hdrs():
    """The older code: 1, 1, 1 and a count of repeats, whose digits follow each other."""
    one, half = bytes([128, 128, 128, 129]), bytes([128, 128, 128, 128])
    head = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X %d\n"
    texels = np.ones((1, 600, 4), np.float32)
    texels[0, 1 + 2 * 256 + 5:, :3] = 0.5
    row = one + b"\1\1\1\5\1\1\1\2" + half + b"\1\1\1\x51"
    yield "hdr-repeats", head % 600 + row, texels
    yield "bad-hdr-repeats-cut", head % 600 + row[:-4], None
    yield "bad-hdr-repeats-beyond", head % 599 + row, None
    yield "bad-hdr-repeats-first", head % 6 + row[4:], None
    yield "bad-hdr-repeats-digits", head % 600 + one + b"\1\1\1\0" * 3 + row[4:], None


def hdrs():
    yield from repeated_hdrs()
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
        yield f"hdr-{width}-padded", head.replace(b"3 +X ", b"    3 +X     ") + rgbe.tobytes(), texels
        yield f"bad-hdr-{width}-cut", head + rgbe.tobytes()[:-1], None
        if width >= 8:
            rows = b"".join(bytes([2, 2, 0, width]) + b"".join(
                bytes([width]) + row[:, c].tobytes() for c in range(4)) for row in rgbe)
            yield f"hdr-{width}-runs", head + rows, texels
            for n in (0, 129 + width): # stb would never return from a run of length 0.
                yield f"bad-hdr-run-{n}", head + rows[:4] + bytes([n]) + rows[5:], "truncated or damaged"
        for resolution, reason in ((b"-Y 0 +X 3", "no texels"), (b"-Y -5 +X 3", "no texels"), (b"-Y 99999 +X 3", "too large"),
                                   (b"-Y 9999 +X 9999", "truncated"), (b"+Y 3 +X 3", "bad Radiance HDR")):
            yield (f"bad-hdr-{width}-{resolution.decode()}",
                   head.replace(b"-Y 3 +X %d" % width, resolution) + rgbe.tobytes(), reason)


# ---- JPEG, of blocks of 8x8 equal texels: their means are all that is coded.

def segment(marker, body):
    return bytes([0xFF, marker]) + struct.pack(">H", 2 + len(body)) + body


class Bits:
    def __init__(self):
        self.text = ""

    def mean(self, difference):
        """A difference of means: its number of bits in four, and itself."""
        n_bits = int(abs(difference)).bit_length()
        self.text += f"{n_bits:04b}"
        if n_bits:
            value = difference if difference > 0 else difference + (1 << n_bits) - 1
            self.text += f"{value:0{n_bits}b}"

    def end_of_block(self):
        self.text += "0"

    def data(self):
        text = self.text + "1" * (-len(self.text) % 8)
        return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8)).replace(
            b"\xff", b"\xff\0")


def scan(blocks, channels, has_ac=True, spectrum=(0, 63, 0)):
    """One scan of these channels: of their means, and the end of each block."""
    bits = Bits()
    before = dict.fromkeys(channels, 128)
    for texel in blocks.reshape(-1, blocks.shape[2]).astype(int):
        for c in channels:
            if spectrum[0] == 0:
                bits.mean(texel[c] - before[c])
                before[c] = texel[c]
            if has_ac:
                bits.end_of_block()
    head = bytes([len(channels)]) + b"".join(bytes([1 + c, 0]) for c in channels) + bytes(spectrum)
    return segment(0xDA, head) + bits.data()


def exif(orientation, order="<", tag=0x112, offset=8, kind=3):
    mark = b"II*\0" if order == "<" else b"MM\0*"
    value = struct.pack(order + ("HH" if kind == 3 else "I"), orientation, *[0] * (kind == 3))
    return segment(0xE1, b"Exif\0\0" + mark + struct.pack(order + "IHHHI", offset, 1, tag, kind, 1)
                   + value + bytes(4))


def jpeg(blocks, extent, scans=None, frame=0xC0, before=b"", precision=8):
    """`blocks`[rows][columns][channels] in 0 to 255; `extent`: width and height."""
    n = blocks.shape[2]
    components = b"".join(bytes([1 + c, 0x11, 0]) for c in range(n))
    tables = (segment(0xDB, b"\0" + b"\x08" * 64)
              + segment(0xC4, b"\0" + bytes([0, 0, 0, 12]) + bytes(12) + bytes(range(12)))
              + segment(0xC4, b"\x10" + bytes([1]) + bytes(15) + b"\0"))
    size = struct.pack(">BHHB", precision, extent[1], extent[0], n)
    scans = scans or [scan(blocks, range(n))]
    return (b"\xff\xd8" + before + tables + segment(frame, size + components) + b"".join(scans)
            + b"\xff\xd9")


ADOBE_RGB = segment(0xEE, b"Adobe\0d\0\0\0\0\0")
TURNS = {1: lambda a: a, 2: np.fliplr, 3: lambda a: np.rot90(a, 2), 4: np.flipud,
         5: lambda a: np.swapaxes(a, 0, 1), 6: lambda a: np.rot90(a, -1),
         7: lambda a: np.rot90(np.swapaxes(a, 0, 1), 2), 8: np.rot90}


def jpeg_texels(rgb, extent, orientation=1):
    texels = np.repeat(np.repeat(rgb, 8, axis=0), 8, axis=1)[:extent[1], :extent[0]]
    return np.ascontiguousarray(TURNS[orientation](opaque(texels)))


def jpegs():
    extent = (21, 13)
    rgb = RNG.integers(0, 256, (2, 3, 3))
    grey = rgb[..., :1]
    grey_texels = jpeg_texels(np.repeat(grey, 3, axis=2), extent)
    yield "jpeg-grey", jpeg(grey, extent), grey_texels
    yield "jpeg-rgb", jpeg(rgb, extent, before=ADOBE_RGB), jpeg_texels(rgb, extent)
    y, cb, cr = rgb[..., 0], rgb[..., 1] - 128, rgb[..., 2] - 128
    turned = np.dstack([y + 1.402 * cr, y - 0.344136286 * cb - 0.714136286 * cr, y + 1.772 * cb])
    yield ("jpeg-ycc", jpeg(rgb, extent),
           jpeg_texels(np.clip(np.floor(turned + 0.5), 0, 255), extent))
    by_channel = [scan(rgb, [c]) for c in range(3)]
    yield ("jpeg-scans", jpeg(rgb, extent, by_channel, before=ADOBE_RGB), jpeg_texels(rgb, extent))
    means = scan(grey, [0], has_ac=False, spectrum=(0, 0, 0))
    rest = scan(grey, [0], spectrum=(1, 63, 0))
    yield "jpeg-progressive", jpeg(grey, extent, [means, rest], frame=0xC2), grey_texels
    for n_scans in (99, 100):
        # The highest bit of each coefficient, and then its next ones: all zero.
        ac = [scan(grey[:1, :1], [0], spectrum=(k, k, high << 4 | high - 1 if high < 4 else 3))
              for high in (4, 3) for k in range(1, 64)]
        means = scan(grey[:1, :1], [0], has_ac=False, spectrum=(0, 0, 0))
        yield (f"{'bad-' if n_scans > 99 else ''}jpeg-{1 + n_scans}-scans",
               jpeg(grey[:1, :1], (8, 8), [means] + ac[:n_scans], frame=0xC2),
               jpeg_texels(np.repeat(grey[:1, :1], 3, axis=2), (8, 8)) if n_scans < 100 else None)
    yield from turned_jpegs(rgb, extent)
    yield from bad_jpegs(rgb, extent)


def turned_jpegs(rgb, extent):
    for orientation in TURNS:
        for order in "<>":
            yield (f"jpeg-turned-{orientation}-{'II' if order == '<' else 'MM'}",
                   jpeg(rgb, extent, before=exif(orientation, order) + ADOBE_RGB),
                   jpeg_texels(rgb, extent, orientation))
            yield (f"jpeg-turned-{orientation}-{'II' if order == '<' else 'MM'}-long",
                   jpeg(rgb, extent, before=exif(orientation, order, kind=9) + ADOBE_RGB),
                   jpeg_texels(rgb, extent, orientation))
    for name, marker in (("zero", exif(0)), ("nine", exif(9)), ("none", exif(6, tag=0x111)),
                         ("far", exif(6, offset=0xFFFFFFF0)), ("short", segment(0xE1, b"Exif\0\0II"))):
        yield (f"jpeg-turned-{name}", jpeg(rgb, extent, before=marker + ADOBE_RGB),
               jpeg_texels(rgb, extent))


def bad_jpegs(rgb, extent):
    whole = jpeg(rgb, extent, before=ADOBE_RGB)
    yield ("jpeg-junk", jpeg(rgb, extent, before=ADOBE_RGB + bytes(2)), jpeg_texels(rgb, extent))
    jfif = segment(0xE0, b"JFIF\0\3\1\0\0\1\0\1\0\0")
    grey = rgb[..., :1]
    yield ("jpeg-jfif-3", jpeg(grey, extent, before=jfif),
           jpeg_texels(np.repeat(grey, 3, axis=2), extent))
    yield "jpeg-and-more", whole + b"another file", jpeg_texels(rgb, extent)
    for n in (1, 2, 3, 9, 100):
        yield f"bad-jpeg-cut-{n}", whole[:-n], None
    yield "bad-jpeg-begin", whole[:4], None
    yield "bad-jpeg-gap", whole[:-2] + b"xyz" + whole[-2:], None
    cmyk = np.concatenate([rgb, rgb[..., :1]], axis=2)
    yield "bad-jpeg-cmyk", jpeg(cmyk, extent, before=ADOBE_RGB), None
    for frame in (0xC3, 0xC9, 0xCA):
        yield f"bad-jpeg-frame-{frame:x}", jpeg(rgb, extent, frame=frame), None
    yield "bad-jpeg-12", jpeg(rgb, extent, precision=12), None
    for name, size in (("none", (0, 8)), ("no-rows", (8, 0)), ("wide", (16385, 8)),
                       ("high", (8, 65500)), ("lie", (16384, 16384))):
        yield f"bad-jpeg-{name}", jpeg(rgb, size), None
    no_image = jpeg(rgb, extent, [b"\xff\xfe\0\2"])
    yield "bad-jpeg-no-scan", no_image, None


# ---- Texture files: (name, VkFormat, DXGI_FORMAT, bytes of a texel)

def texture_formats():
    """(VkFormat, DXGI_FORMAT, stored texels as bytes[height][width][n], texels)"""
    codes = RNG.integers(0, 256, (5, 7, 4)).astype(np.uint8)
    for vk, dxgi in ((37, 28), (43, 29)):
        yield vk, dxgi, codes, codes
    yield 9, 61, codes[..., :1], opaque(np.repeat(codes[..., :1], 3, axis=2))
    blank = codes[..., :2]
    yield 16, 49, blank, opaque(np.dstack([blank, np.zeros((5, 7, 1), np.uint8)]))
    for size, (one, two, four) in ((2, ((76, 54), (83, 34), (97, 10))),
                                   (4, ((100, 41), None, (109, 2)))):
        values = RNG.uniform(-9, 9, (5, 7, 4)).astype(f"<f{size}")
        values[0, 0] = (np.inf, -np.inf, -0.0, 1)
        for n, numbers in ((1, one), (2, two), (4, four)):
            if numbers:
                texels = np.zeros((5, 7, 4), np.float32)
                texels[..., 3] = 1
                texels[..., :n] = values[..., :n]
                texels[..., 1:3] = values[..., :1] if n == 1 else texels[..., 1:3]
                stored = np.ascontiguousarray(values[..., :n]).view(np.uint8)
                yield *numbers, stored, texels
    words = RNG.integers(0, 1 << 32, (5, 7), dtype=np.uint32)
    parts = np.dstack([words & 1023, words >> 10 & 1023, words >> 20 & 1023, words >> 30])
    yield 64, 24, words.view(np.uint8).reshape(5, 7, 4), (parts / (1023, 1023, 1023, 3)).astype(np.float32)
    # Exponents of 1 to 30: normal numbers.
    exponents, mantissas = RNG.integers(1, 31, (5, 7, 3)), RNG.integers(0, 32, (5, 7, 3))
    words = np.zeros((5, 7), np.uint32)
    for c, (shift, n_bits) in enumerate(((0, 6), (11, 6), (22, 5))):
        words |= ((exponents[..., c] << n_bits | mantissas[..., c]) << shift).astype(np.uint32)
    texels = np.ones((5, 7, 4), np.float32)
    texels[..., :3] = (1 + mantissas / (64, 64, 32)) * np.exp2(exponents - 15)
    yield 122, 26, words.view(np.uint8).reshape(5, 7, 4), texels


KTX2_IDENTIFIER = b"\xabKTX 20\xbb\r\n\x1a\n"


def ktx2(vk, stored, n_levels=1, elements=0, faces=1, scheme=0, depth=0, offset=None, length=None,
         before=b""):
    """`before`: what lies between the header and level 0, smaller levels for one."""
    height, width = stored.shape[:2]
    offset = 80 + 24 * max(1, n_levels) + len(before) if offset is None else offset
    layers = stored.tobytes() * max(1, elements) * faces
    length = len(layers) if length is None else length
    head = struct.pack("<9I", vk, 1, width, height, depth, elements, faces, n_levels, scheme)
    index = struct.pack("<3Q", offset, length, length) * max(1, n_levels)
    return KTX2_IDENTIFIER + head + bytes(32) + index + before + layers


def dds(dxgi, stored, n_levels=1, elements=1, misc=0, four_cc=b"DX10", dimension=3, after=b""):
    height, width = stored.shape[:2]
    words = [124, 0x2100F, height, width, 0, 0, n_levels] + [0] * 11 + [
        32, 4, int.from_bytes(four_cc, "little")] + [0] * 10 + [dxgi, dimension, misc, elements, 0]
    return b"DDS " + struct.pack("<36I", *words) + stored.tobytes() + after


def old_dds(stored, four_cc=0, masks=(0, 0, 0, 0), caps=0):
    """Without the header of DX10."""
    height, width = stored.shape[:2]
    words = [124, 0x100F, height, width, 0, 0, 0] + [0] * 11 + [
        32, 4 if four_cc else 0x41, four_cc, 0 if four_cc else 32, *masks, 0x1000, caps, 0, 0, 0]
    return b"DDS " + struct.pack("<31I", *words) + stored.tobytes()


def old_dds_files():
    codes = RNG.integers(0, 256, (3, 5, 4)).astype(np.uint8)
    rgba, bgra = (0xFF, 0xFF00, 0xFF0000, 0xFF000000), (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    yield "dds-old-rgba", old_dds(codes, masks=rgba), codes
    yield "dds-old-bgra", old_dds(codes, masks=bgra), codes[..., (2, 1, 0, 3)]
    yield "dds-old-cube", old_dds(codes, masks=rgba, caps=0x600), codes
    yield "bad-dds-old-cube", old_dds(codes, masks=rgba, caps=0xFE00), None
    yield "bad-dds-old-volume", old_dds(codes, masks=rgba, caps=0x200000), None
    yield "bad-dds-old-cut", old_dds(codes, masks=rgba)[:-1], None
    yield "bad-dds-old-masks", old_dds(codes, masks=(0xFF, 0xFF00, 0xFF0000, 0)), None
    for four_cc, kind, n in ((111, "f2", 1), (112, "f2", 2), (113, "f2", 4), (114, "f4", 1),
                             (115, "f4", 2), (116, "f4", 4)):
        values = RNG.uniform(-9, 9, (3, 5, n)).astype("<" + kind)
        texels = np.zeros((3, 5, 4), np.float32)
        texels[..., 3] = 1
        texels[..., :n] = values
        texels[..., 1:3] = values if n == 1 else texels[..., 1:3]
        yield f"dds-old-{four_cc}", old_dds(values, four_cc), texels
    yield "bad-dds-old-110", old_dds(codes, 110), None


def texture_files():
    yield from old_dds_files()
    for vk, dxgi, stored, texels in texture_formats():
        align = bytes(8) # 112: a multiple of every texel's size
        yield f"ktx2-{vk}", ktx2(vk, stored, before=align), texels
        yield f"dds-{dxgi}", dds(dxgi, stored), texels
        yield f"bad-ktx2-{vk}-cut", ktx2(vk, stored, before=align)[:-1], None
        yield f"bad-ktx2-{vk}-aligned", ktx2(vk, stored, before=bytes(9)), None
        yield f"bad-dds-{dxgi}-cut", dds(dxgi, stored)[:-1], None
    codes = RNG.integers(0, 256, (4, 4, 4)).astype(np.uint8)
    small = bytes(4 * (4 + 1))
    yield "ktx2-chain", ktx2(37, codes, n_levels=3, before=small), codes
    yield "ktx2-no-levels", ktx2(37, codes, n_levels=0), codes
    yield "ktx2-cubes", ktx2(37, codes, elements=2, faces=6), codes
    yield "dds-chain", dds(28, codes, n_levels=3, after=small), codes
    yield "dds-cube", dds(28, codes, misc=4, after=codes.tobytes() * 5), codes
    for name, changes in {
            "levels": {"n_levels": 4}, "many-levels": {"n_levels": 0xFFFFFFFF}, "faces": {"faces": 3},
            "no-faces": {"faces": 0}, "scheme": {"scheme": 2}, "volume": {"depth": 2},
            "short": {"length": 63}, "long": {"length": 65}, "two": {"elements": 2, "length": 64},
            "before": {"offset": 103}, "after": {"offset": 105}, "far": {"offset": 2**64 - 1},
            "wrap": {"offset": 2**64 - 32}}.items():
        # The header alone says so many levels or layers; the file is as it was.
        n_levels = changes.pop("n_levels", 1)
        data = bytearray(ktx2(37, codes, **changes))
        data[40:44] = struct.pack("<I", n_levels)
        yield f"bad-ktx2-{name}", bytes(data), None
    # 2**64 bytes of level 0: none, if that wraps.
    for name, vk, dxgi, side in (("rgba8", 37, 28, 2**31), ("rgba32f", 109, 2, 2**30)):
        data = bytearray(ktx2(vk, codes))
        data[20:28] = struct.pack("<2I", side, side)
        yield f"bad-ktx2-huge-{name}", bytes(data), None
        data = bytearray(dds(dxgi, codes))
        data[12:20] = struct.pack("<2I", side, side)
        yield f"bad-dds-huge-{name}", bytes(data), None
    # 12e9 layers of 15368x6235 texels are 2**64 - 256 bytes: behind byte 272 they end at byte 16.
    data = bytearray(ktx2(109, codes, offset=272, length=2**64 - 256, before=bytes(200)))
    data[20:28] = struct.pack("<2I", 15368, 6235)
    data[32:40] = struct.pack("<2I", 2005370767, 6)
    yield "bad-ktx2-wrapped", bytes(data), "does not lie within the file"
    yield "bad-ktx2-format", ktx2(38, codes), None
    yield "bad-ktx2-head", ktx2(37, codes)[:100], None
    for name, changes in {
            "levels": {"n_levels": 4, "after": small}, "fewer": {"n_levels": 3},
            "many-levels": {"n_levels": 0xFFFFFFFF}, "none": {"elements": 0}, "two": {"elements": 2},
            "most": {"elements": 0xFFFFFFFF, "misc": 4}, "cube": {"misc": 4},
            "dxt1": {"four_cc": b"DXT1"}, "volume": {"dimension": 4}}.items():
        yield f"bad-dds-{name}", dds(28, codes, **changes), None
    yield "bad-dds-format", dds(71, codes), None
    yield "bad-dds-head", dds(28, codes)[:140], None


def strangers():
    """Of no kind that is read; random bytes might pass for a TGA."""
    for name, data, words in (
            ("gif", b"GIF89a......", "GIF is not read; convert"), ("psd", b"8BPS........", "PSD is not read; convert"),
            ("webp", b"RIFF....WEBPVP8 ", "WebP is not read; convert"), ("text-pnm", b"P3 1 1 255 0 0 0", "PNM in text"),
            ("exr", b"\x76\x2f\x31\x01....", "OpenEXR is not read; convert it: convert '"),
            ("jp2", b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000 is not read"),
            ("jxl", b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL is not read"), ("qoi", b"qoif....", "QOI is not read"),
            ("svg", b"<svg xmlns=", "SVG is not read"), ("ico", b"\0\0\1\0\1\0", "ICO is not read"),
            ("basis", b"sB\x13\0", "Basis is not read"), ("pam", b"P7\nWIDTH 1\n", "PAM is not read"),
            ("text", b"Hello, world. This is no image at all.", "not an image that can be read; PNG, "),
            ("zeros", bytes(23), "not an image"), ("letter", b"B", "not an image")):
        yield f"bad-{name}", data, words
    for i in range(200):
        yield f"bad-random-{i}", RNG.bytes(256), None


def files(has_jpeg):
    if not has_jpeg:
        yield "bad-jpeg", b"\xff\xd8\xff\xe0 JFIF", "JPEG is not read; convert"
    for source in (coloured_pngs, small_pngs, odd_pngs, indexed_bmps, true_bmps, tgas, netpbms,
                   pfms, hdrs, jpegs, texture_files, strangers):
        if source != jpegs or has_jpeg:
            yield from source()
