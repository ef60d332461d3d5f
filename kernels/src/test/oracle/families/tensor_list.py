"""TensorList ops."""

import numpy as np
import tensorflow as tf

R = tf.raw_ops
NONE = np.zeros([0], np.int32)
KINDS = [np.float32, np.int64, np.uint8, np.bool_, np.float16, np.complex64]


def reserve(shape, size, dtype=tf.float32):
    return R.TensorListReserve(
        element_shape=np.int32(shape), num_elements=size, element_dtype=dtype
    )


def empty(shape, most=-1, dtype=tf.int32):
    return R.EmptyTensorList(
        element_shape=np.int32(shape), max_num_elements=most, element_dtype=dtype
    )


def filled(handle, *items):
    for index, item in items:
        handle = R.TensorListSetItem(input_handle=handle, index=index, item=item)
    return handle


def pushed(handle, *items):
    for item in items:
        handle = R.TensorListPushBack(input_handle=handle, tensor=item)
    return handle


PAIRS = filled(reserve([2], 3), (1, [1.0, 2.0]))
FULL = filled(PAIRS, (0, [-1.0, 5.0]), (2, [0.5, 0.25]))
WORDS = filled(reserve(-1, 4, tf.string), (0, ["a", "b"]))
RAGGED = pushed(empty([-1]), [1], [2, 3], np.zeros([0], np.int32))
SAME = pushed(empty(-1), [[1, 2]], [[3, 4]])
LARGE = filled(reserve([], 2000, tf.int64), (0, np.int64(7)), (1999, np.int64(8)), (33, np.int64(9)))


def record(case):
    make(case)
    change(case)
    read(case)
    stack(case)
    gather(case)
    concat(case)
    split(case)
    batches(case)


def make(case):
    for shape in [[], [2], [-1, 3], -1, 2, [-2]]:
        for kind in [np.int32, np.int64]:
            options = dict(element_dtype=tf.float32, element_shape=kind(shape))
            case("TensorListReserve", num_elements=2, **options)
            case("EmptyTensorList", max_num_elements=5, **options)
    for size in [0, 1, 32, 33, -3, [3]]:
        case("TensorListReserve", element_shape=NONE, num_elements=size, element_dtype=tf.int8)
    case("EmptyTensorList", element_shape=NONE, max_num_elements=[3], element_dtype=tf.int8)
    for kind in KINDS:
        value = np.arange(6).reshape(3, 2).astype(kind)
        from_tensor(case, value, [2])
    from_tensor(case, np.array(["x", "", "z"]), [])
    for shape in [[-1], -1, [3], [], [2, 1], 0]:
        from_tensor(case, np.zeros([4, 2], np.int32), shape)
    from_tensor(case, np.zeros([0, 2], np.int32), [2])
    from_tensor(case, np.zeros([40], np.int32), [])
    from_tensor(case, np.int32(3), [])

    def scatter(tensor, indices, shape, size):
        case(
            "TensorListScatterV2",
            tensor=tensor,
            indices=np.int32(indices),
            element_shape=np.int32(shape),
            num_elements=size,
        )

    for size in [-1, 4, 6, 3, -2]:
        scatter([1, 2], [3, 1], [], size)
    scatter([[1, 2], [3, 4]], [1, 1], [-1], -1)
    scatter([1, 2], [-3, 1], [], -1)
    scatter([1, 2], [1], [], -1)
    scatter([1, 2], [1, 0], [2], -1)
    scatter(np.zeros([0, 3], np.float32), [], [3], 2)


def from_tensor(case, tensor, shape):
    case("TensorListFromTensor", tensor=tensor, element_shape=np.int32(shape))


def change(case):
    def put(handle, index, item, grows=False, **options):
        case(
            "TensorListSetItem",
            input_handle=handle,
            index=index,
            item=item,
            resize_if_index_out_of_bounds=grows,
            **options,
        )

    put(PAIRS, [1], [8.0, 9.0], _says="Expected argument 1 to be a scalar. Received")
    for index in [0, 1, 2, 3, -1]:
        put(PAIRS, index, [8.0, 9.0])
        if index != -1:  # which ends stock's process
            put(PAIRS, index, [8.0, 9.0], True)
    put(PAIRS, 1, [1.0, 2.0, 3.0])
    put(PAIRS, 1, [1, 2])
    put(WORDS, 3, [["q"]])
    put(LARGE, 1024, np.int64(4))

    def push(handle, tensor):
        case("TensorListPushBack", input_handle=handle, tensor=tensor)

    push(RAGGED, [4, 5, 6])
    push(RAGGED, [[4]])
    push(RAGGED, [4.0])
    push(pushed(empty([], 2), 1, 2), 3)
    push(empty([], 0), 3)

    def pop(handle, shape, dtype):
        case(
            "TensorListPopBack",
            input_handle=handle,
            element_shape=np.int32(shape),
            element_dtype=dtype,
        )

    pop(RAGGED, [-1], tf.int32)
    pop(RAGGED, [5], tf.int32)
    pop(RAGGED, [5], tf.float32)
    pop(empty([]), [], tf.int32)
    pop(reserve([2], 3), [2], tf.float32)
    pop(reserve([-1], 3), [2], tf.float32)
    pop(reserve([-1], 3), [-1], tf.float32)
    pop(reserve([2], 3), [3], tf.float32)
    for size in [0, 1, 2, 3, 5, 100, -1]:
        case("TensorListResize", input_handle=FULL, size=size)
    for size in [33, 1024, 1999]:
        case("TensorListResize", input_handle=LARGE, size=size)
    for a, b in [(PAIRS, FULL), (PAIRS, RAGGED), (PAIRS, reserve([3], 1)), (empty([2], dtype=tf.float32), FULL)]:
        case("TensorListConcatLists", input_a=a, input_b=b, element_dtype=tf.float32)
    case("TensorListLength", input_handle=PAIRS)
    case("TensorListLength", input_handle=tf.stack([PAIRS, PAIRS]))
    case("TensorListLength", input_handle=LARGE)


def read(case):
    def get(handle, index, shape, dtype=tf.float32):
        case(
            "TensorListGetItem",
            input_handle=handle,
            index=index,
            element_shape=np.int32(shape),
            element_dtype=dtype,
        )

    for index in [0, 1, 2, 3, -1, [1]]:
        get(PAIRS, index, [2])
    get(PAIRS, 0, [3])
    get(PAIRS, 1, [3])
    get(PAIRS, 0, -1)
    get(PAIRS, 1, [2], tf.int32)
    get(WORDS, 1, -1, tf.string)
    get(WORDS, 1, [3], tf.string)
    get(reserve(-1, 2), 1, -1)
    get(filled(WORDS, (2, ["q"])), 1, -1, tf.string)
    get(LARGE, 33, [], tf.int64)
    get(LARGE, 34, [], tf.int64)
    for handle in [PAIRS, WORDS, RAGGED, reserve([], 1)]:
        for kind in [tf.int32, tf.int64]:
            case("TensorListElementShape", input_handle=handle, shape_type=kind)


def stack(case):
    def join(handle, shape, dtype=tf.float32, **attrs):
        case(
            "TensorListStack",
            input_handle=handle,
            element_shape=np.int32(shape),
            element_dtype=dtype,
            **attrs,
        )

    for shape in [[2], [-1], -1, [3], 5, [2, 1]]:
        join(PAIRS, shape)
        join(FULL, shape)
    join(FULL, [2], num_elements=3)
    join(FULL, [2], num_elements=4)
    join(FULL, [2], tf.int32)
    join(WORDS, -1, tf.string)
    join(filled(WORDS, (1, ["q"])), -1, tf.string)
    join(reserve(-1, 2), -1)
    join(reserve(-1, 2), [1, 2])
    join(empty([-1]), [-1], tf.int32)
    join(empty([-1]), [3], tf.int32)
    join(RAGGED, [-1], tf.int32)
    join(SAME, -1, tf.int32)
    join(LARGE, [], tf.int64)
    for kind in KINDS:
        items = R.TensorListFromTensor(tensor=np.arange(6).reshape(3, 2).astype(kind), element_shape=[2])
        join(items, [2], tf.as_dtype(kind))


def gather(case):
    def pick(handle, indices, shape, dtype=tf.float32):
        case(
            "TensorListGather",
            input_handle=handle,
            indices=np.int32(indices),
            element_shape=np.int32(shape),
            element_dtype=dtype,
        )

    pick(PAIRS, [1, 1, 0], [2])
    pick(PAIRS, [1, 3], [2])
    pick(PAIRS, [], [2])
    pick(PAIRS, [0], [3])
    pick(WORDS, [0, 1], -1, tf.string)
    pick(WORDS, [1], -1, tf.string)
    pick(WORDS, [], -1, tf.string)
    pick(RAGGED, [0, 0], [-1], tf.int32)
    pick(RAGGED, [0, 1], [-1], tf.int32)
    pick(RAGGED, [0], [-1], tf.int64)


def concat(case):
    def join(handle, shape, leading=(), dtype=tf.int32, kind=np.int32):
        case(
            "TensorListConcatV2",
            input_handle=handle,
            element_shape=kind(shape),
            leading_dims=np.int64(leading),
            element_dtype=dtype,
        )

    for shape in [[-1], -1, [2], [-1, 2], 3]:
        join(RAGGED, shape)
        join(RAGGED, shape, kind=np.int64)
    join(SAME, -1)
    join(SAME, [1, 2])
    join(SAME, [-1, 2])
    join(PAIRS, [2], dtype=tf.float32)
    join(PAIRS, [2], [1, 1, 1], tf.float32)
    join(WORDS, -1, dtype=tf.string)
    join(WORDS, [-1], [0, 0, 3, 1], tf.string)
    join(filled(WORDS, (2, ["q"])), [-1], [0, 0, 3, 1], tf.string)
    join(filled(WORDS, (2, ["q"])), [-1], [0, 0, 3], tf.string)
    join(filled(reserve(-1, 2, tf.string), (0, "q")), -1, dtype=tf.string)
    join(reserve([-1], 2), [-1], dtype=tf.float32)
    join(reserve(-1, 2), -1, dtype=tf.float32)
    join(empty([-1]), [-1])
    join(empty(-1), -1)
    join(empty([]), -1)
    join(empty([-1, 3]), [-1, 3])
    join(RAGGED, [-1], dtype=tf.int64)
    for shape in [[None], None, [2], [None, 2]]:
        case("TensorListConcat", input_handle=RAGGED, element_dtype=tf.int32, element_shape=shape)
    case("TensorListConcat", input_handle=SAME, element_dtype=tf.int32)
    case("TensorListConcat", input_handle=PAIRS, element_dtype=tf.float32, element_shape=[2])
    case("TensorListConcat", input_handle=empty([-1, 3]), element_dtype=tf.int32, element_shape=[None, 3])
    case("TensorListConcat", input_handle=reserve(-1, 2), element_dtype=tf.float32)
    case("TensorListConcat", input_handle=RAGGED, element_dtype=tf.int64)


def batches(case):
    def put(handle, indices, tensor):
        case("TensorListScatterIntoExistingList", input_handle=handle, tensor=tensor, indices=indices)

    put(PAIRS, [2, 0], [[8.0, 9.0], [6.0, 7.0]])
    put(PAIRS, [3], [[8.0, 9.0]])
    put(PAIRS, [1, 1], [[8.0, 9.0], [6.0, 7.0]])
    put(PAIRS, np.zeros([0], np.int32), np.zeros([0, 2], np.float32))
    put(WORDS, [1], [["x", "y"]])
    put(PAIRS, [0], [8.0])
    put(PAIRS, [0], [[1, 2]])
    put(PAIRS, [0, 1], [[8.0, 9.0]])
    put(PAIRS, 0, [[8.0, 9.0]])
    put(PAIRS, [0], 8.0)

    def push(handles, tensor):
        case("TensorListPushBackBatch", input_handles=tf.stack(handles), tensor=tensor)

    push([FULL, FULL], [[1.0, 2.0], [3.0, 4.0]])
    push([RAGGED, empty(-1)], [[1, 2], [3, 4]])
    push([FULL, FULL], [[1.0, 2.0]])
    push([FULL, FULL], [[1, 2], [3, 4]])
    push([FULL, FULL], [[1.0], [2.0]])
    push([FULL], 1.0)


def split(case):
    def cut(tensor, lengths, shape):
        case(
            "TensorListSplit",
            tensor=tensor,
            lengths=np.int64(lengths),
            element_shape=np.int32(shape),
        )

    four = np.arange(8).reshape(4, 2).astype(np.float32)
    for lengths in [[2, 2], [0, 4, 0], [1, 2], [3, 2], [-1, 5], [4]]:
        cut(four, lengths, [-1, 2])
    for shape in [-1, [-1, 3], [-1], [], [2, 2]]:
        cut(four, [2, 2], shape)
    cut(four, [[2, 2]], [-1, 2])
    cut(np.float32(2), [1], [-1])
    cut(np.zeros([0], np.int32), [], [-1])
