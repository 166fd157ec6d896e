#!/usr/bin/python3
"""Make the images of tests/data again, byte for byte the same pixels on every machine.

The photos are copied from Debian's python3-skimage (apt-get install python3-skimage) and checked
against the digests that scikit-image itself publishes; the rest is computed. Only needed to
change the set: the images are committed. tests/data/CREDITS names sources and licences.

usage: scripts/make-test-images.py [--skimage-data DIR] [--out DIR]
"""

import argparse
import hashlib
import pathlib
import struct
import zlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIMAGE_DATA = pathlib.Path("/usr/lib/python3/dist-packages/skimage/data")

# Digests as in skimage/data/_registry.py.
PHOTOS = {
    "astronaut.png": "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
    "chelsea.png": "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb",
    "brick.png": "7966caf324f6ba843118d98f7a07746d22f6a343430add0233eca5f6eaaa8fcf",
}


def png_bytes(pixels):
    """A PNG of pixels[height][width][channels], uint8 or uint16; filter 2 (up) on every row."""
    height, width, n_channels = pixels.shape
    bit_depth = 8 * pixels.dtype.itemsize
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    raw = np.frombuffer(rows, np.uint8).reshape(height, -1)
    above = np.vstack([np.zeros_like(raw[:1]), raw[:-1]])
    filtered = np.hstack([np.full((height, 1), 2, np.uint8), raw - above])

    def chunk(kind, body):
        crc = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)

    color_type = {1: 0, 2: 4, 3: 2, 4: 6}[n_channels]
    header = struct.pack(">IIBBBBB", width, height, bit_depth, color_type, 0, 0, 0)
    body = zlib.compress(filtered.tobytes(), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body)
            + chunk(b"IEND", b""))


def hash_noise(height, width, salt):
    """Integers 0..255 per texel that depend on the position only (no library's generator)."""
    y, x = np.mgrid[0:height, 0:width].astype(np.uint32)
    h = x * np.uint32(374761393) + y * np.uint32(668265263) + np.uint32(salt)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(1274126177)
    return ((h ^ (h >> np.uint32(16))) & np.uint32(255)).astype(np.int64)


def alpha_image(width=256, height=192):
    """A green disc with a soft edge; magenta is hidden where alpha is 0.

    Averaging straight colours lets the magenta bleed into the edge of every smaller level."""
    y, x = np.mgrid[0:height, 0:width]
    distance = np.hypot(x - (width - 1) / 2, y - (height - 1) / 2)
    alpha = np.clip((80 - distance) * 16, 0, 255).astype(np.uint8)
    image = np.empty((height, width, 4), np.uint8)
    image[...] = (255, 0, 255, 0)
    inside = alpha > 0
    image[inside, 0] = (x[inside] // 8).astype(np.uint8)
    image[inside, 1] = 200
    image[inside, 2] = (y[inside] // 8).astype(np.uint8)
    image[..., 3] = alpha
    return image


def deep_image(width=300, height=200):
    """16 bits: ramps finer than 8 bits can hold, with noise in the low byte of blue."""
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    red = x * 65535 // (width - 1)
    green = y * 65535 // (height - 1)
    blue = 32768 + 16 * (x - y) + hash_noise(height, width, 7) // 4
    return np.stack([red, green, blue], axis=-1).astype(np.uint16)


def hdr_image(width=192, height=108):
    """Linear radiance: a sky, a dark ground, and a sun 5,000 times as bright as the sky."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    sky = 1.0 - 0.8 * y / (height - 1)
    image = np.stack([0.4 * sky, 0.6 * sky, sky], axis=-1)
    ground = y >= 0.75 * height
    image[ground] = (0.03125, 0.046875, 0.015625)
    sun = np.hypot(x - 0.7 * width, y - 0.3 * height) < 6
    image[sun] = (5000.0, 4500.0, 4000.0)
    return image


def rgbe(image):
    """Shared-exponent texels, uint8[height][width][4] (Ward, "Real Pixels", Graphics Gems II)."""
    largest = image.max(axis=-1)
    mantissa, exponent = np.frexp(largest)
    scale = np.where(largest > 1e-32, mantissa * 256.0 / np.maximum(largest, 1e-32), 0.0)
    out = np.zeros(image.shape[:2] + (4,), np.uint8)
    out[..., :3] = np.floor(image * scale[..., None])
    out[..., 3] = np.where(largest > 1e-32, exponent + 128, 0)
    return out


def rle_channel(values):
    """One channel of one scanline: runs of 4 to 127 as (128 + n, value), the rest as literals."""
    out, i = bytearray(), 0
    literal = bytearray()

    def flush():
        for begin in range(0, len(literal), 128):
            part = literal[begin:begin + 128]
            out.append(len(part))
            out.extend(part)
        literal.clear()

    while i < len(values):
        run = 1
        while i + run < len(values) and run < 127 and values[i + run] == values[i]:
            run += 1
        if run >= 4:
            flush()
            out.extend((128 + run, values[i]))
        else:
            literal.extend(values[i:i + run])
        i += run
    flush()
    return bytes(out)


def hdr_bytes(image):
    height, width, _ = image.shape
    out = bytearray(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n")
    out += b"-Y %d +X %d\n" % (height, width)
    for row in rgbe(image):
        out += bytes((2, 2, width >> 8, width & 255))
        for channel in range(4):
            out += rle_channel(row[:, channel].tobytes())
    return bytes(out)


def tiny_image(width=5, height=3):
    """rgb8, every byte different: a swapped channel, row or column shows."""
    return np.arange(10, 10 + width * height * 3, dtype=np.uint8).reshape(height, width, 3)


def bmp_bytes(rgb):
    """24 bits, bottom row first, rows padded to 4 bytes."""
    height, width, _ = rgb.shape
    pad = -width * 3 % 4
    rows = b"".join(row[:, ::-1].tobytes() + bytes(pad) for row in rgb[::-1])
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + info + rows


def tga_bytes(rgb):
    """32 bits, top row first, run-length packets; alpha is 255 less the green code.

    The last row is one run of its first texel, the others are literals: both packets occur."""
    height, width, _ = rgb.shape
    # No id, no palette, type 10 (run-length true colour); 8 alpha bits and top-left origin.
    header = struct.pack("<BBBHHBHHHHBB", 0, 0, 10, 0, 0, 0, 0, 0, width, height, 32, 0x28)
    bgra = np.concatenate([rgb[..., ::-1], 255 - rgb[..., 1:2]], axis=-1)
    literals = b"".join(bytes((width - 1,)) + row.tobytes() for row in bgra[:-1])
    run = bytes((128 + width - 1,)) + bgra[-1, 0].tobytes()
    return header + literals + run


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    print(f"{path} {len(data)} bytes")


def copy_photos(source, out):
    for name, digest in PHOTOS.items():
        data = (source / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise SystemExit(f"{source / name}: not the file that CREDITS describes")
        write(out / name, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--skimage-data", type=pathlib.Path, default=SKIMAGE_DATA)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "tests" / "data")
    args = parser.parse_args()
    if not args.skimage_data.is_dir():
        raise SystemExit(f"{args.skimage_data}: not found; apt-get install python3-skimage")
    copy_photos(args.skimage_data, args.out)
    write(args.out / "alpha.png", png_bytes(alpha_image()))
    write(args.out / "deep.png", png_bytes(deep_image()))
    write(args.out / "sun.hdr", hdr_bytes(hdr_image()))
    tiny = tiny_image()
    grey = tiny[..., 0]
    wide = tiny.astype(np.uint16) * 256 + 255 - tiny
    write(args.out / "tiny/rgb.bmp", bmp_bytes(tiny))
    write(args.out / "tiny/rgba.tga", tga_bytes(tiny))
    write(args.out / "tiny/rgb.ppm", b"P6\n5 3\n255\n" + tiny.tobytes())
    write(args.out / "tiny/grey.pgm", b"P5\n5 3\n255\n" + grey.tobytes())
    write(args.out / "tiny/rgb16.ppm", b"P6\n5 3\n65535\n" + wide.astype(">u2").tobytes())


if __name__ == "__main__":
    main()
