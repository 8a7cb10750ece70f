// SPDX-License-Identifier: Apache-2.0
// The memory that the library keeps for devices and streams (core/cuda/runtime/device_memory.cuh): more streams than it remembers, streams
// that have come and gone, several devices in one process, a capture at the same time, and giving memory back.
#include <onepass/compact.hpp>
#include <onepass/memory.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/segmented_reduce.hpp>

#include <thrust/device_vector.h>

#include "support/occupier.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using number = std::int32_t;

void check(cudaError_t status) { test::check_cuda(status, "runtime"); }

// Of 1, 2, 3, ... on a stream, which it owns.
class scan_on_a_stream {
 public:
  explicit scan_on_a_stream(std::size_t n) : values_(n) {
    std::iota(values_.begin(), values_.end(), 1);
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaMalloc(&in_, n * sizeof(number)));
    check(cudaMalloc(&out_, n * sizeof(number)));
    check(cudaMemcpy(in_, values_.data(), n * sizeof(number), cudaMemcpyHostToDevice));
  }
  scan_on_a_stream(scan_on_a_stream&& other) noexcept
      : values_(std::move(other.values_)), stream_(other.stream_), in_(other.in_), out_(other.out_) {
    other.stream_ = nullptr;
    other.in_ = other.out_ = nullptr;
  }
  scan_on_a_stream& operator=(scan_on_a_stream&&) = delete;
  ~scan_on_a_stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    cudaFree(in_);
    cudaFree(out_);
  }

  cudaStream_t stream() const { return stream_; }
  void run() const { run(onepass::cuda(stream_)); }
  template <class Policy>
  void run(const Policy& policy) const {
    const auto n = static_cast<std::ptrdiff_t>(values_.size());
    onepass::inclusive_scan(policy, in_, in_ + n, out_, onepass::sum{});
  }
  void run_and_check() const {
    check(cudaMemset(out_, 0, values_.size() * sizeof(number)));
    check(cudaDeviceSynchronize());
    run();
    check_result();
  }
  void check_result() const {
    std::vector<number> result(values_.size()), expected(values_.size());
    std::partial_sum(values_.begin(), values_.end(), expected.begin(),
                     [](number a, number b) { return static_cast<number>(std::uint32_t(a) + std::uint32_t(b)); });
    check(cudaStreamSynchronize(stream_));
    check(cudaMemcpy(result.data(), out_, result.size() * sizeof(number), cudaMemcpyDeviceToHost));
    EXPECT_TRUE(result == expected);
  }

 private:
  std::vector<number> values_;
  cudaStream_t stream_ = nullptr;
  number *in_ = nullptr, *out_ = nullptr;
};

constexpr std::size_t some = 20011;  // several tiles
std::vector<scan_on_a_stream> on_streams(std::size_t streams) {
  std::vector<scan_on_a_stream> scans;
  for (std::size_t i = 0; i < streams; ++i) scans.emplace_back(some + i);
  return scans;
}

struct is_one {
  ONEPASS_HOST_DEVICE bool operator()(number x) const { return x == 1; }
};

}  // namespace

ONEPASS_GPU_TEST(device_memory, more_streams_than_are_remembered) {
  (void)backend;
  for (int round = 0; round < 2; ++round) {  // the second time, all are new
    const auto scans = on_streams(300);
    for (int again = 0; again < 2; ++again) {
      for (const auto& s : scans) s.run();
      for (const auto& s : scans) s.check_result();
    }
  }
}

// No stream's memory may go to another while its scan has not even begun.
ONEPASS_GPU_TEST(device_memory, many_streams_that_have_not_begun) {
  (void)backend;
  const auto scans = on_streams(300);
  scans[0].run_and_check();  // the kernel is loaded
  const test::stream holding;
  {
    test::occupier all_multiprocessors(holding.get(), test::occupier::most_blocks(0));
    for (const auto& s : scans) s.run();
  }
  for (const auto& s : scans) s.check_result();
  for (const auto& s : scans) s.run_and_check();
}

// A workspace may end, and its memory be another's, only when the calls in it have ended.
ONEPASS_GPU_TEST(device_memory, workspace_ends_before_its_call) {
  (void)backend;
  const auto scans = on_streams(2);
  scans[0].run_and_check();
  const auto needed = onepass::measure(onepass::cuda(), [&](const auto& policy) { scans[1].run(policy); });
  test::occupier all_multiprocessors(scans[0].stream(), test::occupier::most_blocks(0));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    all_multiprocessors.release();
  });
  for (const auto& s : scans) {
    onepass::workspace memory(onepass::cuda(s.stream()), needed);
    s.run(onepass::cuda(s.stream()).with(memory));
  }
  later.join();
  for (const auto& s : scans) s.check_result();
}

// Others' memory is given back while this thread captures.
ONEPASS_GPU_TEST(device_memory, capture_beside_many_streams) {
  (void)backend;
  const auto scans = on_streams(280);
  const scan_on_a_stream captured(some);
  check(cudaStreamBeginCapture(captured.stream(), cudaStreamCaptureModeGlobal));
  captured.run();
  for (const auto& s : scans) s.run();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(captured.stream(), &graph));
  for (const auto& s : scans) s.check_result();
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, captured.stream()));
  captured.check_result();
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

// Calls on another stream that wait, and take memory and give it back, by this thread and by another.
ONEPASS_GPU_TEST(device_memory, capture_beside_calls_that_wait) {
  (void)backend;
  const scan_on_a_stream captured(some), other(some);
  const thrust::device_vector<number> items(some, 1);
  thrust::device_vector<number> keys(some, 2), out(some), more(some);
  const auto policy = onepass::cuda(other.stream());
  const auto calls = [&] {
    const auto end = onepass::copy_if(policy, items.begin(), items.end(), out.begin(), is_one{});
    onepass::radix_sort(policy, keys.begin(), keys.end());
    const auto ends =
        onepass::reduce_by_key(policy, keys.begin(), keys.end(), items.begin(), out.begin(), more.begin());
    const auto half = onepass::partition(policy, keys.begin(), keys.end(), is_one{});
    return end == out.end() && ends.first - out.begin() == 1 && half == keys.begin();
  };
  bool are_right = false;
  for (const bool by_another : {false, true}) {
    check(cudaStreamBeginCapture(captured.stream(), cudaStreamCaptureModeGlobal));
    captured.run();
    if (by_another) std::thread([&] { are_right = calls(); }).join();
    else are_right = calls();
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(captured.stream(), &graph));
    check(cudaGraphDestroy(graph));
    EXPECT_TRUE(are_right) << by_another;
  }
}

ONEPASS_GPU_TEST(device_memory, is_given_back) {
  (void)backend;
  const scan_on_a_stream scan(some);
  const auto reserved = [] {
    std::uint64_t bytes = 0;
    check(cudaMemPoolGetAttribute(onepass::detail::memory_pool("test"), cudaMemPoolAttrReservedMemCurrent, &bytes));
    return bytes;
  };
  onepass::release_memory();
  const std::uint64_t before = reserved();
  void* scratch = onepass::detail::allocate("test", std::size_t{256} << 20, scan.stream());
  check(cudaFreeAsync(scratch, scan.stream()));
  check(cudaStreamSynchronize(scan.stream()));
  EXPECT_GE(reserved(), before + (std::uint64_t{256} << 20)) << "scratch is kept for the next call";
  onepass::release_memory();
  EXPECT_LE(reserved(), before + (std::uint64_t{64} << 20));
  scan.run_and_check();
}

// Each with its own memory, and with what is known of kernels there: short scans, and one that takes the pipeline.
ONEPASS_GPU_TEST(device_memory, several_devices) {
  (void)backend;
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "one device only";
  for (const std::size_t n : {some, test::limited(5000011)}) {
    std::vector<scan_on_a_stream> scans;
    for (int d = 0; d < devices; ++d) {
      check(cudaSetDevice(d));
      scans.emplace_back(n);
    }
    for (int round = 0; round < 3; ++round) {
      for (int d = devices; d-- > 0;) {
        check(cudaSetDevice(d));
        scans[static_cast<std::size_t>(d)].run();
      }
      for (int d = 0; d < devices; ++d) {
        check(cudaSetDevice(d));
        scans[static_cast<std::size_t>(d)].check_result();
      }
    }
    check(cudaSetDevice(0));
  }
}
#endif
