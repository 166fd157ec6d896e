"""Readers of KTX2 and DDS files, written from their specifications and from nothing of mipbench.

Both give a Texture: texels[level][layer] are the bytes of height[level][width[level]] texels, rows
tight; a layer of cube maps is a face. Anything that the specifications forbid is an AssertionError.
"""
import dataclasses
import math
import struct

KTX2_IDENTIFIER = bytes([0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A])

# VkFormat: name, bytes of a texel, of a word.
VULKAN = {37: ("rgba8", 4, 1), 43: ("rgba8-srgb", 4, 1), 9: ("r8", 1, 1), 16: ("rg8", 2, 1),
          64: ("rgb10a2", 4, 4), 76: ("r16f", 2, 2), 83: ("rg16f", 4, 2), 97: ("rgba16f", 8, 2),
          100: ("r32f", 4, 4), 103: ("rg32f", 8, 4), 109: ("rgba32f", 16, 4), 122: ("rg11b10f", 4, 4)}
WORD_BYTES = {name: word_bytes for name, _, word_bytes in VULKAN.values()}
PACKED = {"rgb10a2": (10, 10, 10, 2), "rg11b10f": (11, 11, 10)}  # bits of channels
# DXGI_FORMAT: name, bytes of a texel.
DXGI = {28: ("rgba8", 4), 29: ("rgba8-srgb", 4), 61: ("r8", 1), 49: ("rg8", 2), 24: ("rgb10a2", 4),
        54: ("r16f", 2), 34: ("rg16f", 4), 10: ("rgba16f", 8), 41: ("r32f", 4), 16: ("rg32f", 8),
        2: ("rgba32f", 16), 26: ("rg11b10f", 4)}


@dataclasses.dataclass
class Texture:
    format: str
    width: int
    height: int
    elements: int  # of an array; 0: no array
    faces: int
    texels: list
    keys: dict = dataclasses.field(default_factory=dict)

    def extent(self, level):
        return max(1, self.width >> level), max(1, self.height >> level)


def split_layers(data, n_layers):
    assert len(data) % n_layers == 0
    n_bytes = len(data) // n_layers
    return [data[i * n_bytes:(i + 1) * n_bytes] for i in range(n_layers)]


def read_keys(data):
    keys, at = {}, 0
    while at < len(data):
        n_bytes, = struct.unpack_from("<I", data, at)
        key, value = data[at + 4:at + 4 + n_bytes].split(b"\0", 1)
        padding = data[at + 4 + n_bytes:at + 4 + n_bytes + -n_bytes % 4]
        assert len(padding) == -n_bytes % 4 and not any(padding)
        keys[key.decode("utf-8")] = value
        at += 4 + n_bytes + len(padding)
    assert at == len(data) and list(keys) == sorted(keys)
    return keys


def check_descriptor(data, name, texel_bytes):
    """The samples cover the texel's bits in order, each once; only sRGB is said to be sRGB."""
    total, kind, version, n_bytes, model, primaries, transfer, flags = struct.unpack_from(
        "<IIHHBBBB", data)
    assert (total, kind, version, n_bytes) == (len(data), 0, 2, len(data) - 4)
    assert (model, primaries, flags) == (1, 1, 0)  # RGBSDA, BT.709, alpha straight
    assert transfer == (2 if name == "rgba8-srgb" else 1)
    assert data[16:28] == bytes([0, 0, 0, 0, texel_bytes, 0, 0, 0, 0, 0, 0, 0])
    end = 0
    for i, at in enumerate(range(28, len(data), 16)):
        bit_offset, n_bits_less_1, channel, position, low, high = struct.unpack_from("<HBBIII",
                                                                                     data, at)
        assert (bit_offset, position) == (end, 0)
        end += n_bits_less_1 + 1
        assert n_bits_less_1 + 1 == PACKED.get(name, [8 * WORD_BYTES[name]] * 4)[i]
        assert channel & 15 == (0, 1, 2, 15)[i] and not channel & 0x20
        is_float = name.endswith("f")
        assert bool(channel & 0x80) == is_float
        assert bool(channel & 0x40) == (is_float and name != "rg11b10f")
        assert bool(channel & 0x10) == (name == "rgba8-srgb" and i == 3)
        one = struct.unpack("<I", struct.pack("<f", 1.0))[0] if is_float else 2**(end - bit_offset) - 1
        assert high == one
        assert low == (struct.unpack("<I", struct.pack("<f", -1.0))[0] if channel & 0x40 else 0)
    assert end == 8 * texel_bytes


def read_ktx2(data):
    assert data[:12] == KTX2_IDENTIFIER
    (vk, word_bytes, width, height, depth, elements, faces, n_levels, scheme, dfd, dfd_bytes, kvd,
     kvd_bytes, sgd, sgd_bytes) = struct.unpack_from("<13I2Q", data, 12)
    name, texel_bytes, want_word_bytes = VULKAN[vk]
    assert (word_bytes, depth, scheme, sgd, sgd_bytes) == (want_word_bytes, 0, 0, 0, 0)
    assert faces in (1, 6) and (faces == 1 or width == height)
    assert 1 <= n_levels <= max(width, height).bit_length()
    texture = Texture(name, width, height, elements, faces, [None] * n_levels)
    end = 80 + 24 * n_levels
    assert (dfd, kvd) == (end, end + dfd_bytes)
    check_descriptor(data[dfd:dfd + dfd_bytes], name, texel_bytes)
    texture.keys = read_keys(data[kvd:kvd + kvd_bytes])
    end = kvd + kvd_bytes
    n_layers = max(1, elements) * faces
    for level in reversed(range(n_levels)):
        offset, n_bytes, n_plain = struct.unpack_from("<3Q", data, 80 + 24 * level)
        assert offset == end + -end % math.lcm(texel_bytes, 4) and not any(data[end:offset])
        assert n_bytes == n_plain == texel_bytes * n_layers * math.prod(texture.extent(level))
        texture.texels[level] = split_layers(data[offset:offset + n_bytes], n_layers)
        end = offset + n_bytes
    assert end == len(data)
    return texture


def read_dds(data):
    assert data[:4] == b"DDS "
    words = struct.unpack_from("<36I", data, 4)
    n_header, flags, height, width, pitch, _, n_levels = words[:7]
    assert n_header == 124 and flags == 0x2100F  # caps, sizes, pitch, pixel format, mip count
    assert words[7:18] == (0,) * 11
    assert words[18:26] == (32, 4, int.from_bytes(b"DX10", "little"), 0, 0, 0, 0, 0)
    caps, caps2 = words[26:28]
    assert words[28:31] == (0,) * 3
    dxgi, dimension, misc, elements, alpha = words[31:36]
    name, texel_bytes = DXGI[dxgi]
    faces = 6 if misc & 4 else 1
    assert dimension == 3 and pitch == width * texel_bytes and elements >= 1
    assert caps2 == (0xFE00 if faces == 6 else 0)
    assert caps & 0x1000 and bool(caps & 0x400000) == (n_levels > 1)
    assert bool(caps & 8) == (n_levels > 1 or elements * faces > 1)
    assert alpha == (1 if "a" in name else 0)
    texture = Texture(name, width, height, elements, faces, [[] for _ in range(n_levels)])
    at = 148
    for _ in range(elements * faces):
        for level in range(n_levels):
            n_bytes = texel_bytes * math.prod(texture.extent(level))
            texture.texels[level].append(data[at:at + n_bytes])
            at += n_bytes
    assert at == len(data)
    return texture


def small_float(bits, n_mantissa_bits):
    """An unsigned float with five bits of exponent."""
    exponent, mantissa = bits >> n_mantissa_bits, bits & (2**n_mantissa_bits - 1)
    if exponent == 0:
        return math.ldexp(mantissa, -14 - n_mantissa_bits)
    assert exponent < 31, "not finite"
    return math.ldexp(2**n_mantissa_bits + mantissa, exponent - 15 - n_mantissa_bits)


def channels(name, texels):
    """Every channel of every texel, as stored: codes of UNORM over their largest, or floats."""
    if name in ("rgba8", "rgba8-srgb", "r8", "rg8"):
        return [code / 255 for code in texels]
    if name.endswith("16f") or name.endswith("32f"):
        kind = "e" if name.endswith("16f") else "f"
        return [value for value, in struct.iter_unpack("<" + kind, texels)]
    words = [word for word, in struct.iter_unpack("<I", texels)]
    if name == "rgb10a2":
        return [part for word in words for part in
                ((word & 1023) / 1023, (word >> 10 & 1023) / 1023, (word >> 20 & 1023) / 1023,
                 (word >> 30) / 3)]
    return [part for word in words for part in
            (small_float(word & 2047, 6), small_float(word >> 11 & 2047, 6),
             small_float(word >> 22, 5))]


def to_rgba8(name, texels):
    """As a PNG shows them: clamped to [0, 1], one channel as grey, missing alpha opaque."""
    codes = [math.floor(min(max(value, 0.0), 1.0) * 255 + 0.5) for value in channels(name, texels)]
    n = {"r8": 1, "r16f": 1, "r32f": 1, "rg8": 2, "rg16f": 2, "rg32f": 2, "rg11b10f": 3}.get(name, 4)
    out = bytearray()
    for i in range(0, len(codes), n):
        texel = codes[i:i + n]
        out += bytes((texel * 3 if n == 1 else texel + [0] * (3 - n)) + ([255] if n < 4 else []))
    return bytes(out)
