"""Boxes drawn and suppressed, glimpses, dilation, data formats, neighbors, and gradients of resized and cropped images."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, FLOATS, INTEGERS, grid, i32, i64


def record(case):
    draw(case)
    overlaps(case)
    combined(case)
    glimpse(case)
    dilation(case)
    formats(case)
    neighbors(case)
    resize_gradients(case)
    crop_gradients(case)


def f(values):
    return np.array(values, np.float32)


def rand(*shape, seed=0):
    return np.random.RandomState(seed).rand(*shape).astype(np.float32)


def draw(case):
    boxes = f([[[0.1, 0.2, 0.6, 0.9], [-0.5, 0.3, 0.4, 1.5], [0.8, 0.1, 0.2, 0.9], [1.2, 0, 1.5, 1], [0, 0, 1, 1]]])
    for dtype in [np.float16, np.float32]:
        for depth in [1, 3, 4]:
            images = rand(1, 8, 11, depth).astype(dtype)
            case("DrawBoundingBoxes", images=images, boxes=boxes)
            case("DrawBoundingBoxesV2", images=images, boxes=boxes, colors=f([[0.25, 0.5, 0.75, 1], [9, 8, 7, 6]]))
            case("DrawBoundingBoxesV2", images=images, boxes=boxes, colors=np.zeros([0, 4], np.float32))
    many = np.tile(boxes, [2, 3, 1])
    case("DrawBoundingBoxes", images=rand(2, 5, 5, 3), boxes=many)
    special = f([[[np.nan, 0, 1, 1], [0, -np.inf, 1, 0.5], [0, 0, np.inf, 1], [-1e30, 0.2, 0.5, 0.6]]])
    case("DrawBoundingBoxes", images=rand(1, 6, 6, 1), boxes=special)
    case("DrawBoundingBoxes", images=rand(1, 6, 6, 1), boxes=boxes[:, :0])
    case("DrawBoundingBoxes", images=rand(0, 6, 6, 1), boxes=boxes[:0])
    image = rand(1, 4, 4, 3)
    case("DrawBoundingBoxes", images=image[0], boxes=boxes, _says="The rank of the images should be 4", _shapes=False)
    case("DrawBoundingBoxes", images=image, boxes=boxes[0], _says="The rank of the boxes tensor should be 3", _shapes=False)
    case("DrawBoundingBoxes", images=image, boxes=many, _says="The batch sizes should be the same", _shapes=False)
    case("DrawBoundingBoxes", images=image[..., :2], boxes=boxes, _says="Channel depth should be either 1 (GRY)", _shapes=False)
    case("DrawBoundingBoxes", images=image, boxes=boxes[..., :3], _says="The size of the third dimension of the box must be 4. Received: 3", _shapes=False)
    case("DrawBoundingBoxesV2", images=image, boxes=boxes, colors=f([1, 2, 3]), _says="colors must be a 2-D matrix[3]", _shapes=False)
    case("DrawBoundingBoxesV2", images=image, boxes=boxes, colors=f([[1, 2]]), _says="colors must have equal or more channels", _shapes=False)


def overlaps(case):
    def run(o, s, most=10, threshold=0.5, least=0.0, **kw):
        case("NonMaxSuppressionWithOverlaps", overlaps=o, scores=s, max_output_size=most, overlap_threshold=threshold,
             score_threshold=least, **kw)

    o = rand(7, 7)
    o = (o + o.T) / 2
    s = rand(7, seed=1)
    for most in [0, 1, 3, 10]:
        run(o, s, most)
    for threshold in [0.0, 0.3, 0.7, 1.0, 2.0, -1.0]:
        run(o, s, threshold=threshold, _label=str(threshold))
    run(o, s, least=0.5)
    run(np.zeros([7, 7], np.float32), f([1, 1, 1, 0, -1, 2, 2]), least=-9.0)
    run(o[:0, :0], s[:0])
    run(o, s, -1, _says="output size must be non-negative")
    run(o[0], s, _says="overlaps must be 2-D[7]", _shapes=False)
    run(o[:3], s[:3], _says="overlaps must be square[3,7]", _shapes=False)
    run(o, s[None], _says="scores must be 1-D[1,7]", _shapes=False)
    run(o, s[:3], _says="scores has incompatible shape", _shapes=False)
    run(o, s, np.int32([3]), _says="max_output_size must be 0-D, got shape [1]", _shapes=False)
    run(o, s, threshold=f([1]), _says="overlap_threshold must be 0-D, got shape [1]", _shapes=False)
    run(o, s, least=f([1]), _says="score_threshold must be 0-D, got shape [1]", _shapes=False)


def combined(case):
    def run(boxes, scores, per_class=3, total=5, iou=0.5, least=0.1, **kw):
        case("CombinedNonMaxSuppression", boxes=boxes, scores=scores, max_output_size_per_class=per_class,
             max_total_size=total, iou_threshold=iou, score_threshold=least, **kw)

    corner = rand(2, 9, 3, 2) * 1.4 - 0.2
    boxes = np.concatenate([corner, corner + 0.4 * rand(2, 9, 3, 2, seed=1)], axis=-1)
    scores = rand(2, 9, 3, seed=2)
    for pad in [False, True]:
        for clip in [False, True]:
            kw = dict(pad_per_class=pad, clip_boxes=clip, _label=f"{pad} {clip}")
            run(boxes, scores, **kw)
            run(boxes[:, :, :1], scores, **kw)
            run(boxes, scores, 1, 100, **kw)
            run(boxes, scores, 100, 2, **kw)
            run(boxes, scores, iou=0.0, least=0.9, **kw)
            run(boxes, scores, least=2.0, **kw)
    run(boxes[:, :0], scores[:, :0])
    run(boxes[:0], scores[:0])
    run(boxes[:, :, 0], scores, _says="boxes must be 4-D", _shapes=False)
    run(boxes[:, :, :2], scores, _says="third dimension of boxes must be either 1 or num classes", _shapes=False)
    run(boxes[..., :3], scores, _says="boxes must have 4 columns", _shapes=False)
    run(boxes, scores[:, :4], _says="scores has incompatible shape", _shapes=False)
    run(boxes, scores[:1], _says="boxes and scores must have same batch size", _shapes=False)
    run(boxes, scores, 0, _says="max_size_per_class must be positive")
    run(boxes, scores, 3, 0, _says="max_total_size must be > 0")
    run(boxes, scores, iou=1.5, _says="iou_threshold must be in [0, 1]")
    run(boxes, scores, i32(1), _says="max_size_per_class must be 0-D, got shape [1]", _shapes=False)
    run(boxes, scores, least=f([1]), _says="score_threshold must be 0-D, got shape [1]", _shapes=False)


def glimpse(case):
    images = rand(3, 6, 7, 2)
    zero = dict(noise="zero", uniform_noise=False)
    for op in ["ExtractGlimpse", "ExtractGlimpseV2"]:
        for normalized in [True, False]:
            for centered in [True, False]:
                kw = dict(normalized=normalized, centered=centered, _label=f"{normalized} {centered}")
                for offsets in [[[0, 0], [0.2, -0.3], [1, 1]], [[-1, 0.5], [0.9, -0.9], [3, -4]], [[2, 1], [-2.5, 5.5], [-9, 9]]]:
                    case(op, input=images, size=i32(3, 2), offsets=f(offsets), **zero, **kw)
                    case(op, input=images, size=i32(9, 12), offsets=f(offsets), **zero, **kw)
        case(op, input=images, size=i32(2, 2), offsets=f([[2, 3], [1, 1], [1, 2]]), normalized=False, centered=False)
        special = f([[np.nan, 0], [np.inf, 0], [0, -np.inf]])
        case(op, input=images, size=i32(2, 2), offsets=special, **zero)
        case(op, input=images, size=i32(0, 2), offsets=special, **zero)
        case(op, input=images[:0], size=i32(2, 2), offsets=special[:0], **zero)
        offsets = f([[0, 0]] * 3)
        case(op, input=images[0], size=i32(2, 2), offsets=offsets, _says="input must be 4-dimensional (batch_size, height, width, depth)[6,7,2]", _shapes=False)
        case(op, input=images, size=i32(2), offsets=offsets, _says="input must be a vector of size 2 (height, width)[1]", _shapes=False)
        case(op, input=images, size=i32(2, 2), offsets=offsets[0], _says="input must be a matrix[2]", _shapes=False)
        case(op, input=images, size=i32(2, 2), offsets=offsets[:2], _says="first dimension should be batch[2,2]", _shapes=False)
        case(op, input=images, size=i32(2, 2), offsets=offsets[:, :1], _says="second dimension should be of size 2 (y,x)[3,1]", _shapes=False)
        case(op, input=images, size=i32(-1, 2), offsets=offsets, _says="", _shapes=False)


def dilation(case):
    for dtype in [*FLOATS, *INTEGERS]:
        images = (rand(2, 5, 6, 2) * 60).astype(dtype)
        filters = (rand(2, 3, 2, seed=1) * 60).astype(dtype)
        kw = dict(strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")
        case("Dilation2D", input=images, filter=filters, **kw)
        gradients = (rand(2, 4, 4, 2, seed=2) * 9).astype(dtype)
        case("Dilation2DBackpropInput", input=images, filter=filters, out_backprop=gradients, **kw)
        case("Dilation2DBackpropFilter", input=images, filter=filters, out_backprop=gradients, **kw)
    images, filters = rand(2, 7, 8, 2), rand(3, 2, 2, seed=1)
    for padding in ["SAME", "VALID"]:
        for strides in [[1, 1, 1, 1], [1, 2, 3, 1]]:
            for rates in [[1, 1, 1, 1], [1, 2, 3, 1]]:
                kw = dict(strides=strides, rates=rates, padding=padding, _label=f"{padding} {strides} {rates}")
                case("Dilation2D", input=images, filter=filters, **kw)
                shape = tf.raw_ops.Dilation2D(input=images, filter=filters, strides=strides, rates=rates, padding=padding).shape
                gradients = rand(*shape, seed=2)
                case("Dilation2DBackpropInput", input=images, filter=filters, out_backprop=gradients, **kw)
                case("Dilation2DBackpropFilter", input=images, filter=filters, out_backprop=gradients, **kw)
    kw = dict(strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")
    special = f([[np.nan, 1, np.inf], [-np.inf, -np.inf, 2], [3, 3, 3]]).reshape(1, 3, 3, 1)
    case("Dilation2D", input=special, filter=np.zeros([2, 2, 1], np.float32), **kw)
    case("Dilation2DBackpropInput", input=special, filter=np.zeros([2, 2, 1], np.float32), out_backprop=np.ones([1, 3, 3, 1], np.float32), **kw)
    case("Dilation2D", input=images[:0], filter=filters, **kw)
    case("Dilation2D", input=images, filter=filters[:0], **kw)
    case("Dilation2D", input=images[0], filter=filters, _says="input must be 4-dimensional[7,8,2]", _shapes=False, **kw)
    case("Dilation2D", input=images, filter=filters[0], _says="filter must be 3-dimensional: [2,2]", _shapes=False, **kw)
    case("Dilation2D", input=images, filter=filters[..., :1], _says="input and filter must have the same depth: 2 vs 1", _shapes=False, **kw)
    case("Dilation2D", input=images, filter=rand(9, 9, 2), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID", _says="", _shapes=False)
    case("Dilation2D", input=images, filter=filters, strides=[2, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME", _says="Stride is only supported across spatial dimensions.", _shapes=False)
    case("Dilation2D", input=images, filter=filters, strides=[1, 1, 1, 1], rates=[1, 1, 1, 2], padding="SAME", _says="Rate is only supported across spatial dimensions.", _shapes=False)
    case("Dilation2D", input=images, filter=filters, strides=[1, 0, 1, 1], rates=[1, 1, 1, 1], padding="SAME", _says="Stride must be > 0, but got 0", _shapes=False)
    case("Dilation2DBackpropInput", input=images, filter=filters, out_backprop=images[:1], _says="out_backprop has incompatible size.", _shapes=False, **kw)
    case("Dilation2DBackpropFilter", input=images, filter=filters, out_backprop=images[0], _says="out_backprop must be 4-dimensional[7,8,2]", _shapes=False, **kw)


def formats(case):
    for dtype in [np.int32, np.int64]:
        case("DataFormatDimMap", x=np.arange(-4, 4).astype(dtype))
        case("DataFormatDimMap", x=np.arange(-9, 9).astype(dtype).reshape(3, 6), src_format="NCHW", dst_format="NHWC")
        case("DataFormatDimMap", x=np.arange(-5, 5).astype(dtype), src_format="NDHWC", dst_format="NCDHW")
        case("DataFormatDimMap", x=dtype(3), src_format="HWNC", dst_format="CNWH")
        for x in [np.arange(4), np.arange(2), np.arange(8).reshape(4, 2), np.arange(4).reshape(2, 2)]:
            case("DataFormatVecPermute", x=x.astype(dtype))
            case("DataFormatVecPermute", x=x.astype(dtype), src_format="NCHW", dst_format="HWNC")
            case("DataFormatVecPermute", x=x.astype(dtype), src_format="NHWC", dst_format="NWHC", _label="turned")
        for x in [np.arange(5), np.arange(3), np.arange(10).reshape(5, 2), np.arange(6).reshape(3, 2)]:
            case("DataFormatVecPermute", x=x.astype(dtype), src_format="NDHWC", dst_format="NCDHW")
    case("DataFormatDimMap", x=np.zeros([0], np.int32))
    for op in ["DataFormatDimMap", "DataFormatVecPermute"]:
        four = np.arange(4).astype(np.int32)
        case(op, x=four, src_format="NHW", _says="Source format must be of length 4 or 5, received src_format = NHW", _shapes=False)
        case(op, x=four, dst_format="NHWCDD", _says="Destination format must be of length 4 or 5", _shapes=False)
        case(op, x=four, dst_format="NHWD", _says="Destination and source format must determine a permutation, got NHWC and NHWD", _shapes=False)
        case(op, x=four, src_format="NNNN", dst_format="NNNN", _says="must determine a permutation", _shapes=False)
    case("DataFormatVecPermute", x=np.zeros([1, 2, 2], np.int32), _says="input must be a vector or 2D tensor, but got shape [1,2,2]", _shapes=False)
    case("DataFormatVecPermute", x=i32(1, 2, 3), _says="1D input must be of size 2 or 4, but got shape [3]", _shapes=False)
    case("DataFormatVecPermute", x=np.zeros([3, 2], np.int32), _says="First dimension of 2D input must be of size 2 or 4, but got shape [3,2]", _shapes=False)
    case("DataFormatVecPermute", x=np.zeros([4, 3], np.int32), _says="Second dimension of 2D input must be of size 2, but got shape [4,3]", _shapes=False)
    case("DataFormatVecPermute", x=i32(1, 2), src_format="NABC", dst_format="NCAB", _says="Format specifier must contain H and W for 2D case", _shapes=False)
    case("DataFormatVecPermute", x=i32(1, 2, 3), src_format="NABCE", dst_format="NECAB", _says="Format specifier must contain D, H and W for 2D case", _shapes=False)


def neighbors(case):
    points, centers = rand(6, 3), rand(5, 3, seed=1)
    near = dict(_ulps=8, _atol=1e-6)
    for k in [0, 1, 2, 5, 9]:
        case("NearestNeighbors", points=points, centers=centers, k=np.int64(k), **near)
    line = f([[0], [1], [2], [5]])
    case("NearestNeighbors", points=line, centers=line[::-1].copy(), k=np.int64(3))
    case("NearestNeighbors", points=line, centers=f([[1], [1], [3], [3]]), k=np.int64(4))
    case("NearestNeighbors", points=points, centers=centers[:0], k=np.int64(2))
    case("NearestNeighbors", points=points[0], centers=centers, k=np.int64(1), _says="Input points should be a matrix.")
    case("NearestNeighbors", points=points, centers=centers[0], k=np.int64(1), _says="Input centers should be a matrix.")
    case("NearestNeighbors", points=points, centers=centers, k=i64(1), _says="Input k should be a scalar.")
    case("NearestNeighbors", points=points[:0], centers=centers, k=np.int64(1), _says="Expected points.rows() > 0.")
    case("NearestNeighbors", points=points, centers=centers[:, :2], k=np.int64(1), _says="Expected point_dimensions == center_dimensions: 3 vs 2.")


def resize_gradients(case):
    for attrs in [{}, dict(align_corners=True), dict(half_pixel_centers=True)]:
        label = " ".join(attrs)
        for dtype in FLOATS:
            for shape in [[2, 3, 4, 2], [1, 7, 1, 3], [1, 9, 8, 1]]:
                original = np.zeros(shape, dtype)
                gradients = rand(shape[0], 5, 6, shape[3]) - 0.5
                # A weight, which is a float, may differ in its last bit.
                near = dict(_ulps=8, _atol=1e-7 if dtype in (np.float32, np.float64) else 0)
                case("ResizeBilinearGrad", grads=gradients, original_image=original, _label=label, **near, **attrs)
        for dtype in [np.uint8, np.int8, np.int32, *FLOATS]:
            gradients = (rand(2, 5, 6, 3) * 20).astype(dtype)
            for size in [i32(3, 4), i32(1, 1), i32(8, 9)]:
                case("ResizeNearestNeighborGrad", grads=gradients, size=size, _label=label, **attrs)
    both = dict(align_corners=True, half_pixel_centers=True)
    gradients = rand(1, 3, 3, 1)
    case("ResizeNearestNeighborGrad", grads=gradients, size=i32(2, 2), **both)
    case("ResizeNearestNeighborGrad", grads=gradients[:0], size=i32(2, 2))
    case("ResizeBilinearGrad", grads=gradients[:0], original_image=gradients[:0])
    case("ResizeBilinearGrad", grads=gradients, original_image=gradients, _says="If half_pixel_centers is True, align_corners must be False.", _shapes=False, **both)
    case("ResizeBilinearGrad", grads=gradients[0], original_image=gradients, _says="input_grad must be 4-dimensional[3,3,1]", _shapes=False)
    case("ResizeBilinearGrad", grads=gradients[:, :0], original_image=gradients, _says="resized dimensions must be positive", _shapes=False)
    case("ResizeBilinearGrad", grads=gradients, original_image=gradients[0], _says="original_image must be 4-dimensional[3,3,1]", _shapes=False)
    case("ResizeBilinearGrad", grads=gradients, original_image=gradients[:, :0], _says="original dimensions must be positive", _shapes=False)
    case("ResizeNearestNeighborGrad", grads=gradients[0], size=i32(2, 2), _says="input must be 4-dimensional[3,3,1]", _shapes=False)
    case("ResizeNearestNeighborGrad", grads=gradients, size=np.int32([[2, 2]]), _says="shape_t must be 1-dimensional[1,2]", _shapes=False)
    case("ResizeNearestNeighborGrad", grads=gradients, size=i32(2), _says="shape_t must have two elements[1]", _shapes=False)
    case("ResizeNearestNeighborGrad", grads=gradients, size=i32(0, 2), _says="shape_t's elements must be positive", _shapes=False)


def crop_gradients(case):
    boxes = f([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [0.9, 0.8, 0.2, 0.1], [-0.3, 0.5, 0.6, 1.4]])
    index = i32(0, 1, 1, 0)
    for size in [[3, 4], [1, 1], [1, 3], [6, 2]]:
        gradients = rand(4, *size, 2) - 0.5
        for dtype in [np.float16, np.float32, np.float64]:
            for method in ["bilinear", "nearest"]:
                # Stock adds up boxes in any order.
                near = dict(_ulps=4, _atol=2e-3 if dtype is np.float16 else 1e-6)
                case("CropAndResizeGradImage", grads=gradients, boxes=boxes, box_ind=index, image_size=i32(2, 5, 6, 2), T=tf.as_dtype(dtype), method=method, _label=method, **near)
        for dtype in [np.uint8, np.uint16, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64]:
            image = (rand(2, 5, 6, 2, seed=1) * 50).astype(dtype)
            case("CropAndResizeGradBoxes", grads=gradients, image=image, boxes=boxes, box_ind=index, _ulps=4, _atol=1e-3)
    gradients, image = rand(4, 3, 3, 1), rand(2, 4, 4, 1)
    size = i32(2, 4, 4, 1)

    def to_image(grads=gradients, boxes=boxes, index=index, size=size, **kw):
        case("CropAndResizeGradImage", grads=grads, boxes=boxes, box_ind=index, image_size=size, T=tf.float32, **kw)

    def to_boxes(grads=gradients, image=image, boxes=boxes, index=index, **kw):
        case("CropAndResizeGradBoxes", grads=grads, image=image, boxes=boxes, box_ind=index, **kw)

    to_image(gradients[:0], boxes[:0], index[:0])
    to_boxes(gradients[:0], image, boxes[:0], index[:0])
    for run in [to_image, to_boxes]:
        run(gradients[0], _says="grads image must be 4-D[3,3,1]", _shapes=False)
        run(gradients[:, :0], _says="grads dimensions must be positive", _shapes=False)
        run(boxes=boxes[0], _says="boxes must be 2-D[4]", _shapes=False)
        run(boxes=boxes[:, :3], _says="boxes must have 4 columns", _shapes=False)
        run(index=index[None], _says="box_index must be 1-D[1,4]", _shapes=False)
        run(index=index[:3], _says="box_index has incompatible shape", _shapes=False)
        run(gradients[:3], _says="boxes and grads have incompatible shape", _shapes=False)
        run(index=i32(0, 1, 2, 0), _says="box_index has values outside [0, batch_size)", _shapes=False)
    to_image(size=size[None], _says="image_size must be 1-D[1,4]", _shapes=False)
    to_image(size=size[:3], _says="image_size must have 4 elements[3]", _shapes=False)
    to_image(size=i32(2, 0, 4, 1), _says="image dimensions must be positive", _shapes=False)
    to_image(size=i32(2, 4, 4, 2), _says="image_size and grads are incompatible", _shapes=False)
    to_boxes(image=image[0], _says="input image must be 4-D[4,4,1]", _shapes=False)
    to_boxes(image=image[:, :0], _says="image dimensions must be positive", _shapes=False)
    to_boxes(image=rand(2, 4, 4, 2), _says="image, grads depth differ", _shapes=False)
