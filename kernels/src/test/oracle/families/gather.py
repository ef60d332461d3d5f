"""Ops that gather and scatter elements by indices."""

import numpy as np
from values import DTYPES, FLOATS, INTEGERS, KINDS, grid, i32, i64


def record(case):
    gather(case)
    gather_nd(case)
    scatter_nd(case)
    tensor_scatter(case)
    bad_indices(case)
    scatter_parts(case)


def gather(case):
    for dtype in DTYPES:
        case("GatherV2", params=grid([3], dtype), indices=[2, 0, 2], axis=0)
        case("GatherV2", params=grid([2, 3], dtype), indices=[2, 0], axis=1)
    for dtype in KINDS:
        case("GatherV2", params=grid([3, 2], dtype), indices=i64(1, 1), axis=0)
        case("Gather", params=grid([3, 2], dtype), indices=[[1], [2]])
    for axis in (-3, -2, -1, 0, 1, 2):
        case("GatherV2", params=grid([2, 2, 2]), indices=[[1, 0, 1], [0, 0, 1]], axis=axis)
        case("GatherV2", params=grid([2, 2, 2]), indices=1, axis=np.int64(axis))
    case("GatherV2", params=grid([3, 2]), indices=i32(), axis=0)
    case("GatherV2", params=grid([0, 2]), indices=i32(), axis=0)
    case("GatherV2", params=grid([0, 2]), indices=[1, 1], axis=1)
    case("GatherV2", params=grid([2, 0]), indices=[1, 1, 0], axis=0)
    batched = grid([2, 3, 2])
    case("GatherV2", params=batched, indices=[[2, 0], [1, 1]], axis=1, batch_dims=1)
    case("GatherV2", params=batched, indices=[[1, 0, 1], [1, 1, 0]], axis=2, batch_dims=1)
    case("GatherV2", params=batched, indices=[2, 1], axis=1, batch_dims=1)
    case("GatherV2", params=batched, indices=[[1, 0, 1], [1, 1, 0]], axis=2, batch_dims=2)
    case("GatherV2", params=batched, indices=[[1, 0, 1], [1, 1, 0]], axis=-1, batch_dims=-1, _shapes=False)
    case("GatherV2", params=batched, indices=[[[1], [0], [1]]] * 2, axis=2, batch_dims=-1, _shapes=False)
    case("GatherV2", params=grid([3]), indices=[0, 3], axis=0)
    case("GatherV2", params=grid([3]), indices=-1, axis=0)
    case("GatherV2", params=grid([3]), indices=[[0, 1], [2, -1]], axis=0)
    case("GatherV2", params=batched, indices=[[0], [5]], axis=1, batch_dims=1)
    case("GatherV2", params=grid([0, 2]), indices=[0], axis=0)
    case("GatherV2", params=grid([3]), indices=[0], axis=1, _says="")
    case("GatherV2", params=grid([3]), indices=[0], axis=-2, _says="")
    case("GatherV2", params=grid([3]), indices=[0], axis=[0])
    case("GatherV2", params=grid([3]), indices=[0], axis=[0, 0])
    case("GatherV2", params=grid([]), indices=[0], axis=0)
    case("GatherV2", params=batched, indices=[0, 0, 0], axis=1, batch_dims=1)
    case("GatherV2", params=batched, indices=[[0], [0]], axis=0, batch_dims=1)
    case("GatherV2", params=batched, indices=[0], axis=1, batch_dims=2)


def gather_nd(case):
    for dtype in DTYPES:
        case("GatherNd", params=grid([2, 3], dtype), indices=[[0, 1], [1, 2]])
        case("GatherNd", params=grid([2, 3], dtype), indices=[[1], [0], [1]])
    case("GatherNd", params=grid([2, 3, 2]), indices=[[[0, 1]], [[1, 2]]])
    case("GatherNd", params=grid([2, 3]), indices=i64(1, 2))
    case("GatherNd", params=grid([2, 3]), indices=np.zeros([2, 0], np.int32))
    case("GatherNd", params=grid([2, 3]), indices=np.zeros([0, 2], np.int32))
    case("GatherNd", params=grid([0, 3]), indices=np.zeros([0, 1], np.int32))
    case("GatherNd", params=grid([2, 3]), indices=[[0, 3]])
    case("GatherNd", params=grid([2, 3]), indices=[[0, 0], [-1, 0]])
    case("GatherNd", params=grid([2, 3]), indices=[[[0, 0]], [[2, 0]]])
    case("GatherNd", params=grid([2, 3]), indices=[[0, 0, 0]])
    case("GatherNd", params=grid([2, 3]), indices=0)
    case("GatherNd", params=grid([]), indices=[0])
    case("GatherNd", params=grid([0, 3]), indices=[[0]])


def scatter_nd(case):
    for dtype in INTEGERS + FLOATS + [np.complex64, np.complex128, np.str_]:
        case("ScatterNd", indices=[[1], [3], [1]], updates=grid([3], dtype), shape=[5])
        case("ScatterNd", indices=[[1], [0]], updates=grid([2, 2], dtype), shape=[3, 2])
    case("ScatterNd", indices=[[1], [3]], updates=np.array([True, True]), shape=[5])
    case("ScatterNd", indices=[[1, 2], [0, 0]], updates=grid([2]), shape=[2, 3])
    case("ScatterNd", indices=np.array([[0, 1]], np.int64), updates=grid([1, 2]), shape=i64(2, 2, 2))
    case("ScatterNd", indices=np.zeros([0, 1], np.int32), updates=grid([0]), shape=[3])
    case("ScatterNd", indices=np.zeros([2, 0], np.int32), updates=grid([2, 3]), shape=[3])
    case("ScatterNd", indices=[[[0], [1]]], updates=grid([1, 2]), shape=[3])
    case("ScatterNd", indices=[[5]], updates=grid([1]), shape=[3])
    case("ScatterNd", indices=[[0], [-1]], updates=grid([2]), shape=[3])
    case("ScatterNd", indices=[[0, 3]], updates=grid([1]), shape=[3, 3])
    case("ScatterNd", indices=[[0], [1]], updates=grid([3]), shape=[3])
    case("ScatterNd", indices=[[0], [1]], updates=grid([2, 2]), shape=[3])
    case("ScatterNd", indices=[[0], [1]], updates=grid([2]), shape=[[3]])
    case("ScatterNd", indices=[[0, 0, 0]], updates=grid([1]), shape=[3, 3])
    case("ScatterNd", indices=[[0]], updates=grid([1]), shape=[-1])
    case("ScatterNd", indices=[[0]], updates=grid([1]), shape=[0])


def tensor_scatter(case):
    for op in ("Update", "Add", "Sub", "Max", "Min"):
        for dtype in INTEGERS + FLOATS:
            case(
                "TensorScatter" + op,
                tensor=grid([4], dtype) * 2,
                indices=[[1], [3], [1]],
                updates=grid([3], dtype),
            )
        rows = dict(tensor=grid([3, 2]), updates=grid([2, 2]) * 2)
        case("TensorScatter" + op, indices=[[2], [0]], **rows)
        case("TensorScatter" + op, indices=[[3], [0]], **rows)
        case("TensorScatter" + op, indices=[[0]], **rows)
        scalar = dict(tensor=grid([]), updates=grid([1]))
        case("TensorScatter" + op, indices=[[0]], **scalar)
    for dtype in (np.bool_, np.complex64, np.str_):
        values = dict(tensor=grid([4], dtype), updates=grid([2], dtype))
        case("TensorScatterUpdate", indices=[[1], [3]], **values)


def bad_indices(case):
    indices = i32([[0, 1], [5, 0]], [[-1, 1], [1, 0]])
    for policy in ("DEFAULT", "ERROR", "IGNORE"):
        for dtype in (np.float32, np.complex64, np.str_):
            case("GatherNd", params=grid([2, 3], dtype), indices=indices[:, :1], bad_indices_policy=policy, _says=None if policy == "IGNORE" else "does not index into param shape [2,3]")
    skip = dict(bad_indices_policy="IGNORE")
    for dtype in (np.int64, np.complex64, np.str_):
        case("GatherNd", params=grid([2, 3], dtype), indices=i32([1], [2], [-1]), **skip)
        case("ScatterNd", indices=indices, updates=grid([2, 2], dtype), shape=[2, 3], **skip)
        case("ScatterNd", indices=i32([3], [1], [-1]), updates=grid([3, 3], dtype), shape=[2, 3], **skip)
    case("GatherNd", params=grid([0, 3]), indices=[[0]], **skip)
    for op in ("Update", "Add", "Sub", "Max", "Min"):
        case("TensorScatter" + op, tensor=grid([2, 3]), indices=indices, updates=grid([2, 2]), **skip)
        case("TensorScatter" + op, tensor=grid([2, 3]), indices=indices, updates=grid([2, 2]), bad_indices_policy="x")
    case("ScatterNdNonAliasingAdd", input=grid([2, 3]), indices=indices, updates=grid([2, 2]), **skip)


def scatter_parts(case):
    parts = [
        ([3, 4], [1], [4]), ([3, 4], [2], []), ([4], [1], [1]), ([3, 4], [0], [3, 4]), ([3, 4], [0, 0], [0, 3, 4]),
        ([3, 4], [2, 0], [2, 3, 4]), ([], [0, 0], [0]), ([1, 2], [1], [2]), ([2, 1], [1], [1]), ([0, 4], [0], [0, 4]),
        ([0, 3], [2, 1], [2, 3]), ([2, 0], [2, 1], [2, 0]),
    ]
    for shape, indices, updates in parts:
        kw = dict(indices=np.zeros(indices, np.int32), updates=grid(updates))
        case("TensorScatterUpdate", tensor=grid(shape), **kw)
        case("ScatterNd", shape=np.array(shape, np.int32), **kw)
