"""Collects the jars of the check of a GPU: for this platform alone, without what it never loads.

    python3 bench/gpu/jars.py TARGET LIBRARIES CLASSES... NATIVES

LIBRARIES is a folder of jars; each folder of CLASSES becomes a jar, and NATIVES is the jar of JCuda's libraries.
"""

import pathlib
import platform
import sys
import zipfile

# Jars of the command that the check does not use: journals on disk, object stores, the terminal, NVIDIA's peers.
UNUSED = ("headrace-cli-", "headrace-examples", "headrace-gcs", "rocksdbjni", "sqlite-jdbc", "zstd-jni", "openblas",
          "leptonica", "google-", "proto-google-cloud", "proto-google-iam", "gax", "api-common", "jackson", "opencensus",
          "threetenbp", "picocli", "jline", "progressbar", "uplot", "auto-value")
# Folders of libraries inside jars, by platform; those of this one stay.
PLATFORMS = {"x86_64": ("x86_64", "amd64", "x64"), "aarch64": ("aarch64", "aarch_64", "arm64")}
# Of JCuda's libraries, the driver's.
JCUDA = "JCudaDriver"


def main():
    target, libraries, *classes, natives = map(pathlib.Path, sys.argv[1:])
    for jar in sorted(libraries.glob("*.jar")):
        if not jar.name.startswith(UNUSED):
            copy(jar, target / jar.name, lambda name: is_for_this_platform(name))
    for folder in classes:
        module = folder.resolve().parent.parent.name
        with zipfile.ZipFile(target / f"{module}-{folder.name}.jar", "w", zipfile.ZIP_DEFLATED) as jar:
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    jar.write(file, file.relative_to(folder))
    if natives.exists() and platform.machine() == "x86_64":
        copy(natives, target / natives.name, lambda name: not name.startswith("lib") or JCUDA in name)


def copy(source, target, keeps):
    """Copies the entries of a jar whose names pass."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if not entry.is_dir() and keeps(entry.filename):
                new.writestr(entry.filename, old.read(entry))


def is_for_this_platform(name):
    """Whether an entry is no library, or one for Linux on this processor."""
    if not name.endswith((".so", ".dll", ".jnilib", ".dylib", ".a")):
        return True
    others = [word for processor, words in PLATFORMS.items() if processor != platform.machine() for word in words]
    systems = ("windows", "osx", "mac", "freebsd", "sunos", "aix", "android", "musl")
    lower = name.lower()
    rare = ("ppc", "s390", "riscv", "loongarch", "armv", "arm/", "armv7", "/x86/", "x86_32")
    return lower.endswith(".so") and not any(word in lower for word in (*others, *systems, *rare))


if __name__ == "__main__":
    main()
