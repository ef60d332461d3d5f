"""Ops that crop, resample and warp images, rearrange their blocks, and select bounding boxes."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, DTYPES, grid

REAL = [
    np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64,
]  # fmt: skip


def images(batch, height, width, channels, dtype=np.float32):
    random = np.random.RandomState(height * width)
    return (random.rand(batch, height, width, channels) * 120).astype(dtype)


def f32(*values):
    return np.array(values, np.float32)


def record(case):
    crop_and_resize(case)
    scale_and_translate(case)
    projective_transform(case)
    patches(case)
    blocks(case)
    non_max_suppression(case)
    distorted_box(case)
    batch_space(case)


def crop_and_resize(case):
    op = "CropAndResize"
    boxes = f32([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.7], [0.8, 0.9, 0.2, 0.1], [-0.5, 0.3, 1.2, 2], [0.5, 0.5, 0.5, 0.5])
    indices = [0, 1, 1, 0, 1]
    for method in ["bilinear", "nearest"]:
        for dtype in REAL:
            case(op, image=images(1, 4, 5, 3, dtype), boxes=boxes[1:2], box_ind=[0], crop_size=[3, 2], method=method)
        for size in [[3, 4], [1, 1], [1, 5], [7, 1], [9, 11]]:
            case(op, image=images(2, 6, 5, 2), boxes=boxes, box_ind=indices, crop_size=size, method=method)
        case(op, image=images(2, 6, 5, 2), boxes=boxes, box_ind=indices, crop_size=[3, 2], method=method, extrapolation_value=7.5)
    ok = dict(image=images(2, 6, 5, 2), boxes=boxes[:1], box_ind=[0], crop_size=[3, 2])
    case(op, **{**ok, "boxes": np.zeros([0, 4], np.float32), "box_ind": np.zeros([0], np.int32)})
    case(op, **{**ok, "box_ind": [2]})
    case(op, **{**ok, "box_ind": [-1]})
    case(op, **{**ok, "box_ind": [0, 1]})
    case(op, **{**ok, "box_ind": 0})
    case(op, **{**ok, "boxes": f32([0, 0, 1])})
    case(op, **{**ok, "boxes": f32(0, 0, 1, 1)})
    case(op, **{**ok, "boxes": f32([0, 0, np.nan, 1])})
    case(op, **{**ok, "crop_size": [0, 2]})
    case(op, **{**ok, "crop_size": [1, 2, 3]})
    case(op, **{**ok, "crop_size": 3})
    case(op, **{**ok, "image": images(1, 6, 5, 2)[0]})
    case(op, **{**ok, "image": np.zeros([1, 0, 5, 2], np.float32)})


def scale_and_translate(case):
    op = "ScaleAndTranslate"
    kernels = ["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"]
    for dtype in REAL + [BFLOAT16]:
        case(op, images=images(1, 4, 5, 3, dtype), size=[6, 3], scale=f32(1.5, 0.6), translation=f32(0, 0))
    for kernel in kernels:
        for antialias in (False, True):
            for size, scale, translation in [
                ([9, 10], (1.5, 2), (0, 0)),
                ([3, 2], (0.5, 0.3), (0, 0)),
                ([6, 5], (1, 1), (1.5, -2)),
                ([4, 7], (0.7, 1.3), (-0.4, 0.3)),
            ]:
                # Stock's sine and exponential may differ in the last bit.
                case(
                    op,
                    images=images(1, 6, 5, 2),
                    size=size,
                    scale=f32(*scale),
                    translation=f32(*translation),
                    kernel_type=kernel,
                    antialias=antialias,
                    _ulps=8 if kernel == "gaussian" else 0,
                )
    ok = dict(images=images(2, 6, 5, 2), size=[3, 4], scale=f32(1, 1), translation=f32(0, 0))
    case(op, **ok)
    case(op, **{**ok, "translation": f32(100, 0)})
    case(op, **{**ok, "scale": f32(0, 1)})
    case(op, **{**ok, "scale": f32(1, 1, 1)})
    case(op, **{**ok, "translation": np.float32(1)})
    case(op, **{**ok, "size": [0, 4]})
    case(op, **{**ok, "size": [1, 2, 3]})
    case(op, **{**ok, "images": images(1, 6, 5, 2)[0]})
    case(op, **{**ok, "images": np.zeros([1, 6, 5, 0], np.float32)})
    case(op, **{**ok, "images": np.zeros([1, 0, 5, 1], np.float32)})
    case(op, **{**ok, "kernel_type": "sinc"})


def projective_transform(case):
    op = "ImageProjectiveTransformV3"
    turn = [0.8, -0.6, 1.3, 0.6, 0.8, -1.2, 0, 0]
    shear = [1, 0.3, -2.5, 0.1, 1.2, 0.5, 0.01, -0.02]
    away = [1, 0, -7.5, 0, 1, 9.25, 0, 0]
    infinite = [1, 0, 0, 0, 1, 0, -0.5, 0]
    for dtype in [np.uint8, np.int32, np.int64, np.float16, BFLOAT16, np.float32, np.float64]:
        for interpolation in ["NEAREST", "BILINEAR"]:
            case(
                op,
                images=images(1, 4, 5, 3, dtype),
                transforms=f32(turn),
                output_shape=[5, 4],
                fill_value=np.float32(3.5),
                interpolation=interpolation,
            )
    for interpolation in ["NEAREST", "BILINEAR"]:
        for mode in ["CONSTANT", "NEAREST", "REFLECT", "WRAP"]:
            for transform in [turn, shear, away, infinite]:
                kw = dict(interpolation=interpolation, fill_mode=mode)
                case(op, images=images(1, 4, 5, 2), transforms=f32(transform), output_shape=[6, 5], fill_value=np.float32(1), **kw)
            case(op, images=images(2, 4, 5, 2), transforms=f32(turn, away), output_shape=[3, 5], fill_value=np.float32(1), **kw)
            case(op, images=images(2, 1, 1, 2), transforms=f32(away), output_shape=[3, 5], fill_value=np.float32(1), **kw)
    ok = dict(images=images(2, 4, 5, 2), transforms=f32(turn), output_shape=[3, 5], interpolation="BILINEAR")
    case("ImageProjectiveTransformV2", **ok)
    ok["fill_value"] = np.float32(0)
    case(op, **{**ok, "transforms": f32(turn, turn, turn)})
    case(op, **{**ok, "transforms": f32(*turn)})
    case(op, **{**ok, "transforms": f32(turn[:7])})
    case(op, **{**ok, "output_shape": [0, 5]})
    case(op, **{**ok, "output_shape": [1, 5, 2]})
    case(op, **{**ok, "fill_value": f32(0)})
    case(op, **{**ok, "images": images(2, 4, 5, 2)[0]})


def patches(case):
    op = "ExtractImagePatches"
    for dtype in DTYPES:
        if dtype in (np.str_, np.bool_):
            continue  # stock has no kernel
        case(op, images=grid([1, 3, 4, 2], dtype), ksizes=[1, 2, 2, 1], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="SAME")
    for padding in ["SAME", "VALID"]:
        for size in [(1, 1), (2, 3), (3, 3)]:
            for stride in [(1, 1), (2, 3)]:
                for rate in [(1, 1), (2, 1)]:
                    case(
                        op,
                        images=grid([2, 6, 7, 2]),
                        ksizes=[1, *size, 1],
                        strides=[1, *stride, 1],
                        rates=[1, *rate, 1],
                        padding=padding,
                    )
    ok = dict(images=grid([1, 3, 4, 2]), ksizes=[1, 2, 2, 1], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="VALID")
    case(op, **{**ok, "images": np.zeros([0, 3, 4, 2], np.float32)})
    case(op, **{**ok, "images": grid([3, 4, 2]), "_says": ""})
    case(op, **{**ok, "ksizes": [1, 5, 2, 1], "_says": ""})
    case(op, **{**ok, "ksizes": [2, 2, 2, 1], "_says": ""})
    case(op, **{**ok, "strides": [1, 0, 2, 1], "_says": ""})


def blocks(case):
    for dtype in DTYPES:
        for op in ["SpaceToDepth", "DepthToSpace"]:
            shape = [1, 4, 2, 3] if op == "SpaceToDepth" else [1, 2, 1, 12]
            if tf.as_dtype(dtype if dtype is not np.str_ else object) != tf.string:
                case(op, input=grid(shape, dtype), block_size=2)
    case("SpaceToDepth", input=grid([2, 6, 9, 2]), block_size=3)
    case("DepthToSpace", input=grid([2, 2, 3, 18]), block_size=3)
    for op in ["SpaceToDepth", "DepthToSpace"]:
        case(op, input=grid([0, 2, 2, 4]), block_size=2)
        case(op, input=grid([1, 3, 3, 3]), block_size=2)
        case(op, input=grid([2, 2, 4]), block_size=2)


def batch_space(case):
    for dtype in [np.uint8, np.float16, np.float32, np.int64]:
        case("SpaceToBatchND", input=grid([2, 3, 4, 2], dtype), block_shape=[2, 2], paddings=[[1, 0], [0, 2]])
        case("BatchToSpaceND", input=grid([8, 2, 3, 2], dtype), block_shape=[2, 2], crops=[[1, 0], [0, 2]])
    for shape, block, margins in [
        ([1, 4, 6, 3], [2, 3], [[0, 0], [0, 0]]),
        ([2, 5], [3], [[0, 1]]),
        ([2, 5], [3], [[4, 6]]),
        ([1, 2, 3, 4], [2, 1, 3], [[1, 1], [0, 2], [2, 0]]),
        ([2, 3], np.zeros([0], np.int32), np.zeros([0, 2], np.int32)),
        ([0, 4, 2], [2], [[0, 0]]),
    ]:
        kw = dict(block_shape=np.array(block, np.int32), paddings=np.array(margins, np.int64))
        case("SpaceToBatchND", input=grid(shape), **kw)
    for shape, block, margins in [
        ([6, 2, 2, 3], [2, 3], [[0, 0], [0, 0]]),
        ([6, 3], [3], [[4, 3]]),
        ([6, 3], [3], [[4, 5]]),
        ([12, 1, 2, 3], [2, 1, 3], [[1, 0], [0, 1], [2, 3]]),
    ]:
        case("BatchToSpaceND", input=grid(shape), block_shape=np.array(block, np.int64), crops=np.array(margins, np.int32))
    bad = dict(_says="", _shapes=False)
    case("SpaceToBatchND", input=grid([2, 4]), block_shape=[0], paddings=[[0, 0]], **bad)
    case("SpaceToBatchND", input=grid([2, 4]), block_shape=[2], paddings=[[-2, 0]], **bad)
    case("BatchToSpaceND", input=grid([2, 2]), block_shape=[2], crops=[[3, 2]], **bad)


def non_max_suppression(case):
    random = np.random.RandomState(7)
    corner = random.rand(30, 2) * 4
    boxes = np.concatenate([corner, corner + 0.3 + random.rand(30, 2)], 1).astype(np.float32)
    boxes[3] = boxes[3][[2, 3, 0, 1]]
    boxes[4, 2] = boxes[4, 0]
    scores = np.round(random.rand(30), 1).astype(np.float32)
    scores[5] = -0.0
    for dtype in [np.float32, np.float16]:
        ok = dict(boxes=boxes.astype(dtype), scores=scores.astype(dtype), max_output_size=20)
        for iou in [0.0, 0.3, 1.0]:
            iou = dict(iou_threshold=dtype(iou))
            case("NonMaxSuppressionV2", **ok, **iou)
            for least in [-1.0, 0.35, 2.0]:
                case("NonMaxSuppressionV3", **ok, **iou, score_threshold=dtype(least))
            for pads in (False, True):
                case("NonMaxSuppressionV4", **ok, **iou, score_threshold=dtype(0.3), pad_to_max_output_size=pads)
                for sigma in [0.0, 0.5]:
                    case(
                        "NonMaxSuppressionV5",
                        **ok,
                        **iou,
                        score_threshold=dtype(0.3),
                        soft_nms_sigma=dtype(sigma),
                        pad_to_max_output_size=pads,
                        _ulps=2 if sigma else 0,
                    )
    ok = dict(boxes=boxes, scores=scores, max_output_size=3)
    case("NonMaxSuppression", **ok)
    case("NonMaxSuppression", **ok, iou_threshold=0.1)
    case("NonMaxSuppression", **ok, iou_threshold=1.5)
    ok["iou_threshold"] = np.float32(0.5)
    ok["score_threshold"] = np.float32(0.5)
    v3 = "NonMaxSuppressionV3"
    case(v3, **{**ok, "max_output_size": 0})
    case(v3, **{**ok, "max_output_size": -1})
    case(v3, **{**ok, "max_output_size": [3], "_says": "max_output_size must be 0-D, got shape [1]"})
    case(v3, **{**ok, "iou_threshold": np.float32(-0.1)})
    case(v3, **{**ok, "iou_threshold": f32(0.1), "_says": "iou_threshold must be 0-D, got shape [1]"})
    case(v3, **{**ok, "boxes": boxes[:, :3]})
    case(v3, **{**ok, "boxes": boxes[0]})
    case(v3, **{**ok, "scores": scores[:5]})
    case(v3, **{**ok, "scores": scores[None]})
    case(v3, **{**ok, "boxes": np.zeros([0, 4], np.float32), "scores": np.zeros([0], np.float32)})


def distorted_box(case):
    boxes = f32([[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 0.95]])
    ok = dict(image_size=[60, 80, 3], bounding_boxes=boxes)
    covered = dict(min_object_covered=np.float32(0.3))
    v2 = "SampleDistortedBoundingBoxV2"
    stateless = "StatelessSampleDistortedBoundingBox"
    for seed in range(1, 4):
        case(v2, **ok, **covered, seed=seed, seed2=5, _calls=6)
        case(v2, **ok, **covered, seed=seed, seed2=5, area_range=[0.5, 0.9], aspect_ratio_range=[0.4, 2.5], _calls=6)
        case("SampleDistortedBoundingBox", **ok, min_object_covered=0.5, seed=seed, _calls=4)
    for seed in range(20):
        for dtype in [np.int32, np.int64]:
            case(stateless, **ok, **covered, seed=np.array([seed, 3], dtype), area_range=[0.1, 0.9])
    for dtype in [np.uint8, np.int8, np.int16, np.int32, np.int64]:
        size = np.array([60, 80, 3], dtype)
        case(stateless, image_size=size, bounding_boxes=boxes, **covered, seed=[1, 2])
    nothing = np.zeros([1, 0, 4], np.float32)
    for seed in range(8):
        case(
            stateless,
            image_size=[13 + seed, 300, 3],
            bounding_boxes=nothing,
            min_object_covered=np.float32(0.1),
            seed=[seed, 9],
            use_image_if_no_bounding_boxes=True,
        )
    case(stateless, **ok, min_object_covered=np.float32(1), seed=[1, 2], max_attempts=3)
    case(stateless, **ok, min_object_covered=np.float32(0), seed=[1, 2], aspect_ratio_range=[3.0, 1.0])
    ok["seed"] = [1, 2]
    ok.update(covered)
    case(stateless, **{**ok, "bounding_boxes": nothing})
    case(stateless, **{**ok, "bounding_boxes": boxes[0]})
    case(stateless, **{**ok, "bounding_boxes": boxes * 2})
    case(stateless, **{**ok, "bounding_boxes": boxes[:, :, :3]})
    case(stateless, **{**ok, "image_size": [60, 80]})
    case(stateless, **{**ok, "image_size": [-1, 80, 3]})
    case(stateless, **{**ok, "image_size": 60})
    case(stateless, **{**ok, "min_object_covered": np.float32(-1)})
    case(stateless, **{**ok, "min_object_covered": f32(0.1)})
    case(stateless, **{**ok, "seed": [1, 2, 3]})
    case(stateless, **ok, aspect_ratio_range=[1.0])
    case(stateless, **ok, aspect_ratio_range=[0.0, 1.5])
    case(stateless, **ok, area_range=[0.5])
    case(stateless, **ok, area_range=[0.5, 1.5], _says="Area range must be less then or equal to 1.0")
    case(stateless, **ok, max_attempts=0)
