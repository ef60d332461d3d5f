"""QuantizeV2 and Dequantize: floats as quantized integers and back."""

import numpy as np
import tensorflow as tf

F = np.float32
TYPES = {tf.qint8: np.int8, tf.quint8: np.uint8, tf.qint16: np.int16, tf.quint16: np.uint16, tf.qint32: np.int32}
MODES = ["MIN_COMBINED", "MIN_FIRST", "SCALED"]
RANGES = [(-1, 1), (-6, 6), (0, 6), (-0.3, 0.01), (1, 2), (-3, -2), (0, 0), (-1e-4, 2e-4), (-1e6, 3e5)]


def record(case):
    quantize(case)
    dequantize(case)


def quantize(case):
    op = "QuantizeV2"
    random = np.random.RandomState(5)
    x = (random.randn(101) * 2).astype(F)
    special = np.array([np.inf, -np.inf, 0, -0.0, 1, -1, 3e38, -3e38, 1e-45], F)
    for T in TYPES:
        for mode in MODES:
            for low, high in RANGES:
                case(op, input=x * F(max(abs(low), abs(high), 1e-3)), min_range=F(low), max_range=F(high), T=T, mode=mode,
                     _label=f"{mode} {low} {high}")
            case(op, input=special, min_range=F(-1), max_range=F(1), T=T, mode=mode, _label=mode)
            case(op, input=np.array([np.nan], F), min_range=F(-1), max_range=F(1), T=T, mode=mode, _label=mode)
            case(op, input=x, min_range=F(0), max_range=F(1e-3), T=T, mode=mode, ensure_minimum_range=0.0, _label=mode)
            case(op, input=x, min_range=F(0), max_range=F(0.01), T=T, mode=mode, ensure_minimum_range=0.5, _label=mode)
            case(op, input=np.zeros([0, 3], F), min_range=F(-1), max_range=F(1), T=T, mode=mode, _label=mode)
            ties(case, T, mode)
        for low, high in RANGES:
            for narrow in [False, True]:
                for rounding in ["HALF_TO_EVEN", "HALF_AWAY_FROM_ZERO"]:
                    case(op, input=x, min_range=F(low), max_range=F(high), T=T, mode="SCALED", narrow_range=narrow,
                         round_mode=rounding, _label=f"{low} {high} {narrow} {rounding}")
        even = {"T": T, "mode": "SCALED", "round_mode": "HALF_TO_EVEN"}
        case(op, input=np.array([np.nan], F), min_range=F(-1), max_range=F(1), **even)
        case(op, input=special, min_range=F(-1), max_range=F(1), **even)
        case(op, input=special[:8], min_range=F(0), max_range=F(0), ensure_minimum_range=0.0, **even)
        case(op, input=special, min_range=F(np.nan), max_range=F(1), **even)
        case(op, input=special, min_range=F(-1), max_range=F(np.nan), **even)
        case(op, input=special, min_range=F(-1), max_range=F(np.inf), **even)
        case(op, input=(np.arange(-260, 260) / 2).astype(F), min_range=F(-127.5), max_range=F(127.5), **even)
        for mode in MODES:
            case(op, input=x[0], min_range=F(-6), max_range=F(6), T=T, mode=mode, _label=mode)
            if mode == "MIN_FIRST":
                for low, high in [(0, 0), (np.nan, 1), (-1, np.nan), (-1, np.inf)]:
                    case(op, input=special, min_range=F(low), max_range=F(high), T=T, mode=mode, ensure_minimum_range=0.0,
                         _label=f"{low} {high}")
            rank = 5 if mode == "MIN_FIRST" else 6
            case(op, input=np.resize(x, [2, 1, 2, 1, 2, 2][:rank]), min_range=F(-6), max_range=F(6), T=T, mode=mode, _label=mode)
        for mode in ["MIN_COMBINED", "SCALED"]:
            for shape, axis in [([4, 5, 5], 0), ([5, 4, 5], 1), ([5, 5, 4], 2), ([4], 0)]:
                lows, highs = np.array([-2, 0, -0.01, -3], F), np.array([1, 4, 0.02, -1], F)
                case(op, input=np.resize(x, shape).astype(F), min_range=lows, max_range=highs, T=T, mode=mode, axis=axis, _label=mode)
    for low, high in [(np.nan, 1), (-1, np.nan), (-1, np.inf), (-np.inf, 1)]:
        for mode in ["MIN_COMBINED", "SCALED"]:
            case(op, input=special[2:6], min_range=F(low), max_range=F(high), T=tf.qint8, mode=mode, _label=f"{mode} {low} {high}")
    refusals(case, op, x[:6].reshape(2, 3), {"T": tf.qint8})
    case(op, input=x, min_range=F(-1), max_range=F(1), T=tf.qint8, round_mode="HALF_TO_EVEN")
    case(op, input=x, min_range=F(1), max_range=F(-1), T=tf.qint8)
    case(op, input=x[:6].reshape(2, 3), min_range=[-1.0, 2.0], max_range=[1.0, -1.0], T=tf.qint8, axis=0)


def ties(case, T, mode):
    """Floats halfway between those of integers."""
    high = 1 if np.iinfo(TYPES[T]).bits > 8 else 127.5
    steps = 255 if mode != "SCALED" else 127
    x = ((np.arange(-130, 130) + 0.5) * (2 * high / steps)).astype(F)
    case("QuantizeV2", input=x, min_range=F(-high), max_range=F(high), T=T, mode=mode, _label=f"ties {mode}")


def refusals(case, op, x, kw):
    """Bounds that do not fit the axis."""
    one, two, three = np.array([-1], F), np.array([-1, -2], F), np.array([-1, -2, -3], F)
    case(op, input=x, min_range=one, max_range=-one, **kw)
    case(op, input=x, min_range=one[None], max_range=-one[None], **kw)
    for low, high in [(two, -two), (one, -two), (two[:0], -two[:0])]:
        case(op, input=x, min_range=low, max_range=high, **kw)
    if op == "QuantizeV2":  # stock makes no node of Dequantize with an axis for inputs of unknown rank
        for axis, low, high in [
            (0, three, -three), (0, two, -three), (0, F(-1), F(1)), (0, two[None], -two[None]), (1, two, -two),
            (2, two, -two), (5, one, -one),
        ]:  # fmt: skip
            case(op, input=x, min_range=low, max_range=high, axis=axis, **kw)
        case(op, input=x[0, 0], min_range=one, max_range=-one, axis=0, **kw)
    case(op, input=x, min_range=two, max_range=-two, axis=0, mode="MIN_FIRST", **kw)
    case(op, input=x[:1], min_range=one, max_range=-one, axis=0, mode="MIN_FIRST", **kw)
    case(op, input=x[:, :1], min_range=one, max_range=-one, axis=1, **kw)
    case(op, input=x[:0], min_range=two[:0], max_range=two[:0], axis=0, **kw)
    case(op, input=x[:0], min_range=three, max_range=-three, axis=1, **kw)
    case(op, input=x[0, 0], min_range=F(-1), max_range=F(1), **kw)


def dequantize(case):
    op = "Dequantize"
    random = np.random.RandomState(6)
    for T, dtype in TYPES.items():
        limits = np.iinfo(dtype)
        values = random.randint(limits.min, limits.max, 61, np.int64)
        values = tf.bitcast(np.append(values, [limits.min, limits.max, 0, 1]).astype(dtype), T)
        for mode in MODES:
            some = values
            if mode == "SCALED" and T == tf.qint32:  # stock converts the highest ones to the lowest
                some = tf.bitcast(np.delete(tf.bitcast(values, dtype).numpy(), -3), T)
            for low, high in RANGES + [(2, -1), (-np.inf, 1), (0, np.inf), (np.nan, 1)]:
                for narrow in [False, True] if mode == "SCALED" else [False]:
                    for out in [tf.float32, tf.bfloat16] if mode == "MIN_COMBINED" else [tf.float32]:
                        case(op, input=some, min_range=F(low), max_range=F(high), mode=mode, narrow_range=narrow, dtype=out,
                             _label=f"{mode} {low} {high}")
        for mode in MODES[::2]:
            for shape, axis in [([4, 4, 4], 0), ([4, 4, 4], 1), ([2, 8, 4], 2)]:
                lows, highs = np.array([-2, 0, -0.01, -3], F), np.array([1, 4, 0.02, -1], F)
                for out, narrow in [(tf.float32, False), (tf.float32, True), (tf.bfloat16, False)]:
                    case(op, input=tf.bitcast(tf.reshape(tf.bitcast(values, dtype)[:64], shape), T), min_range=lows,
                         max_range=highs, mode=mode, axis=axis, dtype=out, narrow_range=narrow, _label=mode)
        for mode in MODES:
            case(op, input=tf.bitcast(np.zeros([0, 3], dtype), T), min_range=F(-1), max_range=F(1), mode=mode, _label=mode)
    x = np.array([[-128, 5, 127], [2, -3, 0]], np.int8)
    quantized_refusals(case, op, x)
    case(op, input=tf.bitcast(x, tf.qint8), min_range=F(-1), max_range=F(1), mode="MIN_FIRST", dtype=tf.bfloat16)


def quantized_refusals(case, op, x):
    def quantized(op, input, **kw):
        case(op, input=tf.bitcast(input, tf.qint8), **kw)

    refusals(quantized, op, x, {})
