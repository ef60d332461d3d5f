"""Builds jpeg.c and loops.c for each platform into kernels/src/main/resources: the same bytes on every machine.

    python3 kernels/src/main/c/build.py            # builds and replaces the libraries
    python3 kernels/src/main/c/build.py --check    # builds and compares; fails if one differs

It needs Python 3 with pip. The compiler is zig of a fixed version, installed by pip into a folder outside the sources.
The headers of jpeg.c are those of the libjpeg-turbo that is called: they come with the jar of org.bytedeco:leptonica, which is
taken from the local Maven repository or else from Maven Central. Both are compared with the digests below.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
RESOURCES = HERE.parent / "resources/io/headrace/kernels"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "headrace"
ZIG = "0.17.1"

# By library: the package whose resource it is, its sources, and options. Loops are worth their speed, but nothing is
# contracted to a fused multiply-add, which rounds once where Java rounds twice.
LIBRARIES = {
    "libheadrace-jpeg.so": ("image", ["jpeg.c"], ["-O2"]),
    "libheadrace-loops.so": (
        "kit",
        ["loops.c", "area.h", "colors.h", "fourier.h", "moves.h", "normals.h", "resize.h"],
        ["-O3", "-ffp-contract=off", "-fno-math-errno"],
    ),
}

# Of the oldest glibc with which a Linux for JDK 25 comes.
TARGETS = {"linux-x86_64": "x86_64-linux-gnu.2.17", "linux-arm64": "aarch64-linux-gnu.2.17"}

# The version is that of the pom; a new one needs its digest here.
HEADERS = {
    "1.83.0-1.5.9": "268858d477a31010d5b009288761fe17892d1d8883090ea56d830a6468154342",
}


def main():
    checks = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not checks:
        sys.exit(__doc__)
    zig = zig_command()
    different = []
    with tempfile.TemporaryDirectory() as folder:
        unpack_headers(pathlib.Path(folder))
        for library, (package, sources, options) in LIBRARIES.items():
            for platform, target in TARGETS.items():
                built = build(zig, target, pathlib.Path(folder), library, sources, options)
                path = RESOURCES / package / platform / library
                if checks:
                    if not path.exists() or path.read_bytes() != built:
                        different.append(f"{platform}/{library}")
                else:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(built)
                print(f"{platform}/{library}: {len(built)} bytes, sha256 {hashlib.sha256(built).hexdigest()}")
    if different:
        sys.exit(f"the sources compile to other bytes than {', '.join(different)}; run {sys.argv[0]}")


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


def unpack_headers(folder):
    version = re.search("<leptonica.version>(.*)</leptonica.version>", (ROOT / "pom.xml").read_text()).group(1)
    path = f"org/bytedeco/leptonica/{version}/leptonica-{version}-linux-x86_64.jar"
    local = pathlib.Path.home() / ".m2/repository" / path
    if not local.exists():
        local, _ = urllib.request.urlretrieve(f"https://repo1.maven.org/maven2/{path}", folder / "headers.jar")
    digest = hashlib.sha256(pathlib.Path(local).read_bytes()).hexdigest()
    if HEADERS.get(version) != digest:
        sys.exit(f"{path} has the digest {digest}, which is not that of {sys.argv[0]}")
    with zipfile.ZipFile(local) as jar:
        for name in ["jconfig.h", "jerror.h", "jmorecfg.h", "jpeglib.h"]:
            (folder / name).write_bytes(jar.read(f"org/bytedeco/leptonica/linux-x86_64/include/{name}"))


def build(zig, target, folder, library, sources, options):
    """The bytes of `library` for `target`. Nothing in them depends on the machine or its folders."""
    for source in sources:
        (folder / source).write_bytes((HERE / source).read_bytes())
    command = ["-target", target, "-shared", "-fPIC", *options, "-g0", "-s", "-std=c11"]
    portable = ["-D_DEFAULT_SOURCE", "-fno-sanitize=undefined"]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    linking = ["-fvisibility=hidden", "-Wl,--build-id=none", f"-Wl,-soname,{library}"]
    # zig's other caches would be in the working directory and in the home.
    environment = dict(os.environ, ZIG_LOCAL_CACHE_DIR=str(folder / "cache"), ZIG_GLOBAL_CACHE_DIR=str(CACHE / "zig-cache"))
    subprocess.run(
        [*zig, *command, *portable, *warnings, *linking, "-isystem", ".", "-o", library, sources[0]],
        cwd=folder,
        env=environment,
        check=True,
    )
    return (folder / library).read_bytes()


if __name__ == "__main__":
    main()
