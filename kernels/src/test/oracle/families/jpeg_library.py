"""JPEG files whose pixels depend on the decoder: on its transform, its upsampling, its way with damage."""

import tensorflow as tf

from families.image import COLOR, GRAY, PROGRESSIVE, jpeg, photo


def record(case):
    for quality in [30, 75, 95, 100]:
        for subsampled in [True, False]:
            file = jpeg(photo(40, 33, 3, quality), quality=quality, chroma_downsampling=subsampled)
            case("DecodeJpeg", contents=file)
            case("DecodeJpeg", contents=file, dct_method="INTEGER_FAST", fancy_upscaling=False)
    for file in [COLOR, GRAY, PROGRESSIVE]:
        for ratio in [1, 2, 4, 8]:
            for channels in [0, 1, 3]:
                case("DecodeJpeg", contents=file, ratio=ratio, channels=channels)
        case("DecodeAndCropJpeg", contents=file, crop_window=[2, 3, 9, 7], fancy_upscaling=False)
        case("DecodePng", contents=file)
        case("DecodeGif", contents=file)
    for dtype in [tf.uint8, tf.uint16, tf.float32]:
        case("DecodeImage", contents=COLOR, dtype=dtype)
