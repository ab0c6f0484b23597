"""The sources of cuda variants and the PTX beside them.

    ptx_test.py clang-14   the PTX is what the sources give
    ptx_test.py ptxas      NVIDIA's assembler takes it for all its GPUs from sm_75 on
    ptx_test.py nvcc       NVIDIA's compiler takes the sources, with the same entries
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "tools"))
import ptx  # noqa: E402

CUDA = "/usr/local/cuda/bin"  # its usual place
GPUS = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
NEWEST_PTX = ".version 6.3"  # as CUDA 10.0 has it
ENTRY = re.compile(r"^\.visible \.entry (\w+)\(|^\.(?:visible \.)?global \.align 4 \.b8 (\w+_abi)\[8\]", re.MULTILINE)


def find(tool):
    """The tool's path. Skips, or fails if WOA_REQUIRE names it, as tests/support/require.h does."""
    path = shutil.which(tool, path=os.pathsep.join((os.environ.get("PATH", ""), CUDA)))
    if path is None:
        required = tool in os.environ.get("WOA_REQUIRE", "").split(",")
        print(("FAILED (WOA_REQUIRE)" if required else "skipped") + f": {tool} is unavailable: it is not installed")
        sys.exit(1 if required else 77)
    return path


def symbols(text):
    return {entry or variable for entry, variable in ENTRY.findall(text)}


def check_clang(_):
    for source in ptx.sources():
        text = source.with_suffix(".ptx").read_text()
        if ptx.ptx_of(source) != text:
            yield f"{source}: its PTX is stale; run cmake --build build --target ptx"
        if NEWEST_PTX not in text:
            yield f"{source}: its PTX has not {NEWEST_PTX}, so drivers of CUDA 10 would refuse it"
        if "fma." in text or "mad.rn" in text:
            yield f"{source}: its PTX joins a product and a sum, and results would not equal the cpu variant's"


def failures(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        yield f"{' '.join(command)}: {done.stderr or done.stdout}"


def check_ptxas(ptxas):
    for source in ptx.sources():
        for gpu in GPUS:
            yield from failures([ptxas, "-arch=" + gpu, "-o", os.devnull, str(source.with_suffix(".ptx"))])


def check_nvcc(nvcc):
    for source in ptx.sources():
        with tempfile.NamedTemporaryFile(suffix=".ptx") as made:
            yield from failures([nvcc, "-ptx", "-arch=compute_75", "--fmad=false", "-std=c++17", "-Werror=all-warnings", *ptx.INCLUDES,
                                 "-o", made.name, str(source)])
            ours, theirs = source.with_suffix(".ptx").read_text(), pathlib.Path(made.name).read_text()
        if symbols(ours) != symbols(theirs) or len(symbols(ours)) < 3:
            yield f"{source}: nvcc's PTX has {sorted(symbols(theirs))}, clang's has {sorted(symbols(ours))}"


def main(tool):
    path = find(tool)
    assert len(ptx.sources()) >= 11, "sources of cuda variants were not found"
    problems = list({"clang-14": check_clang, "ptxas": check_ptxas, "nvcc": check_nvcc}[tool](path))
    print("\n".join(problems) or f"{len(ptx.sources())} sources, 0 problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1])
