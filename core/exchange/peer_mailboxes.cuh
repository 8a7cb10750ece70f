// SPDX-License-Identifier: Apache-2.0
// Small messages between GPUs that can store into each other's memory. Each rank has a mailbox in its own memory, with a
// slot for each rank. A kernel of every rank stores the rank's message into all mailboxes; then it waits until all
// messages stand in its own. So a message takes one way over the link, and the host has no part in it. Each word of 8
// bytes has 4 bytes of a message and the number of the exchange: so a word says itself that it has come, and no store
// waits for another one (the protocol LL of NCCL).
//
// Slots are in two sets by turns. A rank stores into a set again when it has had the messages of the exchange between
// from all ranks. They sent these after they had read the set. The caller lets a rank's exchanges follow each other on its
// device, and lets no kernel wait for one that may never be enqueued (cuda_thread_exchange.cuh).
#pragma once

#include <cuda/atomic>

#include <atomic>
#include <cstring>
#include <vector>

#include "../cuda/io/warp.cuh"
#include "../cuda/runtime/device_memory.cuh"
#include "../cuda/runtime/launch.cuh"
#include "../lookback/tile_memory.hpp"

namespace onepass::detail {

constexpr int most_peers = 32;  // addresses that are passed with a launch
constexpr int most_message_words = 124;
constexpr std::size_t most_message = 4 * most_message_words;  // bytes

// One rank's slot in a mailbox. A word has the number of its exchange in its low half.
struct alignas(1024) message_slot {
  std::uint64_t words[most_message_words];
};

// What a kernel knows of one exchange. It is passed with the launch.
struct peer_exchange {
  message_slot* mailboxes[most_peers];  // of each rank, as this device sees them
  int rank, ranks;                      // 0 ranks: there is no exchange
  std::uint64_t number;                 // of the exchange, from 1 on
  // In the host's memory: exchanges from this number on will not be completed.
  const volatile std::uint64_t* incomplete_from;

  // Called by all lanes of one warp, once in the exchange. Sends `mine` to all ranks.
  template <class T>
  __device__ void send(const T& mine) const {
    static_assert(sizeof(T) <= most_message);
    std::uint32_t parts[words_of<T>] = {};
    memcpy(parts, static_cast<const void*>(&mine), sizeof(T));
    for (int q = lane_id(); q < ranks; q += warp_size) {
      message_slot& to = slots(q)[rank];
#pragma unroll
      for (int i = 0; i < words_of<T>; ++i) word(to, i).store(with_number(parts[i]), ::cuda::memory_order_relaxed);
      // Low halves of numbers come again. By then no word has kept an old one.
      if (static_cast<std::uint32_t>(number) >> 24 != static_cast<std::uint32_t>(number - 2) >> 24) {
        for (int i = words_of<T>; i < most_message_words; ++i)
          word(to, i).store(with_number(0), ::cuda::memory_order_relaxed);
      }
    }
  }
  // Called by all lanes of a warp, or of several warps. Waits for the messages of all ranks, which are values of T, and
  // returns whether they have come.
  template <class T>
  __device__ bool wait() const {
    bool has_come = true;
    for (int q = lane_id(); q < ranks; q += warp_size) {
      spin_guard guard;
      // The host's word is looked at once in milliseconds: that takes a microsecond, and blocks that look at the same time
      // take turns. Every 64 tries, 64 blocks took 70 us for 2^20 items where they take 12.
      for (unsigned tries = 1; has_come && !is_here<T>(slots(rank)[q]); ++tries) {
        if (tries % 4096 == 0) has_come = number < *incomplete_from;
        guard.check();
      }
    }
    __syncwarp();  // what a lane has seen come, all lanes may read
    return __all_sync(all_lanes, has_come);
  }
  // The message of a rank that was waited for.
  template <class T>
  __device__ T message(std::size_t q) const {
    alignas(T) unsigned char bytes[4 * words_of<T>];
#pragma unroll
    for (int i = 0; i < words_of<T>; ++i) {
      const auto part = static_cast<std::uint32_t>(load(slots(rank)[q], i) >> 32);
      memcpy(bytes + 4 * i, &part, sizeof part);
    }
    return *reinterpret_cast<const T*>(bytes);
  }

 private:
  template <class T>
  static constexpr int words_of = static_cast<int>(divide_up(sizeof(T), std::size_t{4}));
  using atomic_word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>;

  __device__ message_slot* slots(int of) const {
    return mailboxes[of] + static_cast<std::size_t>(number % 2) * static_cast<std::size_t>(ranks);
  }
  static __device__ atomic_word word(message_slot& s, int i) { return atomic_word(s.words[i]); }
  static __device__ std::uint64_t load(message_slot& s, int i) { return word(s, i).load(::cuda::memory_order_relaxed); }
  __device__ std::uint64_t with_number(std::uint32_t part) const {
    return std::uint64_t{part} << 32 | static_cast<std::uint32_t>(number);
  }
  template <class T>
  __device__ bool is_here(message_slot& s) const {
    bool all = true;
#pragma unroll
    for (int i = 0; i < words_of<T>; ++i)
      all &= static_cast<std::uint32_t>(load(s, i)) == static_cast<std::uint32_t>(number);
    return all;
  }
};

// Memory of a rank's own for one call at a time: to take some and give it back takes the host 5 us (two H100), and 8
// where four threads do so at once (four H200). It has room for a scan's exchange, for what the blocks of a reduction of
// 8 bytes find, and for the tiles of a scan by one kernel.
constexpr std::size_t peer_memory_bytes = std::size_t{16} << 10;
constexpr tile_t most_peer_tiles = 64;
struct peer_memory {
  control* head;         // counters that are zero between launches
  slot* tiles;           // most_peer_tiles descriptors of tiles, whose epoch is the number of the exchange
  void* told;            // most_message bytes that mean nothing, for what the device tells the host
  void* rest;            // peer_memory_bytes more
  bool blocks_may_wait;  // whether all blocks of a kernel may wait for other ranks (waiting_kernels)
};

// Called before ranks agree to wait for each other by such a kernel. CUDA loads a kernel when it is first asked for, and may
// wait for the device then, where another communicator's kernel may wait already.
template <int threads = warp_size, class Kernel>
void load_waiting_kernel(const char* call, Kernel* kernel) {
  (void)resident_blocks(kernel, threads, 0).architecture(call);
}

// A rank's mailbox, and its own memory.
class peer_mailbox {
 public:
  peer_mailbox(const char* call, std::size_t ranks) {
    const beside_captures guard;
    layout all;
    const std::size_t slots = all.add<message_slot>(static_cast<index_t>(2 * ranks)), head = all.add<control>(1),
                      tiles = all.add<slot>(most_peer_tiles), told = all.add<char>(most_message),
                      rest = all.add<char>(peer_memory_bytes);
    void* memory = nullptr;
    check_cuda(call, cudaMalloc(&memory, all.bytes()));
    slots_ = section<message_slot>(memory, slots);
    own_ = {section<control>(memory, head), section<slot>(memory, tiles), section<void*>(memory, told),
            section<void*>(memory, rest), false};
    try {
      clear(call, memory, all.bytes());  // before another rank may store into it
    } catch (...) {
      release_now(memory);
      throw;
    }
  }
  ~peer_mailbox() { release_now(slots_); }
  peer_mailbox(const peer_mailbox&) = delete;
  peer_mailbox& operator=(const peer_mailbox&) = delete;
  message_slot* slots() const { return slots_; }
  const peer_memory& own() const { return own_; }

 private:
  // On a stream of its own: another thread may capture a stream that the default stream would have to wait for.
  static void clear(const char* call, void* memory, std::size_t bytes) {
    const beside_captures guard;
    stream_t stream = nullptr;
    check_cuda(call, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaError_t error = cudaMemsetAsync(memory, 0, bytes, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    (void)cudaStreamDestroy(stream);
    check_cuda(call, error);
  }

  message_slot* slots_ = nullptr;  // what the memory begins with
  peer_memory own_ = {};
};

// A communicator's right to kernels of which all blocks wait for other ranks: up to most_peer_tiles blocks, on less than
// half of a device's multiprocessors. Two communicators have it at a time, so that all their blocks have room side by
// side, in whatever order devices begin their kernels. Kernels of others let one block wait. No kernel stands by behind one
// that waits (wait_for_previous_kernel_alone), and all others end by themselves. In a rank that is alone, blocks wait for
// its last block.
class waiting_kernels {
 public:
  explicit waiting_kernels(bool are_peers) {
    int taken = count();
    while (are_peers && taken < most && !count().compare_exchange_weak(taken, taken + 1)) {
    }
    are_allowed_ = are_peers && taken < most;
  }
  ~waiting_kernels() {
    if (are_allowed_) --count();
  }
  waiting_kernels(const waiting_kernels&) = delete;
  waiting_kernels& operator=(const waiting_kernels&) = delete;
  bool are_allowed() const { return are_allowed_; }

 private:
  static constexpr int most = 2;
  static std::atomic<int>& count() {
    static std::atomic<int> communicators{0};
    return communicators;
  }
  bool are_allowed_;
};

// Whether kernels of each device can read and write the memory of all others.
inline bool reach_each_other(const std::vector<int>& devices) {
  for (const int a : devices) {
    for (const int b : devices) {
      int can = a == b ? 1 : 0;
      if (a != b && cudaDeviceCanAccessPeer(&can, a, b) != cudaSuccess) (void)cudaGetLastError();
      if (can == 0) return false;
    }
  }
  return true;
}
// Whether ranks on such devices can have mailboxes. None may stand there twice: kernels of one device that wait for each
// other would need to be resident together.
inline bool are_peers(std::vector<int> devices) {
  std::sort(devices.begin(), devices.end());
  return devices.size() <= most_peers && std::adjacent_find(devices.begin(), devices.end()) == devices.end();
}

}  // namespace onepass::detail
