// woa_packet.h compiled by every OpenCL device here, against every golden vector.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/require.h"
#include "tests/unit/runtime/packet/vectors.h"

namespace woa {
namespace {

constexpr const char* kKernels = R"(
kernel void check_all(global const woa_packet *packets, global uint *answers, global uint *crcs) {
  const size_t i = get_global_id(0);
  woa_packet packet = packets[i];
  answers[i] = woa_packet_check(&packet);
  woa_packet_seal(&packet);
  crcs[i] = packet.crc32c;
}
)";

struct Answers {
  std::vector<std::uint32_t> rejections;
  std::vector<std::uint32_t> sealed_crcs;
};

std::vector<cl_device_id> all_devices() {
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS || platform_count == 0) return {};
  std::vector<cl_platform_id> platforms(platform_count);
  clGetPlatformIDs(platform_count, platforms.data(), nullptr);
  std::vector<cl_device_id> devices;
  for (const cl_platform_id platform : platforms) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) continue;
    devices.resize(devices.size() + count);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, &devices[devices.size() - count], nullptr);
  }
  return devices;
}

cl_program build(cl_context context, cl_device_id device) {
  std::ifstream file(WOA_SOURCE_DIR "/runtime/packet/generated/woa_packet.h");
  std::stringstream header;
  header << file.rdbuf();
  const std::string source = header.str() + kKernels;
  const char* text = source.c_str();
  cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
  const cl_int built = clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -Werror", nullptr, nullptr);
  if (built != CL_SUCCESS) {
    std::vector<char> log(65536);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    FAIL("woa_packet.h does not build: " << log.data());
  }
  return program;
}

std::vector<std::uint32_t> read(cl_command_queue queue, cl_mem buffer, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  REQUIRE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * 4, words.data(), 0, nullptr, nullptr) == CL_SUCCESS);
  return words;
}

Answers run(cl_device_id device, std::vector<ActivationPacket> packets) {
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  cl_program program = build(context, device);
  cl_kernel kernel = clCreateKernel(program, "check_all", nullptr);
  const std::size_t count = packets.size();
  cl_mem in =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count * kPacketBytes, packets.data(), nullptr);
  cl_mem answers = clCreateBuffer(context, CL_MEM_WRITE_ONLY, count * 4, nullptr, nullptr);
  cl_mem crcs = clCreateBuffer(context, CL_MEM_WRITE_ONLY, count * 4, nullptr, nullptr);
  for (cl_uint argument = 0; cl_mem * buffer : {&in, &answers, &crcs})
    REQUIRE(clSetKernelArg(kernel, argument++, sizeof *buffer, buffer) == CL_SUCCESS);
  REQUIRE(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  Answers result{read(queue, answers, count), read(queue, crcs, count)};
  for (cl_mem buffer : {in, answers, crcs}) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return result;
}

}  // namespace

TEST_CASE("woa_packet_check and woa_packet_seal on every OpenCL device") {
  const auto devices = all_devices();
  if (devices.empty()) test::skip("opencl", "the ICD loader lists no device; install one (pocl-opencl-icd)");
  const auto vectors = test::packet_vectors();
  std::vector<ActivationPacket> packets;
  std::vector<std::uint32_t> sealed_crcs;
  for (const auto& vector : vectors) {
    packets.push_back(vector.packet);
    ActivationPacket sealed = vector.packet;
    seal(sealed);
    sealed_crcs.push_back(sealed.crc32c);
  }
  for (const cl_device_id device : devices) {
    const Answers answers = run(device, packets);
    CHECK(test::disagreements(vectors, answers.rejections).empty());
    CHECK(answers.sealed_crcs == sealed_crcs);
  }
}

}  // namespace woa
