"""Normal distributions between bounds, gradients of gamma samples, and binomial draws of a generator's state."""

import numpy as np
import tensorflow as tf

SEED = np.array([17, -4], np.int64)
KINDS = [np.float16, np.float32, np.float64]
SHORT = "algorithm, the size of state must be at least 3; got 2"
WIDE = (0.0, 1.0, -2.0, 2.0)
BOUNDS = [
    WIDE,
    (0.0, 1.0, -1.0, 1.0),
    (0.0, 1.0, -0.5, 0.25),
    (3.0, 2.0, -np.inf, 2.0),
    (3.0, 2.0, -np.inf, 20.0),
    (-1.0, 0.5, 1.0, np.inf),
    (-1.0, 0.5, -4.0, np.inf),
    (0.0, 1.0, 3.0, 3.125),
    (0.0, 1.0, 3.0, 9.0),
    (0.0, 1.0, -9.0, -3.0),
    (5.0, 1.0, 1.0, 2.5),
    (2.0, 3.0, 2.0, 3.0),
    (2.0, 3.0, 2.0, 300.0),
]


def record(case):
    stateful(case)
    stateless(case)
    gamma_gradient(case)
    binomial(case)


def near(kind):
    return {} if kind == np.float16 else {"_ulps": 4}


def draw(case, shape, bounds, kind, op="ParameterizedTruncatedNormal", **kw):
    names = ["means", "stdevs" if op[0] == "P" else "stddevs", "minvals", "maxvals"]
    calls = {"_calls": 2} if op[0] == "P" else {}
    case(op, shape=shape, **{name: np.asarray(b, kind) for name, b in zip(names, bounds)}, **(near(kind) | calls | kw))


def stateful(case):
    seeded = dict(seed=3, seed2=5)
    for kind in KINDS:
        for bounds in BOUNDS:
            draw(case, [7, 3], bounds, kind, **seeded)
        draw(case, [250], WIDE, kind, _calls=3, **seeded)
        draw(case, [3, 5], ([0, 5, 9], 1, [-1, 2, 8], [2, 6, np.inf]), kind, _calls=2, **seeded)
        draw(case, [3, 2, 2], ([0], [2], [-1], [1]), kind, _calls=2, **seeded)
        draw(case, np.array([3, 2, 2]), ([0], [2], -1, 1), kind, _calls=2, **seeded)
        draw(case, [0, 3], WIDE, kind, _calls=2, **seeded)
        draw(case, [3, 0], ([1, 2, 3], 1, 0, 9), kind, **seeded)
        draw(case, [9, 0], (0, 1, [0], 9), kind, _calls=2, **seeded)
        draw(case, [9, 0], (0, -1, [0], 9), kind, _calls=1, **seeded)
        draw(case, [4], (0, 1, 40, 41), kind, **seeded)
        for invalid in [(0, 1, 1, 0), (0, 0, 0, 1), (0, 1, -np.inf, np.inf), (0, np.nan, 0, 1)]:
            draw(case, [4], invalid, kind, _calls=1, **seeded)
        draw(case, [2], ([0, 0], [1, -1], 0, 1), kind, _calls=1, **seeded)
    draw(case, [901], WIDE, np.float32, seed=-9, _calls=2)
    error = lambda shape, bounds, **kw: draw(case, shape, bounds, np.float32, seed=1, _shapes=False, _calls=1, **kw)
    error(3, WIDE)
    error([-3], WIDE)
    error(np.zeros([0], np.int32), WIDE, _says="Shape tensor must not be empty, got")
    for i in range(4):
        for wrong in [[1.0], [1.0, 2.0]]:
            bounds = list(WIDE)
            bounds[i] = wrong
            draw(case, [3, 2], bounds, np.float32, seed=1, _calls=2 if len(wrong) == 1 else 1)
            bounds[i] = [wrong]
            error([3, 2], bounds)


def stateless(case):
    op = dict(op="StatelessParameterizedTruncatedNormal", seed=SEED)
    for kind in KINDS:
        for bounds in BOUNDS:
            draw(case, [7, 3], bounds, kind, **op)
        draw(case, [9, 3], ([0, 5, 9], 1, [-1, 2, 8], [2, 6, np.inf]), kind, **op)
        draw(case, [5, 2, 3], ([0, 5, 9], [[1], [2]], -1, [[[10]]][0]), kind, **op)
        draw(case, [2, 3], ([0, 5, 9], [[1], [2]], -1, 10), kind, **op)
        draw(case, np.array([4, 1]), ([0], 1, -1, 10), kind, **op)
        draw(case, [0, 3], ([0, 5, 9], 1, -1, 10), kind, **op)
        draw(case, [3, 0], (np.zeros([0]), 1, -1, 10), kind, **op)
        draw(case, np.zeros([0], np.int32), WIDE, kind, **op)
        draw(case, [4], (0, 1, 1, 0), kind, **op)
        draw(case, [4], (0, 0, 0, 1), kind, **op)
        draw(case, [4], (0, 1, 40, 41), kind, **op)
    draw(case, [4], WIDE, np.float32, **op | dict(seed=np.array([1, 2], np.int32)))
    error = lambda shape, bounds, **kw: draw(case, shape, bounds, np.float32, **op | kw)
    error([4], WIDE, seed=np.array([1, 2, 3]), _shapes=False)
    error([4], WIDE, seed=np.int64(3), _shapes=False)
    error(4, WIDE, _shapes=False)
    error([-4], WIDE, _shapes=False)
    error([3, 2], ([1, 2, 3], 1, 0, 9), _shapes=False)
    error([3], (np.ones([2, 3]), 1, 0, 9), _shapes=False)
    error([3], ([1, 2, 3], [1, 2], 0, 9), _shapes=False)


def gamma_gradient(case):
    for kind in [np.float32, np.float64]:
        bounds = dict(_ulps=64, _atol=3e-5) if kind == np.float32 else dict(_ulps=2048, _atol=1e-13)
        alpha = np.array([0.01, 0.3, 0.999, 1, 1.7, 5, 30, 400], kind)
        sample = np.array([1e-6, 0.01, 0.5, 0.99, 1, 1.01, 3, 28, 31, 395, 420], kind)
        case("RandomGammaGrad", alpha=alpha, sample=alpha, **bounds)
        case("RandomGammaGrad", alpha=alpha[:, None], sample=sample[:6], **bounds)
        case("RandomGammaGrad", alpha=alpha[4:, None], sample=sample, **bounds)
        case("RandomGammaGrad", alpha=alpha, sample=kind(0.7), **bounds)
        case("RandomGammaGrad", alpha=kind(2.5), sample=sample, **bounds)
        odd = np.array([0, -1, np.nan, np.inf, 2.5], kind)
        case("RandomGammaGrad", alpha=odd[[0, 1, 2, 4]][:, None], sample=odd, **bounds)
        case("RandomGammaGrad", alpha=np.zeros([0, 2], kind), sample=kind(1))
        case("RandomGammaGrad", alpha=alpha[:2], sample=sample[:3], _says="Incompatible shapes")


def binomial(case):
    def state():
        # Stock loses the update of a variable whose buffer another tensor holds, as an initial value does.
        variable = tf.Variable(np.zeros([3], np.int64))
        variable.assign_add(np.array([2**63 - 5, 77, 123456789], np.int64))
        return variable

    def run(shape, counts, probs, variable=None, algorithm=1, **kw):
        case(
            "StatefulRandomBinomial",
            resource=state() if variable is None else variable,
            algorithm=np.int64(algorithm),
            shape=shape,
            counts=counts,
            probs=probs,
            **kw,
        )

    for kind in KINDS:
        for out in [np.float16, np.float32, np.float64, np.int32, np.int64]:
            run([20, 4], kind(12), np.array([0, 0.3, 0.77, 1], kind), dtype=out)
            run([5, 2, 4], np.array([[12], [200]], kind), np.array([0.01, 0.3, 0.77, 1.5], kind), dtype=out)
        run([0, 2], kind(3), np.array([0.1, 0.2], kind))
    error = lambda *args, **kw: run(*args, _shapes=False, **kw)
    error([3], np.float64([4, 5]), np.float64([0.1, 0.2, 0.3]))
    error([3], np.float64([4, 5]), np.float64(0.1))
    error([3], np.float64(4), np.float64(0.1), algorithm=2)
    error([3], np.float64(4), np.float64(0.1), algorithm=3)
    error([3], np.float64(4), np.float64(0.1), algorithm=[1])
    error([-3], np.float64(4), np.float64(0.1))
    error(3, np.float64(4), np.float64(0.1), _says="should be a vector")
    error([3], np.float64(4), np.float64(0.1), tf.Variable(np.array([1, 2], np.int64)), _says=SHORT)
    error([3], np.float64(4), np.float64(0.1), tf.Variable(np.array([[1, 2, 3]], np.int64)))
    error([3], np.float64(4), np.float64(0.1), tf.Variable(np.array([1, 2, 3], np.int32)))
