#!/usr/bin/env python3
"""The golden model and the codecs against an independent reimplementation in numpy.

Written from the definitions, not from the C code: each axis of each policy is a dense weight
matrix, numbers of 16 bits are numpy's, and small unsigned floats are looked up in a list of
all of them. Usage: golden_model.py GOLDEN_DUMP. Exit 0, 1, or 77 without numpy."""

import itertools
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

TOLERANCE = 1e-12  # relative to the largest value of the source, at least to 1
POLICIES = ("box", "floor", "blit")
WIDE = ("kaiser", "lanczos", "gaussian", "gaussian16")  # averages only
REDUCES = ("avg", "min", "max")
ALPHAS = ("straight", "premultiplied")
ALL_SIZES = [(w, h) for w in range(1, 10) for h in range(1, 10)] + [
    (17, 31), (64, 64), (100, 75), (255, 257), (1, 300), (1023, 3)]
FEW_SIZES = [(1, 1), (2, 3), (5, 4), (7, 5), (17, 31), (1, 13), (29, 1), (64, 6)]


# Formats: decode(texels) -> rgba doubles, encode(rgba doubles) -> texels, both [n][...].

def srgb_to_linear(v):
    return np.where(v <= 0.04045, v / 12.92, np.power((v + 0.055) / 1.055, 2.4))


def srgb_from_linear(v):
    power = np.power(np.maximum(v, 0.0031308), 1 / 2.4)
    return np.where(v <= 0.0031308, v * 12.92, 1.055 * power - 0.055)


def quantise(v, max_code):
    return np.floor(np.clip(np.nan_to_num(v, nan=0.0), 0, 1) * max_code + 0.5).astype(np.uint32)


def pad(values):
    """Missing channels are 0, missing alpha is 1."""
    rgba = np.zeros((len(values), 4))
    rgba[:, 3] = 1.0
    rgba[:, :values.shape[1]] = values
    return rgba


class Unorm8:
    dtype = np.uint8

    def __init__(self, n_channels):
        self.n_channels = n_channels
        self.texel_bytes = n_channels

    def decode(self, data):
        return pad(np.frombuffer(data, np.uint8).reshape(-1, self.n_channels) / 255.0)

    def encode(self, rgba):
        return quantise(rgba[:, :self.n_channels], 255).astype(np.uint8).tobytes()


class Srgb8:
    n_channels = texel_bytes = 4

    def decode(self, data):
        rgba = np.frombuffer(data, np.uint8).reshape(-1, 4) / 255.0
        rgba[:, :3] = srgb_to_linear(rgba[:, :3])
        return rgba

    def encode(self, rgba):
        coded = np.concatenate([srgb_from_linear(rgba[:, :3]), rgba[:, 3:]], axis=1)
        return quantise(coded, 255).astype(np.uint8).tobytes()


class Rgb10a2:
    n_channels = texel_bytes = 4
    widths = (10, 10, 10, 2)

    def decode(self, data):
        word = np.frombuffer(data, np.uint32)
        return np.stack([(word >> np.uint32(10 * c)) % np.uint32(2 ** w) / (2.0 ** w - 1)
                         for c, w in enumerate(self.widths)], axis=1)

    def encode(self, rgba):
        word = np.zeros(len(rgba), np.uint32)
        for c, w in enumerate(self.widths):
            word |= quantise(rgba[:, c], 2 ** w - 1) << np.uint32(10 * c)
        return word.tobytes()


class Float:
    def __init__(self, dtype, n_channels):
        self.dtype = dtype
        self.n_channels = n_channels
        self.texel_bytes = np.dtype(dtype).itemsize * n_channels

    def decode(self, data):
        stored = np.frombuffer(data, self.dtype).reshape(-1, self.n_channels)
        with np.errstate(invalid="ignore"):  # signalling NaN
            return pad(stored.astype(np.float64))

    def encode(self, rgba):
        with np.errstate(over="ignore"):
            return rgba[:, :self.n_channels].astype(self.dtype).tobytes()


def small_floats(mantissa_bits):
    """All finite numbers of five exponent bits, in order of their bits, and what would be the
    next one."""
    exponent, mantissa = np.divmod(np.arange((31 << mantissa_bits) + 1), 1 << mantissa_bits)
    fraction = mantissa / 2.0 ** mantissa_bits
    return np.where(exponent == 0, fraction * 2.0 ** -14,
                    (1 + fraction) * 2.0 ** (exponent - 15.0))


class Rg11b10f:
    n_channels = 3
    texel_bytes = 4
    places = ((0, 6), (11, 6), (22, 5))  # first bit, bits of mantissa

    def decode(self, data):
        word = np.frombuffer(data, np.uint32)
        return pad(np.stack([
            small_floats(m)[(word >> np.uint32(first)) % np.uint32(32 << m)]
            for first, m in self.places], axis=1))

    def encode(self, rgba):
        word = np.zeros(len(rgba), np.uint32)
        for c, (first, m) in enumerate(self.places):
            numbers = small_floats(m)
            v = np.clip(rgba[:, c], 0, numbers[-1])
            high = np.clip(np.searchsorted(numbers, v), 1, len(numbers) - 1)
            down, up = v - numbers[high - 1], numbers[high] - v
            is_low = (down < up) | ((down == up) & (high % 2 == 1))
            word |= np.where(is_low, high - 1, high).astype(np.uint32) << np.uint32(first)
        return word.tobytes()


FORMATS = {
    "rgba8": Unorm8(4), "rgba8-srgb": Srgb8(), "r8": Unorm8(1), "rg8": Unorm8(2),
    "rgb10a2": Rgb10a2(), "r16f": Float(np.float16, 1), "rg16f": Float(np.float16, 2),
    "rgba16f": Float(np.float16, 4), "r32f": Float(np.float32, 1),
    "rg32f": Float(np.float32, 2), "rgba32f": Float(np.float32, 4), "rg11b10f": Rg11b10f(),
}


def is_float(name):
    return isinstance(FORMATS[name], (Float, Rg11b10f))


# Filters: each axis of each policy as a matrix of weights [n_next][n].

def box_matrix(n, n_next):
    """Area average: the overlap of [x n/n', (x+1) n/n') with each source texel [i, i+1), in
    units of 1/n' so that it is exact."""
    begin = np.arange(n_next)[:, None] * n
    i = np.arange(n)[None, :] * n_next
    overlap = np.minimum(begin + n, i + n_next) - np.maximum(begin, i)
    return np.clip(overlap, 0, None) / n


def floor_matrix(n, n_next):
    """Texels 2x and 2x+1; a single one on an axis of size 1."""
    x = np.arange(n_next)[:, None]
    i = np.arange(n)[None, :]
    return np.ones((1, 1)) if n == 1 else np.where(i // 2 == x, 0.5, 0.0)


def blit_matrix(n, n_next):
    """Linear interpolation at (x + 1/2) n/n' - 1/2, clamped to the edge: a tent over texels, in
    units of 1/(2 n') so that it is exact."""
    centre = (2 * np.arange(n_next)[:, None] + 1) * n - n_next
    centre = np.clip(centre, 0, (n - 1) * 2 * n_next)
    distance = np.abs(np.arange(n)[None, :] * 2 * n_next - centre)
    return np.clip(2 * n_next - distance, 0, None) / (2 * n_next)


def kaiser(d):
    return np.sinc(d) * np.i0(4 * np.sqrt(np.clip(1 - (d / 3) ** 2, 0, None))) / np.i0(4)


def lanczos(d):
    return np.sinc(d) * np.sinc(d / 3)


def gaussian(sigma):
    return lambda d: np.exp(-(d / sigma) ** 2 / 2)


def kernel_matrix(kernel, radius):
    """A kernel of the distance between centres in texels of the next level, on an axis that
    goes on with its edge texels for as long as the kernel reaches."""
    def matrix(n, n_next):
        reach = 3 * radius + 2
        i = np.arange(-reach, n + reach)
        d = (2 * i[None, :] + 1) * n_next - (2 * np.arange(n_next)[:, None] + 1) * n
        weights = np.where(np.abs(d) < 2 * n * radius, kernel(d / (2 * n)), 0)
        folded = np.zeros((n_next, n))
        np.add.at(folded.T, np.clip(i, 0, n - 1), weights.T)
        return folded / weights.sum(axis=1, keepdims=True)
    return matrix


MATRICES = {
    "box": box_matrix, "floor": floor_matrix, "blit": blit_matrix,
    "kaiser": kernel_matrix(kaiser, 3), "lanczos": kernel_matrix(lanczos, 3),
    "gaussian": kernel_matrix(gaussian(1 / 2), 2), "gaussian16": kernel_matrix(gaussian(2), 8),
}


def average(rows, columns, level):
    return np.einsum("yi,ijc,xj->yxc", rows, level, columns, optimize=True)


def average_premultiplied(rows, columns, level):
    """Colour weighted by alpha; the straight average where there is no alpha at all."""
    straight = average(rows, columns, level)
    alpha = straight[..., 3:]
    weighted = average(rows, columns, level[..., :3] * level[..., 3:])
    colour = np.where(alpha > 0, weighted / np.where(alpha > 0, alpha, 1), straight[..., :3])
    return np.concatenate([colour, alpha], axis=2)


def extreme(rows, columns, level, function):
    """Over every texel of non-zero weight."""
    level = np.stack([function(level[row > 0], axis=0) for row in rows])
    return np.stack([function(level[:, column > 0], axis=1) for column in columns], axis=1)


def next_level(policy, reduce, alpha, level):
    height, width = level.shape[:2]
    rows = MATRICES[policy](height, max(1, height // 2))
    columns = MATRICES[policy](width, max(1, width // 2))
    if reduce != "avg":
        return extreme(rows, columns, level, np.min if reduce == "min" else np.max)
    function = average if alpha == "straight" else average_premultiplied
    return function(rows, columns, level)


def model_chain(policy, reduce, alpha, level):
    """Levels 1.. of rgba[h][w][4] doubles, flat."""
    levels = [np.zeros(0)]
    while max(level.shape[:2]) > 1:
        level = next_level(policy, reduce, alpha, level)
        levels.append(level.ravel())
    return np.concatenate(levels)


# Requests: (line, data, answer's bytes, check(answer) -> text of what is wrong or None).

def random_texels(name, n, rng):
    """Texels of all magnitudes, some without alpha; colours below zero where there is a sign."""
    rgba = rng.random((n, 4))
    if is_float(name):
        rgba[:, :3] *= 10.0 ** rng.uniform(-4, 3, (n, 3)) * rng.choice([1, 1, -1], (n, 3))
    rgba[rng.random(n) < 0.4, 3] = 0.0
    return FORMATS[name].encode(rgba)


def chain_request(name, policy, reduce, alpha, size, rng):
    width, height = size
    data = random_texels(name, width * height, rng)
    base = FORMATS[name].decode(data).reshape(height, width, 4)
    want = model_chain(policy, reduce, alpha, base)
    scale = max(1.0, float(np.max(np.abs(base))))
    line = f"chain {name} {policy} {reduce} {alpha} {width} {height}"

    def check(answer):
        worst = float(np.max(np.abs(np.frombuffer(answer) - want), initial=0.0)) / scale
        return None if worst <= (0.0 if reduce != "avg" and name != "rgba8-srgb"
                                 else TOLERANCE) else f"differs by {worst}"
    return line, data, want.nbytes, check


def all_texels(name):
    """Every code of every channel, but infinities and NaN of the small floats."""
    if name == "rg11b10f":
        red, blue = np.arange(31 << 6, dtype=np.uint32), np.arange(31 << 6) % (31 << 5)
        return (red | red[::-1] << np.uint32(11) |
                blue.astype(np.uint32) << np.uint32(22)).tobytes()
    if name == "rgb10a2":
        code = np.arange(1024, dtype=np.uint32)
        return (code | code[::-1] << np.uint32(10) | (code ^ np.uint32(85)) << np.uint32(20) |
                code % np.uint32(4) << np.uint32(30)).tobytes()
    if is_float(name):
        return np.arange(65536, dtype=np.uint16).view(np.float16).astype(
            FORMATS[name].dtype).repeat(FORMATS[name].n_channels).tobytes()
    return np.arange(256, dtype=np.uint8).repeat(FORMATS[name].n_channels).tobytes()


def decode_request(name):
    data = all_texels(name)
    want = FORMATS[name].decode(data)
    n = len(want)

    def check(answer):
        got = np.frombuffer(answer).reshape(n, 4)
        with np.errstate(invalid="ignore"):
            is_close = np.abs(got - want) <= 1e-15
        is_same = is_close | (got == want) | (np.isnan(got) & np.isnan(want))
        return None if np.all(is_same) else f"{np.sum(~is_same)} of {is_same.size} differ"
    return f"decode {name} {n}", data, n * 32, check


def edge_values(name, rng):
    """Halves and small floats, the ties between them and their neighbours, and much that is out of
    range."""
    values = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
    finite = np.sort(np.concatenate([values[np.isfinite(values)], small_floats(6), small_floats(5)]))
    finite = np.sort(np.concatenate([finite, np.nextafter(finite, np.inf), np.nextafter(finite, -np.inf)]))
    ties = (finite[1:] + finite[:-1]) / 2
    values = np.concatenate([
        finite, ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf), rng.random(99999),
        rng.normal(size=100000) * 10.0 ** rng.uniform(-9, 6, 100000),
        [65519.99, 65520.0, 1e300, -1e300, 5e-324, 2.0 ** -25, 2.0 ** -24, np.inf, -np.inf]])
    return values[:len(values) // 4 * 4].reshape(-1, 4)


def encode_request(name, rng):
    values = edge_values(name, rng)
    want = FORMATS[name].encode(values)

    def check(answer):
        return None if answer == want else "differs from numpy's"
    return f"encode {name} {len(values)}", values.tobytes(), len(want), check


def make_requests():
    rng = np.random.default_rng(1)
    for policy, size in itertools.product(POLICIES + WIDE, ALL_SIZES):
        for reduce in REDUCES if policy in POLICIES else REDUCES[:1]:
            yield chain_request("rgba8", policy, reduce, "straight", size, rng)
    combinations = itertools.product(FORMATS, POLICIES, REDUCES, ALPHAS)
    for (name, policy, reduce, alpha), size in itertools.product(combinations, FEW_SIZES):
        yield chain_request(name, policy, reduce, alpha, size, rng)
    for name, policy, size in itertools.product(FORMATS, WIDE, FEW_SIZES):
        yield chain_request(name, policy, "avg", "straight", size, rng)
    for name in FORMATS:
        yield decode_request(name)
        yield encode_request(name, rng)


def main():
    requests = list(make_requests())
    stdin = b"".join(line.encode() + b"\n" + data for line, data, _, _ in requests)
    program = [*os.environ.get("MESON_EXE_WRAPPER", "").split(), sys.argv[1]]
    stdout = subprocess.run(program, input=stdin, stdout=subprocess.PIPE, check=True).stdout
    n_failed = 0
    at = 0
    for line, _, n_bytes, check in requests:
        wrong = check(stdout[at:at + n_bytes])
        at += n_bytes
        if wrong:
            print(f"{line}: {wrong}")
            n_failed += 1
    if at != len(stdout):
        print(f"{len(stdout)} bytes of answers, not {at}")
        n_failed += 1
    print(f"golden_model: {len(requests)} requests, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
