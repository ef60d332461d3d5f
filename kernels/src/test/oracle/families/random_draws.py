"""Random ops of other distributions: categorical, gamma, Poisson, binomial, candidate sampling."""

import numpy as np
import tensorflow as tf

KEY = np.array([0x1234567890ABCDEF], np.uint64)
COUNTER = np.array([7, 0xFEDCBA0987654321], np.uint64)
SEED = np.array([17, -4], np.int64)


def record(case):
    multinomial(case)
    gamma(case)
    poisson(case)
    binomial(case)
    candidates(case)


def multinomial(case):
    def stateless(logits, samples, seed=SEED, **attrs):
        case("StatelessMultinomial", logits=logits, num_samples=samples, seed=seed, **attrs)

    odds = np.log([[0.1, 0.4, 0.2, 0.3]])
    for kind in [np.float16, np.float32, np.float64, tf.bfloat16.as_numpy_dtype]:
        for out in [tf.int32, tf.int64]:
            stateless(odds.astype(kind), 50, output_dtype=out)
            case(
                "Multinomial",
                logits=odds.astype(kind),
                num_samples=7,
                seed=3,
                seed2=5,
                output_dtype=out,
                _calls=3,
            )
    for samples in [0, 1, 2, 3, 4, 5, -1, [2]]:
        stateless(odds, samples)
    for rows in [0, 2, 3]:
        stateless(np.tile(odds, [rows, 1]), 5)
        stateless(np.tile(odds, [rows, 1]), 6)
        case("Multinomial", logits=np.tile(odds, [rows, 1]), num_samples=3, seed=3, _calls=2)
    special = [[0, np.inf, 1, -np.inf, np.nan, 2], [-1e4, -1e4, -1e4, -1e4, -1e4, -1e4 + 1]]
    stateless(np.float64(special), 20)
    stateless(np.float32(special), 20)
    stateless(np.float32([[np.nan, -np.inf]]), 4)
    stateless(np.zeros([1, 1000], np.float32), 30)
    stateless(odds, 4, np.array([1, 2], np.int32))
    stateless(odds, 4, np.array([1, 2, 3]))
    stateless(odds[0], 4)
    stateless(np.zeros([2, 0]), 4)


def gamma(case):
    alphas = [0.3, 1.0, 2.5, 40.0]
    for kind in [np.float16, np.float32, np.float64]:
        options = {"_ulps": 1} if kind == np.float64 else {}
        alpha = np.array(alphas, kind)
        for shape in [[4], [5, 4], [0, 4]]:
            case(
                "StatelessRandomGammaV3",
                shape=shape,
                key=KEY,
                counter=COUNTER,
                alg=1,
                alpha=alpha,
                **options,
            )
            case("StatelessRandomGammaV2", shape=shape, seed=SEED, alpha=alpha, **options)
        case("RandomGamma", shape=[3], alpha=alpha, seed=1, seed2=2, _calls=3, **options)
        case("RandomGamma", shape=[0], alpha=alpha, seed=1, seed2=2, _calls=2)
        case("RandomGamma", shape=[300], alpha=kind(0.7), seed=9, _calls=2, **options)
    for shape in [[3], [4, 1], np.zeros([0], np.int32)]:
        case(
            "StatelessRandomGammaV3",
            shape=shape,
            key=KEY,
            counter=COUNTER,
            alg=1,
            alpha=np.float32(alphas),
            _shapes=False,
        )
    case("StatelessRandomGammaV2", shape=[200, 2], seed=SEED, alpha=np.float32([0.05, 1.5]))


COUNTS = [np.float16, np.float32, np.float64, np.int32, np.int64]


def poisson(case):
    def stateless(rate, shape, out, seed=SEED, **kw):
        case("StatelessRandomPoisson", shape=shape, seed=seed, lam=rate, dtype=out, **kw)

    for kind in COUNTS:
        for out in COUNTS:
            stateless(np.array([1, 3, 9, 10, 12, 50, 400], kind), [30, 7], out)
        case("RandomPoissonV2", shape=[20], rate=np.array([2, 11], kind), seed=3, seed2=5, _calls=3)
        case("RandomPoissonV2", shape=[2, 3], rate=kind(30), dtype=kind, seed=3, _calls=2)
    for kind in COUNTS[:3]:
        rates = np.array([0, 0.1, 0.9, 4.5, 9.99, 10.01, 33.3, 123.4, 2000], kind)
        stateless(rates, [100, 9], np.float64)
        stateless(kind(-1), [3], np.int32)
        stateless(kind(60), [1000], np.int64)
    stateless(np.array([1e5, 1e9, 1e15]), [20, 3], np.float64)
    stateless(np.float32([1e5, 1e6]), [20, 2], np.float32)
    stateless(np.float64(5), [2, 3], np.int64, np.array([1, 2], np.int32))
    stateless(np.float64([5, 6]), [0, 2], np.int64)
    stateless(np.float64([5, 6]), [2, 3], np.int64)
    stateless(np.float64([5, 6]), [2], np.int64, np.array([1, 2, 3]), _says="seed must have shape [2]")
    case("RandomPoissonV2", shape=[0], rate=[2.0, 3.0], seed=3, _calls=2)
    case("RandomPoissonV2", shape=np.zeros([0], np.int32), rate=[2.0, 3.0], seed=3, _calls=2)


def binomial(case):
    def run(counts, probs, shape, out=np.float64, seed=SEED, **kw):
        case(
            "StatelessRandomBinomial", shape=shape, seed=seed, counts=counts, probs=probs, dtype=out, **kw
        )

    probs = [0, 0.01, 0.3, 0.5, 0.51, 0.77, 0.999, 1, -0.5, 1.5]
    for kind in COUNTS[:3]:
        for out in COUNTS:
            run(kind(12), np.array(probs, kind), [20, 10], out)
            run(kind(100), np.array(probs, kind), [20, 10], out)
        run(np.array([[1], [20], [500], [2000]], kind), np.array(probs, kind), [9, 4, 10])
        run(kind(40), kind(0.37), [1000])
        run(kind(-3), kind(0.37), [3])
    run(np.float64([1e6, 1e9]), np.float64([0.2, 0.9]), [50, 2])
    run(np.float64(30), np.float64(0.4), [5], seed=np.array([1, 2], np.int32))
    run(np.float64(30), np.float64(np.nan), [2])
    run(np.float64(30), np.float64(0.4), [0])
    run(np.float64([30, 31]), np.float64([0.4]), [2, 3])
    run(np.float64([30, 31]), np.float64([0.4, 0.5, 0.6]), [2, 3])


def candidates(case):
    def sample(true, sampled, unique, most, calls=3, **attrs):
        for op in ["UniformCandidateSampler", "LogUniformCandidateSampler"]:
            case(
                op,
                true_classes=np.array(true, np.int64),
                num_true=max(1, np.shape(true)[-1]),
                num_sampled=sampled,
                unique=unique,
                range_max=most,
                seed=4,
                seed2=7,
                _calls=calls,
                _ulps=2,
                **attrs,
            )

    for unique in [False, True]:
        sample([[1, 2], [3, 0], [4, 4]], 5, unique, 9)
        sample([[1, 2], [3, 0]], 8, unique, 8)
        sample([[1], [2**40]], 30, unique, 2**41 + 3)
        sample([[1]], 300, unique, 1000, 2)
        sample(np.zeros([0, 2]), 3, unique, 5)
    sample([[1]], 6, True, 5, 1)
    sample([[1], [5]], 2, True, 5, 1)
    sample([[-1]], 2, True, 5, 1)
    sample([1], 2, True, 5, 1, _shapes=False)
