// Structs as protobuf messages. A struct that is stored or sent has one list of its fields, which the writer, the
// reader and the check of its texts visit:
//
//   void fields(auto& f, message::Like<Dimension> auto& m) {
//     f(1, "name", m.name);
//     f(2, "size", m.size);
//   }
//
// A new field is a line of that list. Its number never gets another meaning, and lines are in the order of the numbers,
// as the bytes are; none is above 63. The member's type decides how it travels: unsigned numbers and bool as they are,
// signed numbers as sint64, text as `bytes`, a struct as a message that is always there, a vector repeated (numbers
// packed, pairs of them one after the other), a map as messages of key and value, an optional value as `optional`, and
// a variant as the `oneof` whose k-th alternative has the number k. Zero, false and empty text are left out, whatever a
// member's default is. The types below make exceptions.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace woa::message {

template <class T, class Of>
concept Like = std::same_as<std::remove_const_t<T>, Of>;

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool is_utf8(std::string_view text);
template <std::integral T>
constexpr std::uint64_t to_wire(T number) {
  if constexpr (std::is_unsigned_v<T>)
    return number;
  else
    return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(std::int64_t{number} >> 63);
}
template <std::integral T>
constexpr T from_wire(std::uint64_t number) {
  if constexpr (std::same_as<T, bool>)
    return number != 0;
  else if constexpr (std::is_unsigned_v<T>)
    return static_cast<T>(number);
  else
    return static_cast<T>(number >> 1 ^ (0 - (number & 1)));
}

// One field as it lies in a message, or a field that the message does not have.
struct Field {
  enum class Type : std::uint8_t { kNumber = 0, kFixed = 1, kBytes = 2, kOther, kAbsent };  // protobuf's wire types
  std::uint32_t number = 0;
  Type type = Type::kAbsent;
  std::uint64_t value = 0;
  std::string_view bytes;  // the message's
};

// Text that need not be plain: a path, a source, a value.
template <class T>
struct AnyText {
  T& text;
  explicit AnyText(T& of) : text(of) {}
  [[nodiscard]] bool valid() const { return true; }
};
// Text that makes the message unreadable if it is not UTF-8.
template <class T>
struct Utf8 {
  T& text;
  explicit Utf8(T& of) : text(of) {}
  [[nodiscard]] bool valid() const { return is_utf8(text); }
};

// A number that travels as `wire`, unless it is `absent`.
template <class T>
struct Number {
  T& number;
  std::uint64_t wire;
  bool absent = wire == 0;
  Field::Type type = Field::Type::kNumber;
};
// 8 bytes, whatever the number.
template <class T>
struct Fixed : Number<T> {
  explicit Fixed(T& of) : Number<T>{of, of, of == 0, Field::Type::kFixed} {}
  void set(std::uint64_t value) { this->number = value; }
};
// A number from -1 on as one more than it.
template <class T>
struct FromMinusOne : Number<T> {
  explicit FromMinusOne(T& of) : Number<T>{of, static_cast<std::uint32_t>(of) + 1U} {}
  void set(std::uint64_t value) { this->number = static_cast<T>(static_cast<std::uint32_t>(value) - 1); }
};
// A number that is left out on a condition. The reader then leaves the member's default.
template <class T>
struct Unless : Number<T> {
  Unless(T& of, bool condition) : Number<T>{of, static_cast<std::uint32_t>(of), condition} {}
  void set(std::uint64_t value) { this->number = static_cast<T>(static_cast<std::uint32_t>(value)); }
};
// An enumeration, whose type has 8 bits. The reader tells of a number that is not `known`; one that does not fit is
// 255.
template <class T>
struct Enumeration : Number<T> {
  Enumeration(T& of, bool (*known_number)(std::uint32_t), std::string_view name)
      : Number<T>{of, static_cast<std::uint64_t>(of)}, known(known_number), what(name) {}
  void set(std::uint64_t value) {
    this->number = static_cast<T>(std::min<std::uint32_t>(static_cast<std::uint32_t>(value), 255));
  }
  bool (*known)(std::uint32_t);
  std::string_view what;
};
template <auto last>
bool up_to(std::uint32_t number) {
  return number <= static_cast<std::uint32_t>(last);
}
template <class T>
concept Wrapped = requires(T& value) {
  value.set(0);
};

// How an error names a message with an unknown number; empty: not at all. Types that have a name have overloads.
template <class T>
std::string place_of(const T& /*message*/) {
  return {};
}

// An entry of a map, and a map in a list; of references, so that their lists serve readers, too.
template <class Key, class Value>
struct Entry {
  Key& key;
  Value& value;
};
template <class Key, class Value>
void fields(auto& f, const Entry<Key, Value>& m) {
  f(1, "key", m.key);
  f(2, "value", m.value);
}
template <class T>
struct Within {
  T& of;
};
template <class T>
void fields(auto& f, const Within<T>& m) {
  f(1, "of", m.of);
}
template <class T>
concept OneOf = requires(T& variant) {
  std::get<std::monostate>(variant);
};
void fields(auto& f, OneOf auto& m) {
  [&]<std::size_t... k>(std::index_sequence<k...>) { (f.template alternative<k + 1>(m), ...); }
  (std::make_index_sequence<std::variant_size_v<std::remove_cvref_t<decltype(m)>> - 1>());
}

void append(std::string& to, std::uint64_t number);
void append_fixed(std::string& to, std::uint64_t number);

class Writer {
 public:
  template <class T>
  void operator()(std::uint32_t field, std::string_view /*name*/, const T& value) {
    if constexpr (std::integral<T> || std::same_as<T, std::string>) {
      if (value == T()) return;
    }
    write(field, value);
  }
  template <std::size_t k>
  void alternative(const auto& variant) {
    if (variant.index() == k) write(k, std::get<k>(variant));
  }
  std::string bytes;

 private:
  template <class T>
  void write(std::uint32_t field, const T& value) {
    if constexpr (std::integral<T>) {
      append(bytes, field << 3), append(bytes, to_wire(value));
    } else if constexpr (Wrapped<T>) {
      if (value.absent) return;
      append(bytes, field << 3 | static_cast<std::uint32_t>(value.type));
      value.type == Field::Type::kFixed ? append_fixed(bytes, value.wire) : append(bytes, value.wire);
    } else if constexpr (requires { value.valid(); }) {
      (*this)(field, {}, value.text);
    } else {
      Writer message;
      fields(message, value);
      write(field, message.bytes);
    }
  }
  void write(std::uint32_t field, const std::string& text) {
    append(bytes, field << 3 | static_cast<std::uint32_t>(Field::Type::kBytes)), append(bytes, text.size());
    bytes += text;
  }
  template <class T>
  void write(std::uint32_t field, const std::optional<T>& value) {
    if (value) write(field, *value);
  }
  template <class Key, class Value>
  void write(std::uint32_t field, const std::map<Key, Value>& map) {
    for (const auto& [key, value] : map) write(field, Entry<const Key, const Value>{key, value});
  }
  template <class Key, class Value>
  void write(std::uint32_t field, const std::vector<std::map<Key, Value>>& maps) {
    for (const auto& map : maps) write(field, Within<const std::map<Key, Value>>{map});
  }
  template <class T>
  void write(std::uint32_t field, const std::vector<T>& list) {
    if constexpr (std::integral<T> || std::same_as<std::vector<T>, Pairs>) {
      std::string packed;
      for (const T& each : list) pack(packed, each);
      (*this)(field, {}, packed);
    } else {
      for (const T& each : list) write(field, each);
    }
  }
  static void pack(std::string& to, std::integral auto number) { append(to, to_wire(number)); }
  static void pack(std::string& to, const Pairs::value_type& pair) { append(to, pair.first), append(to, pair.second); }
};

// They take the next field, or packed number, off `rest`, which is not empty. False: protobuf would not read it.
bool take_field(std::string_view& rest, Field& field);
bool take_number(std::string_view& rest, std::uint64_t& number);

// Reads a new message. False: protobuf would not read it. A known field of another type is skipped, as an unknown one
// is. `unknown` becomes the first unknown number of an enumeration, and its place.
template <class T>
bool read(std::string_view bytes, T&& message, std::string& unknown);

class Reader {
 public:
  explicit Reader(std::string& unknown) : unknown_(&unknown) {}

  // Reads one field into the member that has its number; in the end all members whose fields are absent.
  bool read(const Field& field, auto& message) {
    field_ = &field;
    fields(*this, message);
    return ok_;
  }
  void operator()(std::uint32_t field, std::string_view /*name*/, auto&& value) {
    const bool absent = field_->type == Field::Type::kAbsent;
    if (absent ? (seen_ >> field & 1) != 0 : field != field_->number) return;
    is_right_ = false;
    ok_ = take(value) && ok_;
    if (is_right_) seen_ |= std::uint64_t{1} << field;
  }
  template <std::size_t k>
  void alternative(auto& variant) {
    if (k != field_->number || !is(Field::Type::kBytes)) return;
    if (variant.index() != k) variant.template emplace<k>();
    ok_ = take(std::get<k>(variant));
  }

 private:
  // The field has the type of the member; or, for members with a value, is absent.
  bool is(Field::Type type) { return is_right_ = field_->type == type; }
  bool is_value(Field::Type type) { return is(type) || field_->type == Field::Type::kAbsent; }

  template <class T>
  bool take(T& value) {
    if constexpr (std::integral<T>) {
      if (is_value(Field::Type::kNumber)) value = from_wire<T>(field_->value);
      return true;
    } else if constexpr (Wrapped<T>) {
      if (is_value(value.type)) value.set(field_->value);
      return true;
    } else if constexpr (requires { value.valid(); }) {
      return take(value.text) && value.valid();
    } else {
      return !is_value(Field::Type::kBytes) || message::read(field_->bytes, value, *unknown_);
    }
  }
  template <class T>
  bool take(Unless<T>& value) {
    if (is(Field::Type::kNumber)) value.set(field_->value);
    return true;
  }
  template <class T>
  bool take(Enumeration<T>& enumeration) {
    if (!is_value(Field::Type::kNumber)) return true;
    enumeration.set(field_->value);
    const auto number = static_cast<std::uint32_t>(field_->value);
    if (!enumeration.known(number) && unknown_->empty())
      *unknown_ = ": unknown " + std::string(enumeration.what) + " " + std::to_string(number);
    return true;
  }
  bool take(std::string& text) {
    if (is_value(Field::Type::kBytes)) text = field_->bytes;
    return true;
  }
  template <class T>
  bool take(std::optional<T>& value) {
    if (!is(std::integral<T> ? Field::Type::kNumber : Field::Type::kBytes)) return true;
    return take(value.emplace());
  }
  template <class Key, class Value>
  bool take(std::map<Key, Value>& map) {
    if (!is(Field::Type::kBytes)) return true;
    Key key{};
    Value value{};
    const bool ok = message::read(field_->bytes, Entry<Key, Value>{key, value}, *unknown_);
    map[std::move(key)] = std::move(value);
    return ok;
  }
  template <class Key, class Value>
  bool take(std::vector<std::map<Key, Value>>& maps) {
    if (!is(Field::Type::kBytes)) return true;
    return message::read(field_->bytes, Within<std::map<Key, Value>>{maps.emplace_back()}, *unknown_);
  }
  template <class T>
  bool take(std::vector<T>& list) {
    if constexpr (std::integral<T>) {
      if (is(Field::Type::kNumber)) list.push_back(from_wire<T>(field_->value));
      std::string_view rest = is_right_ || !is(Field::Type::kBytes) ? std::string_view() : field_->bytes;
      for (std::uint64_t number = 0; !rest.empty(); list.push_back(from_wire<T>(number)))
        if (!take_number(rest, number)) return false;
      return true;
    } else {
      return !is(Field::Type::kBytes) || take(list.emplace_back());
    }
  }
  // Drops the last of an odd number of numbers.
  bool take(Pairs& pairs) {
    std::vector<std::uint32_t> numbers;
    const bool ok = take(numbers);
    for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) pairs.emplace_back(numbers[k], numbers[k + 1]);
    return ok;
  }

  const Field* field_ = nullptr;
  std::string* unknown_;
  std::uint64_t seen_ = 0;  // by number
  bool is_right_ = false, ok_ = true;
};

template <class T>
bool read(std::string_view bytes, T&& message, std::string& unknown) {
  const bool all_known = unknown.empty();
  Reader reader(unknown);
  Field field;
  while (!bytes.empty())
    if (!take_field(bytes, field) || !reader.read(field, message)) return false;
  if (!reader.read(Field(), message)) return false;
  const std::string place = all_known && !unknown.empty() ? place_of(message) : std::string();
  if (!place.empty()) unknown.insert(0, place + (unknown.front() == ':' ? "" : ", "));
  return true;
}

// The same value gives the same bytes.
template <class T>
std::string encode(const T& message) {
  Writer writer;
  fields(writer, message);
  return std::move(writer.bytes);
}

// True if `message` is now what the bytes say.
template <class T>
bool decode(std::string_view bytes, T& message) {
  std::string unknown;
  message = T();
  return read(bytes, message, unknown);
}

}  // namespace woa::message
