"""CTC: the loss, and the greedy and the beam search decoders."""

import numpy as np

from families.signal import normal


def record(case):
    loss(case)
    loss_errors(case)
    greedy(case)
    beam_search(case)
    beam_ties(case)


def logits(steps, batch, classes, dtype=np.float32, seed=0, scale=1):
    return (scale * normal([steps, batch, classes], dtype, seed)).astype(dtype)


def ctc_loss(case, inputs, sequences, lengths, **kw):
    indices = [[b, t] for b, labels in enumerate(sequences) for t in range(len(labels))]
    values = [label for labels in sequences for label in labels]
    raw_loss(case, inputs, np.reshape(indices, [-1, 2]), values, lengths, **kw)


def raw_loss(case, inputs, indices, values, lengths, **kw):
    if "_says" not in kw:
        kw = dict(_ulps=8, _atol=4e-6 if inputs.dtype == np.float32 else 1e-13) | kw
    case(
        "CTCLoss",
        inputs=inputs,
        labels_indices=np.array(indices, np.int64),
        labels_values=np.array(values, np.int32),
        sequence_length=np.array(lengths, np.int32),
        **kw,
    )


def loss(case):
    for dtype in [np.float32, np.float64]:
        x = logits(6, 3, 5, dtype)
        labels = [[0, 1, 2], [3, 3], [1]]
        for collapse in [False, True]:
            for merge in [False, True]:
                for ignore in [False, True]:
                    attrs = dict(
                        preprocess_collapse_repeated=collapse,
                        ctc_merge_repeated=merge,
                        ignore_longer_outputs_than_inputs=ignore,
                    )
                    ctc_loss(case, x, labels, [6, 6, 6], **attrs)
                    ctc_loss(case, x, labels, [4, 3, 1], **attrs)
                    ctc_loss(case, x, [[2, 2, 2], [3, 3], [0]], [6, 2, 1], **attrs)
        ctc_loss(case, x, [[1, 2, 3, 0], [1], [1]], [3, 0, 6], ignore_longer_outputs_than_inputs=True)
        ctc_loss(case, x, [[1, 4, 4], [1], [1, 7]], [6, 6, 6])
        ctc_loss(case, x, [[4], [1], [4, 4]], [6, 5, 4])
        ctc_loss(case, logits(3, 2, 1, dtype), [[0], [1]], [3, 2])
        ctc_loss(case, logits(1, 1, 4, dtype), [[2]], [1])
        ctc_loss(case, logits(2, 1, 4, dtype), [[1, 1]], [2])
        ctc_loss(case, logits(9, 2, 7, dtype, scale=30), [[1, 2, 3], [6, 6]], [9, 9])
        many = [[(i * i + b) % 27 for i in range(20)] for b in range(4)]
        wide = dict(_atol=2e-5) if dtype == np.float32 else {}
        ctc_loss(case, logits(60, 4, 28, dtype), many, [60, 59, 45, 20], ignore_longer_outputs_than_inputs=True, **wide)
        x = logits(4, 1, 3, dtype)
        x[1, 0, 1] = -np.inf
        ctc_loss(case, x, [[1, 0]], [4])
        x[1:3, 0, :2] = -np.inf
        ctc_loss(case, x, [[1, 0, 1]], [4])
        x[:] = [0, -1e4, 0]
        ctc_loss(case, x, [[1, 0]], [4])


def loss_errors(case):
    x = logits(5, 2, 4)
    indices, values = [[0, 0], [0, 1], [1, 0]], [0, 1, 2]
    say = lambda *args, **kw: raw_loss(case, *args, _says=None, **kw)
    say(x, indices, values, [5, 0])
    say(x, indices, values, [5, -1])
    say(x, indices, values, [6, 5])
    say(x, indices, values, [1, 5])
    say(x, indices, [1, 1, 2], [1, 5], preprocess_collapse_repeated=True)
    for shape_error in [
        (x, indices, values, [5]),
        (x, indices, [0, 1], [5, 5]),
        (x[0], indices, values, [5, 5]),
        (x, indices, values, 5),
        (x, indices, [[0], [1], [2]], [5, 5]),
        (x, [0, 1], values, [5, 5]),
    ]:
        say(*shape_error, _shapes=False)
    say(x[:, :0], np.zeros([0, 2]), [], [])
    say(x[:0], indices, values, [0, 0])
    say(x, [[0, 0], [0, 1], [2, 0]], values, [5, 5])
    say(x, [[0, 0], [0, 1], [-1, 0]], values, [5, 5])
    say(x, [[0, -1], [0, 1], [1, 0]], values, [5, 5])
    out_of_order = "indices[1] = [0,0] is out of order. Many sparse ops require sorted indices."
    raw_loss(case, x, [[0, 1], [0, 0], [1, 0]], values, [5, 5], _says=out_of_order)
    say(x, [[0, 0], [0, 0], [1, 0]], values, [5, 5])
    raw_loss(case, x, [[0, 0], [0, 2], [1, 0]], values, [5, 5])
    raw_loss(case, x, [[1, 0], [0, 0], [1, 1]], values, [5, 5], _says=out_of_order)
    say(x, [[0, 0], [0, 1], [0, 2]], values, [5, 5])
    say(x, np.zeros([0, 2]), [], [5, 5])
    say(x, [[0, 0, 0], [0, 1, 0], [1, 0, 0]], values, [5, 5])
    say(x, [[0], [0], [1]], values, [5, 5])
    say(x, [[0, 0], [0, 2**63 - 1], [1, 0]], values, [5, 5])
    say(x, indices, [3, 1, 2], [5, 5])
    say(x, indices, [1, -1, 2], [5, 5])


def greedy(case):
    def decode(inputs, lengths, **kw):
        case("CTCGreedyDecoder", inputs=inputs, sequence_length=np.array(lengths, np.int32), **kw)

    for dtype in [np.float32, np.float64]:
        x = logits(8, 3, 4, dtype)
        for merge in [False, True]:
            for blank in [-1, 0, 3, -4, 1]:
                decode(x, [8, 5, 0], merge_repeated=merge, blank_index=blank)
        x[2] = x[3]
        x[4] = 0
        x[5, :, 2] = np.inf
        x[6, 0] = -np.inf
        x[7, 1, 0] = np.nan
        x[7, 2, 3] = np.nan
        for merge in [False, True]:
            decode(x, [8, 8, 8], merge_repeated=merge)
        decode(x, [3, -2, 1])
        decode(logits(3, 1, 1, dtype), [3])
        decode(logits(40, 5, 9, dtype), [40, 7, 33, 40, 1])
    x = logits(5, 2, 4)
    decode(x, [5, 5], blank_index=4)
    decode(x, [5, 5], blank_index=-5)
    decode(x, [6, 5])
    decode(x, [5], _shapes=False)
    decode(x[:0], [0, 0])
    decode(x[:, :, :0], [0, 0])
    decode(x[0], [5, 5], _shapes=False)
    decode(x, 5, _shapes=False)


def search(case, inputs, lengths, width, paths, **kw):
    case(
        "CTCBeamSearchDecoder",
        inputs=inputs,
        sequence_length=np.array(lengths, np.int32),
        beam_width=width,
        top_paths=paths,
        **kw,
    )


def beam_search(case):
    for dtype in [np.float32, np.float64]:
        x = logits(8, 3, 4, dtype)
        for merge in [False, True]:
            for width, paths in [(1, 1), (2, 1), (3, 3), (10, 5), (100, 100)]:
                search(case, x, [8, 5, 4], width, paths, merge_repeated=merge)
        search(case, x, [8, 0, -3], 5, 1)
        search(case, logits(50, 2, 30, dtype, scale=3), [50, 44], 100, 10, merge_repeated=False)
        search(case, logits(30, 2, 6, dtype, scale=0.1), [30, 30], 25, 25, merge_repeated=False)
        search(case, logits(3, 2, 1, dtype), [3, 2], 4, 1)
        search(case, logits(4, 1, 2, dtype), [4], 7, 4)
        x[1, :, 2] = -np.inf
        x[3, 0, 3] = -np.inf
        search(case, x, [8, 8, 8], 6, 3)
    x = logits(5, 2, 4)
    search(case, x, [5, 0], 3, 2)
    search(case, x, [5, 5], 3, 4)
    search(case, x, [5, 6], 3, 2)
    search(case, x, [5], 3, 2, _shapes=False)
    search(case, x[:0], [0, 0], 3, 2)
    search(case, x[0], [5, 5], 3, 1, _shapes=False)
    search(case, x, 5, 3, 1, _shapes=False)


def beam_ties(case):
    """Equally probable sequences come in the order of heaps and sorts that are not stable."""
    for classes in [2, 3, 5, 8, 20]:
        for width in [1, 2, 7, 16, 17, 33, 60, 200]:
            for steps in [1, 2, 3, 9]:
                count = 1 + sum(min(width, (classes - 1) ** t) for t in range(1, steps + 1))
                x = np.zeros([steps, 1, classes], np.float32)
                search(case, x, [steps], width, min(width, count, 2 + steps), merge_repeated=False)
    rng = np.random.default_rng(5)
    for i in range(20):
        x = rng.integers(0, 3, [12, 2, 6]).astype(np.float64 if i % 2 else np.float32)
        search(case, x, [12, 10], 10 + 7 * i, 10, merge_repeated=False)
