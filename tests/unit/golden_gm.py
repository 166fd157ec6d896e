#!/usr/bin/env python3
"""The golden model's exact area average against a filter of others: `gm convert -scale` of
GraphicsMagick, level by level from the texels that gm made itself, within one code.

usage: golden_gm.py GOLDEN_DUMP. Exit 0, 1, or 77 without GraphicsMagick or numpy."""
import shutil
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed: python3-numpy")
    sys.exit(77)
if not shutil.which("gm"):
    print("skipped: GraphicsMagick is not installed: graphicsmagick")
    sys.exit(77)

# Even, odd, and both; narrow ones end as a line.
SIZES = [(64, 64), (256, 32), (255, 257), (333, 257), (127, 100), (31, 33), (17, 1), (1, 45)]
MAX_CODES = 1.0


def scaled(texels, width, height):
    """By gm, of uint8[height][width][3]."""
    header = f"P6 {texels.shape[1]} {texels.shape[0]} 255\n".encode()
    out = subprocess.run(["gm", "convert", "ppm:-", "-scale", f"{width}x{height}!", "-depth", "8", "ppm:-"],
                         input=header + texels.tobytes(), stdout=subprocess.PIPE, check=True).stdout
    n_bytes = width * height * 3
    if f"{width} {height}".encode() not in out[:-n_bytes]:
        sys.exit(f"gm wrote no {width}x{height}: {out[:40]}")
    return np.frombuffer(out[-n_bytes:], np.uint8).reshape(height, width, 3)


def golden(program, texels, width, height):
    """The next level by the golden model, in codes."""
    opaque = np.dstack([texels, np.full(texels.shape[:2], 255, np.uint8)])
    line = f"chain rgba8 box avg straight {texels.shape[1]} {texels.shape[0]}\n".encode()
    out = subprocess.run([program], input=line + opaque.tobytes(), stdout=subprocess.PIPE, check=True).stdout
    return 255 * np.frombuffer(out)[:width * height * 4].reshape(height, width, 4)[:, :, :3]


def main(program):
    rng = np.random.default_rng(23)
    worst, n = 0.0, 0
    for width, height in SIZES:
        texels = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
        while (width, height) != (1, 1):
            width, height = max(1, width // 2), max(1, height // 2)
            want = golden(program, texels, width, height)
            texels = scaled(texels, width, height)
            error = float(np.max(np.abs(texels - want)))
            if error > MAX_CODES:
                print(f"level of {width}x{height}: {error:.3f} codes apart")
            worst, n = max(worst, error), n + 1
    print(f"golden_gm: {n} levels, at most {worst:.3f} codes apart")
    return 1 if worst > MAX_CODES else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
