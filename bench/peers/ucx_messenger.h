// Pipelines and fan-outs by UCX's active messages.
#pragma once

#include <ucp/api/ucp.h>

#include <vector>

#include "bench/peers/messenger.h"
#include "bench/peers/shapes.h"
#include "bench/peers/ucx_objects.h"

namespace woa::bench {

// Messages come into rooms of its own, in turns: small ones are copied there from the library's buffer, large ones read
// from the sender's memory (a rendezvous). Not movable: UCX knows where it is.
class UcxMessenger final : public Messenger {
 public:
  // `window`: sends under way to each target at most. The link's endpoints are those of the routing's targets.
  UcxMessenger(UcxLink link, const Routing& routing, std::size_t window);
  UcxMessenger(const UcxMessenger&) = delete;
  UcxMessenger& operator=(const UcxMessenger&) = delete;

  // Called before another side sends. kUnavailable: UCX refused.
  Status listen();

  Status send(std::span<const std::byte> message) override;
  Result<std::span<std::byte>> receive() override;
  Status settle() override;

 private:
  static constexpr unsigned kId = 0;

  struct Room {
    std::vector<std::byte> memory;
    std::size_t bytes = 0;
    bool full = false;
    ucs_status_t status = UCS_OK;
    void fill(ucs_status_t how, std::size_t length) { status = how, bytes = length, full = true; }
  };
  static ucs_status_t on_message(void* self, const void* header, std::size_t header_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* param);
  void fetch(Room& room, void* data, std::size_t bytes);

  std::vector<Room> rooms_;
  std::size_t come_ = 0, taken_ = 0;
  UcxPending pending_;
  UcxLink link_;  // ends before what its callbacks use
};

}  // namespace woa::bench
