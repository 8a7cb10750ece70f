// SPDX-License-Identifier: Apache-2.0
// Tile descriptors: how a tile publishes its aggregate for other tiles. Written once for device and host.
//
// A descriptor is a tag and a value. The tag is the epoch of the launch that published it. So descriptors of earlier
// launches do not have to be cleared: their tags say that they are not published in this launch. There are three
// layouts:
//   narrow  values of up to 4 bytes: tag and value share one 8-byte atomic word
//   wide    values of up to 12 bytes: they share one 16-byte atomic word (device only: sm_70 and later have relaxed
//           accesses of 16 bytes)
//   apart   values of any size: the value is written first and then the tag is released; a reader acquires the tag and
//           then reads the value
// In the one-word layouts the value needs no ordering of its own. With `ordered` these accesses are releases and
// acquires, too. Calls in place need that: there a tile may overwrite what another tile has read, once the aggregate of
// that other tile is published. Other calls go without, as a release waits until everything that its multiprocessor has
// stored is visible. On the host accesses are always ordered: that costs nothing more, and ThreadSanitizer sees it.
//
// Tags wrap after 2^32 launches. An old tag must never be taken for a new one, so every launch clears the tag of slot
// `epoch % capacity` (`scrub`), unless it has published that slot. Every slot is then published or cleared once in
// `capacity` launches, and capacity is below 2^31.
//
// Source: D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016), section 4.
#pragma once

#include <cstring>
#include <new>
#include <type_traits>

#include <onepass/operators.hpp>

#include "tile_memory.hpp"
#include "../support/atomic_words.hpp"
#include "../support/where.hpp"

namespace onepass::detail {

using epoch_t = std::uint32_t;

#if ONEPASS_HAS_CUDA
// Writes a value word by word, with its padding bytes, as readers copy whole words.
template <class T>
__device__ void store_whole(T* p, const T& value) {
  using word = std::conditional_t<alignof(T) % 8 == 0, std::uint64_t,
                                  std::conditional_t<alignof(T) % 4 == 0, std::uint32_t, unsigned char>>;
  word words[sizeof(T) / sizeof(word)] = {};
  memcpy(words, static_cast<const void*>(object_address(value)), sizeof(T));
  for (std::size_t i = 0; i < sizeof(T) / sizeof(word); ++i) reinterpret_cast<word*>(p)[i] = words[i];
}
#endif

// The bytes of a value in a descriptor.
template <class T>
struct packed {
  static constexpr std::size_t size = sizeof(T);
  static ONEPASS_HOST_DEVICE void write(unsigned char* to, const T& value) {
    memcpy(to, static_cast<const void*>(object_address(value)), sizeof(T));
  }
  static ONEPASS_HOST_DEVICE T read(const unsigned char* from) {
    alignas(T) unsigned char bytes[sizeof(T)];
    memcpy(bytes, from, sizeof(T));
    return *reinterpret_cast<T*>(bytes);
  }
};
// A pair is stored without its padding, so that pairs with 8-byte values fit into one word.
template <class T>
struct packed<flagged<T>> {
  using flag = packed<typename flagged<T>::flag>;
  static constexpr std::size_t size = sizeof(T) + flag::size;
  static ONEPASS_HOST_DEVICE void write(unsigned char* to, const flagged<T>& pair) {
    packed<T>::write(to, pair.value);
    flag::write(to + sizeof(T), pair.head);
  }
  static ONEPASS_HOST_DEVICE flagged<T> read(const unsigned char* from) {
    return {packed<T>::read(from), flag::read(from + sizeof(T))};
  }
};

template <class T, class Where>
class descriptor_table {
 public:
  static constexpr bool moves_as_bytes =  // on the host only where a copy constructor does so, too
      std::is_trivially_destructible_v<T> && (Where::has_wide_words || std::is_trivially_copy_constructible_v<T>);
  static constexpr bool narrow = packed<T>::size <= 4 && moves_as_bytes;
  static constexpr bool wide = !narrow && packed<T>::size <= 12 && moves_as_bytes && Where::has_wide_words;
  static constexpr bool apart = !narrow && !wide;
  // What one read of a descriptor returns: the word with the tag, and with the value unless that stands apart.
  using raw = std::conditional_t<wide, wide_word, std::conditional_t<narrow, std::uint64_t, std::uint32_t>>;

  ONEPASS_HOST_DEVICE descriptor_table(slot* slots, T* values, epoch_t epoch, bool ordered = false)
      : slots_(slots), values_(values), epoch_(epoch), ordered_(ordered) {}

  // Publishes the aggregate of `tile`. Called once a launch for each tile.
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE void publish(tile_t tile, const T& value) const {
    if constexpr (apart) {
#if defined(__CUDA_ARCH__)
      store_whole(values_ + tile, value);
#else
      ::new (static_cast<void*>(values_ + tile)) T(value);
#endif
      store_release(&slots_[tile].tag, epoch_);
    } else {
      std::uint32_t words[4] = {epoch_, 0, 0, 0};
      packed<T>::write(reinterpret_cast<unsigned char*>(words + 1), value);
      store(tile, words);
    }
  }

  ONEPASS_HOST_DEVICE raw read(tile_t tile) const {
    if constexpr (narrow) {
      const auto* const word = reinterpret_cast<const std::uint64_t*>(slots_ + tile);
      return in_order() ? load_acquire(word) : load_relaxed(word);
    } else if constexpr (apart) {
      return load_acquire(&slots_[tile].tag);
    } else {
#if defined(__CUDA_ARCH__)
      const wide_word w = load_relaxed(reinterpret_cast<const wide_word*>(slots_ + tile));
      if (ordered_) fence_acquire_release();
      return w;
#else
      return {};
#endif
    }
  }

  ONEPASS_HOST_DEVICE bool is_published(const raw& r) const {
    if constexpr (wide) return static_cast<std::uint32_t>(r.low) == epoch_;
    else return static_cast<std::uint32_t>(r) == epoch_;
  }

  // The value of a published descriptor.
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE T value(tile_t tile, const raw& r) const {
    if constexpr (apart) {
      return values_[tile];
    } else {
      return packed<T>::read(reinterpret_cast<const unsigned char*>(&r) + sizeof(epoch_t));
    }
  }

  // Destroys a published value that stands apart.
  void destroy(tile_t tile) const { values_[tile].~T(); }

 private:
  ONEPASS_HOST_DEVICE bool in_order() const { return std::is_same_v<Where, on_host> || ordered_; }

  ONEPASS_HOST_DEVICE void store(tile_t tile, const std::uint32_t (&words)[4]) const {
    wide_word w;
    memcpy(&w, words, sizeof w);
    if constexpr (narrow) {
      auto* const word = reinterpret_cast<std::uint64_t*>(slots_ + tile);
      if (in_order()) store_release(word, w.low);
      else store_relaxed(word, w.low);
    } else {
#if defined(__CUDA_ARCH__)
      if (ordered_) fence_acquire_release();
      store_relaxed(reinterpret_cast<wide_word*>(slots_ + tile), w);
#endif
    }
  }

  slot* slots_;
  T* values_;  // used by the layout `apart` only
  epoch_t epoch_;
  bool ordered_;
};

// The epoch of a launch that finds `word` in the control block.
inline ONEPASS_HOST_DEVICE epoch_t epoch_of_launch(std::uint64_t word) {
  const auto next = static_cast<epoch_t>(word >> 32) + 1;
  return next > 0 ? next : 1;  // 0 is the tag of a slot that was never published
}

// Clears the tag of one slot, if it is not among the first `tiles` (see the top). Called once a launch, by one thread,
// for a launch that publishes the first `tiles` slots. A launch that may leave some out says 0, behind all its reads.
inline ONEPASS_HOST_DEVICE void scrub(const tile_memory& memory, tile_t tiles, epoch_t epoch) {
  const tile_t i = epoch % memory.capacity;
  if (i >= tiles) memory.slots[i].tag = 0;
}

}  // namespace onepass::detail
