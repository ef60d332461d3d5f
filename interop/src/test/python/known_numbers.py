"""Differences of numbers from stock TensorFlow's: of rounding, NaN, subnormals and the signs of zeros."""

import numpy as np


def only_signs_of_zeros(call, row, expected, actual, text) -> bool:
    """Ours orders -0 before +0, or yields +0; stock's depends on the place in the tensor."""
    return text.startswith("value") and all(
        bool(np.all((e == a) | (e != e) & (a != a))) for e, a in zip(expected.outputs, actual.outputs))


def is_cast_of_what_does_not_fit(call, row, expected, actual, text) -> bool:
    """Of a float outside the integer's range stock's result depends on the place in the tensor."""
    x = call.rows[row]["x"]
    if not text.startswith("value") or x.dtype == object:
        return False
    e, a = expected.outputs[0], actual.outputs[0]
    wide = np.real(x).astype(np.float64)
    info = np.iinfo(e.dtype) if e.dtype.kind in "iu" else None
    if info is None:
        return False
    fits = (wide > info.min - 1.0) & (wide < info.max + 1.0)
    return bool(np.all((e == a) | ~fits))


def of_what_is_not_finite(call, row, expected, actual, text) -> bool:
    """A comparison with NaN falls either way; stock's depends on the place in the tensor."""
    floats = [a for a in call.arrays(row) if a.dtype.kind not in "iubO"]
    return not all(bool(np.isfinite(a).all()) for a in floats)


def sorts_nan(call, row, expected, actual, text) -> bool:
    """A sort with NaN has no order."""
    return any(bool((array != array).any()) for array in call.arrays(row) if array.dtype.kind not in "iubO")


def is_ordered_otherwise(call, row, expected, actual, text) -> bool:
    """Eigenvalues come in the order in which an iteration finds them; each of stock's is near one of ours."""
    if not text.startswith("value"):
        return False
    for e, a in zip(expected.outputs[0].reshape(-1, expected.outputs[0].shape[-1]),
                    actual.outputs[0].reshape(-1, actual.outputs[0].shape[-1])):
        left = list(a)  # multiple eigenvalues have few exact digits
        bound = (3e-2 if e.dtype.itemsize == 8 else 1e-4) * max(1, np.max(np.abs(e)))
        for value in e:
            nearest = min(left, key=lambda other: abs(other - value))
            if not abs(nearest - value) <= bound:
                return False
            left.remove(nearest)
    return True


def alike_elsewhere(expected, actual, exempt) -> bool:
    """Whether the first outputs are within 16 units in all elements but those exempted."""
    e, a = (np.asarray(answer.outputs[0]) for answer in (expected, actual))
    wide = np.complex128 if e.dtype.kind == "c" else np.float64
    units = {2: 2.0**-6, 4: 2.0**-19, 8: 2.0**-48}[np.real(e).dtype.itemsize] if e.dtype.kind not in "iu" else 0
    with np.errstate(all="ignore"):
        return bool(np.all(exempt | np.isclose(a.astype(wide), e.astype(wide), rtol=units, atol=0, equal_nan=True)))


def leaves_moments_unset(call, row, expected, actual, text) -> bool:
    """Stock sets the saved moments only where it trains, with pixels; otherwise they are what the memory held."""
    trains = call.attrs.get("is_training", True) and call.rows[row]["x"].size > 0
    return text.startswith(("value of output 3", "value of output 4")) and not trains


def by_channel(call, value) -> np.ndarray:
    """Images as a matrix of doubles, with a column for each channel."""
    axis = 1 if call.attrs.get("data_format", "NHWC").startswith("NC") else value.ndim - 1
    return np.moveaxis(value.astype(np.float64), axis, -1).reshape(-1, value.shape[axis])


def are_within(call, expected, actual, images, bounds) -> bool:
    """Whether the first outputs are within their bounds, or alike; the first one is of the dtype of `images`."""
    digits = [2.0**-7 if images.dtype.itemsize == 2 else 2.0**-21] + [2.0**-21] * (len(bounds) - 1)
    pairs = [[by_channel(call, answer.outputs[0]), *answer.outputs[1:]] for answer in (expected, actual)]
    return all(
        bool(np.all((np.abs(e - a) <= bound + digit * np.abs(e)) | (e == a) | np.isnan(e) & np.isnan(a)))
        for e, a, bound, digit in zip(*pairs, bounds, digits))


def is_within_moments_of_floats(call, row, expected, actual, text) -> bool:
    """Stock adds up floats, ours doubles: the means differ, and so does what is nearly a mean."""
    if not text.startswith("value") or not call.attrs.get("is_training", True):
        return False
    inputs = call.rows[row]
    x = by_channel(call, inputs["x"])
    with np.errstate(all="ignore"):
        share = 2 * 2.0**-23 * (len(x) + 4)
        mean, variance = x.mean(0), x.var(0)
        of_mean = share * np.abs(x).mean(0)
        of_variance = share * variance + 2 * of_mean * np.sqrt(variance) + of_mean**2
        shifted = variance + call.attrs.get("epsilon", 1e-4)
        of_y = of_mean + np.abs(x - mean) * (share + of_variance / shifted)
        of_y = of_y * np.abs(inputs["scale"]) * shifted**-0.5 + 2.0**-21 * np.abs(inputs["offset"])
        bounds = [of_y, of_mean, 2 * of_variance, of_mean, of_variance]
        return are_within(call, expected, actual, inputs["x"], bounds)


def is_within_sums_of_floats(call, row, expected, actual, text) -> bool:
    """Stock adds up floats, in as many parts as it has threads; ours adds up doubles."""
    if not text.startswith("value"):
        return False
    inputs = call.rows[row]
    terms = np.abs(by_channel(call, inputs["y_backprop"]))
    with np.errstate(all="ignore"):
        deviation = (inputs["reserve_space_2"].astype(np.float64) + call.attrs.get("epsilon", 1e-4)) ** -0.5
        centered = np.abs(by_channel(call, inputs["x"]) - inputs["reserve_space_1"])
        dx = terms
        if call.attrs.get("is_training", True):
            dx = terms + terms.mean(0) + centered * (terms * centered).mean(0) * deviation**2
        sizes = [dx * np.abs(inputs["scale"]) * deviation, (terms * centered).sum(0) * deviation, terms.sum(0)]
        bounds = [2 * 2.0**-23 * (len(terms) + 4) * size for size in sizes]
        return are_within(call, expected, actual, inputs["x"], bounds)


def cancels(call, row, expected, actual, text) -> bool:
    """Stock subtracts 1 from the double e^x, whose last digits are lost near 0; ours takes expm1."""
    x = call.rows[row]["features"]
    if not text.startswith("value") or x.dtype != np.float64:
        return False
    e, a = expected.outputs[0], actual.outputs[0]
    return alike_elsewhere(expected, actual, (x < 0) & (np.abs(e - a) <= 2.0**-51))


def is_of_a_square_too_large(call, row, expected, actual, text) -> bool:
    """Stock's Erf of a double whose square is infinite is NaN."""
    x = call.rows[row]["x"]
    if not text.startswith("value") or x.dtype != np.float64:
        return False
    with np.errstate(all="ignore"):
        return alike_elsewhere(expected, actual, np.isinf(x * x) & (actual.outputs[0] == np.sign(x)))


def has_a_subnormal_reciprocal(call, row, expected, actual, text) -> bool:
    """Stock flushes 1 / x to zero, and takes its logarithm or multiplies it with an infinity."""
    return text.startswith("value") and alike_elsewhere(expected, actual, call.rows[row]["x"] > 2.0**1022)


def has_a_subnormal_half(call, row, expected, actual, text) -> bool:
    """Stock flushes x / 2 to zero, and takes its logarithm."""
    x = call.rows[row]["x"]
    tiny = {np.float64: 2.0**-1021, np.float32: 2.0**-125}.get(x.dtype.type, 0)
    return text.startswith("value") and alike_elsewhere(expected, actual, (x > 0) & (x < tiny))


def has_a_subnormal_quotient(call, row, expected, actual, text) -> bool:
    """Stock flushes a subnormal quotient, or what is divided, to zero; ours takes the floor of it."""
    x, y = call.rows[row]["x"], call.rows[row]["y"]
    if not text.startswith("value") or x.dtype.kind in "iu":
        return False
    tiny = 2.0**-1022 if x.dtype == np.float64 else 2.0**-126
    with np.errstate(all="ignore"):
        quotient = np.abs(x.astype(np.longdouble) / y.astype(np.longdouble))
    flushed = (quotient > 0) & (quotient < tiny) | (np.abs(x) < tiny)
    return alike_elsewhere(expected, actual, flushed & (expected.outputs[0] == 0))


def is_a_power_of_vectors(call, row, expected, actual, text) -> bool:
    """Stock's powers of doubles in vectors, and both sides' of complex numbers, lose digits of large exponents."""
    e, a = expected.outputs[0], actual.outputs[0]
    if not text.startswith("value") or e.dtype not in (np.float64, np.complex128):
        return False
    exponents = np.abs(call.rows[row]["y"])
    units = 32 + 4 * exponents if e.dtype == np.complex128 else 16 + exponents / 2
    with np.errstate(all="ignore"):
        near = np.abs(e - a) <= np.maximum(2.0**-52 * units * np.abs(e), 2.0**-1012)
    return bool(np.all(near | (e == a) | np.isnan(e) & np.isnan(a)))


def overflows_in_another_order(call, row, expected, actual, text) -> bool:
    """A product with a zero is NaN where another order multiplies an infinity with it."""
    x = call.rows[row]["input"]
    if not text.startswith("value") or x.dtype.kind in "iu":
        return False
    e, a = expected.outputs[0], actual.outputs[0]
    with np.errstate(all="ignore"):
        largest = np.prod(np.maximum(np.abs(x.astype(np.complex128)), 1))
    return bool((x == 0).any()) and largest > 1e38 and alike_elsewhere(expected, actual, np.isnan(e) | np.isnan(a))


def has_nan_extremes(call, row, expected, actual, text) -> bool:
    """Whether a NaN is the least or the largest depends on its place in the tensor."""
    return not call.attrs.get("range_given", True) and bool(np.isnan(call.rows[row]["input"]).any())


def has_nan_in_row(call, row, expected, actual, text) -> bool:
    """Stock's selection orders no NaN: the element found depends on the rest of the row."""
    x = call.rows[row]["input"]
    if not text.startswith("value") or x.dtype.kind in "iu":
        return False
    return alike_elsewhere(expected, actual, np.isnan(x).any(-1))


def casts_nan(call, row, expected, actual, text) -> bool:
    """Stock casts pixels at infinite places, interpolated to NaN, to integers, which C++ leaves undefined."""
    e, transforms = expected.outputs[0], call.rows[row]["transforms"]
    if not text.startswith("value") or e.dtype.kind not in "iu" or (np.abs(transforms) < 1e18).all():
        return False
    return alike_elsewhere(expected, actual, e == np.iinfo(e.dtype).min)


def has_a_hue_that_is_nan(call, row, expected, actual, text) -> bool:
    """Stock casts the hue to an integer, which C++ leaves undefined for NaN."""
    images = call.rows[row]["images"]
    return text.startswith("value") and alike_elsewhere(
        expected, actual, ~np.isfinite(images).all(-1, keepdims=True))


def squares_overflow(call, row, expected, actual, text) -> bool:
    """Stock adds up squares as floats, which overflow; ours as doubles."""
    x = call.rows[row]["input"].astype(np.float64)
    return text.startswith("value") and bool((x * x > 3.4e38).any())


def is_logarithm_of_16_bits(call, row, expected, actual, text) -> bool:
    """Stock rounds the sum of exponentials to 16 bits before it takes the logarithm; ours rounds once."""
    dtype = actual.outputs[0].dtype
    if not text.startswith("value") or dtype.itemsize != 2:
        return False
    e, a = (answer.outputs[0].astype(np.float64) for answer in (expected, actual))
    epsilon = 2.0**-10 if dtype == np.float16 else 2.0**-7
    return alike_elsewhere(expected, actual, np.abs(e - a) <= epsilon * (1 + np.abs(e)))


def has_an_infinite_logit(call, row, expected, actual, text) -> bool:
    """Stock's loss is NaN where a label of 0 has an infinite logit, which ours leaves out, or where terms overflow."""
    logits, labels = np.broadcast_arrays(call.rows[row]["features"], call.rows[row]["labels"])
    if not text.startswith("value of output 0"):
        return False
    left_out = ((labels == 0) & np.isinf(logits)).any(-1)
    large = {np.float16: 1e4, np.float64: 1e307}.get(labels.dtype.type, 1e38)
    overflows = (np.abs(labels.astype(np.float64)) > large).any(-1)
    return alike_elsewhere(expected, actual, (left_out | overflows) & np.isnan(expected.outputs[0]))


def is_near_a_pole(call, row, expected, actual, text) -> bool:
    """Near an odd multiple of pi * i the digits of 1 + e^-x cancel on both sides."""
    e, a = expected.outputs[0], actual.outputs[0]
    if not text.startswith("value") or e.dtype.kind != "c":
        return False
    epsilon = 2.0**-52 if e.dtype == np.complex128 else 2.0**-23
    with np.errstate(all="ignore"):
        near = np.abs(e - a) <= 8 * epsilon * np.abs(e) * (1 + np.abs(e))
    return bool(np.all(near | ~np.isfinite(e) | ~np.isfinite(a)))


def is_refused_of_what_is_not_finite(call, row, expected, actual, text) -> bool:
    """Whether a matrix that is not finite counts as singular depends on the order of its elimination."""
    return (0 in (expected.code, actual.code) and expected.code != actual.code
            and of_what_is_not_finite(call, row, expected, actual, text))


def has_nan(call, row, expected, actual, text) -> bool:
    """The maximum beside NaN depends on the place in the tensor."""
    return text.startswith("value") and bool(np.isnan(call.arrays(row)[0]).any())
