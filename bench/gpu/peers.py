"""Measures other libraries at the work of the check of a GPU, where they are installed.

    python3 peers.py FLOATS IMAGES EDGE REPEATS

prints a line "peer NAME RESULT" with tabs between for each: the milliseconds, or why there are none. The work is that of
FiguresPart.
"""

import random
import statistics
import sys
import time

MEAN = [123.675, 116.28, 103.53]
DEVIATION = [58.395, 57.12, 57.375]


def main():
    floats, images, edge, repeats = map(int, sys.argv[1:5])
    measure("PyTorch eager", lambda: eager(floats, repeats))
    measure("torch.compile", lambda: compiled(floats, repeats))
    measure("torchvision", lambda: torchvision(images, edge, repeats))
    measure("DALI", lambda: dali(images, edge, repeats))


def measure(name, work):
    try:
        result = f"{work():.4f}"
    except ImportError as error:
        result = f"not installed ({error.name or error})"
    except Exception as error:  # whatever the library raises, there is no figure
        result = f"failed: {type(error).__name__}: {str(error)[:200]}".replace("\n", " ").replace("\t", " ")
    print(f"peer\t{name}\t{result}", flush=True)


def with_cuda():
    import torch

    if not torch.cuda.is_available():
        raise ImportError("without CUDA", name="torch with CUDA")
    return torch


def chain(x):
    """FiguresPart.chainOfTen."""
    x = (x * 1.1 + 0.5).abs().sqrt() - 0.25
    x = x.clamp(min=0) * 2
    return -x.clamp(max=100) + 1


def eager(count, repeats):
    torch = with_cuda()
    return on_device(torch, chain, numbers(torch, count), repeats)


def compiled(count, repeats):
    torch = with_cuda()
    return on_device(torch, torch.compile(chain), numbers(torch, count), repeats)


def numbers(torch, count):
    return (torch.arange(count, device="cuda") % 1000) * 0.01 - 5


# How often work is given to the device between two events, so that it does not wait for the host; DeviceTimer.AT_ONCE.
AT_ONCE = 20


def on_device(torch, work, argument, repeats):
    """The median milliseconds by events, after a warm-up."""
    times = []
    for i in range(repeats + 3):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(AT_ONCE):
            work(argument)
        end.record()
        torch.cuda.synchronize()
        if i >= 3:
            times.append(start.elapsed_time(end) / AT_ONCE)
    return statistics.median(times)


def cuts(images, edge):
    """Sizes and parts of images as FiguresPart draws them: not the same numbers, but as many pixels."""
    source = random.Random(2)
    for _ in range(images):
        height, width = edge + source.randrange(edge), edge + source.randrange(edge)
        top, left = source.randrange(height // 4), source.randrange(width // 4)
        yield height, width, top, left, height * 3 // 4, width * 3 // 4, source.random() < 0.5


def best(work, repeats, synchronize):
    """The least milliseconds of the host, with the copies to the device."""
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        synchronize()
        least = min(least, (time.perf_counter() - start) * 1e3)
    return least


def torchvision(images, edge, repeats):
    torch = with_cuda()
    from torchvision.transforms.v2 import functional

    batch = [
        (torch.randint(0, 256, (3, h, w), dtype=torch.uint8).pin_memory(), top, left, height, width, flips)
        for h, w, top, left, height, width, flips in cuts(images, edge)
    ]

    def prepare():
        prepared = []
        for image, top, left, height, width, flips in batch:
            on_gpu = image.to("cuda", non_blocking=True)
            part = functional.resized_crop(on_gpu, top, left, height, width, [edge, edge], antialias=False)
            prepared.append(functional.horizontal_flip(part) if flips else part)
        floats = torch.stack(prepared).float()
        return functional.normalize(floats, MEAN, DEVIATION)

    return best(prepare, repeats, torch.cuda.synchronize)


def dali(images, edge, repeats):
    import numpy
    from nvidia.dali import fn, pipeline_def, types

    drawn = list(cuts(images, edge))
    source = [numpy.random.randint(0, 256, (h, w, 3), dtype=numpy.uint8) for h, w, *_ in drawn]
    starts = [numpy.array([top, left], numpy.float32) for _, _, top, left, *_ in drawn]
    sizes = [numpy.array([height, width], numpy.float32) for *_, height, width, _ in drawn]
    flips = [numpy.array(int(flip), numpy.int32) for *_, flip in drawn]

    @pipeline_def(batch_size=images, num_threads=4, device_id=0)
    def pipeline():
        raw, start, size, flip = fn.external_source(lambda: (source, starts, sizes, flips), num_outputs=4)
        resized = fn.resize(
            raw.gpu(), roi_start=start, roi_end=start + size, size=[edge, edge],
            interp_type=types.INTERP_LINEAR, antialias=False)
        return fn.crop_mirror_normalize(
            resized, mirror=flip, mean=MEAN, std=DEVIATION, output_layout="CHW", dtype=types.FLOAT)

    built = pipeline()
    built.build()
    return best(built.run, repeats, lambda: None)


if __name__ == "__main__":
    main()
