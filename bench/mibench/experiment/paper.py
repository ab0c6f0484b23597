"""The figures that the paper published: Spacey et al., "Write-only architecture", JPDC 72(12), 2012. Accelerations over the CPU alone."""
MODELS = {"tight": ("woa", "custom-instruction RPC"), "loose": ("woa", "client-server RPC")}

# program -> Amdahl's limit, (WOA, RPC) tight, (WOA, RPC) loose
PUBLISHED = {
    "dijkstra": (3.343, (3.129, 1.000), (1.000, 1.000)),
    "fft": (1.450, (1.081, 1.000), (1.058, 1.000)),
    "ispell": (4.548, (2.793, 1.000), (1.011, 1.000)),
    "jpeg": (3.264, (3.222, 1.001), (2.702, 1.000)),
    "sha": (2.200, (2.198, 1.000), (1.774, 1.000)),
    "susan": (2.708, (2.504, 1.031), (2.170, 1.030)),
}


def limit(program):
    return PUBLISHED[program][0] if program in PUBLISHED else None


def woa(program, coupling):
    return PUBLISHED[program][1 if coupling == "tight" else 2][0] if program in PUBLISHED else None


def rpc(program, coupling):
    return PUBLISHED[program][1 if coupling == "tight" else 2][1] if program in PUBLISHED else None
