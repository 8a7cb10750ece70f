// SPDX-License-Identifier: Apache-2.0
// What ranks that are threads of one process share: where they meet, and what each rank has posted before it. Small
// messages are copied twice, through slots that live as long as this object. So a rank that has given up leaves nothing
// behind that another one may still read. Large ones are copied once, by their receiver, out of the sender's memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <vector>

#include <onepass/communicator.hpp>

#include "memory_parts.hpp"
#include "rank_barrier.hpp"

namespace onepass::detail {

// Copies between ranks in the host's memory. A class of copies has, for one rank:
//   begin(call)     called before the other ranks learn of this one's memory
//   copy(call, other, to, from, bytes)
//                   copies from the memory of the rank that `other` belongs to
//   end(call)       called when this rank has copied all, or as much as it could
//   wait_for(call, other)
//                   called when all ranks have: afterwards this rank may change what `other` has copied from it
// For lend() it also has
//   may_read(call, other)
//                   called before this rank reads memory of the rank that `other` belongs to
struct host_copies {
  void begin(const char*) const {}
  void copy(const char*, const host_copies&, void* to, const void* from, std::size_t bytes) const {
    std::memcpy(to, from, bytes);
  }
  void end(const char*) const {}
  void wait_for(const char*, const host_copies&) const {}
};

class thread_exchange {
 public:
  thread_exchange(std::size_t size, const communicator_options& options)
      : size_(size), posts_{std::vector<post>(size), std::vector<post>(size)}, barrier_(size, options.deadline) {}

  std::size_t size() const { return size_; }

  void all_gather(const char* call, std::size_t rank, const void* mine, void* all, std::size_t bytes) {
    const std::vector<post>& posts = post_copy(call, rank, kind::gather, mine, bytes);
    for (std::size_t q = 0; q < size_; ++q)
      copy_bytes(static_cast<char*>(all) + bytes * q, posts[q].copy.data(), bytes);
  }

  void all_sum(const char* call, std::size_t rank, std::uint64_t* words, std::size_t n) {
    const std::vector<post>& posts = post_copy(call, rank, kind::sum, words, n * sizeof *words);
    std::fill_n(words, n, std::uint64_t{0});  // memset takes no null
    for (const post& p : posts) {
      for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t word;
        std::memcpy(&word, p.copy.data() + i * sizeof word, sizeof word);
        words[i] += word;
      }
    }
  }

  // `copies` copies between the ranks' memory (host_copies above, or device_copies in cuda_thread_exchange.cuh).
  template <class Copies>
  void all_to_all(const char* call, std::size_t rank, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes, Copies& copies) {
    const std::vector<memory_part> to = parts_of(send_bytes, size_), from = parts_of(receive_bytes, size_);
    move(call, rank, {kind::to_all, {}, static_cast<const char*>(send), to.data(), nullptr}, copies,
         [&](std::size_t q, const post& sender) -> moved {
           const memory_part& sent = sender.parts[rank];
           if (sent.bytes != from[q].bytes) return {nullptr, nullptr, 0, false};
           return {static_cast<char*>(receive) + from[q].begin, sender.send + sent.begin, sent.bytes, true};
         });
  }
  // Copies `bytes` bytes of each rank to each rank, without copies in slots.
  template <class Copies>
  void all_gather(const char* call, std::size_t rank, const void* mine, void* all, std::size_t bytes, Copies& copies) {
    const memory_part whole{0, bytes};
    move(call, rank, {kind::gather_memory, {}, static_cast<const char*>(mine), &whole, nullptr}, copies,
         [&](std::size_t q, const post& sender) -> moved {
           return {static_cast<char*>(all) + q * bytes, sender.send, bytes, sender.parts->bytes == bytes};
         });
  }
  // Ranks read each other's memory as they like: use(posts) reads it, where posts[q] is what rank q has given as `mine`.
  template <class Copies, class Use>
  void lend(const char* call, std::size_t rank, const void* mine, Copies& copies, Use use) {
    meet(call, rank, {kind::lend, {}, static_cast<const char*>(mine), nullptr, nullptr}, copies,
         [&](const std::vector<post>& posts) {
           std::vector<const void*> all;
           for (const post& p : posts) {
             copies.may_read(call, *static_cast<Copies*>(p.copies));
             all.push_back(p.send);
           }
           use(all);
           return true;
         });
  }
  // Without a message.
  void wait_for_all(const char* call, std::size_t rank) { barrier_.wait(call, rank); }

  // What rank_barrier says of these.
  void fail(std::size_t rank, const char* text) noexcept { barrier_.fail(rank, text); }
  void check(const char* call) { barrier_.check(call); }
  void end(std::size_t rank, const char* text) noexcept { barrier_.end(rank, text); }
  void resume(const char* call) { barrier_.resume(call); }

 private:
  enum class kind { gather, sum, to_all, gather_memory, lend };
  struct post {
    kind of = kind::gather;
    std::vector<char> copy;
    const char* send = nullptr;
    const memory_part* parts = nullptr;
    const char* wrong = nullptr;  // what the rank could not do
    void* copies = nullptr;       // the rank's Copies
  };
  // What a rank copies from another one.
  struct moved {
    char* to;
    const char* from;
    std::size_t bytes;
    bool fits;  // both ranks know it to be of that size
  };

  // Each rank copies from all others what part(q, post of q) says, itself first, then the rank before it, and so on: so
  // no rank is read by all others at once.
  template <class Copies, class Part>
  void move(const char* call, std::size_t rank, const post& told, Copies& copies, Part part) {
    meet(call, rank, told, copies, [&](const std::vector<post>& posts) {
      bool fits = true;
      for (std::size_t step = 0; step < size_; ++step) {
        const std::size_t q = (rank + size_ - step) % size_;
        const moved p = part(q, posts[q]);
        fits = fits && p.fits;
        if (p.fits && p.bytes > 0) copies.copy(call, *static_cast<Copies*>(posts[q].copies), p.to, p.from, p.bytes);
      }
      return fits;
    });
  }
  // Each rank reads what the others have posted, by read(posts). It returns whether all ranks have told the same sizes.
  template <class Copies, class Read>
  void meet(const char* call, std::size_t rank, const post& told, Copies& copies, Read read) {
    copies.begin(call);
    post& mine = own_post(call, rank);
    mine.of = told.of, mine.send = told.send, mine.parts = told.parts, mine.copies = &copies, mine.wrong = nullptr;
    const std::vector<post>& posts = arrive(call, rank);
    bool fits = true;
    std::exception_ptr failure;
    const auto attempt = [&](auto&& step) {
      try {
        step();
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    };
    attempt([&] { fits = read(posts); });
    attempt([&] { copies.end(call); });
    if (failure) mine.wrong = "could not copy from another rank";
    else if (!fits) mine.wrong = "receives another number of bytes than is sent";
    // Until all have copied, no rank's memory is freed: not that of one that could not copy, either.
    barrier_.leave();
    for (const post& p : posts) attempt([&] { copies.wait_for(call, *static_cast<Copies*>(p.copies)); });
    if (failure) {
      fail(rank, "could not copy from another rank");
      std::rethrow_exception(failure);
    }
    // What one rank could not copy, or send, another one may wait for: all throw.
    for (std::size_t q = 0; q < size_; ++q) {
      if (posts[q].wrong != nullptr) barrier_.give_up(call, q, posts[q].wrong);
    }
  }
  static void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);  // memcpy takes no null
  }

  // Posts stand in two sets by turns. Who posts to a set again has been through the exchange between, and so have all
  // others: they have read what stood there. After a failure nobody posts, as ranks come through no exchange then.
  post& own_post(const char* call, std::size_t rank) {
    barrier_.check(call);
    return posts_of(rank)[rank];
  }
  std::vector<post>& posts_of(std::size_t rank) { return posts_[barrier_.begun(rank) % 2]; }

  const std::vector<post>& post_copy(const char* call, std::size_t rank, kind of, const void* data, std::size_t bytes) {
    post& mine = own_post(call, rank);
    mine.of = of;
    try {
      mine.copy.resize(bytes);
    } catch (const std::bad_alloc&) {
      barrier_.give_up(call, rank, "out of memory for a message");
    }
    copy_bytes(mine.copy.data(), data, bytes);
    const std::vector<post>& posts = arrive(call, rank);
    for (const post& p : posts) {
      if (p.copy.size() != bytes) barrier_.give_up(call, rank, "sends another number of bytes than another rank");
    }
    return posts;
  }

  // Waits until all ranks have posted, and returns the posts. Each rank checks that all are in the same kind of
  // exchange.
  const std::vector<post>& arrive(const char* call, std::size_t rank) {
    const std::vector<post>& posts = posts_of(rank);
    barrier_.wait(call, rank);
    for (const post& p : posts) {
      if (p.of != posts[rank].of) barrier_.give_up(call, rank, "is in another call than another rank");
    }
    return posts;
  }

  const std::size_t size_;
  std::vector<post> posts_[2];
  rank_barrier barrier_;
};

}  // namespace onepass::detail
