#include "runtime/transport/slot_writer.h"

#include <string>

namespace woa {

Status SlotWriter::check_next(const ActivationPacket& sealed) const {
  if (sealed.sequence != cursor_.expected())
    return {Code::kDataLoss, "channel: sealed header has sequence " + std::to_string(sealed.sequence) + ", expected " +
                                 std::to_string(cursor_.expected()) + "; the device lost or repeated a packet"};
  return {};
}

HeaderWords SlotWriter::sealed(const ActivationPacket& header, std::uint32_t sequence) noexcept {
  ActivationPacket numbered = header;
  numbered.sequence = sequence;
  seal(numbered);
  return words_of(numbered);
}

Publication SlotWriter::place_sealed(const ActivationPacket& header,
                                     std::span<const std::byte> inline_payload) noexcept {
  carry(cursor_.slot(), inline_payload);
  const Publication placed = write(cursor_.slot(), words_of(header));
  cursor_.advance();
  return placed;
}

Publication SlotWriter::rewrite(const Publication& placed, std::uint32_t slot, const ActivationPacket& header,
                                std::span<const std::byte> inline_payload) noexcept {
  carry(slot, inline_payload);
  return write(slot, number(header, static_cast<std::uint32_t>(placed.value)));
}

}  // namespace woa
