#include "controllers/fpga/xrt/xclbin.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "controllers/fpga/generated/wact_interface.h"
#include "runtime/base/scalar.h"
#include "runtime/base/text.h"
#include "runtime/base/unique_fd.h"

namespace woa {
namespace {

using Bytes = std::vector<std::byte>;

// Places in the file's header, and sizes of entries.
constexpr std::uint64_t kLengthAt = 304, kPlatformAt = 352, kUuidAt = 416, kCountAt = 448, kHeadersAt = 456;
constexpr std::uint64_t kHeaderBytes = 40, kPlatformBytes = 64;
constexpr std::uint64_t kBankBytes = 40, kUnitBytes = 80, kConnectionBytes = 12;
constexpr std::uint64_t kUnitNameBytes = 64, kBankNameBytes = 16;
constexpr std::uint32_t kMostSections = 0x10000;  // of the format
constexpr std::uint64_t kMostSectionBytes = std::uint64_t{1}
                                            << 20;  // of a section that is read: larger ones hold no table
constexpr std::string_view kMagic = "xclbin2";

enum Kind : std::uint32_t { kBitstream = 0, kBanks = 6, kConnections = 7, kUnits = 8, kUserMetadata = 16 };
constexpr std::uint32_t kKernelUnit = 1, kChainedControl = 1;

std::string kind_name(std::uint32_t kind) {
  switch (kind) {
    case kBitstream: return "BITSTREAM";
    case kBanks: return "MEM_TOPOLOGY";
    case kConnections: return "CONNECTIVITY";
    case kUnits: return "IP_LAYOUT";
    case kUserMetadata: return "USER_METADATA";
    default: return "kind " + std::to_string(kind);
  }
}

struct Section {
  std::uint32_t number = 0, kind = 0;
  std::uint64_t offset = 0, bytes = 0;
  [[nodiscard]] std::string name() const { return "section " + std::to_string(number) + " (" + kind_name(kind) + ")"; }
};

Status invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }

template <class T>
T number_at(std::span<const std::byte> bytes, std::uint64_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

// A field of `size` bytes: its text ends at the first zero, if there is one.
std::string text_at(std::span<const std::byte> bytes, std::uint64_t place, std::uint64_t size) {
  const char* const begin = reinterpret_cast<const char*>(bytes.data() + place);
  return printable(std::string_view(begin, ::strnlen(begin, size)));
}

class Reader {
 public:
  Reader(std::uint64_t bytes, const ReadAt& read) : bytes_(bytes), read_(read) {}

  Result<Xclbin> parse() {
    WOA_RETURN_IF_ERROR(read_header());
    WOA_RETURN_IF_ERROR(check_overlaps());
    WOA_RETURN_IF_ERROR(read_units());
    WOA_RETURN_IF_ERROR(read_banks());
    WOA_RETURN_IF_ERROR(read_connections());
    WOA_RETURN_IF_ERROR(read_node());
    return std::move(out_);
  }

 private:
  Status read_header();
  Status read_sections(std::uint32_t count, std::uint64_t length);
  Status check_overlaps() const;
  Status read_units();
  Status read_banks();
  Status read_connections();
  Status read_node();

  // XRT, too, takes the first of a kind.
  [[nodiscard]] const Section* find(Kind kind) const {
    const auto found = std::ranges::find(sections_, std::uint32_t{kind}, &Section::kind);
    return found == sections_.end() ? nullptr : &*found;
  }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t bytes, const std::string& what) const {
    Bytes out(bytes);
    if (!read_(offset, out)) return {Code::kUnavailable, what + " at byte " + std::to_string(offset) + ": no reading"};
    return out;
  }
  Result<Bytes> contents(const Section& section) const {
    if (section.bytes > kMostSectionBytes)
      return invalid(section.name() + " has " + std::to_string(section.bytes) + " bytes, and at most " +
                     std::to_string(kMostSectionBytes) + " are expected");
    return read(section.offset, section.bytes, section.name());
  }

  // A section that is a count, and entries of one size from byte `first` on.
  struct Table {
    std::string name;
    Bytes bytes;
    std::uint64_t first = 0, entry_bytes = 0, count = 0;
    [[nodiscard]] std::span<const std::byte> entry(std::uint64_t number) const {
      return std::span(bytes).subspan(first + number * entry_bytes, entry_bytes);
    }
  };
  [[nodiscard]] Result<Table> table(Kind kind, std::uint64_t first, std::uint64_t entry_bytes) const;

  std::uint64_t bytes_;
  const ReadAt& read_;
  std::vector<Section> sections_;
  Xclbin out_;
};

Status Reader::read_header() {
  if (bytes_ < kHeadersAt)
    return invalid("the file has " + std::to_string(bytes_) + " bytes, and an xclbin's header alone has " +
                   std::to_string(kHeadersAt) + ": it was cut short, or is none");
  auto header = read(0, kHeadersAt, "the header");
  if (!header.ok()) return header.status();
  if (const std::string magic = text_at(*header, 0, 8); magic != kMagic)
    return invalid("byte 0: found '" + magic + "' where an xclbin has '" + std::string(kMagic) +
                   "': name the file that `v++ --link` wrote");
  const auto length = number_at<std::uint64_t>(*header, kLengthAt);
  if (length > bytes_)
    return invalid("byte " + std::to_string(kLengthAt) + ": the header says " + std::to_string(length) +
                   " bytes, and the file has " + std::to_string(bytes_) + ": it was cut short; copy it again");
  out_.platform = text_at(*header, kPlatformAt, kPlatformBytes);
  std::memcpy(out_.uuid.data(), header->data() + kUuidAt, out_.uuid.size());
  return read_sections(number_at<std::uint32_t>(*header, kCountAt), length);
}

Status Reader::read_sections(std::uint32_t count, std::uint64_t length) {
  const std::uint64_t end = kHeadersAt + count * kHeaderBytes;
  if (count > kMostSections || end > length)
    return invalid("byte " + std::to_string(kCountAt) + ": " + std::to_string(count) +
                   " sections are announced, and the format allows " + std::to_string(kMostSections) +
                   ", of which the header's " + std::to_string(length) + " bytes hold " +
                   std::to_string(length < kHeadersAt ? 0 : (length - kHeadersAt) / kHeaderBytes));
  auto headers = read(kHeadersAt, end - kHeadersAt, "the section headers");
  if (!headers.ok()) return headers.status();
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto header = std::span(*headers).subspan(k * kHeaderBytes, kHeaderBytes);
    const Section section{k, number_at<std::uint32_t>(header, 0), number_at<std::uint64_t>(header, 24),
                          number_at<std::uint64_t>(header, 32)};
    if (section.bytes == 0) continue;
    if (section.offset < end || section.offset > length || section.bytes > length - section.offset)
      return invalid(section.name() + ": " + std::to_string(section.bytes) + " bytes from byte " +
                     std::to_string(section.offset) + " on do not lie between the headers' end, " +
                     std::to_string(end) + ", and the file's, " + std::to_string(length));
    sections_.push_back(section);
  }
  out_.has_bitstream = find(kBitstream) != nullptr;
  return {};
}

Status Reader::check_overlaps() const {
  std::vector<const Section*> order;
  for (const Section& section : sections_) order.push_back(&section);
  std::ranges::sort(order, {}, [](const Section* section) { return section->offset; });
  const auto overlap = std::ranges::adjacent_find(
      order, [](const Section* left, const Section* right) { return right->offset - left->offset < left->bytes; });
  if (overlap == order.end()) return {};
  return invalid((*overlap)->name() + " and " + overlap[1]->name() + " overlap at byte " +
                 std::to_string(overlap[1]->offset));
}

Result<Reader::Table> Reader::table(Kind kind, std::uint64_t first, std::uint64_t entry_bytes) const {
  const Section* const section = find(kind);
  if (section == nullptr)
    return invalid("the file has no section " + kind_name(kind) + ": link a kernel into it (`v++ --link`)");
  auto bytes = contents(*section);
  if (!bytes.ok()) return bytes.status();
  const std::uint64_t room = bytes->size() < first ? 0 : (bytes->size() - first) / entry_bytes;
  const std::int64_t count = bytes->size() < first ? -1 : number_at<std::int32_t>(*bytes, 0);
  if (count < 0 || static_cast<std::uint64_t>(count) > room)
    return invalid(section->name() + " at byte " + std::to_string(section->offset) + ": " + std::to_string(count) +
                   " entries are announced, and its " + std::to_string(section->bytes) + " bytes hold " +
                   std::to_string(room));
  return Table{section->name(), std::move(*bytes), first, entry_bytes, static_cast<std::uint64_t>(count)};
}

Status Reader::read_units() {
  const auto units = table(kUnits, 8, kUnitBytes);
  if (!units.ok()) return units.status();
  for (std::uint64_t k = 0; k < units->count; ++k) {
    const auto entry = units->entry(k);
    const std::string name = text_at(entry, 16, kUnitNameBytes);
    const std::size_t colon = std::min(name.find(':'), name.size());
    const bool is_kernel = number_at<std::uint32_t>(entry, 0) == kKernelUnit;
    const std::uint32_t control = number_at<std::uint32_t>(entry, 4) >> 8 & 0xff;
    out_.units.push_back({name.substr(0, colon), name.substr(std::min(colon + 1, name.size())), is_kernel,
                          is_kernel && control == kChainedControl, number_at<std::uint64_t>(entry, 8)});
  }
  return {};
}

Status Reader::read_banks() {
  const auto banks = table(kBanks, 8, kBankBytes);
  if (!banks.ok()) return banks.status();
  for (std::uint64_t k = 0; k < banks->count; ++k) {
    const auto entry = banks->entry(k);
    const auto kib = number_at<std::uint64_t>(entry, 8);
    if (kib > UINT64_MAX >> 10)
      return invalid(banks->name + ": bank " + std::to_string(k) + " has " + std::to_string(kib) +
                     " KiB, which is more than 64 bits count");
    out_.banks.push_back({text_at(entry, 24, kBankNameBytes), number_at<std::uint8_t>(entry, 1) != 0, kib << 10,
                          number_at<std::uint64_t>(entry, 16)});
  }
  return {};
}

Status Reader::read_connections() {
  const auto connections = table(kConnections, 4, kConnectionBytes);
  if (!connections.ok()) return connections.status();
  for (std::uint64_t k = 0; k < connections->count; ++k) {
    const auto entry = connections->entry(k);
    const auto argument = number_at<std::uint32_t>(entry, 0), unit = number_at<std::uint32_t>(entry, 4),
               bank = number_at<std::uint32_t>(entry, 8);
    if (argument > INT32_MAX || unit >= out_.units.size() || bank >= out_.banks.size())
      return invalid(connections->name + ": entry " + std::to_string(k) + " connects argument " +
                     std::to_string(argument) + " of unit " + std::to_string(unit) + " to bank " +
                     std::to_string(bank) + ", and the file has " + counted(out_.units.size(), "unit") + " and " +
                     counted(out_.banks.size(), "bank"));
    out_.connections.push_back({argument, unit, bank});
  }
  return {};
}

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// Another tool's metadata are none of ours. Unknown keys are for newer readers.
Status Reader::read_node() {
  const Section* const section = find(kUserMetadata);
  if (section == nullptr) return {};
  const auto bytes = contents(*section);
  if (!bytes.ok()) return bytes.status();
  std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  if (take_until(text, '\n') != wact::kKernelName) return {};
  Xclbin::Node node;
  const struct {
    std::string_view key;
    std::uint32_t* value;
  } numbers[]{{"stages", &node.stages},         {"routes", &node.routes}, {"channels", &node.channels},
              {"line_bytes", &node.line_bytes}, {"width", &node.width},   {"clock_mhz", &node.clock_mhz}};
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    const std::string_view key = take_until(value, ' ');
    while (key == "cores" && !value.empty()) {
      const std::string_view core = take_until(value, ' ');
      node.cores.push_back(core == "-" ? "" : printable(core));
    }
    for (const auto& number : numbers) {
      if (number.key != key) continue;
      const auto parsed = parse_digits(value);
      if (!parsed || *parsed > UINT32_MAX)
        return invalid(section->name() + ": '" + std::string(key) + "' is '" + printable(value) +
                       "', and a number is expected");
      *number.value = static_cast<std::uint32_t>(*parsed);
    }
  }
  for (const auto& number : numbers)
    if (*number.value == 0) return invalid(section->name() + ": '" + std::string(number.key) + "' is missing or 0");
  if (node.cores.empty()) return invalid(section->name() + ": 'cores' is missing or names none");
  out_.node = std::move(node);
  return {};
}

std::string text_of(const Xclbin& xclbin) {
  std::string kernels;
  for (const Xclbin::Unit& unit : xclbin.units)
    if (unit.is_kernel) kernels.append(kernels.empty() ? "" : ", ").append(unit.kernel + ":" + unit.name);
  return kernels.empty() ? "no kernel at all" : kernels;
}

}  // namespace

std::vector<std::uint32_t> Xclbin::units_of(std::string_view kernel) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t k = 0; k < units.size(); ++k)
    if (units[k].is_kernel && units[k].kernel == kernel) found.push_back(k);
  return found;
}

std::vector<std::uint32_t> Xclbin::banks_of(std::uint32_t unit, std::uint32_t argument) const {
  std::vector<std::uint32_t> found;
  for (const Connection& connection : connections)
    if (connection.unit == unit && connection.argument == argument) found.push_back(connection.bank);
  return found;
}

Result<Xclbin> parse_xclbin(std::uint64_t bytes, const ReadAt& read) { return Reader(bytes, read).parse(); }

Result<Xclbin> parse_xclbin(std::span<const std::byte> file) {
  return parse_xclbin(file.size(), [&](std::uint64_t offset, std::span<std::byte> bytes) {
    std::ranges::copy(file.subspan(offset, bytes.size()), bytes.begin());
    return true;
  });
}

Result<Xclbin> read_xclbin(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (file.get() < 0 || ::fstat(file.get(), &found) != 0)
    return {errno == ENOENT ? Code::kNotFound : Code::kUnavailable, path.string() + ": " + reason_of(errno)};
  if (!S_ISREG(found.st_mode)) return {Code::kUnavailable, path.string() + " is no plain file"};
  auto xclbin =
      parse_xclbin(static_cast<std::uint64_t>(found.st_size), [&](std::uint64_t offset, std::span<std::byte> bytes) {
        return ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
               static_cast<ssize_t>(bytes.size());
      });
  if (!xclbin.ok()) return xclbin.status().with_context(path.string());
  return xclbin;
}

namespace {

Status check_unit(const Xclbin& xclbin, std::uint32_t number) {
  const Xclbin::Unit& unit = xclbin.units[number];
  const std::string name = std::string(wact::kKernelName) + ":" + unit.name;
  if (!unit.is_chained)
    return {Code::kUnsupported, name +
                                    " of the xclbin is not controlled by ap_ctrl_chain: package the kernel with the "
                                    "kernel.xml of tools/fpga-xclbin"};
  for (const wact::Argument argument :
       {wact::kArgumentCommand, wact::kArgumentInput, wact::kArgumentOutput, wact::kArgumentResult})
    if (xclbin.banks_of(number, argument).empty())
      return {Code::kUnsupported, "argument " + std::to_string(argument) + " of " + name +
                                      " has no memory bank in the xclbin: link it with the configuration of "
                                      "tools/fpga-xclbin"};
  return {};
}

}  // namespace

Status check_node(const Xclbin& xclbin) {
  const std::string name(wact::kKernelName);
  const auto units = xclbin.units_of(name);
  if (units.empty())
    return {Code::kUnsupported, "the xclbin has no kernel '" + name + "', but " + text_of(xclbin) +
                                    ": link the project's kernel (docs/fpga.md)"};
  for (const std::uint32_t unit : units) WOA_RETURN_IF_ERROR(check_unit(xclbin, unit));
  if (!xclbin.node)
    return {Code::kUnsupported,
            "the xclbin does not say which cores its node has: add what `tools/fpga-xclbin "
            "--node` writes, by `xclbinutil --add-section USER_METADATA:RAW:FILE`"};
  return {};
}

bool same_platform(std::string_view card, std::string_view xclbin) {
  std::string base(card);
  for (const std::string_view part : {"_base", "_shell"})
    if (const std::size_t at = base.find(std::string(part) + "_"); at != std::string::npos) base.erase(at, part.size());
  return base == xclbin || xclbin.starts_with(base + "_");
}

}  // namespace woa
