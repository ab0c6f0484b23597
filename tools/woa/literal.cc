#include "tools/woa/literal.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/base/scalar.h"
#include "runtime/base/text.h"
#include "runtime/controller/port_shape.h"
#include "tools/frames/npy_array.h"

namespace woa::tools {
namespace {

template <typename T>
std::optional<T> whole_as(std::string_view text) {
  const auto value = [&] {
    if constexpr (std::is_signed_v<T>)
      return parse_signed(text);
    else
      return parse_whole(text);
  }();
  return value && std::in_range<T>(*value) ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
}

// Rounded once, to T. Elements may be infinite or no number (`inf`, `nan`), as those of a file may.
template <typename T>
std::optional<T> decimal_as(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() ? std::optional<T>(value) : std::nullopt;
}

// Appends the element that `text` spells; false if it spells none of type T.
template <typename T>
bool append(std::string_view text, std::vector<std::byte>& data) {
  const auto value = [&] {
    if constexpr (std::is_integral_v<T>)
      return whole_as<T>(text);
    else
      return decimal_as<T>(text);
  }();
  if (!value) return false;
  const std::size_t at = data.size();
  data.resize(at + sizeof *value);
  std::memcpy(data.data() + at, &*value, sizeof *value);
  return true;
}

using Append = bool (*)(std::string_view, std::vector<std::byte>&);
const std::map<std::string, Append, std::less<>> kAppend{{"u8", append<std::uint8_t>},   {"i8", append<std::int8_t>},
                                                         {"u16", append<std::uint16_t>}, {"i16", append<std::int16_t>},
                                                         {"u32", append<std::uint32_t>}, {"i32", append<std::int32_t>},
                                                         {"u64", append<std::uint64_t>}, {"i64", append<std::int64_t>},
                                                         {"f32", append<float>},         {"f64", append<double>}};

// TYPE[SHAPE]:VALUES
struct Parts {
  std::string element, values;
  std::optional<std::string> shape;
};

std::optional<Parts> parts_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  Parts parts{text.substr(0, colon), text.substr(colon + 1), std::nullopt};
  if (const std::size_t bracket = parts.element.find('['); bracket != std::string::npos) {
    if (!parts.element.ends_with(']')) return std::nullopt;
    parts.shape = parts.element.substr(bracket + 1, parts.element.size() - bracket - 2);
    parts.element.resize(bracket);
  }
  return parts;
}

// The texts between commas, without the spaces around them; none of an empty text.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> values;
  if (text.empty()) return values;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view value = text.substr(0, comma);
    const std::size_t begin = std::min(value.find_first_not_of(' '), value.size());
    values.push_back(value.substr(begin, value.find_last_not_of(' ') + 1 - begin));
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

std::uint64_t values_in(std::span<const std::uint32_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), std::uint64_t{1}, std::multiplies<>());
}

// The shape of `count` values, if `type` leaves no more than one dimension open.
std::optional<std::vector<std::uint32_t>> shape_for(const PortType& type, std::size_t count) {
  std::uint64_t fixed = 1;
  std::vector<std::uint32_t> dims;
  for (const Dimension& dim : type.dims) {
    fixed *= dim.size != 0 ? dim.size : 1;
    dims.push_back(dim.size);
  }
  if (type.variable_dims() > 1) return std::nullopt;
  std::ranges::replace(dims, 0U, static_cast<std::uint32_t>(count / fixed));
  return dims;
}

std::optional<std::vector<std::uint32_t>> parse_shape(std::string_view text) {
  std::vector<std::uint32_t> dims;
  for (const std::string_view value : split(text)) {
    const auto dim = whole_as<std::uint32_t>(value);
    if (!dim) return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

Status expected(const PortType& type, const std::string& found) {
  return {Code::kInvalid, found + "; expected " + to_string(type) + ", for instance " + literal_like(type)};
}

Result<std::vector<std::byte>> parse_array(const PortType& type, const Parts& parts) {
  const std::vector<std::string_view> values = split(parts.values);
  std::vector<std::byte> payload(type.prefix_bytes());
  for (const std::string_view value : values)
    if (!kAppend.at(parts.element)(value, payload))
      return expected(type, "'" + std::string(value) + "' is no " + parts.element);
  const auto dims = parts.shape ? parse_shape(*parts.shape) : shape_for(type, values.size());
  if (!dims) return expected(type, "the shape of " + counted(values.size(), "value") + " is not clear");
  if (values_in(*dims) != values.size())
    return expected(type, counted(values.size(), "value") + (values.size() == 1 ? " was given" : " were given"));
  const auto prefix = write_prefix(type, parts.element, *dims, payload);
  if (!prefix.ok()) return expected(type, prefix.status().message());
  const Status status = PortShape(type).check(payload);
  if (!status.ok()) return expected(type, status.message());
  return payload;
}

}  // namespace

bool is_literal(const std::string& text) {
  const auto parts = parts_of(text);
  return parts && (parts->element == "bytes" || kAppend.contains(parts->element));
}

Result<std::vector<std::byte>> parse_literal(const PortType& type, const std::string& text) {
  const Parts parts = *parts_of(text);
  if (parts.element != type.element) return expected(type, "these are " + parts.element);
  if (!type.dims.empty()) return parse_array(type, parts);
  if (parts.shape) return expected(type, "bytes have no shape");
  if (parts.values.size() > type.max_bytes)
    return expected(type, std::to_string(parts.values.size()) + " bytes are more than the declared max of " +
                              std::to_string(type.max_bytes));
  const auto* const data = reinterpret_cast<const std::byte*>(parts.values.data());
  return std::vector<std::byte>(data, data + parts.values.size());
}

std::string literal_like(const PortType& type) {
  if (type.dims.empty()) return "bytes:hello";
  constexpr std::size_t kShown = 4;
  std::uint64_t count = 1;
  std::string shape;
  for (const Dimension& dim : type.dims) {
    const std::uint32_t size = dim.size != 0 ? dim.size : 2;
    count *= size;
    shape += (shape.empty() ? "" : ",") + std::to_string(size);
  }
  std::string values;
  for (std::size_t k = 0; k < std::min<std::uint64_t>(count, kShown); ++k)
    values += (k == 0 ? "" : ",") + std::to_string(k + 1);
  if (count > kShown) values += ",...";
  return type.element + (type.variable_dims() > 1 ? "[" + shape + "]:" : ":") + values;
}

}  // namespace woa::tools
