#include "runtime/plan/message.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <iterator>
#include <limits>

#include "runtime/base/text.h"

namespace woa::message {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr int kMostTagBytes = 5;

CodedInputStream stream_of(std::string_view bytes) {
  return CodedInputStream(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
}

bool take_bytes(CodedInputStream& stream, std::string_view& bytes) {
  int size = 0, left = 0;
  if (!stream.ReadVarintSizeAsInt(&size)) return false;
  const void* at = nullptr;
  if (size > 0 && (!stream.GetDirectBufferPointer(&at, &left) || left < size)) return false;
  bytes = {static_cast<const char*>(at), static_cast<std::size_t>(size)};
  return stream.Skip(size);
}

bool take_value(CodedInputStream& stream, Field& field) {
  const std::uint32_t tag = stream.ReadTagNoLastTag();
  field.number = tag >> 3;
  field.type = static_cast<Field::Type>(std::min(tag & 7, static_cast<std::uint32_t>(Field::Type::kOther)));
  if (field.number == 0 || stream.CurrentPosition() > kMostTagBytes) return false;
  switch (field.type) {
    case Field::Type::kNumber: return stream.ReadVarint64(&field.value);
    case Field::Type::kFixed: return stream.ReadLittleEndian64(&field.value);
    case Field::Type::kBytes: return take_bytes(stream, field.bytes);
    default: return WireFormatLite::SkipField(&stream, tag);  // no message of ours has it
  }
}

}  // namespace

bool take_field(std::string_view& rest, Field& field) {
  if (rest.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  CodedInputStream stream = stream_of(rest);
  const bool ok = take_value(stream, field);
  rest.remove_prefix(static_cast<std::size_t>(stream.CurrentPosition()));
  return ok;
}

bool take_number(std::string_view& rest, std::uint64_t& number) {
  CodedInputStream stream = stream_of(rest);
  const bool ok = stream.ReadVarint64(&number);
  rest.remove_prefix(static_cast<std::size_t>(stream.CurrentPosition()));
  return ok;
}

void append(std::string& to, std::uint64_t number) {
  std::uint8_t bytes[10];
  const std::uint8_t* const end = CodedOutputStream::WriteVarint64ToArray(number, bytes);
  to.append(static_cast<const std::uint8_t*>(bytes), end);
}

void append_fixed(std::string& to, std::uint64_t number) {
  std::uint8_t bytes[8];
  CodedOutputStream::WriteLittleEndian64ToArray(number, bytes);
  to.append(std::begin(bytes), std::end(bytes));
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace woa::message
