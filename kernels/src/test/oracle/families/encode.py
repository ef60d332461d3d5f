"""Ops that encode images."""

import numpy as np


def photo(height, width, channels, seed=0):
    """A smooth image with some noise."""
    random = np.random.RandomState(seed)
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    waves = 0.5 + 0.4 * np.sin(0.3 * y + 0.2 * x + c) + 0.1 * random.rand(height, width, channels)
    return (np.clip(waves, 0, 1) * 255).astype(np.uint8)


def record(case):
    # No output of EncodePng: only its pixels are equal to stock's, which PngEncoderTest checks.
    case("EncodePng", image=np.zeros([0, 4, 5, 3], np.uint8))
    case("EncodePng", image=photo(4, 5, 5))
    case("EncodePng", image=photo(4, 5, 3)[0])
    case("EncodePng", image=photo(4, 5, 3), compression=10)

    for op in ["EncodeJpeg", "EncodeJpegVariableQuality"]:
        name = "image" if op == "EncodeJpeg" else "images"
        for quality in [0, 1, 10, 30, 49, 50, 51, 75, 90, 95, 99, 100]:
            for channels in [1, 3]:
                case(op, **{name: photo(17, 22, channels)}, quality=quality)
        case(op, **{name: photo(17, 22, 3)}, quality=101)
        case(op, **{name: photo(17, 22, 3)}, quality=-1)
        case(op, **{name: photo(17, 22, 2)}, quality=50)
        case(op, **{name: photo(17, 22, 3)[0]}, quality=50)
        case(op, **{name: photo(1, 1, 3)}, quality=50)
        case(op, **{name: photo(64, 48, 3)}, quality=50)
        case(op, **{name: np.zeros([0, 4, 3], np.uint8)}, quality=50, _says="JPEG encoding failed")
        for sides in [[1, 65501, 1], [65501, 1, 1]]:
            case(op, **{name: np.zeros(sides, np.uint8)}, quality=50, _says="JPEG encoding failed")
    image = photo(33, 40, 3)
    for kw in [
        dict(progressive=True),
        dict(optimize_size=True),
        dict(chroma_downsampling=False),
        dict(chroma_downsampling=False, progressive=True),
        dict(density_unit="cm", x_density=72, y_density=100),
        dict(xmp_metadata="<x:xmpmeta/>"),
        dict(format="rgb"),
        dict(format="grayscale"),
    ]:
        case("EncodeJpeg", image=image, **kw)
    case("EncodeJpeg", image=photo(33, 40, 1), format="grayscale")
    case("EncodeJpeg", image=photo(33, 40, 1), progressive=True)
    case("EncodeJpeg", image=photo(33, 40, 1), format="rgb")
    case("EncodeJpegVariableQuality", images=image, quality=[50])
