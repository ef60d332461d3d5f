"""Complex numbers, Fourier transforms and audio."""

import struct

import numpy as np
import tensorflow as tf

NAN = float("nan")
INF = float("inf")


def normal(shape, dtype=np.float32, seed=0):
    random = np.random.RandomState(seed)
    if dtype in (np.complex64, np.complex128):
        return np.array(random.randn(*shape) + 1j * random.randn(*shape), dtype)
    return np.array(random.randn(*shape), dtype)


def record(case):
    complex_numbers(case)
    fourier(case)
    wav(case)
    spectrogram(case)
    mfcc(case)


def complex_numbers(case):
    for real, complex_ in [(np.float32, np.complex64), (np.float64, np.complex128)]:
        for x, y in [([], []), ([3], [3]), ([2, 1], [3]), ([3], []), ([0], [1])]:
            case("Complex", real=normal(x, real), imag=normal(y, real, 1), Tout=complex_)
        v = np.array([0, 1, -1, 2.5, 1e30, 1e-30, INF, -INF], real)
        z = np.empty([8, 8], complex_)
        z.real, z.imag = v[:, None], v
        for op, name in [("Real", "input"), ("Imag", "input"), ("Angle", "input"), ("ComplexAbs", "x")]:
            close = 0 if op in ("Real", "Imag") else 4
            case(op, **{name: z}, Tout=real, _ulps=close)
            case(op, **{name: np.zeros([0, 2], complex_)}, Tout=real)
            case(op, **{name: np.array(3 - 4j, complex_)}, Tout=real, _ulps=close)
        case("Conj", input=z)
        case("Conj", input=np.array(3 - 4j, complex_))
    case("Complex", real=normal([2]), imag=normal([3]), _says="", _shapes=False)
    casts(case)


def casts(case):
    floats = [np.float16, tf.bfloat16.as_numpy_dtype, np.float32, np.float64]
    integers = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
    for complex_ in [np.complex64, np.complex128]:
        for real in floats + integers + [np.bool_]:
            name = f"{tf.as_dtype(real).name} {tf.as_dtype(complex_).name}"
            if real in floats:
                v = np.array([0.0, -0.0, 1, -2.5, 0.1, 7e4, -65504, NAN, INF, -INF]).astype(real)
            elif real is np.bool_:
                v = np.array([False, True])
            else:
                low, high = np.iinfo(real).min, np.iinfo(real).max
                v = np.array([0, 1, 100, high, high // 2 + 1, low, low // 3], real)
            case("Cast", x=v, DstT=complex_, _label=name)
            z = np.array([0, 1, 2.5, 100.75, 0.5, 1.0], complex_)
            z.imag = [1, 0, -3, 4, NAN, INF]
            case("Cast", x=z, DstT=real, _label=name)
            if real in floats:
                z.real = [-0.0, 1e6, -2.5, 0.1, NAN, -INF]
                case("Cast", x=z, DstT=real, _label=name)
        for other in [np.complex64, np.complex128]:
            z = np.array([0.1 - 0.2j, 1e30 + 3j, complex(NAN, INF), complex(-0.0, -1)], complex_)
            case("Cast", x=z, DstT=other)
        for shape in [[], [0], [2, 0, 3], [2, 3]]:
            case("Cast", x=normal(shape), DstT=complex_)
            case("Cast", x=normal(shape, complex_), DstT=np.float32)
    case("Cast", x=np.array([b"a"], object), DstT=np.complex64, _says="is not supported")
    case("Cast", x=np.array([1j], np.complex64), DstT=tf.string, _says="is not supported")


LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 31, 45, 49, 64, 80, 100, 127, 128, 143]


def fourier(case):
    for complex_, real, close in [(np.complex64, np.float32, 1.5e-5), (np.complex128, np.float64, 1e-13)]:
        for n in LENGTHS:
            for op in ["FFT", "IFFT"]:
                case(op, input=normal([2, n], complex_), _atol=close)
            case("RFFT", input=normal([2, n], real), fft_length=[n], Tcomplex=complex_, _atol=close)
            spectrum = normal([2, n // 2 + 1], complex_)
            case("IRFFT", input=spectrum, fft_length=[n], Treal=real, _atol=close)
        case("RFFT", input=normal([2, 3, 20], real), fft_length=[16], Tcomplex=complex_, _atol=close)
        case("IRFFT", input=normal([2, 3, 20], complex_), fft_length=[17], Treal=real, _atol=close)
    for op in ["FFT", "IFFT"]:
        case(op, input=normal([8], np.complex64), _atol=8e-6)
        case(op, input=normal([2, 2, 8], np.complex64), _atol=8e-6)
        case(op, input=np.zeros([0, 8], np.complex64))
        case(op, input=np.zeros([2, 0], np.complex64))
        case(op, input=np.complex64(1))
    case("RFFT", input=np.zeros([0, 8], np.float32), fft_length=[8])
    case("RFFT", input=normal([8]), fft_length=[9])
    case("RFFT", input=normal([8]), fft_length=[-1])
    case("RFFT", input=normal([8]), fft_length=[8, 8])
    case("RFFT", input=normal([8]), fft_length=8)
    case("RFFT", input=np.float32(1), fft_length=[8])
    case("IRFFT", input=normal([5], np.complex64), fft_length=[10])
    case("IRFFT", input=np.zeros([0, 5], np.complex64), fft_length=[8])


def wav_file(
    samples=(0, 1, -1, 32767, -32768, 256), channels=1, rate=16000, format=1, bits=16, size=16, before=b"", after=b"",
    moment=None, second=None, riff=b"RIFF", wave=b"WAVE", data_size=None,
):  # fmt: skip
    data = struct.pack(f"<{len(samples)}h", *samples)
    moment = channels * 2 if moment is None else moment
    second = rate * moment if second is None else second
    body = wave + before + b"fmt " + struct.pack("<IHHIIHH", size, format, channels, rate, second, moment, bits)
    body += b"\0\0" if size == 18 else b""
    body += b"data" + struct.pack("<I", len(data) if data_size is None else data_size) + data + after
    return np.array(riff + struct.pack("<I", len(body)) + body, object)


def wav(case):
    op = "DecodeWav"
    stereo = wav_file(channels=2)
    for contents in [wav_file(), stereo, wav_file(samples=()), wav_file(size=18), wav_file(rate=44100)]:
        case(op, contents=contents)
    for channels in [-1, 0, 1, 2, 3]:
        for samples in [-1, 0, 2, 5]:
            case(op, contents=stereo, desired_channels=channels, desired_samples=samples)
    case(op, contents=wav_file(before=b"JUNK" + struct.pack("<I", 3) + b"abc" + b"bext" + struct.pack("<I", 0)))
    case(op, contents=wav_file(after=b"LIST" + struct.pack("<I", 4) + b"abcd"))
    case(op, contents=wav_file(after=b"LIST" + struct.pack("<I", 40) + b"abcd"))
    case(op, contents=wav_file(after=b"LI"))
    case(op, contents=wav_file(before=b"what" + struct.pack("<I", 0)))
    case(op, contents=wav_file(before=b"JUNK" + struct.pack("<I", 3000)))
    case(op, contents=wav_file(after=b"data" + struct.pack("<I", 0)))
    case(op, contents=wav_file(riff=b"RIFX"))
    case(op, contents=wav_file(wave=b"AVI "))
    case(op, contents=wav_file(format=3))
    case(op, contents=wav_file(bits=8))
    case(op, contents=wav_file(channels=0, moment=2))
    case(op, contents=wav_file(moment=4))
    case(op, contents=wav_file(second=4))
    case(op, contents=wav_file(size=20))
    case(op, contents=wav_file(data_size=14))
    case(op, contents=wav_file(data_size=0xFFFFFFF0))
    for cut in [0, 3, 11, 20, 36, 42]:
        case(op, contents=np.array(wav_file().item()[:cut], object))
    case(op, contents=np.array([b"RIFF"], object))

    sound = np.array([[0, 0.5], [-0.5, 1], [-1, 2], [-3, 1e-5], [0.3, -0.3]], np.float32)
    halves = np.array([[0.5], [1.5], [2.5], [-0.5], [-1.5], [-2.5]], np.float32) / 32768
    for audio in [sound, halves, np.zeros([0, 1], np.float32), np.zeros([4, 1], np.float32)]:
        case("EncodeWav", audio=audio, sample_rate=16000)
    case("EncodeWav", audio=sound, sample_rate=0)
    case("EncodeWav", audio=np.zeros([3, 0], np.float32), sample_rate=16000)
    case("EncodeWav", audio=sound[0], sample_rate=16000)
    case("EncodeWav", audio=sound, sample_rate=[16000])


def spectrogram(case):
    op = "AudioSpectrogram"
    for window in [2, 3, 8, 20, 33]:
        for stride in [1, 7, 16]:
            for squared in (False, True):
                case(
                    op,
                    input=normal([50, 2]),
                    window_size=window,
                    stride=stride,
                    magnitude_squared=squared,
                    _ulps=2,
                    _atol=1e-12 if squared else 1e-7,
                )
    case(op, input=normal([10, 1]), window_size=20, stride=4)
    case(op, input=normal([20, 0]), window_size=20, stride=4)
    case(op, input=normal([20]), window_size=20, stride=4)


def mfcc(case):
    op = "Mfcc"
    squares = normal([2, 3, 257]) ** 2
    close = dict(_ulps=4, _atol=1e-6)
    for rate in [8000, 16000, 44100]:
        case(op, spectrogram=squares, sample_rate=rate, **close)
    case(
        op,
        spectrogram=squares,
        sample_rate=16000,
        upper_frequency_limit=7600.0,
        lower_frequency_limit=80.0,
        filterbank_channel_count=20,
        dct_coefficient_count=20,
        **close,
    )
    case(op, spectrogram=np.zeros([1, 2, 257], np.float32), sample_rate=16000, **close)
    case(op, spectrogram=squares, sample_rate=16000, upper_frequency_limit=9000.0)
    case(op, spectrogram=squares[:, :, :9], sample_rate=16000, **close)
    case(op, spectrogram=squares, sample_rate=0)
    case(op, spectrogram=squares, sample_rate=16000, dct_coefficient_count=50)
    case(op, spectrogram=squares, sample_rate=16000, lower_frequency_limit=5000.0)
    case(op, spectrogram=squares[:, :, :1], sample_rate=16000)
    case(op, spectrogram=squares[0], sample_rate=16000)
    case(op, spectrogram=squares, sample_rate=[16000])
