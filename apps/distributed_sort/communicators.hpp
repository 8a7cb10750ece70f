// SPDX-License-Identifier: Apache-2.0
// The communicators of onepass behind one class for the host's memory and one for GPUs, so that the sort is compiled once
// for each memory, whatever carries its data. They count the bytes that this rank sends to others.
#pragma once

#include <onepass/communicator.hpp>
#include <onepass/config.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distributed_sort {

// What a rank has sent to other ranks.
struct traffic {
  std::uint64_t items = 0;     // bytes of keys and values
  std::uint64_t messages = 0;  // bytes of all else

  void add_message(std::size_t bytes, int ranks) { messages += bytes * static_cast<std::size_t>(ranks - 1); }
  void add_items(const std::size_t* bytes, int rank, int ranks) {
    for (int q = 0; q < ranks; ++q) items += q == rank ? 0 : bytes[q];
  }
};

// A communicator of the host's memory (onepass/communicator.hpp), and what else the program asks of its ranks.
class host_communicator {
 public:
  using system = onepass::cpu_system;
  virtual ~host_communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) = 0;
  virtual void all_sum(const char* call, std::uint64_t* words, std::size_t n) = 0;
  virtual void all_to_all(const char* call, const void* send, const std::size_t* send_bytes, void* receive,
                          const std::size_t* receive_bytes) = 0;
  virtual void fail(const char* text) noexcept = 0;

  virtual int ranks_on_this_machine() const = 0;
  virtual int rank_on_this_machine() const = 0;
  // Returns when all ranks have called it. A rank that waits leaves its core to the others.
  virtual void rest_until_all_are_here() = 0;

  traffic sent;
};

template <class Comm>
class carried_by : public host_communicator {
 public:
  explicit carried_by(Comm comm) : comm_(std::move(comm)) {}
  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) override {
    sent.add_message(bytes, size());
    comm_.all_gather(call, mine, all, bytes);
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) override {
    sent.add_message(n * sizeof *words, size());
    comm_.all_sum(call, words, n);
  }
  void all_to_all(const char* call, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) override {
    sent.add_items(send_bytes, rank(), size());
    comm_.all_to_all(call, send, send_bytes, receive, receive_bytes);
  }
  void fail(const char* text) noexcept override { comm_.fail(text); }

 private:
  Comm comm_;
};

// Ranks that are threads: they sleep while they wait.
template <class Comm>
class carried_by_threads final : public carried_by<Comm> {
 public:
  using carried_by<Comm>::carried_by;
  int ranks_on_this_machine() const override { return this->size(); }
  int rank_on_this_machine() const override { return this->rank(); }
  void rest_until_all_are_here() override {
    const char mine = 0;
    std::vector<char> all(static_cast<std::size_t>(this->size()));
    this->all_gather("distributed_sort", &mine, all.data(), 1);
  }
};

// A communicator of the memory of GPUs. On request it notes when items move: it then waits for the device before and
// after.
class device_communicator {
 public:
  using system = onepass::cuda_system;
  using clock = std::chrono::steady_clock;
  virtual ~device_communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) = 0;
  virtual void all_sum(const char* call, std::uint64_t* words, std::size_t n) = 0;
  virtual void fail(const char* text) noexcept = 0;
  virtual void all_gather(const char* call, onepass::stream_t stream, const void* mine, void* all,
                          std::size_t bytes) = 0;
  virtual void all_to_all(const char* call, onepass::stream_t stream, const void* send, const std::size_t* send_bytes,
                          void* receive, const std::size_t* receive_bytes) = 0;
  virtual void* host_memory(const char* call, std::size_t bytes) = 0;
  virtual void record(const char* call, onepass::stream_t stream) = 0;
  virtual void wait(const char* call) = 0;

  traffic sent;
  struct move {
    clock::time_point begin, end;
  };
  bool notes_moves = false;
  std::vector<move> moves;
};

template <class Comm>
class carried_by_gpus final : public device_communicator {
 public:
  explicit carried_by_gpus(Comm comm) : comm_(std::move(comm)) {}
  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) override {
    sent.add_message(bytes, size());
    comm_.all_gather(call, mine, all, bytes);
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) override {
    sent.add_message(n * sizeof *words, size());
    comm_.all_sum(call, words, n);
  }
  void all_gather(const char* call, onepass::stream_t stream, const void* mine, void* all, std::size_t bytes) override {
    sent.add_message(bytes, size());
    comm_.all_gather(call, stream, mine, all, bytes);
  }
  void all_to_all(const char* call, onepass::stream_t stream, const void* send, const std::size_t* send_bytes,
                  void* receive, const std::size_t* receive_bytes) override {
    sent.add_items(send_bytes, rank(), size());
    if (!notes_moves) return comm_.all_to_all(call, stream, send, send_bytes, receive, receive_bytes);
    moves.reserve(moves.size() + 1);
    wait_for(call, stream);
    const clock::time_point begin = clock::now();
    comm_.all_to_all(call, stream, send, send_bytes, receive, receive_bytes);
    wait_for(call, stream);
    moves.push_back({begin, clock::now()});
  }
  void* host_memory(const char* call, std::size_t bytes) override { return comm_.host_memory(call, bytes); }
  void record(const char* call, onepass::stream_t stream) override { comm_.record(call, stream); }
  void wait(const char* call) override { comm_.wait(call); }
  void fail(const char* text) noexcept override { comm_.fail(text); }

 private:
  void wait_for(const char* call, onepass::stream_t stream) {
    comm_.record(call, stream);
    comm_.wait(call);
  }

  Comm comm_;
};

}  // namespace distributed_sort
