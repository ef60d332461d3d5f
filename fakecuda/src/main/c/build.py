"""Builds libcuda.c for each platform into fakecuda/src/main/resources: the same bytes on every machine.

    python3 fakecuda/src/main/c/build.py            # builds and replaces the libraries
    python3 fakecuda/src/main/c/build.py --check    # builds and compares; fails if one differs

It needs Python 3 with pip. The compiler is zig of a fixed version, installed by pip into a folder outside the sources.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
RESOURCES = HERE.parent / "resources/io/headrace/fakecuda/driver"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "headrace"
# That of kernels/src/main/c/build.py.
ZIG = "0.17.1"
LIBRARY = "libcuda.so.1"

# Of the oldest glibc with which a Linux for JDK 25 comes.
TARGETS = {"linux-x86_64": "x86_64-linux-gnu.2.17", "linux-arm64": "aarch64-linux-gnu.2.17"}


def main():
    checks = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not checks:
        sys.exit(__doc__)
    zig = zig_command()
    different = []
    with tempfile.TemporaryDirectory() as folder:
        for platform, target in TARGETS.items():
            built = build(zig, target, pathlib.Path(folder))
            library = RESOURCES / platform / LIBRARY
            if checks:
                if not library.exists() or library.read_bytes() != built:
                    different.append(platform)
            else:
                library.parent.mkdir(parents=True, exist_ok=True)
                library.write_bytes(built)
            print(f"{platform}: {len(built)} bytes, sha256 {hashlib.sha256(built).hexdigest()}")
    if different:
        sys.exit(f"{LIBRARY} is not what libcuda.c compiles to: {', '.join(different)}; run {sys.argv[0]}")


def zig_command():
    """The command of the compiler, which is installed on first use."""
    folder = CACHE / f"zig-{ZIG}"
    python = folder / "bin/python"
    installed = folder / "installed"
    if not installed.exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"ziglang=={ZIG}"], check=True)
        installed.touch()
    return [str(python), "-m", "ziglang", "cc"]


def build(zig, target, folder):
    """The bytes of the library for `target`. Nothing in them depends on the machine or its folders."""
    out = folder / LIBRARY
    (folder / "libcuda.c").write_bytes((HERE / "libcuda.c").read_bytes())
    command = ["-target", target, "-shared", "-fPIC", "-O2", "-g0", "-s", "-std=c11", "-fno-sanitize=undefined"]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    linking = ["-fvisibility=hidden", "-Wl,--build-id=none", f"-Wl,-soname,{LIBRARY}"]
    # zig's other caches would be in the working directory and in the home.
    environment = dict(os.environ, ZIG_LOCAL_CACHE_DIR=str(folder / "cache"), ZIG_GLOBAL_CACHE_DIR=str(CACHE / "zig-cache"))
    subprocess.run([*zig, *command, *warnings, *linking, "-o", out.name, "libcuda.c"], cwd=folder, env=environment, check=True)
    return out.read_bytes()


if __name__ == "__main__":
    main()
