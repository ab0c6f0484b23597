// Changes each field of a plan's body in turn, each in several ways. A program of its own: it needs reflection, which
// the small protobuf library of the runtime does not have, and a program should not hold both.
//
//   plan_mutator <BODY >CHANGED    CHANGED: for each change u32 and so many bytes of its name, u32 and body
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "compiler/certificate/certificate_fields.h"
#include "runtime/plan/plan_fields.h"

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Values for fields of other kinds, and names of nothing.
constexpr const char* kWords[] = {"",        "host",    "cpu:0",     "cpu:1",      "gpu:0",
                                  "woa",     "rpc-hub", "latency",   "throughput", "proved",
                                  "claimed", "gap",     "heuristic", "memory",     "\xff"};

class Mutator {
 public:
  explicit Mutator(Message& root) : root_(root) {}

  void change_all() { visit(root_, root_.GetDescriptor()->name()); }

 private:
  void visit(Message& message, const std::string& path) {
    const Reflection& reflection = *message.GetReflection();
    for (int f = 0; f < message.GetDescriptor()->field_count(); ++f) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(f);
      const std::string name = path + "." + field.name();
      if (field.is_repeated())
        visit_list(message, reflection, field, name);
      else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
        visit_message(message, reflection, field, name);
      else
        visit_value(message, reflection, field, name);
    }
  }

  void visit_message(Message& message, const Reflection& reflection, const FieldDescriptor& field,
                     const std::string& name) {
    if (!reflection.HasField(message, &field)) {
      reflection.MutableMessage(&message, &field);
      emit(name + " added");
      return reflection.ClearField(&message, &field);
    }
    visit(*reflection.MutableMessage(&message, &field), name);
    Message* const kept = reflection.ReleaseMessage(&message, &field);
    emit(name + " cleared");
    reflection.SetAllocatedMessage(&message, kept, &field);
  }

  void visit_list(Message& message, const Reflection& reflection, const FieldDescriptor& field,
                  const std::string& name) {
    const int size = reflection.FieldSize(message, &field);
    for (int k = 0; k < size; ++k) visit_element(message, reflection, field, k, name + "[" + std::to_string(k) + "]");
    if (size > 1) {
      reflection.SwapElements(&message, &field, 0, size - 1);
      emit(name + " swapped");
      reflection.SwapElements(&message, &field, 0, size - 1);
    }
    const std::string bytes = message.SerializeAsString();
    if (size > 0) {
      reflection.RemoveLast(&message, &field);
      emit(name + " shorter");
      message.ParseFromString(bytes);
    }
    add_element(message, reflection, field);
    emit(name + " longer");
    message.ParseFromString(bytes);
  }
  // Adds the last element once more.
  static void add_element(Message& message, const Reflection& reflection, const FieldDescriptor& field) {
    const int last = reflection.FieldSize(message, &field) - 1;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        Message* const added = reflection.AddMessage(&message, &field);
        if (last >= 0) added->CopyFrom(reflection.GetRepeatedMessage(message, &field, last));
        break;
      }
      case FieldDescriptor::CPPTYPE_STRING: reflection.AddString(&message, &field, "x"); break;
      case FieldDescriptor::CPPTYPE_UINT32: reflection.AddUInt32(&message, &field, 1); break;
      case FieldDescriptor::CPPTYPE_INT32: reflection.AddInt32(&message, &field, 1); break;
      case FieldDescriptor::CPPTYPE_UINT64: reflection.AddUInt64(&message, &field, 1); break;
      case FieldDescriptor::CPPTYPE_INT64: reflection.AddInt64(&message, &field, 1); break;
      default: fail("a list of a type that is not known here: " + field.full_name());
    }
  }

  void visit_element(Message& message, const Reflection& reflection, const FieldDescriptor& field, int k,
                     const std::string& name) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return visit(*reflection.MutableRepeatedMessage(&message, &field, k), name);
      case FieldDescriptor::CPPTYPE_STRING:
        return words(
            reflection.GetRepeatedString(message, &field, k),
            [&](const std::string& value) { reflection.SetRepeatedString(&message, &field, k, value); }, name);
      case FieldDescriptor::CPPTYPE_UINT32:
        return numbers(
            reflection.GetRepeatedUInt32(message, &field, k),
            [&](std::uint32_t value) { reflection.SetRepeatedUInt32(&message, &field, k, value); }, name);
      case FieldDescriptor::CPPTYPE_INT32:
        return numbers(
            reflection.GetRepeatedInt32(message, &field, k),
            [&](std::int32_t value) { reflection.SetRepeatedInt32(&message, &field, k, value); }, name);
      case FieldDescriptor::CPPTYPE_UINT64:
        return numbers(
            reflection.GetRepeatedUInt64(message, &field, k),
            [&](std::uint64_t value) { reflection.SetRepeatedUInt64(&message, &field, k, value); }, name);
      case FieldDescriptor::CPPTYPE_INT64:
        return numbers(
            reflection.GetRepeatedInt64(message, &field, k),
            [&](std::int64_t value) { reflection.SetRepeatedInt64(&message, &field, k, value); }, name);
      default: fail("a list of a type that is not known here: " + name);
    }
  }

  void visit_value(Message& message, const Reflection& reflection, const FieldDescriptor& field,
                   const std::string& name) {
    const bool was_there = !field.has_presence() || reflection.HasField(message, &field);
    change_value(message, reflection, field, name);
    if (!field.has_presence()) return;
    if (!was_there) return reflection.ClearField(&message, &field);
    const std::string bytes = message.SerializeAsString();
    reflection.ClearField(&message, &field);
    emit(name + " cleared");
    message.ParseFromString(bytes);
  }
  void change_value(Message& message, const Reflection& reflection, const FieldDescriptor& field,
                    const std::string& name) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(&message, &field, !reflection.GetBool(message, &field));
        emit(name + " turned");
        return reflection.SetBool(&message, &field, !reflection.GetBool(message, &field));
      case FieldDescriptor::CPPTYPE_STRING:
        return words(
            reflection.GetString(message, &field),
            [&](const std::string& value) { reflection.SetString(&message, &field, value); }, name);
      case FieldDescriptor::CPPTYPE_UINT32:
        return numbers(
            reflection.GetUInt32(message, &field),
            [&](std::uint32_t value) { reflection.SetUInt32(&message, &field, value); }, name);
      case FieldDescriptor::CPPTYPE_INT32:
        return numbers(
            reflection.GetInt32(message, &field),
            [&](std::int32_t value) { reflection.SetInt32(&message, &field, value); }, name);
      case FieldDescriptor::CPPTYPE_UINT64:
        return numbers(
            reflection.GetUInt64(message, &field),
            [&](std::uint64_t value) { reflection.SetUInt64(&message, &field, value); }, name);
      case FieldDescriptor::CPPTYPE_INT64:
        return numbers(
            reflection.GetInt64(message, &field),
            [&](std::int64_t value) { reflection.SetInt64(&message, &field, value); }, name);
      default: fail("a field of a type that is not known here: " + name);
    }
  }

  template <class Number, class Set>
  void numbers(Number now, const Set& set, const std::string& name) {
    using Limits = std::numeric_limits<Number>;
    std::set<Number> values{0, 1, now / 2, Limits::max(), Limits::min()};
    if (now < Limits::max()) values.insert(now + 1);
    if (now > Limits::min()) values.insert(now - 1);
    values.erase(now);
    for (const Number value : values) {
      set(value);
      emit(name + " = " + std::to_string(value));
    }
    set(now);
  }
  template <class Set>
  void words(const std::string& now, const Set& set, const std::string& name) {
    for (const std::string value : kWords) {
      if (value == now) continue;
      set(value);
      emit(name + " = '" + value + "'");
    }
    set(now + "x");
    emit(name + " with an x");
    set(now);
  }

  void emit(const std::string& name) const {
    std::string body;
    {
      google::protobuf::io::StringOutputStream stream(&body);
      google::protobuf::io::CodedOutputStream coded(&stream);
      coded.SetSerializationDeterministic(true);
      root_.SerializeToCodedStream(&coded);
    }
    for (const std::string* text : {&name, &std::as_const(body)}) {
      const auto size = static_cast<std::uint32_t>(text->size());
      std::cout.write(reinterpret_cast<const char*>(&size), sizeof size);
      std::cout.write(text->data(), static_cast<std::streamsize>(text->size()));
    }
  }
  [[noreturn]] static void fail(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
  }

  Message& root_;
};

// Describes a message of the runtime to protobuf, by the list of its fields (runtime/plan/message.h). Messages in it
// are described within it.
class Describer {
 public:
  explicit Describer(google::protobuf::DescriptorProto& to) : to_(to) {}

  void operator()(int number, std::string_view name, const auto& value) {
    FieldDescriptorProto& field = *to_.add_field();
    field.set_number(number);
    field.set_name(std::string(name));
    std::ranges::replace(*field.mutable_name(), '.', '_');
    field.set_label(FieldDescriptorProto::LABEL_OPTIONAL);
    describe(field, value);
  }

 private:
  using FieldDescriptorProto = google::protobuf::FieldDescriptorProto;

  template <class T>
  void describe(FieldDescriptorProto& field, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      field.set_type(FieldDescriptorProto::TYPE_BOOL);
    } else if constexpr (std::is_integral_v<T>) {
      const bool wide = sizeof(T) > sizeof(std::uint32_t);
      if (std::is_signed_v<T>)
        field.set_type(wide ? FieldDescriptorProto::TYPE_SINT64 : FieldDescriptorProto::TYPE_SINT32);
      else
        field.set_type(wide ? FieldDescriptorProto::TYPE_UINT64 : FieldDescriptorProto::TYPE_UINT32);
    } else if constexpr (woa::message::Wrapped<T>) {
      field.set_type(FieldDescriptorProto::TYPE_UINT32);
    } else {
      field.set_type(FieldDescriptorProto::TYPE_MESSAGE);
      field.set_type_name("M" + std::to_string(field.number()));
      auto& within = *to_.add_nested_type();
      within.set_name(field.type_name());
      Describer describer(within);
      fields(describer, value);
    }
  }
  void describe(FieldDescriptorProto& field, const std::string& /*text*/) {
    field.set_type(FieldDescriptorProto::TYPE_BYTES);
  }
  template <class T>
  void describe(FieldDescriptorProto& field, const woa::message::AnyText<T>& any) {
    // The runtime sees a plan's proofs as bytes. Here they are the message in them, whose encoding is the same.
    if (field.name() == "proofs") return describe(field, woa::CertifiedPlan());
    describe(field, any.text);
  }
  template <class T>
  void describe(FieldDescriptorProto& field, const woa::message::Fixed<T>& /*number*/) {
    field.set_type(FieldDescriptorProto::TYPE_FIXED64);
  }
  template <class T>
  void describe(FieldDescriptorProto& field, const woa::message::Unless<T>& /*number*/) {
    describe(field, std::optional<std::uint32_t>());
  }
  template <class T>
  void describe(FieldDescriptorProto& field, const std::optional<T>& /*value*/) {
    describe(field, T());
    if (!std::is_integral_v<T>) return;  // a message may be absent anyway
    field.set_proto3_optional(true);
    field.set_oneof_index(to_.oneof_decl_size());
    to_.add_oneof_decl()->set_name("_" + field.name());
  }
  template <class T>
  void describe(FieldDescriptorProto& field, const std::vector<T>& /*list*/) {
    repeat(field, T());
  }
  void describe(FieldDescriptorProto& field, const woa::message::Pairs& /*pairs*/) { repeat(field, std::uint32_t()); }
  template <class Key, class Value>
  void describe(FieldDescriptorProto& field, const std::map<Key, Value>& /*map*/) {
    Key key;
    Value value{};
    repeat(field, woa::message::Entry<Key, Value>{key, value});
  }
  template <class Key, class Value>
  void describe(FieldDescriptorProto& field, const std::vector<std::map<Key, Value>>& /*maps*/) {
    std::map<Key, Value> map;
    repeat(field, woa::message::Within<std::map<Key, Value>>{map});
  }
  void repeat(FieldDescriptorProto& field, const auto& element) {
    describe(field, element);
    field.set_label(FieldDescriptorProto::LABEL_REPEATED);
  }

  google::protobuf::DescriptorProto& to_;
};

std::string all_of(std::istream& stream) { return {std::istreambuf_iterator<char>(stream), {}}; }

}  // namespace

int main() {
  google::protobuf::FileDescriptorProto messages;
  messages.set_name("plan");
  messages.set_syntax("proto3");
  auto& body = *messages.add_message_type();
  body.set_name("Plan");
  const woa::Plan empty;
  const std::string proofs;
  Describer describer(body);
  fields(describer, woa::PlanBody<const woa::Plan, const std::string>{empty, proofs});
  google::protobuf::DescriptorPool pool;
  const auto* const file = pool.BuildFile(messages);
  if (file == nullptr) return 2;
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<Message> plan(factory.GetPrototype(file->FindMessageTypeByName("Plan"))->New());
  if (!plan->ParseFromString(all_of(std::cin))) return 2;
  Mutator(*plan).change_all();
  return std::cout.flush() ? 0 : 1;
}
