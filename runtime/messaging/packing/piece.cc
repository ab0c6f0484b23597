#include "runtime/messaging/packing/piece.h"

namespace woa::packing {

std::string_view to_string(SendMode mode) noexcept {
  switch (mode) {
    case SendMode::kSafer: return "safer";
    case SendMode::kLater: return "later";
    case SendMode::kCheaper: return "cheaper";
  }
  return "unknown";
}

std::string_view to_string(ReceiveMode mode) noexcept {
  switch (mode) {
    case ReceiveMode::kExpress: return "express";
    case ReceiveMode::kCheaper: return "cheaper";
  }
  return "unknown";
}

std::string to_string(const Piece& piece) {
  return std::to_string(piece.bytes) + " bytes, " + std::string(to_string(piece.send)) + ", " +
         std::string(to_string(piece.receive));
}

bool valid(const Piece& piece) noexcept {
  return piece.send >= SendMode::kSafer && piece.send <= SendMode::kCheaper && piece.receive >= ReceiveMode::kExpress &&
         piece.receive <= ReceiveMode::kCheaper;
}

}  // namespace woa::packing
