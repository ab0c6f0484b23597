#!/bin/sh
# Makes the PTX files here again: clang-14 with CUDA switched on, and nvcc of CUDA 13.
set -e
cd "$(dirname "$0")"
kernels=../../../../../kernels
clang="clang-14 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_75 -Xclang -target-feature
       -Xclang +ptx63 -std=c++17 -O2 -ffp-contract=off -S -I $kernels"
$clang kernels.cu -o kernels_clang.ptx
$clang invert.cu -o invert.ptx
nvcc -arch=sm_75 --fmad=false -std=c++17 -ptx -I $kernels kernels.cu -o kernels_nvcc.ptx
