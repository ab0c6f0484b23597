#include "tools/frames/npy_array.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/base/scalar.h"
#include "runtime/controller/port_shape.h"

namespace woa::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderAlignment = 64;
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kElements{{{"u8", "|u1"},
                                                                                   {"i8", "|i1"},
                                                                                   {"u16", "<u2"},
                                                                                   {"i16", "<i2"},
                                                                                   {"u32", "<u4"},
                                                                                   {"i32", "<i4"},
                                                                                   {"u64", "<u8"},
                                                                                   {"i64", "<i8"},
                                                                                   {"f32", "<f4"},
                                                                                   {"f64", "<f8"}}};

// NumPy takes names with a number of bits, too.
constexpr std::array<std::pair<std::string_view, char>, 3> kNames{{{"float", 'f'}, {"uint", 'u'}, {"int", 'i'}}};

Status damaged() { return {Code::kInvalid, "it is no array of NumPy: save it with numpy.save()"}; }

Status archive() {
  return {
      Code::kInvalid,
      "it is an archive (.npz), or another ZIP file: save one array of it with numpy.save('x.npy', archive['name'])"};
}

// The header's text and its end, from the lengths in front of it.
struct Header {
  std::string_view text;
  std::size_t end = 0;
};

std::optional<Header> header_of(std::span<const std::byte> begin) {
  const std::string_view file(reinterpret_cast<const char*>(begin.data()), begin.size());
  const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(file[k])); };
  if (!file.starts_with(kMagic) || file.size() < 12) return std::nullopt;
  const bool first = byte(6) == 1;  // version 1 has a length of two bytes, later ones of four
  const std::size_t start = first ? 10 : 12;
  const std::size_t length = byte(8) + (byte(9) << 8) + (first ? 0 : (byte(10) << 16) + (byte(11) << 24));
  if (file.size() < start + length) return std::nullopt;
  return Header{file.substr(start, length), start + length};
}

// The text after 'KEY': in the header, a dictionary of Python, without leading spaces. Quotation marks may be double.
std::string_view value_of(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::size_t at = header.find(quote + std::string(key) + quote);
    if (at == std::string_view::npos) continue;
    const std::size_t colon = header.find(':', at + key.size() + 2);
    const std::size_t value = header.find_first_not_of(' ', colon == std::string_view::npos ? colon : colon + 1);
    return value == std::string_view::npos ? std::string_view() : header.substr(value);
  }
  return {};
}

// "(3, 4)" or "(3,)".
std::optional<std::vector<std::uint32_t>> shape_of(std::string_view text) {
  if (!text.starts_with('(') || text.find(')') == std::string_view::npos) return std::nullopt;
  text = text.substr(1, text.find(')') - 1);
  std::vector<std::uint32_t> dims;
  while (text.find_first_not_of(" ,") != std::string_view::npos) {
    text.remove_prefix(text.find_first_not_of(" ,"));
    const std::string_view digits = text.substr(0, text.find_first_of(" ,"));
    const auto dim = parse_digits(digits);
    if (!dim || !std::in_range<std::uint32_t>(*dim)) return std::nullopt;
    dims.push_back(static_cast<std::uint32_t>(*dim));
    text.remove_prefix(digits.size());
  }
  return dims;
}

// A descriptor such as '<f8': how the bytes of an element are ordered, its kind, and a number.
struct Descriptor {
  std::string_view text;  // without quotation marks
  char order = '|';       // none
  char kind = 0;
  std::uint64_t number = 0;

  // The bytes of an element; 0: unknown, as those of objects and records are.
  [[nodiscard]] std::uint64_t bytes() const {
    if (std::string_view("biufcSVmM").find(kind) != std::string_view::npos) return number;
    return kind == 'U' ? 4 * number : 0;
  }
};

std::optional<Descriptor> descriptor_of(std::string_view value) {
  if (value.empty() || (value[0] != '\'' && value[0] != '"')) return std::nullopt;
  const std::size_t end = value.find(value[0], 1);
  if (end == std::string_view::npos) return std::nullopt;
  Descriptor descriptor{.text = value.substr(1, end - 1)};
  std::string_view rest = descriptor.text;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    descriptor.order = rest[0];
    rest.remove_prefix(1);
  }
  if (rest.empty()) return std::nullopt;
  for (const auto& [name, kind] : kNames)
    if (rest.starts_with(name) && parse_digits(rest.substr(name.size()))) {
      descriptor.kind = kind;
      descriptor.number = *parse_digits(rest.substr(name.size())) / 8;
      return descriptor;
    }
  descriptor.kind = rest[0];
  rest.remove_prefix(1);
  const auto number = parse_digits(rest.substr(0, rest.find('[')));  // of dates: the unit follows
  descriptor.number = number.value_or(0);
  return descriptor;
}

// The element type; empty: payloads have none of the kind.
std::string element_of(const Descriptor& descriptor) {
  for (const auto& [element, written] : kElements)
    if (descriptor.kind == written[1] && descriptor.number == static_cast<std::uint64_t>(written[2] - '0'))
      return std::string(element);
  return {};
}

// Why payloads do not have such elements.
Status why_refused(const Descriptor& descriptor) {
  const std::string found = "its elements are '" + std::string(descriptor.text.substr(0, 32)) + "'";
  const std::string element = element_of(descriptor);
  if (element.empty()) {
    std::string names;
    for (const auto& [name, written] : kElements) names += " " + std::string(name);
    return {Code::kInvalid, found + ", expected one of" + names + ": convert it, for instance with array.astype('" +
                                (descriptor.kind == 'b' ? "u1" : "<f8") + "')"};
  }
  if (descriptor.order != '>' || descriptor.number == 1) return {};
  return {Code::kInvalid, found + ", the high byte first: save array.astype('<" + std::string(1, descriptor.kind) +
                              std::to_string(descriptor.number) + "')"};
}

std::optional<std::uint64_t> size_of(const Descriptor& descriptor, std::span<const std::uint32_t> dims) {
  std::uint64_t bytes = descriptor.bytes();
  if (bytes == 0) return std::nullopt;
  for (const std::uint32_t dim : dims)
    if (__builtin_mul_overflow(bytes, dim, &bytes)) return std::nullopt;
  return bytes;
}

std::string shape_text(const std::string& element, std::span<const std::uint32_t> dims) {
  std::string text = element + "[";
  for (std::size_t k = 0; k < dims.size(); ++k) text += (k == 0 ? "" : ",") + std::to_string(dims[k]);
  return text + "]";
}

bool fits(const PortType& type, const std::string& element, std::span<const std::uint32_t> dims) {
  if (element != type.element || dims.size() != type.dims.size()) return false;
  for (std::size_t k = 0; k < dims.size(); ++k)
    if (type.dims[k].size != 0 && type.dims[k].size != dims[k]) return false;
  return true;
}

}  // namespace

bool is_npy(const std::filesystem::path& file, const PortType& type) {
  return file.extension() == ".npy" && !type.dims.empty();
}

bool is_npy(std::span<const std::byte> begin) {
  return std::string_view(reinterpret_cast<const char*>(begin.data()), begin.size()).starts_with(kMagic);
}

Result<NpyArray> parse_npy(std::span<const std::byte> begin) {
  if (std::string_view(reinterpret_cast<const char*>(begin.data()), begin.size()).starts_with("PK")) return archive();
  const auto header = header_of(begin);
  if (!header) return damaged();
  const std::string_view value = value_of(header->text, "descr");
  const auto descriptor = descriptor_of(value);
  auto dims = shape_of(value_of(header->text, "shape"));
  if (!dims || value.empty()) return damaged();
  const auto bytes = descriptor ? size_of(*descriptor, *dims) : std::nullopt;
  if (!bytes)
    return {Code::kInvalid, "its elements are " +
                                std::string(value.substr(0, std::min<std::size_t>(value.find_first_of(",\n"), 32))) +
                                ", which are no numbers: save them as arrays of their own"};
  NpyArray array{element_of(*descriptor), std::move(*dims), header->end, *bytes, why_refused(*descriptor)};
  if (array.refused.ok() && value_of(header->text, "fortran_order").starts_with("True") && array.dims.size() > 1)
    array.refused = {Code::kInvalid, "its columns come first: save it with numpy.ascontiguousarray()"};
  return array;
}

Result<std::uint64_t> write_prefix(const PortType& type, const std::string& element,
                                   std::span<const std::uint32_t> dims, std::span<std::byte> room) {
  if (!fits(type, element, dims))
    return {Code::kInvalid, shape_text(element, dims) + " was given, expected " + to_string(type)};
  const std::uint64_t bytes = type.prefix_bytes();
  if (room.size() < bytes) return {Code::kTooLarge, "there is no room for its dimensions"};
  std::fill_n(room.begin(), bytes, std::byte{0});
  std::byte* next = room.data();
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (type.dims[k].size != 0) continue;
    std::memcpy(next, &dims[k], sizeof dims[k]);
    next += sizeof dims[k];
  }
  return bytes;
}

std::string npy_header(const PortType& type, std::span<const std::byte> payload) {
  woa_input array{};
  std::string shape;
  if (PortShape(type).show(payload, array))  // the sink has checked it
    for (std::uint32_t k = 0; k < array.rank; ++k) shape += (k == 0 ? "" : ", ") + std::to_string(array.dims[k]);
  if (array.rank == 1) shape += ",";
  const auto* const element =
      std::ranges::find(kElements, std::string_view(type.element), &decltype(kElements)::value_type::first);
  std::string text =
      "{'descr': '" + std::string(element->second) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  const std::size_t before = kMagic.size() + 4;
  text.append(kHeaderAlignment - 1 - (before + text.size()) % kHeaderAlignment, ' ').push_back('\n');
  const auto length = static_cast<std::uint16_t>(text.size());
  return std::string(kMagic) + '\1' + '\0' + static_cast<char>(length & 0xFF) + static_cast<char>(length >> 8) + text;
}

}  // namespace woa::tools
