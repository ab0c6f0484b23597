// A kernel.yaml describes variants for devices.
#include <algorithm>
#include <string>
#include <vector>

#include "compiler/parse/declaration.h"
#include "compiler/parse/kernel_file.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

std::string text_of(const std::string& variants) {
  return "woa_kernel: 1\nname: k\nin: {in: {type: bytes}}\nout: {out: {type: \"u8[z,y,x]\", max: 64}}\n"
         "library: libk.so\nvariants: {" +
         variants + "}\n";
}

KernelDecl kernel_with(const std::string& variants) {
  Report report;
  const auto kernel = read_kernel(report.add_source("folder/kernel.yaml", text_of(variants)), report);
  INFO(variants);
  REQUIRE(kernel.has_value());
  return *kernel;
}

// With dimensions of the work, and other keys behind a comma.
KernelDecl cuda(const std::string& global, const std::string& more = "") {
  return kernel_with("cuda: {size: true, source: k.cu, entry: k, global: [" + global + "]" + more + "}");
}

using Block = std::vector<std::uint32_t>;

TEST_CASE("a cuda variant without `block` has one for its dimensions") {
  CHECK(cuda("x").variants.at("cuda").block == Block{256});
  CHECK(cuda("x, y").variants.at("cuda").block == Block{16, 16});
  CHECK(cuda("x, y, z").variants.at("cuda").block == Block{8, 8, 4});
  CHECK(cuda("x, y, z", ", block: [1, 1024]").variants.at("cuda").block == Block{1, 1024});
  CHECK(cuda("x, y, z", ", block: [4, 4, 64]").variants.at("cuda").block == Block{4, 4, 64});
}

TEST_CASE("a cuda variant is resident, and has shared memory, only if it says so") {
  const VariantPlan plain = cuda("x").variants.at("cuda");
  CHECK((plain.kind == "cuda" && plain.source == "k.cu" && plain.entry == "k" && plain.has_size));
  CHECK((plain.shared_bytes == 0 && !plain.resident));
  const VariantPlan other = cuda("x", ", shared: 227KiB, resident: true").variants.at("cuda");
  CHECK((other.shared_bytes == 227 * 1024 && other.resident));
}

TEST_CASE("a resident variant takes a multiprocessor, or as many as it says") {
  CHECK(cuda("x").resources.empty());
  CHECK(cuda("x", ", resident: true").resources.at("cuda").at("") == Resources{{"sms", 1}});
  CHECK(cuda("x", ", resident: true, resources: {memory: 1KiB}").resources.at("cuda").at("") ==
        Resources{{"memory", 1024}, {"sms", 1}});
  CHECK(cuda("x", ", resident: true, resources: {sms: 3}").resources.at("cuda").at("") == Resources{{"sms", 3}});
}

std::string rtl(const std::string& resources) {
  return "rtl: {size: true, core: k, clock_mhz: 100, resources: " + resources + "}";
}

TEST_CASE("an rtl variant takes what it says of an fpga's family, or of every fpga") {
  const auto parts = [](const std::string& resources, std::string_view family) {
    return use_on(kernel_with(rtl(resources)).resources.at("rtl"), family);
  };
  const std::string both = "{xc7: {luts: 3, ffs: 5}, xcup: {luts: 4, dsps: 1}}";
  CHECK(parts(both, "xc7") == Resources{{"luts", 3}, {"ffs", 5}});
  CHECK(parts(both, "xcup") == Resources{{"luts", 4}, {"dsps", 1}});
  CHECK(parts(both, "") == Resources{{"luts", 4}, {"ffs", 5}, {"dsps", 1}});
  CHECK(parts("{xc7: {luts: 3}}", "xcup") == Resources{{"luts", 3}});
  CHECK(parts("{luts: 7}", "xc7") == Resources{{"luts", 7}});
  CHECK(parts("{luts: 7}", "") == Resources{{"luts", 7}});
}

TEST_CASE("only an rtl variant has families, and nothing beside them") {
  const auto code = [](const std::string& variant) {
    Report report;
    (void)read_kernel(report.add_source("folder/kernel.yaml", text_of(variant)), report);
    const std::vector<Diagnostic> found = report.take();
    REQUIRE(found.size() == 1);
    return found.front().code;
  };
  CHECK(code("cpu: {resources: {xc7: {luts: 3}}}") == "E0110");
  CHECK(code(rtl("{xc7: {luts: 3}, luts: 4}")) == "E0110");
  CHECK(code(rtl("{xc8: {luts: 3}}")) == "E0110");
  CHECK(code(rtl("{xc7: {sm: 3}}")) == "E0110");
  CHECK(code(rtl("{xc7: 3}")) == "E0112");
}

TEST_CASE("block, shared memory and residence are a part of what a plan was made with") {
  const auto digest = [](const std::string& more) {
    const KernelDecl kernel = cuda("x, y", more);
    return declaration_of(kernel, kernel.variants.at("cuda")).digest;
  };
  const std::string plain = digest("");
  CHECK(digest(", block: [16, 16]") == plain);
  CHECK(digest(", resources: {sms: 1}") == plain);
  for (const char* more : {", block: [16]", ", block: [16, 8]", ", shared: 1KiB", ", resident: true"})
    CHECK(digest(more) != plain);
}

TEST_CASE("the files of a cuda variant are its source and the PTX beside it") {
  Report report;
  const std::string text = text_of("cuda: {size: true, source: sub/k.cu, entry: k, global: [x]}");
  REQUIRE(read_kernel(report.add_source("folder/kernel.yaml", text), report));
  const std::vector<std::string> files = report.files();
  for (const char* file : {"folder/sub/k.cu", "folder/sub/k.ptx"}) CHECK(std::ranges::find(files, file) != files.end());
}

TEST_CASE("the second input of an rtl variant has no varying dimensions") {
  const auto said = [](const std::string& a, const std::string& b, const std::string& variant) {
    Report report;
    std::string text = text_of(variant);
    const std::size_t begin = text.find("in:"), end = text.find("out:");
    text.replace(begin, end - begin, "in: {a: {type: \"" + a + "\"}, b: {type: \"" + b + "\"}}\n");
    (void)read_kernel(report.add_source("kernel.yaml", text), report);
    std::string all;
    for (const Diagnostic& diagnostic : report.take()) all += diagnostic.text;
    return all;
  };
  const std::string rtl = "rtl: {size: true, core: k, clock_mhz: 100}";
  CHECK(said("u8[h,w]", "bytes", rtl).empty());
  CHECK(said("bytes", "u8[2,3]", rtl).empty());
  CHECK(said("bytes", "u8[h,w]", "cpu: {}").empty());
  CHECK(said("bytes", "u8[h,w]", rtl) ==
        "the second input of a kernel with an `rtl` variant has no varying dimensions, and `b` is u8[h,w]");
}

TEST_CASE("a kernel of the program has no variant for a device") {
  for (const char* variant :
       {"opencl: {size: true, source: k.cl, entry: k, global: [x]}",
        "cuda: {size: true, source: k.cu, entry: k, global: [x]}", "rtl: {size: true, core: k, clock_mhz: 100}"}) {
    Report report;
    std::string text = text_of(variant);
    text.erase(text.find("library: libk.so\n"), 17);
    CHECK_FALSE(read_kernel(report.add_source("kernel.yaml", text), report, KernelHome::kProgram));
    const std::vector<Diagnostic> said = report.take();
    REQUIRE(said.size() == 1);
    CHECK(said[0].text.starts_with("a kernel of the program runs on cpu controllers alone"));
  }
}

}  // namespace
}  // namespace woa
