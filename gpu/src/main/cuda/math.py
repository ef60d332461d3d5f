"""Compiles math.cu, with what it includes, into math.ptx, a resource, with NVRTC, whose wheel it installs into a folder
outside the sources.

    python3 gpu/src/main/cuda/math.py            # compiles and replaces
    python3 gpu/src/main/cuda/math.py --check    # compiles and compares; fails if they differ
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE.parent / "resources/io/headrace/gpu/ptx/math.ptx"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "headrace"
# That of fakecuda's kernels.py.
NVRTC = "12.9.86"
OPTIONS = [
    b"--gpu-architecture=compute_70",
    b"--relocatable-device-code=true",
    b"--fmad=false",
    b"--std=c++17",
]


def main():
    checks = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not checks:
        sys.exit(__doc__)
    compiled = compile_source(nvrtc(), (HERE / "math.cu").read_bytes(), sorted(HERE.glob("*.cuh")))
    if not checks:
        TARGET.write_bytes(compiled)
    elif TARGET.read_bytes() != compiled:
        sys.exit(f"math.ptx is not what math.cu compiles to; run {sys.argv[0]}")


def nvrtc():
    """The library, which is installed on first use."""
    folder = CACHE / f"nvrtc-{NVRTC}"
    python = folder / "bin/python"
    installed = folder / "installed"
    if not installed.exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"nvidia-cuda-nvrtc-cu12=={NVRTC}"], check=True)
        installed.touch()
    return ctypes.CDLL(str(next(folder.glob("lib/python*/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"))))


def compile_source(library, source, headers):
    program = ctypes.c_void_p()
    texts = (ctypes.c_char_p * len(headers))(*[header.read_bytes() for header in headers])
    names = (ctypes.c_char_p * len(headers))(*[header.name.encode() for header in headers])
    check(library.nvrtcCreateProgram(ctypes.byref(program), source, b"math.cu", len(headers), texts, names))
    options = (ctypes.c_char_p * len(OPTIONS))(*OPTIONS)
    status = library.nvrtcCompileProgram(program, len(OPTIONS), options)
    if status != 0:
        sys.exit(text(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program).decode())
    return text(library.nvrtcGetPTXSize, library.nvrtcGetPTX, program)


def text(size_of, get, program):
    """A text of NVRTC's, without its terminating 0."""
    size = ctypes.c_size_t()
    check(size_of(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    check(get(program, buffer))
    return buffer.value


def check(status):
    if status != 0:
        sys.exit(f"NVRTC failed with status {status}")


if __name__ == "__main__":
    main()
