// SPDX-License-Identifier: Apache-2.0
// Small messages between GPUs that can store into each other's memory. Each rank has a mailbox in its own memory, with a
// slot for each rank. A kernel of every rank stores the rank's message into all mailboxes, and behind it the number of
// the exchange; then it waits until that number stands at all slots of its own mailbox. So a message takes one way over
// the link, and the host has no part in it.
//
// Slots are in two sets by turns. A rank stores into a set again when it has had the messages of the exchange between
// from all ranks. They sent these after they had read the set. The caller lets a rank's exchanges follow each other on its
// device, and lets no kernel wait for one that may never be enqueued (cuda_thread_exchange.cuh).
#pragma once

#include <cuda/atomic>

#include <cstring>
#include <vector>

#include "../cuda/io/warp.cuh"
#include "../cuda/runtime/device_memory.cuh"
#include "../lookback/tile_memory.hpp"

namespace onepass::detail {

constexpr int most_peers = 32;             // addresses that are passed with a launch
constexpr std::size_t most_message = 496;  // bytes; with the number it is four lines of memory

// One rank's slot in a mailbox.
struct alignas(16) message_slot {
  unsigned char message[most_message];
  std::uint32_t exchange;  // the low bits of the number of the exchange that the message belongs to
};

// What a kernel knows of one exchange. It is passed with the launch.
struct peer_exchange {
  message_slot* mailboxes[most_peers];  // of each rank, as this device sees them
  int rank, ranks;                      // 0 ranks: there is no exchange
  std::uint64_t number;                 // of the exchange, from 1 on
  // In the host's memory: exchanges from this number on will not be completed.
  const volatile std::uint64_t* incomplete_from;

  __device__ message_slot* slots(int of) const {
    return mailboxes[of] + static_cast<std::size_t>(number % 2) * static_cast<std::size_t>(ranks);
  }
  // The message of rank q, after send_and_wait().
  template <class T>
  __device__ const T& message(std::size_t q) const {
    return *reinterpret_cast<const T*>(slots(rank)[q].message);
  }

  // Called by all lanes of one warp. Sends `mine` to all ranks and waits for the messages of all. Returns whether they
  // have come.
  template <class T>
  __device__ bool send_and_wait(const T& mine) const {
    static_assert(sizeof(T) <= most_message && alignof(T) <= 16);
    using number_in_slot = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system>;
    const auto low_number = static_cast<std::uint32_t>(number);
    for (int q = lane_id(); q < ranks; q += warp_size) {
      message_slot& to = slots(q)[rank];
      memcpy(to.message, static_cast<const void*>(&mine), sizeof(T));
      number_in_slot(to.exchange).store(low_number, ::cuda::memory_order_release);
    }
    bool has_come = true;
    for (int q = lane_id(); q < ranks; q += warp_size) {
      spin_guard guard;
      // The host's word is looked at seldom, as that takes a microsecond. 64: not measured.
      for (int tries = 1; has_come; ++tries) {
        if (number_in_slot(slots(rank)[q].exchange).load(::cuda::memory_order_acquire) == low_number) break;
        if (tries % 64 == 0) has_come = number < *incomplete_from;
        guard.check();
      }
    }
    __syncwarp();  // what a lane has seen come, all lanes may read
    return __all_sync(all_lanes, has_come);
  }
};

// Memory of a rank's own for one call at a time: to take some and give it back takes the host 5 us (two H100). It has
// room for a scan's exchange and what the blocks of a reduction of 8 bytes find.
constexpr std::size_t peer_memory_bytes = std::size_t{16} << 10;
struct peer_memory {
  control* head;  // counters that are zero between launches
  void* rest;     // peer_memory_bytes bytes that mean nothing
};

// A rank's mailbox, and its own memory.
class peer_mailbox {
 public:
  peer_mailbox(const char* call, std::size_t ranks) {
    const beside_captures guard;
    const std::size_t begin = round_up(2 * ranks * sizeof(message_slot), section_alignment);
    const std::size_t bytes = begin + sizeof(control) + peer_memory_bytes;
    void* memory = nullptr;
    check_cuda(call, cudaMalloc(&memory, bytes));
    slots_ = static_cast<message_slot*>(memory);
    own_.head = reinterpret_cast<control*>(static_cast<char*>(memory) + begin);
    own_.rest = own_.head + 1;
    try {
      check_cuda(call, cudaMemset(slots_, 0, bytes));
      check_cuda(call, cudaDeviceSynchronize());  // it is clear before another rank may store into it
    } catch (...) {
      release_now(slots_);
      throw;
    }
  }
  ~peer_mailbox() { release_now(slots_); }
  peer_mailbox(const peer_mailbox&) = delete;
  peer_mailbox& operator=(const peer_mailbox&) = delete;
  message_slot* slots() const { return slots_; }
  const peer_memory& own() const { return own_; }

 private:
  message_slot* slots_ = nullptr;
  peer_memory own_ = {};
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
