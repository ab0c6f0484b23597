#include "controllers/fpga/xrt/xclbin.h"

#include <unistd.h>

#include <fstream>
#include <span>

#include "runtime/base/child_process.h"
#include "tests/support/catch.h"
#include "tests/support/require.h"
#include "tests/support/says.h"
#include "tests/unit/controllers/fpga/xrt/xclbin_bytes.h"

namespace woa::test {
namespace {

Result<Xclbin> parse(const std::string& file) { return parse_xclbin(std::as_bytes(std::span(file))); }

Status refusal(const std::string& file) { return parse(file).status(); }

// The file with one section's contents replaced.
std::string with_section(std::uint32_t kind, const std::string& contents) {
  auto sections = node_sections();
  for (SectionBytes& section : sections)
    if (section.kind == kind) section.contents = contents;
  return xclbin_bytes(sections);
}

std::string without_section(std::uint32_t kind) {
  auto sections = node_sections();
  std::erase_if(sections, [&](const SectionBytes& section) { return section.kind == kind; });
  return xclbin_bytes(sections);
}

std::size_t header_at(std::size_t section) { return kHeadersAt + kHeaderBytes * section; }

}  // namespace

TEST_CASE("an xclbin tells its platform, units, banks, connections and node") {
  const auto xclbin = parse(xclbin_bytes(node_sections()));
  REQUIRE(xclbin.ok());
  CHECK(xclbin->platform == "xilinx_u50_gen3x16_xdma_5_202210_1");
  CHECK(std::string(xclbin->uuid.begin(), xclbin->uuid.end()) == "0123456789abcdef");
  CHECK_FALSE(xclbin->has_bitstream);
  CHECK(xclbin->units == std::vector<Xclbin::Unit>{{"woa_wact", "woa_wact_1", true, true, 0x1800000}});
  CHECK(xclbin->banks == std::vector<Xclbin::Bank>{{"DDR[0]", true, 1 << 20, std::uint64_t{1} << 38},
                                                   {"DDR[1]", true, 2 << 20, std::uint64_t{1} << 38}});
  CHECK(xclbin->units_of("woa_wact") == std::vector<std::uint32_t>{0});
  CHECK(xclbin->units_of("other").empty());
  CHECK(xclbin->banks_of(0, 2) == std::vector<std::uint32_t>{1});
  CHECK(xclbin->banks_of(0, 4).empty());
  REQUIRE(xclbin->node);
  CHECK(*xclbin->node == Xclbin::Node{{"copy", "", "invert"}, 64, 256, 32, 16384, 128, 300});
  CHECK(check_node(*xclbin).ok());
}

TEST_CASE("sections that the back-end does not need are left alone") {
  auto sections = node_sections();
  sections.insert(sections.begin(), {0, std::string(3 << 20, 'b')});  // a bitstream is larger than any table
  sections.push_back({26, "groups"});
  sections.push_back({4711, "of a later version"});
  const auto xclbin = parse(xclbin_bytes(sections));
  REQUIRE(xclbin.ok());
  CHECK(xclbin->has_bitstream);
  CHECK(check_node(*xclbin).ok());
}

TEST_CASE("a file that was cut short is refused at every length") {
  const std::string file = xclbin_bytes(node_sections());
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes) {
    const Status status = refusal(file.substr(0, bytes));
    INFO(bytes << ": " << status.message());
    REQUIRE(says(status, Code::kInvalid, "cut short"));
    REQUIRE(says(status, std::to_string(bytes)));
  }
}

TEST_CASE("a wrong header is refused with its place, what was found and what was expected") {
  const std::string file = xclbin_bytes(node_sections());
  CHECK(says(refusal("ELF" + file), Code::kInvalid, "byte 0: found 'ELFxclbi' where an xclbin has 'xclbin2'"));
  CHECK(says(refusal(with_number(file, kLengthAt, std::uint64_t{file.size() + 8})), Code::kInvalid,
             "byte 304: the header says " + std::to_string(file.size() + 8)));
  CHECK(says(refusal(with_number(file, kLengthAt, std::uint64_t{100})), Code::kInvalid, "bytes hold 0"));
  CHECK(says(refusal(with_number(file, kLengthAt, UINT64_MAX)), Code::kInvalid, "18446744073709551615"));
  CHECK(says(refusal(with_number(file, kLengthAt, std::uint64_t{file.size() - 8})), Code::kInvalid,
             "section 3 (USER_METADATA)"));
  // A million sections, in a file that is too short for them and in one that is not.
  const auto many = with_number(file, kCountAt, std::uint32_t{1'000'000});
  CHECK(says(refusal(many), Code::kInvalid, "byte 448: 1000000 sections are announced"));
  const std::string long_file = many + std::string(40'000'000, '\0');
  CHECK(says(refusal(with_number(long_file, kLengthAt, std::uint64_t{long_file.size()})), Code::kInvalid,
             "the format allows 65536"));
  CHECK(says(refusal(with_number(file, kCountAt, UINT32_MAX)), Code::kInvalid, "4294967295 sections"));
}

TEST_CASE("sections outside the file, around its end or in one another are refused") {
  const std::string file = xclbin_bytes(node_sections());
  const auto moved = [&](std::uint64_t offset, std::uint64_t bytes) {
    return refusal(with_number(with_number(file, header_at(1) + 24, offset), header_at(1) + 32, bytes));
  };
  CHECK(says(moved(file.size(), 8), Code::kInvalid, "section 1 (MEM_TOPOLOGY): 8 bytes from byte"));
  CHECK(says(moved(UINT64_MAX - 7, 16), Code::kInvalid, "18446744073709551608"));
  CHECK(says(moved(file.size() - 8, UINT64_MAX), Code::kInvalid, "do not lie between"));
  CHECK(says(moved(0, 8), Code::kInvalid, "the headers' end"));
  CHECK(says(moved(header_at(4) + 8, 8), Code::kInvalid, "section 0 (IP_LAYOUT) and section 1 (MEM_TOPOLOGY) overlap"));
  CHECK(says(refusal(with_section(6, std::string((1 << 20) + 8, '\0'))), Code::kInvalid, "at most 1048576"));
}

TEST_CASE("tables that announce more entries than they hold are refused") {
  const std::string unit = unit_bytes("woa_wact:woa_wact_1");
  CHECK(says(refusal(with_section(8, table_bytes(2, 4, {unit}))), Code::kInvalid,
             "2 entries are announced, and its 88 bytes hold 1"));
  CHECK(says(refusal(with_section(8, table_bytes(-1, 4, {unit}))), Code::kInvalid, "-1 entries"));
  CHECK(says(refusal(with_section(8, table_bytes(INT32_MAX, 4, {unit}))), Code::kInvalid, "hold 1"));
  CHECK(says(refusal(with_section(8, "abc")), Code::kInvalid, "section 0 (IP_LAYOUT)"));
  CHECK(says(refusal(with_section(7, table_bytes(5, 0, {connection_bytes(0, 0, 0)}))), Code::kInvalid, "hold 1"));
  for (const auto& [argument, at, bank] : {std::array{0, 1, 0}, std::array{0, 0, 2}, std::array{-1, 0, 0}})
    CHECK(says(refusal(with_section(7, table_bytes(1, 0, {connection_bytes(argument, at, bank)}))), Code::kInvalid,
               "the file has 1 unit and 2 banks"));
  CHECK(says(refusal(with_section(6, table_bytes(2, 4, {bank_bytes("a", 1), bank_bytes("b", UINT64_MAX)}))),
             Code::kInvalid, "bank 1 has 18446744073709551615 KiB"));
  for (const std::uint32_t kind : {6U, 7U, 8U})
    CHECK(says(refusal(without_section(kind)), Code::kInvalid, "the file has no section"));
}

TEST_CASE("names without an end stay within their field, and control characters out of messages") {
  const auto xclbin = parse(with_section(8, table_bytes(1, 4, {unit_bytes(std::string(63, 'k') + "\x1b" + "[31m")})));
  REQUIRE(xclbin.ok());
  CHECK(xclbin->units.front().kernel == std::string(63, 'k') + "?");
  CHECK(xclbin->units.front().name.empty());
}

TEST_CASE("a node's description is checked") {
  const auto with_node = [](const std::string& text) { return parse(with_section(16, text)); };
  CHECK(says(with_node("woa_wact\ncores copy\nstages x\n").status(), Code::kInvalid, "'stages' is 'x'"));
  CHECK(says(with_node("woa_wact\ncores copy\nstages 4294967296\n").status(), Code::kInvalid, "a number"));
  CHECK(says(with_node("woa_wact\ncores copy\nstages 4\n").status(), Code::kInvalid, "'routes' is missing"));
  std::string no_cores = kNodeText;
  no_cores.erase(no_cores.find("cores"), no_cores.find("clock") - no_cores.find("cores"));
  CHECK(says(with_node(no_cores).status(), Code::kInvalid, "'cores' is missing"));
  const auto other = with_node("{\"another\": \"tool's\"}");
  REQUIRE(other.ok());
  CHECK_FALSE(other->node);
  CHECK(says(check_node(*other), Code::kUnsupported, "does not say which cores"));
  CHECK(with_node(kNodeText + "later a b c\n").ok());
}

TEST_CASE("a kernel that does not fit is refused with what the file has") {
  const auto checked = [](const std::string& file) { return check_node(*parse(file)); };
  CHECK(says(checked(with_section(8, table_bytes(1, 4, {unit_bytes("vadd:vadd_1")}))), Code::kUnsupported,
             "no kernel 'woa_wact', but vadd:vadd_1"));
  CHECK(says(checked(with_section(8, table_bytes(1, 4, {unit_bytes("woa_wact:woa_wact_1", 0x101, 3)}))),
             Code::kUnsupported, "no kernel at all"));
  CHECK(says(checked(with_section(8, table_bytes(1, 4, {unit_bytes("woa_wact:woa_wact_1", 0x001)}))),
             Code::kUnsupported, "ap_ctrl_chain"));
  CHECK(says(checked(with_section(
                 8, table_bytes(2, 4, {unit_bytes("woa_wact:woa_wact_1"), unit_bytes("woa_wact:woa_wact_2", 0x001)}))),
             Code::kUnsupported, "woa_wact:woa_wact_2 of the xclbin is not controlled by ap_ctrl_chain"));
  CHECK(says(checked(with_section(7, table_bytes(2, 0, {connection_bytes(0, 0, 0), connection_bytes(1, 0, 0)}))),
             Code::kUnsupported, "argument 2 of woa_wact:woa_wact_1"));
}

TEST_CASE("a file is read by its name") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("xclbin-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "good") << xclbin_bytes(node_sections());
  std::ofstream(folder / "short") << xclbin_bytes(node_sections()).substr(0, 600);
  CHECK(read_xclbin(folder / "good").ok());
  CHECK(says(read_xclbin(folder / "short").status(), Code::kInvalid, (folder / "short").string()));
  CHECK(says(read_xclbin(folder / "absent").status(), Code::kNotFound, "absent"));
  CHECK(says(read_xclbin(folder).status(), Code::kUnavailable, "no plain file"));
  CHECK(says(read_xclbin("/dev/zero").status(), Code::kUnavailable, "no plain file"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a card's base names the platforms of its shells") {
  CHECK(same_platform("xilinx_u50_gen3x16_xdma_base_5", "xilinx_u50_gen3x16_xdma_5_202210_1"));
  CHECK(same_platform("xilinx_u250_gen3x16_xdma_shell_4_1", "xilinx_u250_gen3x16_xdma_4_1_202210_1"));
  CHECK_FALSE(same_platform("xilinx_u250_gen3x16_base_4", "xilinx_u250_gen3x16_xdma_4_1_202210_1"));
  CHECK(same_platform("xilinx_u200_xdma_201830_2", "xilinx_u200_xdma_201830_2"));
  CHECK_FALSE(same_platform("xilinx_u50_gen3x16_xdma_base_5", "xilinx_u55c_gen3x16_xdma_3_202210_1"));
  CHECK_FALSE(same_platform("xilinx_u50_gen3x16_xdma_base_5", "xilinx_u50_gen3x16_xdma_51_202210_1"));
  CHECK_FALSE(same_platform("", "xilinx_u50"));
}

TEST_CASE("tools/fpga-xclbin writes what the reader reads") {
  const std::string tool = WOA_SOURCE_DIR "/tools/fpga-xclbin";
  const auto made = run_program({"python3", "-B",      tool,      "xclbin",   "--cores",    "copy,-,invert", "--units",
                                 "3",       "--banks", "2",       "--memory", "HBM",        "--bank-mib",    "256",
                                 "--clock", "250",     "--width", "512",      "--platform", "xilinx_u50"},
                                "", 20'000'000'000);
  if (made.status().code() == Code::kNotFound) skip("python3", made.status().message());
  REQUIRE(made.ok());
  const auto xclbin = parse(*made);
  REQUIRE(xclbin.ok());
  CHECK(check_node(*xclbin).ok());
  CHECK(xclbin->platform == "xilinx_u50");
  CHECK(xclbin->uuid != std::array<unsigned char, 16>{});
  REQUIRE(xclbin->units_of("woa_wact").size() == 3);
  CHECK(xclbin->units[2] == Xclbin::Unit{"woa_wact", "woa_wact_3", true, true, 0x1820000});
  REQUIRE(xclbin->banks.size() == 2);
  CHECK(xclbin->banks[1].name == "HBM[1]");
  CHECK(xclbin->banks[1].bytes == 256 << 20);
  CHECK(xclbin->connections.size() == 12);
  for (std::uint32_t unit = 0; unit < 3; ++unit)
    CHECK(xclbin->banks_of(unit, 3) == std::vector<std::uint32_t>{unit % 2});
  CHECK(*xclbin->node == Xclbin::Node{{"copy", "", "invert"}, 64, 256, 64, 16384, 512, 250});
}

}  // namespace woa::test
