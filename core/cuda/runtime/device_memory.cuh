// SPDX-License-Identifier: Apache-2.0
// Device memory for calls: allocation of users' workspaces, and the library's own memory.
//
// For calls without a workspace the library keeps tiles for each stream: the part of a workspace that must stay zeroed
// and in order. Scratch comes from a memory pool of the library's own. It is allocated and freed in stream order, so it
// is reused without a call of the driver's allocator. `release_memory` gives all unused memory back. Neither can serve
// a stream that is being captured, as the graph may run on any stream at any time: then the graph gets memory of its
// own.
//
// The shared libraries of a process share all this. A library whose names are hidden (-fvisibility=hidden) has its own,
// and its `release_memory` gives back that.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "../../execution/scratch_layout.hpp"
#include "launch.cuh"

namespace onepass::detail {

// While an object of this class lives, this thread may allocate and free memory, and wait, although another stream is
// being captured, by whatever thread: such a call neither fails because of the capture nor makes the capture invalid, as
// the two have nothing to do with each other.
class beside_captures {
 public:
  beside_captures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~beside_captures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  beside_captures(const beside_captures&) = delete;
  beside_captures& operator=(const beside_captures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// ---- the library's pool ---------------------------------------------------------------------------------------------
// The pool of the current device. It is made at first use and never destroyed, as the driver may shut down first at
// exit.
inline cudaMemPool_t memory_pool(const char* call) {
  static std::mutex mutex;
  static auto* pools = new std::map<int, cudaMemPool_t>;
  const int device = current_device(call);
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = pools->find(device);
  if (found != pools->end()) return found->second;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  cudaMemPool_t pool = nullptr;
  check_cuda(call, cudaMemPoolCreate(&pool, &props));
  std::uint64_t keep_all = ~std::uint64_t{0};
  check_cuda(call, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  pools->emplace(device, pool);
  return pool;
}

inline void* allocate(const char* call, std::size_t bytes, stream_t stream) {
  void* memory = nullptr;
  const beside_captures guard;
  check_cuda(call, cudaMallocFromPoolAsync(&memory, bytes, memory_pool(call), stream));
  return memory;
}

// Frees memory of the pool, in the stream's order.
inline cudaError_t free_in_order(void* memory, stream_t stream) {
  const beside_captures guard;
  return cudaFreeAsync(memory, stream);
}

inline void wait_for_stream(const char* call, stream_t stream) {
  const beside_captures guard;
  check_cuda(call, cudaStreamSynchronize(stream), true);
}

inline bool is_capturing(const char* call, stream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(call, cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

// Frees memory. For memory from cudaMalloc this waits for the device. Memory from a pool is free for others at once.
inline void release_now(void* memory) {
  const beside_captures guard;
  (void)cudaFree(memory);
}

// ---- workspaces of users --------------------------------------------------------------------------------------------
template <>
struct workspace_memory<cuda_policy> {
  // Not from the pool: a workspace may be destroyed while calls on any stream still work in it, and cudaFree waits for
  // them.
  static void* allocate(const cuda_policy&, std::size_t bytes) {
    void* memory = nullptr;
    const beside_captures guard;
    check_cuda("workspace", cudaMalloc(&memory, bytes));
    return memory;
  }
  static void clear(const cuda_policy& policy, void* memory, std::size_t bytes) {
    check_cuda("workspace", cudaMemsetAsync(memory, 0, bytes, policy.stream()));
  }
  static void release(void* memory) {
    release_now(memory);
  }  // waits for calls that still run; a destructor cannot throw
};

// ---- the library's tiles --------------------------------------------------------------------------------------------
struct stream_tiles {
  // Locked while a call enqueues its work, so that the calls of two host threads on one stream do not interleave.
  std::mutex busy;
  tile_memory memory;
  // Stands in the stream behind the last call's work. It is recorded only where there are many streams: other programs
  // need no event, and do not pay for one in each call.
  cudaEvent_t last_call = nullptr;
  bool is_recorded = false;

  stream_tiles() = default;
  stream_tiles(const stream_tiles&) = delete;
  stream_tiles& operator=(const stream_tiles&) = delete;
  ~stream_tiles() {
    if (last_call != nullptr) (void)cudaEventDestroy(last_call);
  }

  // Called before and after a call's work, by the thread that has locked `busy`.
  void watch(const char* call) {
    const beside_captures guard;
    if (last_call == nullptr) check_cuda(call, cudaEventCreateWithFlags(&last_call, cudaEventDisableTiming));
  }
  void record(stream_t stream) { is_recorded = cudaEventRecord(last_call, stream) == cudaSuccess; }

  // Whether no call works with these tiles any more, on the host or on the device. False if that is not known.
  bool are_idle() {
    const std::unique_lock<std::mutex> lock(busy, std::try_to_lock);
    if (!lock) return false;
    if (memory.head == nullptr) return true;
    if (!is_recorded) return false;
    const beside_captures guard;
    if (cudaEventQuery(last_call) == cudaSuccess) return true;
    (void)cudaGetLastError();  // clears cudaErrorNotReady: the call still runs, which is no error
    return false;
  }
};

inline std::size_t bytes_of_tiles(std::size_t tiles) { return workspace_size{tiles, 0}.bytes(); }

inline tile_memory allocate_tiles(const char* call, std::size_t tiles, stream_t stream) {
  void* memory = allocate(call, bytes_of_tiles(tiles), stream);
  const cudaError_t cleared = cudaMemsetAsync(memory, 0, bytes_of_tiles(tiles), stream);
  if (cleared != cudaSuccess) (void)free_in_order(memory, stream);
  check_cuda(call, cleared);
  auto* head = static_cast<control*>(memory);
  return {head, reinterpret_cast<slot*>(head + 1), static_cast<tile_t>(tiles)};
}

// The tiles of a stream, and whether there are so many streams that each call has to record an event at its end.
// Streams are told apart by their id, which the driver never uses twice. When there are most_streams, the memory of
// those that are known to have ended their work is given back. The first few_streams may have recorded no event, and
// then keep their memory.
struct known_tiles {
  std::shared_ptr<stream_tiles> tiles;
  bool are_many;
};
inline known_tiles tiles_of_stream(const char* call, stream_t stream) {
  using key = std::pair<int, unsigned long long>;
  static std::mutex mutex;
  static auto* known = new std::map<key, std::shared_ptr<stream_tiles>>;
  // More streams than most programs have, and still little memory: 64 KB each at least. What an event costs a call has
  // not been measured (docs/decisions.md).
  constexpr std::size_t few_streams = 128, most_streams = 256;
  unsigned long long id = 0;
  check_cuda(call, cudaStreamGetId(stream, &id));
  const key mine{current_device(call), id};
  const std::lock_guard<std::mutex> lock(mutex);
  const bool are_many = known->size() >= few_streams;
  const auto found = known->find(mine);
  if (found != known->end()) return {found->second, are_many};
  for (auto it = known->begin(); known->size() >= most_streams && it != known->end();) {
    const bool idle = it->first.first == mine.first && it->second.use_count() == 1 && it->second->are_idle();
    if (idle) release_now(it->second->memory.head);
    it = idle ? known->erase(it) : std::next(it);
  }
  return {(*known)[mine] = std::make_shared<stream_tiles>(), are_many};
}

}  // namespace onepass::detail
