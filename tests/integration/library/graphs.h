// Graphs of shipped kernels for programs that use the library.
#pragma once

#include <string>

namespace program {

// Bytes, as they came, by way of two controllers.
inline const std::string kCopies =
    "woa: 1\ngraph: copies\ninputs: {x: {type: bytes, max: 64}}\nstages:\n"
    "  a: {kernel: copy, in: {data: x}, on: \"cpu:0\"}\n  b: {kernel: copy, in: {data: a.data}, on: \"cpu:1\"}\n"
    "outputs: {y: b.data}\n";
// Takes 100 ms; fails for a token that begins with `F`.
inline const std::string kSlow =
    "woa: 1\ngraph: slow\ninputs: {x: {type: bytes, max: 64}}\n"
    "stages: {s: {kernel: fail_if, params: {byte: 70, delay_ms: 100}, in: {data: x}}}\noutputs: {y: s.data}\n";
// An image of 16 x 16 pixels at most, sharpened.
inline const std::string kImage =
    "woa: 1\ngraph: image\ninputs: {x: {type: \"u8[height,width,3]\", max: 768, dims: {height: {max: 16}, width: {max: "
    "16}}}}\n"
    "stages: {s: {kernel: sharpen3x3, in: {image: x}}}\noutputs: {y: s.image}\n";

}  // namespace program
