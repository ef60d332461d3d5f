"""Samplers of candidate classes by learned and by given weights."""

import numpy as np

LEARNED = ["LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"]


def record(case):
    def sample(op, true, sampled, unique, calls=3, **kw):
        attrs = dict(num_true=max(1, np.shape(true)[-1]), num_sampled=sampled, unique=unique, seed=4, seed2=7)
        # The count that is expected of distinct samples is expm1 of a log1p.
        kw.setdefault("_ulps", 2 if unique else 0)
        case(op, true_classes=np.array(true, np.int64), **{**attrs, **kw}, _calls=calls)

    learned(sample)
    fixed(sample)
    everything(sample)
    bounds(sample)
    hits(case)


def bounds(sample):
    """Stock's Python refuses numbers below 1 before its kernels see them."""
    for op in ["UniformCandidateSampler", *LEARNED, "AllCandidateSampler"]:
        kw = {} if op.startswith("All") else dict(range_max=5)
        sample(op, [[1]], (1 << 32) + 3, False, 1, **kw, _shapes=False)
        sample(op, [[1]], 2, False, 1, **{**kw, "num_true": (1 << 32) + 1}, _shapes=False)


def learned(sample):
    for op in LEARNED:
        for unique in (False, True):
            sample(op, [[1, 2], [3, 0], [4, 4]], 5, unique, 6, range_max=9)
            sample(op, [[1, 2], [3, 0]], 8, unique, 6, range_max=8)
            sample(op, [[7], [7], [7], [0]], 40, unique, 9, range_max=300)
            sample(op, [[1], [99_999], [65_536]], 30, unique, 9, range_max=100_000)
            sample(op, [[0]], 1, unique, range_max=1)
            sample(op, np.zeros([0, 2]), 3, unique, range_max=5)
        sample(op, [[3] * 50, [2] * 50], 20, False, 9, range_max=5)
        sample(op, [[1]], 6, True, 1, range_max=5)
        sample(op, [[1], [5]], 2, True, 1, range_max=5)
        sample(op, [[-1]], 2, True, 1, range_max=5)
        sample(op, [[1]], 2, False, 1, range_max=5, num_true=2, _shapes=False)
        sample(op, [1], 2, True, 1, range_max=5, _shapes=False)


def fixed(sample):
    def run(true, sampled, unique, calls=3, **kw):
        sample("FixedUnigramCandidateSampler", true, sampled, unique, calls, **kw)

    weights = [1.0, 2.0, 3.0, 0.5, 7.25, 0.1]
    many = [float(w) for w in np.random.default_rng(5).uniform(0, 10, 300).astype(np.float32)]
    for unique in (False, True):
        run([[1, 2], [3, 0], [4, 4]], 4, unique, range_max=6, unigrams=weights)
        run([[1], [299]], 200, unique, range_max=300, unigrams=many, _ulps=2)
        run([[0]], 1, unique, range_max=1, unigrams=[5.0])
        run(np.zeros([0, 2]), 3, unique, range_max=6, unigrams=weights)
        run([[0, 7]], 4, unique, range_max=8, unigrams=weights, num_reserved_ids=2)
        for distortion in (0.0, 0.5, 0.75, 2.0, -1.0):
            run([[1, 5]], 4, unique, range_max=6, unigrams=weights, distortion=distortion, _ulps=2)
        run([[1]], 2, unique, range_max=2, unigrams=weights, num_shards=3, shard=1)
        run([[1]], 2, unique, range_max=3, unigrams=weights, num_shards=3, shard=0, num_reserved_ids=2)
        run([[1]], 2, unique, range_max=3, unigrams=weights, num_shards=3, shard=2, num_reserved_ids=5)
        run([[1]], 2, unique, range_max=4, unigrams=weights, num_shards=3, shard=2, num_reserved_ids=8)
    run([[1]], 7, False, range_max=6, unigrams=weights, num_reserved_ids=-3)
    for odd in ([0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, -2.0, 3.0], [np.nan, 1.0, 3.0], [np.inf, 1.0, 3.0], [1e38, 1e38, 3e38]):
        run([[1]], 20, False, range_max=3, unigrams=odd)
    run([[1]], 7, True, 1, range_max=6, unigrams=weights)
    run([[6]], 2, False, 1, range_max=6, unigrams=weights)
    run([[1]], 2, False, 1, range_max=6)
    run([[1]], 2, False, 1, range_max=6, unigrams=weights, vocab_file="words")
    run([[1]], 2, False, 1, range_max=6, vocab_file="/none/words", _says="/none/words")
    run([[1]], 2, False, 1, range_max=5, unigrams=weights)
    run([[1]], 2, False, 1, range_max=6, unigrams=weights, num_reserved_ids=1)
    run([[1]], 2, False, 1, range_max=6, unigrams=weights, num_shards=2, shard=2)
    run([[1]], 2, False, 1, range_max=6, unigrams=weights, num_shards=2, shard=5, num_reserved_ids=9)


def everything(sample):
    for unique in (False, True):
        sample("AllCandidateSampler", [[1, 2], [3, 0], [4, 4]], 5, unique)
        sample("AllCandidateSampler", np.zeros([0, 2]), 300, unique)
    sample("AllCandidateSampler", [[5]], 5, False, 1)
    sample("AllCandidateSampler", [[-1]], 5, True, 1)
    sample("AllCandidateSampler", [1], 5, True, 1, _shapes=False)


def hits(case):
    def run(true, sampled, num_true, **kw):
        case(
            "ComputeAccidentalHits", true_classes=np.array(true, np.int64), sampled_candidates=np.array(sampled, np.int64),
            num_true=num_true, **kw,
        )  # fmt: skip

    run([[1, 2], [3, 1], [2, 2]], [1, 5, 2, 1], 2)
    run([[1, 2], [3, 1]], [4, 5], 2)
    run([[-1], [1 << 60]], [1 << 60, -1, 3], 1, seed=3, seed2=4)
    run([[1, 2]], [], 2)
    run(np.zeros([0, 2]), [1, 2], 2)
    run(np.zeros([2, 0]), [1, 2], 0)
    run([[1, 2]], [1], 3, _shapes=False)
    run([1, 2], [1], 2, _shapes=False)
    run([[1, 2]], [[1]], 2, _shapes=False)
    run([[1, 2]], np.int64(1), 2, _shapes=False)
