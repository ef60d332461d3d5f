"""Fourier transforms of two and three dimensions."""

import numpy as np

from values import i32
from families.signal import normal


def record(case):
    for rank in [2, 3]:
        shapes = [[4, 6], [3, 5], [1, 1], [2, 8, 7], [0, 4], [2, 0]] if rank == 2 else [[2, 3, 4], [5, 1, 6], [2, 3, 2, 5]]
        for complex_, real in [(np.complex64, np.float32), (np.complex128, np.float64)]:
            close = dict(_ulps=16, _atol=2e-5 if complex_ is np.complex64 else 1e-12)
            for shape in shapes:
                for op in ["FFT", "IFFT"]:
                    case(f"{op}{rank}D", input=normal(shape, complex_), **close)
                if 0 in shape:
                    continue
                for cut in [0, 1]:
                    lengths = i32(*[max(1, size - cut) for size in shape[-rank:]])
                    case(f"RFFT{rank}D", input=normal(shape, real), fft_length=lengths, Tcomplex=complex_, **close)
                    inner = i32(*[*lengths[:-1], 2 * max(0, lengths[-1] - 1) or 1])
                    case(f"IRFFT{rank}D", input=normal(shape, complex_), fft_length=inner, Treal=real, **close)
                    odd = i32(*[*lengths[:-1], 2 * max(0, lengths[-1] - 1) + 1])
                    case(f"IRFFT{rank}D", input=normal(shape, complex_), fft_length=odd, Treal=real, **close)
        bad = normal([4], np.complex64)
        case(f"FFT{rank}D", input=bad, _says=f"Input must have rank of at least {rank}")
        good = normal([4] * rank)
        rfft = lambda x, n, **o: case(f"RFFT{rank}D", input=x, fft_length=n, Tcomplex=np.complex64, **o)
        rfft(good, i32(4), _says="fft_length must have shape")
        rfft(good, i32(*[9] * rank), _says="must have length of at least 9 but got: 4")
        rfft(good, i32(*[-1] * rank), _says="")
        rfft(normal([4]), i32(*[4] * rank), _says="")
        irfft = lambda x, n, **o: case(f"IRFFT{rank}D", input=x, fft_length=n, Treal=np.float32, **o)
        irfft(good.astype(np.complex64), i32(*[9] * rank), _says="must have length of at least 9 but got: 4")
        irfft(good.astype(np.complex64), i32(*[4] * (rank - 1), 9), _says="must have length of at least 5 but got: 4")
