#!/usr/bin/env python3
"""The folders that each folder may include: the dependency table of the tree (CONTRIBUTING.md, "Layers"), enforced.

Usage: layers.py ROOT
"""

import re

import tree

BASE, PACKET, MEMORY, PLAN = "runtime/base/", "runtime/packet/", "runtime/memory/", "runtime/plan/"
TRANSPORT, MESSAGING, CALL_MODELS = "runtime/transport/", "runtime/messaging/", "runtime/call_models/"
CONTROLLER, NODE, MEASURE = "runtime/controller/", "runtime/node/", "runtime/measure/"
KERNEL_ABI = "woa/woa_kernel.h"
CUDA_ABI = "kernels/woa_cuda.h"
DIAGNOSTICS, OPTIONS, PARSE, CHECK = "compiler/diagnostics/", "compiler/options.h", "compiler/parse/", "compiler/check/"
SOLVER, PLACE, PREDICT = "compiler/place/solver/", "compiler/place/", "compiler/predict/"
BUFFERS, EMIT, VERIFY, CERTIFICATE = "compiler/buffers/", "compiler/emit/", "compiler/verify/", "compiler/certificate/"
BACKEND = [CONTROLLER, PLAN, TRANSPORT + "doorbell.h", TRANSPORT + "idle.h", PACKET, BASE, KERNEL_ABI]
RUNTIME = [BASE, PACKET, MEMORY, PLAN, TRANSPORT, MESSAGING, CALL_MODELS, CONTROLLER, NODE, MEASURE]
EVERYTHING = RUNTIME + ["woa/", "kernels/", "controllers/", "compiler/", "library/"]
PUBLIC = "woa/"  # include/woa, the public headers
PROGRAMS = RUNTIME + [PUBLIC, "kernels/", "controllers/", "compiler/compiler.h", "library/"]

# Folder -> what files in it may include, beside their own folder; the first match counts. A name that ends in "/" is a folder
# with all below it; "/*" stands for the files directly in it. Back-ends in subfolders never include each other.
PROJECT = [
    (BASE, []),
    (PACKET, [BASE]),
    (MEMORY, [PACKET, BASE]),
    (PLAN, [PACKET, BASE]),
    (TRANSPORT + "*/", [TRANSPORT + "*", MEMORY, PACKET, BASE]),
    (TRANSPORT, [MEMORY, PACKET, BASE]),
    (MESSAGING + "*/", [MESSAGING + "*", TRANSPORT + "*", MEMORY, PACKET, BASE]),
    (MESSAGING, [TRANSPORT + "*", MEMORY, PACKET, BASE]),
    (CALL_MODELS, [PLAN, PACKET, BASE]),
    (CONTROLLER, [PLAN, TRANSPORT + "*", MEMORY, PACKET, BASE, KERNEL_ABI]),
    (NODE, [CONTROLLER, CALL_MODELS, PLAN, TRANSPORT + "*", MEMORY, PACKET, BASE, KERNEL_ABI]),
    (MEASURE, [NODE, CONTROLLER, CALL_MODELS, PLAN, BASE]),
    ("controllers/cpu/", BACKEND),
    ("controllers/gpu/cuda/", BACKEND + ["controllers/gpu/*", CUDA_ABI]),
    ("controllers/gpu/*/", BACKEND + ["controllers/gpu/*"]),  # what all GPUs share
    ("controllers/gpu/", BACKEND),
    ("controllers/fpga/*/", BACKEND + ["controllers/fpga/*", "controllers/fpga/generated/"]),  # what all FPGAs share
    ("controllers/fpga/", BACKEND + ["controllers/fpga/generated/"]),
    # The compiler: a phase includes phases above it in this list only, so they form no cycle. buffers stands behind predict,
    # which executes plans to find the blocks for a throughput.
    ("compiler/diagnostics/", [BASE]),
    ("compiler/certificate/", [PLAN, BASE]),
    ("compiler/options.h", [DIAGNOSTICS, CERTIFICATE, PLAN]),
    ("compiler/parse/", [OPTIONS, DIAGNOSTICS, PLAN, BASE]),
    ("compiler/expand/", [PARSE, DIAGNOSTICS, BASE]),
    ("compiler/check/", [PARSE, DIAGNOSTICS, PLAN, BASE]),
    ("compiler/place/solver/", [BASE]),
    ("compiler/place/", [SOLVER, CHECK, PARSE, OPTIONS, DIAGNOSTICS, PLAN, BASE, CERTIFICATE]),
    ("compiler/predict/", [PLACE, CHECK, PLAN, BASE, CERTIFICATE]),
    ("compiler/buffers/", [PREDICT, PLACE, CHECK, PLAN, BASE, CERTIFICATE]),
    ("compiler/emit/", [PREDICT, PLACE, CHECK, PARSE, PLAN, BASE, CERTIFICATE]),
    ("compiler/verify/", [EMIT, BUFFERS, PREDICT, PLACE, PARSE, DIAGNOSTICS, PLAN, BASE, CERTIFICATE]),
    ("compiler/explain/", [VERIFY, PLACE, PLAN, BASE, CERTIFICATE]),
    ("compiler/", [PLAN, BASE]),
    ("kernels/*/", [KERNEL_ABI]),
    ("kernels/", []),
    ("graphs/", [KERNEL_ABI]),
    ("library/", RUNTIME + [PUBLIC, "controllers/*/register.h", "controllers/*/*/register.h", "compiler/compiler.h"]),
    ("tools/frames/", [CONTROLLER, PLAN, BASE]),
    ("python/", [PUBLIC]),
    ("tools/", PROGRAMS),
    ("bench/program/", PROGRAMS + ["tools/woa/", "bench/"]),
    ("bench/", EVERYTHING + ["tests/support/"]),
    ("tests/", EVERYTHING + ["bench/", "tools/frames/"]),
]

# Folders whose subfolders are not their own: what lies above does not know what lies below.
FLAT = (TRANSPORT, MESSAGING, "kernels/", "controllers/fpga/", "controllers/gpu/")

# Header of a library -> the only places that may include it. Tests may look at devices and data by the same libraries.
LIBRARIES = [
    (r"spdlog/|fmt/", [BASE + "log.cc"]),
    (r"google/protobuf/|.*\.pb\.h$", [PLAN + "message.cc", "bench/peers/grpc*", "tests/"]),
    (r"yaml\.h$", ["compiler/parse/yaml_events.cc"]),
    (r"yaml-cpp/", ["tests/"]),
    (r"CLI/|CLI11", ["library/", "tools/", "bench/", "tests/"]),
    (r"nlohmann/", ["library/", "tools/", "bench/", "tests/"]),
    (r"nanobind/|Python\.h", ["python/"]),
    (r"coin/", ["compiler/place/solver/milp_cbc.cc"]),
    (r"CL/", ["controllers/gpu/opencl/", "tests/"]),
    (r"cuda\.h$", ["tests/"]),
    (r"xrt/|experimental/xrt_", ["tests/"]),
    (r"rdma/", ["runtime/transport/ofi/", "bench/micro/", "tests/"]),
    (r"verilated|V\w+\.h$|svdpi", ["controllers/fpga/verilator/", "tests/"]),
    (r"openssl/", ["kernels/", NODE + "run_secret.cc", "tools/woa/sha256.cc", "tests/"]),
    (r"jpeglib\.h|turbojpeg\.h|jerror\.h", ["bench/mibench/jpeg/", "kernels/jpeg_decode/", "kernels/jpeg_encode/", "tests/"]),
    (r"png\.h", ["kernels/png_encode/", "tests/"]),
    (r"mpi\.h$", ["bench/peers/mpi*", "bench/peers/randomaccess_mpi.cc"]),
    (r"uc[pst]/", ["bench/peers/ucx*"]),
    (r"zmq\.h", ["bench/peers/zeromq*"]),
    (r"grpc", ["bench/peers/grpc*"]),
    (r"taskflow/", ["bench/peers/taskflow.cc"]),
    (r"tbb/", ["bench/peers/tbb.cc", "bench/library/filled.cc"]),
    (r"pmix", [NODE + "pmix_job.cc"]),
    (r"catch2/", ["tests/support/"]),
    (r"rapidcheck", ["tests/"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def matches(path, pattern):
    """True if `path` lies in `pattern`: a file, a folder ("a/"), the files directly in a folder ("a/*"), "*" for one name."""
    expression = re.escape(pattern).replace(r"\*", "[^/]+")
    return re.match(expression + ("" if pattern.endswith("/") else "$"), path) is not None


def rule_of(path):
    """The own folder and the allowed targets of a source file, or None where no rule covers it."""
    for folder, allowed in PROJECT:
        found = re.match(re.escape(folder).replace(r"\*", "[^/]+"), path)
        if found:
            own = found.group(0)
            return own + "*" if own in FLAT else own, allowed
    return None


def problem_with(path, target, quoted):
    """Why `path` may not include `target`, or None."""
    for header, places in LIBRARIES:
        if re.match(header, target):
            if any(matches(path, place) for place in places):
                return None
            return f"only {', '.join(places)} may include <{target}>"
    if not quoted:
        return None
    if matches(path, "include/woa/"):  # installed side by side
        return None if target in ("woa.h", "woa.hpp", "woa_kernel.h") else f'a public header may not include "{target}"'
    if "/" not in target and path.endswith(".cu"):  # woa_cuda.h as a user's kernel names it, or a file beside this one
        return None
    if "/" not in target:
        return f'"{target}": includes are written from the repository root'
    rule = rule_of(path)
    if rule is None:
        return "no rule of layers.py covers this folder: add one"
    own, allowed = rule
    if matches(target, own) or any(matches(target, place) for place in allowed):
        return None
    return f'may not include "{target}"; allowed: {", ".join([own] + allowed)}'


def lint(root):
    problems, checked = [], 0
    for path in tree.files(root):
        if not path.endswith(tree.CXX):
            continue
        checked += 1
        for number, line in enumerate(tree.read_lines(root, path) or [], 1):
            found = INCLUDE.match(line)
            reason = found and problem_with(path, found.group(2), found.group(1) == '"')
            if reason:
                problems.append(f"{path}:{number}: {reason}")
    return problems, checked


if __name__ == "__main__":
    tree.main("layers", lint)
