"""Compiles each .cu file here, with what it includes, into a .ptx resource, with NVRTC, whose wheel it installs into a
folder outside the sources.

    python3 gpu/src/main/cuda/build.py            # compiles and replaces
    python3 gpu/src/main/cuda/build.py --check    # compiles and compares; fails if they differ
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE.parent / "resources/io/headrace/gpu/ptx"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "headrace"
# That of fakecuda's kernels.py.
NVRTC = "12.9.86"
OPTIONS = [b"--gpu-architecture=compute_70", b"--fmad=false", b"--std=c++17"]
# Functions alone, of which modules are given those that they call.
LIBRARIES = ["math.cu"]
# The version that NVRTC declares, and the one that the code needs.
DECLARED_VERSION = b".version 8.8\n"
VERSION = b".version 7.0\n"


def main():
    checks = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not checks:
        sys.exit(__doc__)
    library = nvrtc()
    for source in sorted(HERE.glob("*.cu")):
        target = TARGET / source.with_suffix(".ptx").name
        compiled = compile_source(library, source, sorted(HERE.glob("*.cuh")))
        if not checks:
            target.write_bytes(compiled)
        elif not target.exists() or target.read_bytes() != compiled:
            sys.exit(f"{target.name} is not what {source.name} compiles to; run {sys.argv[0]}")


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
    name = source.name.encode()
    check(library.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), name, len(headers), texts, names))
    is_library = source.name in LIBRARIES
    options = OPTIONS + [b"--relocatable-device-code=true"] * is_library
    status = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if status != 0:
        sys.exit(text(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program).decode())
    ptx = text(library.nvrtcGetPTXSize, library.nvrtcGetPTX, program)
    return ptx if is_library else ptx.replace(DECLARED_VERSION, VERSION)


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
