#!/usr/bin/env python3
"""Makes the PTX of cuda variants: NAME.ptx beside each NAME.cu. Needs clang 14, and nothing of CUDA.

    ptx.py              every .cu of the tree
    ptx.py FILE.cu ...  these
    ptx.py --check ...  writes nothing; exit code 1 names what is stale
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = "clang-14"  # the only one whose PTX, version 6.3, is the same on every machine, and loads on all drivers since CUDA 10.0
FLAGS = ["-x", "cuda", "--cuda-device-only", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_75",
         "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-std=c++17", "-O2", "-ffp-contract=off",
         "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
INCLUDES = ["-I", str(ROOT / "kernels"), "-I", str(ROOT)]


def sources():
    """All but the data of the interpreter's tests, which need PTX of several compilers."""
    folders = ("kernels", "bench", "graphs", "tests/cuda_kernels")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.cu"))


def ptx_of(source, clang=CLANG):
    """The PTX, or an exit with the compiler's log. From the source's folder, so that no path gets into the text."""
    done = subprocess.run([clang, *FLAGS, *INCLUDES, "-S", "-o", "-", source.name], cwd=source.parent, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{source}: {clang} refuses it:\n{done.stderr}")
    return done.stdout


def main(arguments):
    check = "--check" in arguments
    files = [pathlib.Path(name).resolve() for name in arguments if name != "--check"] or sources()
    stale = []
    for source in files:
        target, text = source.with_suffix(".ptx"), ptx_of(source)
        if target.exists() and target.read_text() == text:
            continue
        stale.append(target)
        if not check:
            target.write_text(text)
    for target in stale:
        print(f"{target}: {'stale: run cmake --build build --target ptx' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
