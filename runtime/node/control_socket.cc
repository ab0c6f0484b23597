#include "runtime/node/control_socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/base/status.h"

namespace woa {
namespace {

constexpr std::size_t kMaxDescriptors = 250;  // the kernel takes 253 at a time
constexpr std::uint32_t kMaxMessageBytes = 1U << 30;

Status lost(const char* what) {
  if (errno == EAGAIN)  // only where blocking is limited
    return {Code::kDeadlineExceeded, std::string(what) + ": the other end does nothing"};
  return {Code::kPeerLost, std::string(what) + ": " + (errno == 0 ? "the other end closed" : std::strerror(errno))};
}

Status write_all(int fd, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = ::send(fd, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return lost("writing to the control socket");
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return {};
}

// Sends one byte that carries descriptors.
Status send_descriptors(int fd, std::span<const int> descriptors) {
  std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
  char mark = 'D';
  iovec data{&mark, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof(int) * descriptors.size());
  while (::sendmsg(fd, &message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return lost("passing descriptors");
  }
  return {};
}

void collect(msghdr& message, std::vector<UniqueFd>* descriptors) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t k = 0; k < count; ++k) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + k * sizeof(int), sizeof fd);
      UniqueFd owned(fd);
      if (descriptors != nullptr) descriptors->push_back(std::move(owned));
    }
  }
}

}  // namespace

Result<std::pair<ControlSocket, ControlSocket>> ControlSocket::pair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return limit_reached("making a control socket", errno);
  return std::pair(ControlSocket(UniqueFd(ends[0])), ControlSocket(UniqueFd(ends[1])));
}

// On the wire: u32 bytes, u32 descriptors, then one mark byte per batch of descriptors, then the message.
Status ControlSocket::send_bytes(const std::string& bytes, std::span<const int> descriptors) {
  errno = 0;
  const std::array<std::uint32_t, 2> head{static_cast<std::uint32_t>(bytes.size()),
                                          static_cast<std::uint32_t>(descriptors.size())};
  WOA_RETURN_IF_ERROR(write_all(fd_.get(), reinterpret_cast<const char*>(head.data()), sizeof head));
  while (!descriptors.empty()) {
    const std::size_t batch = std::min(descriptors.size(), kMaxDescriptors);
    WOA_RETURN_IF_ERROR(send_descriptors(fd_.get(), descriptors.first(batch)));
    descriptors = descriptors.subspan(batch);
  }
  return write_all(fd_.get(), bytes.data(), bytes.size());
}

Status ControlSocket::read_all(void* data, std::size_t bytes, std::vector<UniqueFd>* descriptors) {
  auto* to = static_cast<char*>(data);
  errno = 0;
  while (bytes > 0) {
    std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
    iovec part{to, bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(fd_.get(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return lost("reading from the control socket");
    collect(message, descriptors);
    // The kernel drops descriptors that this process has no room for.
    if ((message.msg_flags & MSG_CTRUNC) != 0) return limit_reached("receiving the run's memory", EMFILE);
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return {};
}

Result<std::string> ControlSocket::receive_bytes(std::vector<UniqueFd>* descriptors) {
  std::array<std::uint32_t, 2> head{};
  WOA_RETURN_IF_ERROR(read_all(head.data(), sizeof head, nullptr));
  if (head[0] > kMaxMessageBytes)
    return {Code::kDataLoss, "a control message of " + std::to_string(head[0]) + " bytes was announced"};
  for (std::uint32_t left = head[1]; left > 0; left -= std::min<std::uint32_t>(left, kMaxDescriptors)) {
    char mark = 0;
    WOA_RETURN_IF_ERROR(read_all(&mark, 1, descriptors));
  }
  std::string bytes(head[0], '\0');
  WOA_RETURN_IF_ERROR(read_all(bytes.data(), bytes.size(), nullptr));
  return bytes;
}

}  // namespace woa
