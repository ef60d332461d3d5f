"""QuantizeAndDequantize: floats rounded to integers of some bits and back."""

import numpy as np


def record(case):
    x = np.array([[-1.2, 0.3, 0.77, 1e-3], [2.5, -3.1, 0.05, 1.9]])
    for dtype in [np.float32, np.float64]:
        v = x.astype(dtype)
        low, high = dtype(-2), dtype(1.5)
        for op in ["QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"]:
            for bits in [2, 3, 8, 16]:
                for mode in ["HALF_TO_EVEN", "HALF_UP"]:
                    for given in [False, True]:
                        for signed, narrow in [(True, False), (True, True), (False, False)]:
                            case(op, input=v, input_min=low, input_max=high, num_bits=bits, round_mode=mode,
                                 range_given=given, signed_input=signed, narrow_range=narrow)
            for axis in [0, 1]:
                n = v.shape[axis]
                lows, highs = np.linspace(-3, -0.5, n).astype(dtype), np.linspace(0.25, 3, n).astype(dtype)
                case(op, input=v, input_min=lows, input_max=highs, axis=axis)
        for bits in [4, 8]:
            for given in [False, True]:
                case("QuantizeAndDequantizeV3", input=v, input_min=low, input_max=high, num_bits=np.int32(bits), range_given=given)
        case("QuantizeAndDequantizeV4Grad", gradients=v, input=v, input_min=low, input_max=high)
        lows, highs = np.linspace(-3, -0.5, 4).astype(dtype), np.linspace(0.25, 3, 4).astype(dtype)
        case("QuantizeAndDequantizeV4Grad", gradients=v, input=v[::-1].copy(), input_min=lows, input_max=highs, axis=1)
    f = np.float32
    ok = dict(input=x.astype(f), input_min=f(-2), input_max=f(2))
    case("QuantizeAndDequantizeV4", **{**ok, "input": np.zeros([0], f)})
    case("QuantizeAndDequantizeV4", **{**ok, "input": np.zeros([2, 2], f)})
    case("QuantizeAndDequantizeV4", **ok, num_bits=0, _says="num_bits is out of range: 0 with signed_input_ 1")
    case("QuantizeAndDequantizeV4", **ok, num_bits=63, _says="num_bits is out of range: 63 with signed_input_ 1")
    case("QuantizeAndDequantizeV4", **{**ok, "input_min": f(3)}, range_given=True, _says="Invalid range: input_min 3 > input_max 2")
    case("QuantizeAndDequantizeV4", **{**ok, "input_min": np.zeros([2], f)}, range_given=True, _says="input_min must be a scalar")
    case("QuantizeAndDequantizeV4Grad", gradients=x.astype(f), **{**ok, "input": np.zeros([1], f)}, _says="gradient and input must be the same size")
    case("QuantizeAndDequantizeV4Grad", gradients=x.astype(f), **{**ok, "input_max": np.zeros([2], f)}, _says="input_max must be a scalar if axis is unspecified")
