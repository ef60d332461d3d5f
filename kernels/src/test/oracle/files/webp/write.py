"""Writes the WebP files beside it, with libwebp by Pillow (pip install pillow==13.0.0 numpy):

    python kernels/src/test/oracle/files/webp/write.py
"""

import pathlib

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).parent
random = np.random.RandomState(7)


def photo(height, width, channels, seed=1):
    """Smooth shapes with some noise, like a photo; a fourth channel is opacity."""
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    noise = np.random.RandomState(seed).normal(0, 6, y.shape)
    wave = 127 + 90 * np.sin(x / 5.0 + c) * np.cos(y / 7.0 - c) + noise
    wave[..., 3:] = np.clip(3 * wave[..., 3:] - 250, 0, 255)
    return np.clip(wave, 0, 255).astype(np.uint8)


def colors(height, width, count):
    """Patches of `count` colors, some of which are transparent."""
    palette = np.concatenate([random.randint(0, 256, [count, 3]), 255 * (np.arange(count)[:, None] % 3 > 0)], 1)
    y, x = np.mgrid[0:height, 0:width]
    return palette[(x * x // 7 + y * y // 3 + x * y) % count].astype(np.uint8)


def save(name, pixels, **options):
    Image.fromarray(pixels).save(HERE / (name + ".webp"), method=6, **options)


def main():
    for height, width, quality in [(37, 45, 75), (16, 16, 10), (1, 1, 90), (33, 2, 50)]:
        save(f"lossy_{height}x{width}", photo(height, width, 3), quality=quality)
    save("lossy_alpha", photo(37, 45, 4), quality=60, alpha_quality=100)
    save("lossy_alpha_levels", photo(37, 45, 4), quality=60, alpha_quality=40)
    save("lossy_alpha_smooth", np.dstack([photo(24, 31, 3), np.mgrid[0:24, 0:31].sum(0) * 4]).astype(np.uint8))
    for effort in [0, 50, 100]:
        save(f"lossless_{effort}", photo(37, 45, 3, effort), lossless=True, quality=effort)
    save("lossless_alpha", photo(29, 33, 4), lossless=True, exact=True)
    save("lossless_1x1", photo(1, 1, 3), lossless=True)
    gray = np.repeat(photo(64, 80, 1), 3, 2)
    save("lossless_gray", gray, lossless=True)
    repeated = np.tile(photo(24, 40, 3), [6, 4, 1])
    save("lossless_repeated", repeated, lossless=True, quality=100)
    half = np.concatenate([photo(128, 96, 3) // 16 * 16, random.randint(0, 256, [128, 96, 3])], 1).astype(np.uint8)
    save("lossless_groups", half[:, 60:130], lossless=True, quality=100)
    for count in [1, 2, 3, 10, 50, 256]:
        save(f"palette_{count}", colors(21, 27, count), lossless=True, exact=True)
    frames = [Image.fromarray(np.roll(photo(24, 30, 4), 3 * i, 1)) for i in range(5)]
    options = dict(save_all=True, append_images=frames[1:], duration=50, quality=60, method=6)
    frames[0].save(HERE / "animated.webp", allow_mixed=True, minimize_size=True, **options)
    frames[0].save(HERE / "animated_lossless.webp", lossless=True, **options)


if __name__ == "__main__":
    main()
