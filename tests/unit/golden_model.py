#!/usr/bin/env python3
"""The golden model and the half conversions against an independent reimplementation in numpy.

Written from the definitions, not from the C code: each axis of each policy is a dense weight
matrix. Usage: golden_model.py GOLDEN_DUMP. Exit 0, 1, or 77 without numpy."""

import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

TOLERANCE = 1e-12
POLICIES = ("box", "floor", "blit")
SIZES = [(w, h) for w in range(1, 10) for h in range(1, 10)] + [
    (17, 31), (64, 64), (100, 75), (255, 257), (1, 300), (1023, 3)]


def box_matrix(n, n_next):
    """Area average: the overlap of [x n/n', (x+1) n/n') with each source texel [i, i+1)."""
    span = n / n_next
    begin = np.arange(n_next)[:, None] * span
    i = np.arange(n)[None, :]
    overlap = np.minimum(begin + span, i + 1) - np.maximum(begin, i)
    return np.clip(overlap, 0, None) / span


def floor_matrix(n, n_next):
    """Texels 2x and 2x+1; a single one on an axis of size 1."""
    x = np.arange(n_next)[:, None]
    i = np.arange(n)[None, :]
    return np.ones((1, 1)) if n == 1 else np.where(i // 2 == x, 0.5, 0.0)


def blit_matrix(n, n_next):
    """Linear interpolation at (x + 1/2) n/n' - 1/2, clamped to the edge: a tent over texels."""
    centre = np.clip((np.arange(n_next)[:, None] + 0.5) * n / n_next - 0.5, 0, n - 1)
    return np.clip(1 - np.abs(np.arange(n)[None, :] - centre), 0, None)


MATRICES = {"box": box_matrix, "floor": floor_matrix, "blit": blit_matrix}


def model_chain(policy, base):
    """Levels 1.. of rgba[h][w][4] doubles."""
    levels = []
    level = base
    while max(level.shape[:2]) > 1:
        height, width = level.shape[:2]
        rows = MATRICES[policy](height, max(1, height // 2))
        columns = MATRICES[policy](width, max(1, width // 2))
        level = np.einsum("yi,ijc,xj->yxc", rows, level, columns, optimize=True)
        levels.append(level)
    return levels


def run_dump(*args, stdin=None):
    return subprocess.run(args, input=stdin, stdout=subprocess.PIPE, check=True).stdout


def check_chain(dump, policy, width, height):
    """The largest difference over all levels, or infinity if the sizes differ."""
    data = run_dump(dump, "chain", policy, str(width), str(height), "7")
    n_base = width * height * 4
    base = np.frombuffer(data[:n_base], np.uint8).reshape(height, width, 4) / 255.0
    got = np.frombuffer(data[n_base:], np.float64)
    want = [level.ravel() for level in model_chain(policy, base)]
    want = np.concatenate(want) if want else np.zeros(0)
    if got.shape != want.shape:
        return float("inf")
    return float(np.max(np.abs(got - want), initial=0.0))


def check_chains(dump):
    n_failed = 0
    for policy in POLICIES:
        for width, height in SIZES:
            worst = check_chain(dump, policy, width, height)
            if not worst <= TOLERANCE:
                print(f"{policy} {width}x{height}: differs by {worst}")
                n_failed += 1
    return n_failed


def check_halves(dump):
    bits = np.arange(65536, dtype=np.uint16)
    want = bits.view(np.float16).astype(np.float64)
    got = np.frombuffer(run_dump(dump, "from-half"), np.float64)
    n_failed = int(np.sum(~((got == want) | (np.isnan(got) & np.isnan(want)))))

    finite = want[np.isfinite(want)]
    ties = (np.sort(finite)[1:] + np.sort(finite)[:-1]) / 2
    rng = np.random.default_rng(1)
    values = np.concatenate([
        want, ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf),
        rng.normal(size=100000) * 10.0 ** rng.uniform(-9, 6, 100000),
        [65519.99, 65520.0, 1e300, -1e300, 5e-324, 2.0 ** -25, 2.0 ** -24]])
    with np.errstate(over="ignore"):
        want_bits = values.astype(np.float16)
    got_bits = np.frombuffer(run_dump(dump, "to-half", stdin=values.tobytes()), np.float16)
    if got_bits.shape != want_bits.shape:
        return n_failed + 1
    same = (got_bits.view(np.uint16) == want_bits.view(np.uint16)) | (
        np.isnan(got_bits) & np.isnan(want_bits))
    return n_failed + int(np.sum(~same))


def main():
    dump = sys.argv[1]
    n_failed = check_chains(dump)
    n_halves = check_halves(dump)
    if n_halves:
        print(f"{n_halves} half conversions differ from numpy's")
    print(f"golden_model: {len(POLICIES) * len(SIZES)} chains, {n_failed} failed; "
          f"halves: {n_halves} failed")
    return 1 if n_failed or n_halves else 0


if __name__ == "__main__":
    sys.exit(main())
