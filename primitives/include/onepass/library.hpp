// SPDX-License-Identifier: Apache-2.0
// onepass/library.hpp: onepass without a CUDA compiler. Plain C++17: include this, link the static library
// (onepass::onepass), and pass pointers and sizes. It has the algorithms of the other headers for common types and
// operators. This file is over 300 lines because it is the library's one header.
//
// All calls here share this:
//   Where      the first argument: execution::cpu(threads) or execution::cuda(stream). Pointers are host pointers with
//              the first, and device pointers with the second. Nothing is chosen automatically. allocate(), copy() and
//              wait() give programs without CUDA's headers device memory.
//   Types      integers of 8 to 64 bits, float, double, and floats of 16 bits: half and bfloat16, which are calculated
//              with as floats; each result is rounded once. Integers are calculated with in their own type: wide sums
//              are there for more. Calls that only move, compare or sort items also take bool, and so do keys of calls
//              by key. Values that go with sorted keys have 32 or 64 bits (in segments 32). Flags are bytes: 0 or not.
//   Ranges     a pointer and a count of items, which may be past 2^32 (of selections: onepass/select.hpp). A pointer may
//              be null where its count is 0, and an output of a compaction that waits where it gets no items.
//              Outputs have room for n items, if not said otherwise; they may be the input itself (in place) only
//              where that is said, and overlap nothing else. Flags, keys and offsets never overlap what is written.
//   Order      everything is stable, and gives the same bits on every run on the same device with the same settings,
//              floats included. Integer sums and products wrap around, also signed ones.
//   Waiting    on the CPU a call returns when all is done. On CUDA it only puts work into the stream; those that return
//              a count wait for it, and cannot be captured in a graph. NAME_async leaves the count in memory of the
//              backend (8 bytes) and does not wait. All that do not wait can be captured.
//   Extremes   a minimum or maximum of floats is NaN where an item is NaN (the first one's bits; of 16 bits: any NaN).
//   Workspace  the library's own: kept for each stream and used again, so that calls soon stop asking CUDA for memory.
//              With execution.with(allocator) it is the caller's: it is given back before the call returns, and the
//              library keeps none.
//   Cost       bytes moved and launches are those of the header that is named at each group.
//   Errors     onepass::invalid_argument (also: CUDA asked of a library built without it), onepass::bad_alloc and
//              onepass::cuda_error; the first two before any result is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "errors.hpp"

namespace onepass::library {

// ---- where a call runs ----------------------------------------------------------------------------------------------
// Where temporary memory of calls comes from. allocate(context, bytes) returns memory of the call's backend at any
// address, throws, or returns null: then the call throws bad_alloc. What it throws reaches the caller, and nothing has
// been written then. release(context, memory, bytes) must not throw. There are both functions, or neither; with one alone
// calls throw invalid_argument. On CUDA it is called while the device may still work in the memory, so the allocator has
// to keep the stream's order, as those of PyTorch, CuPy and RMM do.
struct allocator {
  void* context = nullptr;
  void* (*allocate)(void* context, std::size_t bytes) = nullptr;
  void (*release)(void* context, void* memory, std::size_t bytes) = nullptr;
};

// Where a call runs, with how many threads or in which stream, and where its temporary memory comes from. A value:
// copies are cheap, and several threads may read one at once.
class execution {
 public:
  // On the calling thread and up to threads - 1 others; 0: as many as the cores that the process may use; below 0 calls
  // throw.
  static execution cpu(int threads = 0) noexcept { return {false, threads, nullptr}; }
  // On the current CUDA device, in the order of `stream`, a cudaStream_t; null: the default stream.
  static execution cuda(void* stream = nullptr) noexcept { return {true, 0, stream}; }

  // The same with memory from `source`. On CUDA each call then clears the memory of its tiles, which is one operation
  // more in the stream.
  execution with(const allocator& source) const noexcept {
    execution other = *this;
    other.source_ = source;
    return other;
  }
  // The same for ranges whose size stands in memory, as the count of a NAME_async does: a call works on the first *size of
  // the n items that it is given, as if n were *size, and may read the others. A *size below 0 counts as 0, one above n as
  // n. On CUDA it is memory that the device can read, and it is read when the stream reaches the call; on the CPU when the
  // call begins. Outputs and results keep their room for n items: rows and offsets behind the size have no items. Calls
  // write nothing there, but for segmented_reduce. What a call writes must not be at `size`. What depends on the size and only
  // the device knows is not checked: n items have to fit indices, and from the end *size has to be of whole rows. Null: n
  // is the size.
  execution sized_by(const std::int64_t* size) const noexcept {
    execution other = *this;
    other.size_ = size;
    return other;
  }

  bool on_cuda() const noexcept { return on_cuda_; }
  int threads() const noexcept { return threads_; }
  void* stream() const noexcept { return stream_; }
  const allocator& source() const noexcept { return source_; }
  const std::int64_t* size() const noexcept { return size_; }

 private:
  execution(bool on_cuda, int threads, void* stream) noexcept : on_cuda_(on_cuda), threads_(threads), stream_(stream) {}
  bool on_cuda_;
  int threads_;
  void* stream_;
  allocator source_;
  const std::int64_t* size_ = nullptr;
};

// Whether execution::cuda() can work: the library was built with CUDA, and there is a device.
bool has_cuda() noexcept;

// Memory for items of any type, at least `bytes` bytes. release() gives it back, under the same kind of execution.
void* allocate(const execution& where, std::size_t bytes);
void release(const execution& where, void* memory) noexcept;
// Copies bytes after all earlier work of `where`, and waits. On CUDA each side may be host or device memory.
void copy(const execution& where, void* to, const void* from, std::size_t bytes);
// Waits for all earlier work of `where`. Throws if the device has met an error.
void wait(const execution& where);
// Gives unused workspace on the current CUDA device back to the driver. What streams keep for their next scan stays: up to
// 24 bytes a tile of the longest so far, 64 KB at least.
void release_workspace();

// ---- floats of 16 bits ----------------------------------------------------------------------------------------------
// binary16 of IEEE 754, and the upper half of a float. Here they are only stored: pointers to other types of the same
// format, such as CUDA's __half and __nv_bfloat16, are passed with a reinterpret_cast.
struct half {
  std::uint16_t bits;
};
struct bfloat16 {
  std::uint16_t bits;
};

// ---- operators ------------------------------------------------------------------------------------------------------
// The three on bits take integers alone; with floats a call throws invalid_argument.
enum class op { sum, product, minimum, maximum, bit_and, bit_or, bit_xor };

// What the calls come down to in the library; not for users. `init` is null where there is no initial value.
namespace detail {

enum class type { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64, float16, bfloat16 };

template <class T>
constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
constexpr bool is_word = is_float<T> || (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
// Numbers that calls calculate with.
template <class T>
struct number {
  static_assert(!std::is_same_v<T, bool>,
                "this call of onepass::library calculates, and bool is no number: count with a wide sum, or pass "
                "std::uint8_t");
  static_assert(is_float<T> || is_half<T> || (std::is_integral_v<T> && sizeof(T) <= 8),
                "this call of onepass::library works on integers of 8 to 64 bits and floats of 16 to 64 bits; other "
                "types: use the headers");
  using same = T;  // a T that is not deduced from
};
template <class T>
using same = typename number<T>::same;
template <class... Ts>
constexpr void check_numbers() {
  static_assert(((sizeof(number<Ts>) > 0) && ...));
}
template <class K>
constexpr void check_integer_keys() {
  static_assert(std::is_integral_v<K>, "onepass::library: the keys of this call have to be integers");
}

// Values that go where their keys go, and indices.
template <class T>
constexpr void check_words() {
  static_assert(is_word<T>, "onepass::library: the values or indices of this call have 32 or 64 bits");
}

template <class T>
constexpr void check_narrow_integers() {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 4,
                "onepass::library: the items of a wide sum are integers of 8 to 32 bits");
}

// bool counts as an integer of 8 bits.
template <class T>
constexpr type type_of() {
  static_assert(
      is_float<T> || is_half<T> || (std::is_integral_v<T> && sizeof(T) <= 8),
      "onepass::library works on bool, integers of 8 to 64 bits and floats of 16 to 64 bits; other types: use "
      "the headers");
  if constexpr (is_half<T>) return std::is_same_v<T, half> ? type::float16 : type::bfloat16;
  if constexpr (is_float<T>) return sizeof(T) == 4 ? type::float32 : type::float64;
  constexpr int log_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<type>(2 * log_size + (std::is_signed_v<T> ? 0 : 1));
}

struct const_items {
  template <class T>
  const_items(const T* at) : data(at), kind(type_of<T>()) {}
  const_items(const void* at, type of) : data(at), kind(of) {}
  const void* data;
  type kind;
};
struct items {
  template <class T>
  items(T* at) : data(at), kind(type_of<T>()) {}
  items(void* at, type of) : data(at), kind(of) {}
  void* data;
  type kind;
};

inline std::int64_t* checked_count(const char* call, std::int64_t* count) {
  if (count == nullptr) throw invalid_argument(call, "count is null");
  return count;
}

}  // namespace detail

// Segment i starts at item first[i]; first[i] <= first[i + 1], which is not checked. Offsets outside [0, n) start
// nothing, so row offsets of a sparse matrix will do.
struct offsets {
  const std::int64_t* first;
  std::size_t count;
};
// Segment i has the items from i * length up to (i + 1) * length: the rows of a dense array. The last may be shorter.
struct rows {
  std::int64_t length;
};
// The columns of a dense array with `width` items a row: item i + width follows item i. With a height, the items are
// such arrays of `height` rows one behind another, and each has columns of its own: any axis of an array of several,
// where width is the product of the extents behind the axis, and height the axis's.
struct columns {
  std::int64_t width;
  std::int64_t height = INT64_MAX;
};
// How a recurrence runs.
//   reverse      from the last item of a row or column to the first: h[t] = a[t] h[t + 1] + b[t]. Rows or columns then
//                have to be whole.
//   next_factor  each item takes the factor of the item that the recurrence has met before it. So in reverse
//                h[t] = a[t + 1] h[t + 1] + b[t]: with the gradient of h as b, that is the gradient of b.
struct recurrence_options {
  bool reverse = false;
  bool next_factor = false;
};
// Bin i of a histogram has the items of value lower + i; there are upper - lower bins, 1 to 2^24.
struct value_bins {
  std::int64_t lower, upper;
};
// `count` bins of one width, 1 to 2^24, from lower to upper, as onepass::even_bins: an item that is no more than a
// rounding error away from an edge may be in the bin on the other side of it.
struct even_bins {
  double lower, upper;
  std::int64_t count;
};
// The same for integers, exactly: x with lower <= x < upper is in bin (x - lower) * count / (upper - lower), rounded down.
struct even_integer_bins {
  std::int64_t lower, upper, count;
};
// Which bits of a key count in a sort, and in which direction; -1: up to the last.
struct radix_options {
  bool descending = false;
  int begin_bit = 0;
  int end_bit = -1;
};
// Which items a selection takes, and in which order it writes them.
struct top_k_options {
  bool smallest = false;     // the smallest, smallest first
  bool input_order = false;  // results stand in the order of the input
};
// `bits` (1 to 8) bits of an integer from bit `shift` on.
struct digit {
  int shift = 0;
  int bits = 8;
};

namespace detail {

// What calls take that have one result for an array or one for each segment.
struct segments {
  enum class are { all_items, rows, offsets };
  segments() = default;  // all items are one segment
  segments(const rows& of) : kind(are::rows), length(of.length) {}
  segments(const offsets& of) : kind(are::offsets), first(of.first), count(of.count) {}
  are kind = are::all_items;
  const std::int64_t* first = nullptr;
  std::size_t count = 0;
  std::int64_t length = 0;
};

void inclusive_scan(const execution&, const_items first, std::size_t n, items out, const void* init, op);
void exclusive_scan(const execution&, const_items first, std::size_t n, items out, const void* init, op);
void wide_sum(const char* call, const execution&, const_items first, std::size_t n, std::int64_t* out,
              std::int64_t init, bool inclusive);
void scan_by_key(const char* call, const execution&, const_items keys, std::size_t n, const_items values, items out,
                 const void* init, op);
void segmented_scan(const char* call, const execution&, const_items first, std::size_t n,
                    const std::uint8_t* head_flags, items out, const void* init, op);
void segmented_scan(const char* call, const execution&, const_items first, std::size_t n, const offsets&, items out,
                    const void* init, op);
void segmented_scan(const char* call, const execution&, const_items first, std::size_t n, const rows&, items out,
                    const void* init, op);
void segmented_scan(const char* call, const execution&, const_items first, std::size_t n, const columns&, items out,
                    const void* init, op);
void reverse_sum(const execution&, const_items first, std::size_t n, const rows&, items out);
void linear_recurrence(const execution&, const_items a, const_items b, std::size_t n, const columns&, items out,
                       const recurrence_options&);
std::size_t count_flags(const execution&, const std::uint8_t* flags, std::size_t n);
// These leave the count in `count`; where it is null, they wait and return it.
std::size_t compact(const char* call, const execution&, const_items first, std::size_t n, const std::uint8_t* flags,
                    items out, std::int64_t* count);
std::size_t partition(const char* call, const execution&, const_items first, std::size_t n, const std::uint8_t* flags,
                      items out_true, items out_false, std::int64_t* count);
std::size_t unique(const char* call, const execution&, const_items first, std::size_t n, items out,
                   std::int64_t* count);
std::size_t unique_count(const char* call, const execution&, const_items first, std::size_t n, std::int64_t* count);
std::size_t unique_by_key(const char* call, const execution&, const_items keys, std::size_t n, const_items values,
                          items out_keys, items out_values, std::int64_t* count);
void split(const execution&, const_items first, std::size_t n, items out, const digit&);
void sort(const execution&, items keys, std::size_t n, const radix_options&);
void sort_by_key(const execution&, items keys, std::size_t n, items values, const radix_options&);
void argsort(const execution&, const_items keys, std::size_t n, items out, const radix_options&);
void segmented_sort(const execution&, items keys, std::size_t n, const offsets&, const radix_options&);
void segmented_sort(const execution&, items keys, std::size_t n, const rows&, const radix_options&);
void segmented_sort_by_key(const execution&, items keys, std::size_t n, items values, const offsets&,
                           const radix_options&);
void segmented_sort_by_key(const execution&, items keys, std::size_t n, items values, const rows&,
                           const radix_options&);
std::size_t positions(const char* call, const execution&, const std::uint8_t* flags, std::size_t n, items out,
                      std::int64_t* count);
std::size_t run_length_encode(const char* call, const execution&, const_items first, std::size_t n, items out,
                              std::int64_t* lengths, std::int64_t* count);
std::size_t reduce_by_key(const char* call, const execution&, const_items keys, std::size_t n, const_items values,
                          items out_keys, items out_values, op, std::int64_t* count);
void segmented_reduce(const execution&, const_items first, std::size_t n, const offsets&, items out, const void* init,
                      op);
void segmented_reduce(const execution&, const_items first, std::size_t n, const rows&, items out, const void* init, op);
void top_k(const execution&, const_items keys, std::size_t n, const segments&, std::size_t k, items out,
           const top_k_options&);
void top_k_indices(const execution&, const_items keys, std::size_t n, const segments&, std::size_t k, items out,
                   items indices, const top_k_options&);
void top_k_by_key(const execution&, const_items keys, std::size_t n, const_items values, const segments&, std::size_t k,
                  items out_keys, items out_values, const top_k_options&);
void nth_element(const execution&, const_items first, std::size_t n, const segments&, std::size_t rank, items out);
void histogram(const execution&, const_items first, std::size_t n, const value_bins&, std::int64_t* counts);
void histogram(const execution&, const_items first, std::size_t n, const even_bins&, std::int64_t* counts);
void histogram(const execution&, const_items first, std::size_t n, const even_integer_bins&, std::int64_t* counts);
void histogram(const execution&, const_items first, std::size_t n, const_items edges, std::size_t edge_count,
               std::int64_t* counts);

}  // namespace detail

// ---- scan (onepass/scan.hpp); in place is allowed -------------------------------------------------------------------
// out[i] = first[0] op ... op first[i]; with an initial value, init op first[0] op ... op first[i].
//
//   std::vector<int> x = {3, 1, 4, 1, 5}, y(5);
//   using namespace onepass::library;
//   inclusive_scan(execution::cpu(), x.data(), x.size(), y.data());               // y = 3 4 8 9 14
//   inclusive_scan(execution::cpu(), x.data(), x.size(), y.data(), op::maximum);  // y = 3 3 4 4 5
template <class T>
void inclusive_scan(const execution& where, const T* first, std::size_t n, T* out, op by = op::sum) {
  detail::check_numbers<T>();
  detail::inclusive_scan(where, first, n, out, nullptr, by);
}
template <class T>
void inclusive_scan(const execution& where, const T* first, std::size_t n, T* out, detail::same<T> init, op by) {
  detail::inclusive_scan(where, first, n, out, &init, by);
}
// out[i] = init op first[0] op ... op first[i - 1].
template <class T>
void exclusive_scan(const execution& where, const T* first, std::size_t n, T* out, detail::same<T> init = T{},
                    op by = op::sum) {
  detail::exclusive_scan(where, first, n, out, &init, by);
}

// Sums of bool and integers of 8 to 32 bits, in 64 bits: out[i] = init + first[0] + ... + first[i], or up to
// first[i - 1]. Not in place.
//
//   std::vector<std::int8_t> x = {100, 100, 100};
//   std::vector<std::int64_t> y(3);
//   using namespace onepass::library;
//   inclusive_wide_sum(execution::cpu(), x.data(), x.size(), y.data());  // y = 100 200 300
template <class T>
void inclusive_wide_sum(const execution& where, const T* first, std::size_t n, std::int64_t* out,
                        std::int64_t init = 0) {
  detail::check_narrow_integers<T>();
  detail::wide_sum("inclusive_wide_sum", where, first, n, out, init, true);
}
template <class T>
void exclusive_wide_sum(const execution& where, const T* first, std::size_t n, std::int64_t* out,
                        std::int64_t init = 0) {
  detail::check_narrow_integers<T>();
  detail::wide_sum("exclusive_wide_sum", where, first, n, out, init, false);
}

// ---- segmented scan (onepass/segmented_scan.hpp); out may be the values ---------------------------------------------
// By key: a segment is a run of items whose keys, integers or bools, are equal. Keys of 8 and 16 bits are a pass more: it
// writes n bytes of scratch.
template <class K, class T>
void inclusive_scan_by_key(const execution& where, const K* keys, std::size_t n, const T* values, T* out,
                           op by = op::sum) {
  detail::check_integer_keys<K>();
  detail::check_numbers<T>();
  detail::scan_by_key("inclusive_scan_by_key", where, keys, n, values, out, nullptr, by);
}
// `init` comes at the first item of every segment.
template <class K, class T>
void exclusive_scan_by_key(const execution& where, const K* keys, std::size_t n, const T* values, T* out,
                           detail::same<T> init = T{}, op by = op::sum) {
  detail::check_integer_keys<K>();
  detail::check_numbers<T>();
  detail::scan_by_key("exclusive_scan_by_key", where, keys, n, values, out, &init, by);
}

// A segment starts at item 0 and where `heads` says: a const std::uint8_t* (n flags), or offsets; or `heads` are rows
// or columns.
//
//   std::vector<int> x = {1, 2, 3, 4, 5, 6}, y(6);  // two rows of three
//   using namespace onepass::library;
//   inclusive_segmented_scan(execution::cpu(), x.data(), x.size(), rows{3}, y.data());     // y = 1 3 6 4 9 15
//   inclusive_segmented_scan(execution::cpu(), x.data(), x.size(), columns{3}, y.data());  // y = 1 2 3 5 7 9
template <class T, class Heads>
void inclusive_segmented_scan(const execution& where, const T* first, std::size_t n, const Heads& heads, T* out,
                              op by = op::sum) {
  detail::check_numbers<T>();
  detail::segmented_scan("inclusive_segmented_scan", where, first, n, heads, out, nullptr, by);
}
template <class T, class Heads>
void exclusive_segmented_scan(const execution& where, const T* first, std::size_t n, const Heads& heads, T* out,
                              detail::same<T> init = T{}, op by = op::sum) {
  detail::segmented_scan("exclusive_segmented_scan", where, first, n, heads, out, &init, by);
}

// Sums from the end of each row: out[i] = first[i] + ... + first[j], where item j is the last of item i's row. The row
// length divides n, or is n or more: then all items are one row. In place is allowed.
//
//   std::vector<int> x = {1, 2, 3, 4, 5, 6}, y(6);
//   using namespace onepass::library;
//   reverse_sum(execution::cpu(), x.data(), x.size(), rows{3}, y.data());  // y = 6 5 3 15 11 6
template <class T>
void reverse_sum(const execution& where, const T* first, std::size_t n, const rows& along, T* out) {
  detail::check_numbers<T>();
  detail::reverse_sum(where, first, n, along, out);
}

// The linear recurrence h[t] = a[t] h[t - 1] + b[t] along each row or column, where h is 0 before the first item:
// out = h. Items are floats or doubles. A factor -0 counts as 0. Not in place. Along rows, and on CUDA along columns,
// factors are multiplied with each other, too. Where a product of neighbours is too large for T, or so small that it is 0,
// results may differ from a loop's: infinite, NaN, or without what came before.
//
//   std::vector<float> a = {2, 3, 2, 2}, b = {1, 1, 1, 1}, h(4);  // two rows of two
//   using namespace onepass::library;
//   linear_recurrence(execution::cpu(), a.data(), b.data(), a.size(), rows{2}, h.data());  // h = 1 4 1 3
template <class T>
void linear_recurrence(const execution& where, const T* a, const T* b, std::size_t n, const columns& along, T* out,
                       const recurrence_options& options = {}) {
  static_assert(detail::is_float<T>, "onepass::library::linear_recurrence works on floats and doubles");
  detail::linear_recurrence(where, a, b, n, along, out, options);
}
template <class T>
void linear_recurrence(const execution& where, const T* a, const T* b, std::size_t n, const rows& along, T* out,
                       const recurrence_options& options = {}) {
  onepass::library::linear_recurrence(where, a, b, n, columns{1, along.length}, out, options);
}

// ---- compaction (onepass/compact.hpp) -------------------------------------------------------------------------------
// Copies the items whose flag is set to out, in their order, and returns their number; nothing behind them is written,
// and out needs no more room than that. In place is allowed.
//
//   std::vector<float> x = {3, 1, 4, 1, 5}, y(5);
//   std::vector<std::uint8_t> keep = {1, 0, 1, 0, 1};
//   using namespace onepass::library;
//   std::size_t kept = compact(execution::cpu(), x.data(), x.size(), keep.data(), y.data());  // kept = 3, y = 3 4 5
template <class T>
std::size_t compact(const execution& where, const T* first, std::size_t n, const std::uint8_t* flags, T* out) {
  return detail::compact("compact", where, first, n, flags, out, nullptr);
}
template <class T>
void compact_async(const execution& where, const T* first, std::size_t n, const std::uint8_t* flags, T* out,
                   std::int64_t* count) {
  detail::compact("compact_async", where, first, n, flags, out, detail::checked_count("compact_async", count));
}

// Copies the items whose flag is set to out_true and the others to out_false, each in their order. Returns how many go
// to out_true. Each output needs room for as many items as it gets.
template <class T>
std::size_t stable_partition_copy(const execution& where, const T* first, std::size_t n, const std::uint8_t* flags,
                                  T* out_true, T* out_false) {
  return detail::partition("stable_partition_copy", where, first, n, flags, out_true, out_false, nullptr);
}
template <class T>
void stable_partition_copy_async(const execution& where, const T* first, std::size_t n, const std::uint8_t* flags,
                                 T* out_true, T* out_false, std::int64_t* count) {
  constexpr auto call = "stable_partition_copy_async";
  detail::partition(call, where, first, n, flags, out_true, out_false, detail::checked_count(call, count));
}

// Writes the indices of the flags that are set, in ascending order, and returns their number. out needs no more room
// than that. Indices of 32 bits are for up to 2^31 flags.
inline std::size_t positions(const execution& where, const std::uint8_t* flags, std::size_t n, std::int64_t* out) {
  return detail::positions("positions", where, flags, n, out, nullptr);
}
inline std::size_t positions(const execution& where, const std::uint8_t* flags, std::size_t n, std::int32_t* out) {
  return detail::positions("positions", where, flags, n, out, nullptr);
}
inline void positions_async(const execution& where, const std::uint8_t* flags, std::size_t n, std::int64_t* out,
                            std::int64_t* count) {
  detail::positions("positions_async", where, flags, n, out, detail::checked_count("positions_async", count));
}
inline void positions_async(const execution& where, const std::uint8_t* flags, std::size_t n, std::int32_t* out,
                            std::int64_t* count) {
  detail::positions("positions_async", where, flags, n, out, detail::checked_count("positions_async", count));
}

// How many flags are set, so that what a compaction writes can be allocated before. On CUDA it waits for the number.
inline std::size_t count_flags(const execution& where, const std::uint8_t* flags, std::size_t n) {
  return detail::count_flags(where, flags, n);
}

// Keeps the first of every run of equal items, in place or in `out`, and returns how many are kept. -0 equals +0, and
// NaN equals nothing.
template <class T>
std::size_t unique(const execution& where, T* first, std::size_t n) {
  return detail::unique("unique", where, first, n, first, nullptr);
}
template <class T>
void unique_async(const execution& where, T* first, std::size_t n, std::int64_t* count) {
  detail::unique("unique_async", where, first, n, first, detail::checked_count("unique_async", count));
}
template <class T>
std::size_t unique_copy(const execution& where, const T* first, std::size_t n, T* out) {
  return detail::unique("unique_copy", where, first, n, out, nullptr);
}
template <class T>
void unique_copy_async(const execution& where, const T* first, std::size_t n, T* out, std::int64_t* count) {
  detail::unique("unique_copy_async", where, first, n, out, detail::checked_count("unique_copy_async", count));
}

// How many runs of equal items there are: what unique would keep.
template <class T>
std::size_t unique_count(const execution& where, const T* first, std::size_t n) {
  return detail::unique_count("unique_count", where, first, n, nullptr);
}
template <class T>
void unique_count_async(const execution& where, const T* first, std::size_t n, std::int64_t* count) {
  detail::unique_count("unique_count_async", where, first, n, detail::checked_count("unique_count_async", count));
}

// The same for keys that take a value along: the first of every run of equal keys, with its value.
template <class K, class V>
std::size_t unique_by_key(const execution& where, K* keys, std::size_t n, V* values) {
  return detail::unique_by_key("unique_by_key", where, keys, n, values, keys, values, nullptr);
}
template <class K, class V>
void unique_by_key_async(const execution& where, K* keys, std::size_t n, V* values, std::int64_t* count) {
  constexpr auto call = "unique_by_key_async";
  detail::unique_by_key(call, where, keys, n, values, keys, values, detail::checked_count(call, count));
}
template <class K, class V>
std::size_t unique_by_key_copy(const execution& where, const K* keys, std::size_t n, const V* values, K* out_keys,
                               V* out_values) {
  return detail::unique_by_key("unique_by_key_copy", where, keys, n, values, out_keys, out_values, nullptr);
}
template <class K, class V>
void unique_by_key_copy_async(const execution& where, const K* keys, std::size_t n, const V* values, K* out_keys,
                              V* out_values, std::int64_t* count) {
  constexpr auto call = "unique_by_key_copy_async";
  detail::unique_by_key(call, where, keys, n, values, out_keys, out_values, detail::checked_count(call, count));
}

// ---- split and sort (onepass/radix_sort.hpp) ------------------------------------------------------------------------
// Copies integers to out in ascending order of one digit; items with equal digits keep their order. Not in place.
template <class T>
void split(const execution& where, const T* first, std::size_t n, T* out, digit by) {
  static_assert(std::is_integral_v<T>, "onepass::library::split: by a digit, the items have to be integers");
  detail::split(where, first, n, out, by);
}

// Sorts keys in place by their bits [begin_bit, end_bit), stable, ascending unless asked otherwise. Floats: -0 and +0
// are equal; NaNs with the sign bit go below all numbers, those without above all.
//
//   radix_sort(execution::cuda(stream), keys, n, {true});  // descending
template <class K>
void radix_sort(const execution& where, K* keys, std::size_t n, const radix_options& options = {}) {
  detail::sort(where, keys, n, options);
}
// values[i] goes where key i goes.
template <class K, class V>
void radix_sort_by_key(const execution& where, K* keys, std::size_t n, V* values, const radix_options& options = {}) {
  detail::check_words<V>();
  detail::sort_by_key(where, keys, n, values, options);
}

// Writes where each key would go: keys[out[0]], keys[out[1]] ... are sorted, stable. The keys stay as they are. Index
// is an integer of 32 or 64 bits, large enough for n - 1. Cost: that of a sort by key to another range, with values of
// 4 bytes; indices of 8 bytes are widened in the end (and sorted as they are if n is more than 2^32). Scratch is an
// array of keys more, and one of 4 bytes an item where indices are widened.
//
//   std::vector<float> x = {3, 1, 2};
//   std::vector<std::int64_t> order(3);
//   using namespace onepass::library;
//   argsort(execution::cpu(), x.data(), x.size(), order.data());  // order = 1 2 0
template <class K, class Index>
void argsort(const execution& where, const K* keys, std::size_t n, Index* out, const radix_options& options = {}) {
  static_assert(std::is_integral_v<Index>, "onepass::library::argsort: indices are integers");
  detail::check_words<Index>();
  detail::argsort(where, keys, n, out, options);
}

// ---- segmented sort (onepass/segmented_sort.hpp) --------------------------------------------------------------------
// Sorts each segment in place, as radix_sort does. Segments are offsets or rows. Segment i of offsets has the items
// from offset i up to offset i + 1, so there is one segment less than there are offsets; items in no segment stay where
// they are. Rows are stored as offsets: 8 bytes of scratch a row.
template <class K, class Segments = offsets>
void segmented_sort(const execution& where, K* keys, std::size_t n, const Segments& segments,
                    const radix_options& options = {}) {
  detail::segmented_sort(where, keys, n, segments, options);
}
// values[i] goes where key i goes. Values have 32 bits.
template <class K, class V, class Segments = offsets>
void segmented_sort_by_key(const execution& where, K* keys, std::size_t n, V* values, const Segments& segments,
                           const radix_options& options = {}) {
  static_assert(sizeof(V) == 4,
                "onepass::library::segmented_sort_by_key: values have 32 bits; others: use the headers");
  detail::check_words<V>();
  detail::segmented_sort_by_key(where, keys, n, values, segments, options);
}

// ---- segmented reduction (onepass/segmented_reduce.hpp) -------------------------------------------------------------
// Calls that return a count write so many items to each output, which needs no more room. Outputs overlap nothing.

// Each run of equal items: the first of them, and how many there are. Returns the number of runs. -0 equals +0, and NaN
// equals nothing.
//
//   std::vector<int> x = {7, 7, 3, 3, 3}, items(2);
//   std::vector<std::int64_t> lengths(2);
//   using namespace onepass::library;
//   run_length_encode(execution::cpu(), x.data(), x.size(), items.data(), lengths.data());
//   // items = 7 3, lengths = 2 3
template <class T>
std::size_t run_length_encode(const execution& where, const T* first, std::size_t n, T* out, std::int64_t* lengths) {
  return detail::run_length_encode("run_length_encode", where, first, n, out, lengths, nullptr);
}
template <class T>
void run_length_encode_async(const execution& where, const T* first, std::size_t n, T* out, std::int64_t* lengths,
                             std::int64_t* count) {
  constexpr auto call = "run_length_encode_async";
  detail::run_length_encode(call, where, first, n, out, lengths, detail::checked_count(call, count));
}

// Each run of equal keys, which are integers or bools: its first key, and its values combined in their order
// (floats on the CPU: in another, fixed order). Returns the number of runs.
template <class K, class T>
std::size_t reduce_by_key(const execution& where, const K* keys, std::size_t n, const T* values, K* out_keys,
                          T* out_values, op by = op::sum) {
  detail::check_integer_keys<K>();
  detail::check_numbers<T>();
  return detail::reduce_by_key("reduce_by_key", where, keys, n, values, out_keys, out_values, by, nullptr);
}
template <class K, class T>
void reduce_by_key_async(const execution& where, const K* keys, std::size_t n, const T* values, K* out_keys,
                         T* out_values, std::int64_t* count, op by = op::sum) {
  detail::check_integer_keys<K>();
  detail::check_numbers<T>();
  constexpr auto call = "reduce_by_key_async";
  detail::reduce_by_key(call, where, keys, n, values, out_keys, out_values, by, detail::checked_count(call, count));
}

// out[i] = init op the items of segment i; an empty segment gives init. Segments are offsets in [0, n] or rows. Segment
// i of offsets has the items from offset i up to offset i + 1, so there is one result less than there are offsets.
//
//   std::vector<int> x = {1, 2, 3, 4}, sums(3);
//   std::vector<std::int64_t> starts = {0, 1, 1, 4};
//   using namespace onepass::library;
//   segmented_reduce(execution::cpu(), x.data(), x.size(), offsets{starts.data(), starts.size()}, sums.data());
//   // sums = 1 0 9
template <class T, class Segments = offsets>
void segmented_reduce(const execution& where, const T* first, std::size_t n, const Segments& segments, T* out,
                      detail::same<T> init = T{}, op by = op::sum) {
  detail::segmented_reduce(where, first, n, segments, out, &init, by);
}

// ---- selection (onepass/select.hpp) ---------------------------------------------------------------------------------
// Keys are ordered as by radix_sort. Of equal keys the first in the input are taken, and they stand in the order of the
// input. Outputs overlap nothing. Segments are rows or offsets. The results of segment i begin at out + i * k. There
// are k of them, or fewer if it has fewer items. k is at most the number of items, or the length of rows.

// Writes the k largest items, largest first, or what the options say; of all items, or of each segment.
//
//   std::vector<int> x = {3, 9, 4, 9, 1, 5}, y(2), z(4);
//   std::vector<std::int32_t> where(4);
//   using namespace onepass::library;
//   top_k(execution::cpu(), x.data(), x.size(), 2, y.data());                              // y = 9 9
//   top_k(execution::cpu(), x.data(), x.size(), rows{3}, 2, z.data(), where.data());
//   // z = 9 4 9 5, where = 1 2 0 2
//   top_k(execution::cpu(), x.data(), x.size(), 2, y.data(), top_k_options{true, false});  // y = 1 3
template <class K>
void top_k(const execution& where, const K* first, std::size_t n, std::size_t k, K* out,
           const top_k_options& options = {}) {
  detail::top_k(where, first, n, {}, k, out, options);
}
template <class K, class Segments>
void top_k(const execution& where, const K* first, std::size_t n, const Segments& segments, std::size_t k, K* out,
           const top_k_options& options = {}) {
  detail::top_k(where, first, n, segments, k, out, options);
}
// The same, and where each of them stands, counted from the first item of its segment. Index is an integer of 32 or 64
// bits.
template <class K, class Index>
void top_k(const execution& where, const K* first, std::size_t n, std::size_t k, K* out, Index* indices,
           const top_k_options& options = {}) {
  static_assert(std::is_integral_v<Index>, "onepass::library::top_k: indices are integers");
  detail::check_words<Index>();
  detail::top_k_indices(where, first, n, {}, k, out, indices, options);
}
template <class K, class Segments, class Index>
void top_k(const execution& where, const K* first, std::size_t n, const Segments& segments, std::size_t k, K* out,
           Index* indices, const top_k_options& options = {}) {
  static_assert(std::is_integral_v<Index>, "onepass::library::top_k: indices are integers");
  detail::check_words<Index>();
  detail::top_k_indices(where, first, n, segments, k, out, indices, options);
}
// The same, and the value of each of them, of any type.
template <class K, class V>
void top_k_by_key(const execution& where, const K* keys, std::size_t n, const V* values, std::size_t k, K* out_keys,
                  V* out_values, const top_k_options& options = {}) {
  detail::top_k_by_key(where, keys, n, values, {}, k, out_keys, out_values, options);
}
template <class K, class V, class Segments>
void top_k_by_key(const execution& where, const K* keys, std::size_t n, const V* values, const Segments& segments,
                  std::size_t k, K* out_keys, V* out_values, const top_k_options& options = {}) {
  detail::top_k_by_key(where, keys, n, values, segments, k, out_keys, out_values, options);
}

// Writes to *out the item that a stable sort would put at index `rank`, which is below the number of items. The input
// stays as it is. With segments, out[i] is that of segment i; nothing is written for a segment with no more items than
// `rank`. With rows, `rank` is below their length.
//
//   std::vector<int> x = {3, 9, 4, 9, 1}, median(1);
//   using namespace onepass::library;
//   nth_element(execution::cpu(), x.data(), x.size(), 2, median.data());  // median = 4
template <class K>
void nth_element(const execution& where, const K* first, std::size_t n, std::size_t rank, K* out) {
  detail::nth_element(where, first, n, {}, rank, out);
}
template <class K, class Segments>
void nth_element(const execution& where, const K* first, std::size_t n, const Segments& segments, std::size_t rank,
                 K* out) {
  detail::nth_element(where, first, n, segments, rank, out);
}

// ---- histogram (onepass/histogram.hpp) ------------------------------------------------------------------------------
// counts[i] = how many items are in bin i; all counts are overwritten. Items outside all bins are not counted, nor is
// NaN. Counts overlap nothing else.

// Of integers, or bools, by value.
//
//   std::vector<int> x = {3, 5, 3, 9};
//   std::vector<std::int64_t> counts(4);
//   using namespace onepass::library;
//   histogram(execution::cpu(), x.data(), x.size(), value_bins{3, 7}, counts.data());  // counts = 2 0 1 0
template <class T>
void histogram(const execution& where, const T* first, std::size_t n, const value_bins& bins, std::int64_t* counts) {
  static_assert(std::is_integral_v<T>, "onepass::library::histogram: by value, the items have to be integers");
  detail::histogram(where, first, n, bins, counts);
}
// Of floats or doubles in bins of one width.
template <class T>
void histogram(const execution& where, const T* first, std::size_t n, const even_bins& bins, std::int64_t* counts) {
  static_assert(detail::is_float<T>,
                "onepass::library::histogram: in even bins, the items have to be floats or doubles");
  detail::histogram(where, first, n, bins, counts);
}
// Of integers, or bools, in bins of one width.
//
//   std::vector<int> x = {0, 3, 4, 9, 10};
//   std::vector<std::int64_t> counts(3);
//   using namespace onepass::library;
//   histogram(execution::cpu(), x.data(), x.size(), even_integer_bins{0, 10, 3}, counts.data());  // counts = 2 1 1
template <class T>
void histogram(const execution& where, const T* first, std::size_t n, const even_integer_bins& bins,
               std::int64_t* counts) {
  static_assert(std::is_integral_v<T>,
                "onepass::library::histogram: in even bins between integers, the items have to be integers");
  detail::histogram(where, first, n, bins, counts);
}
// Of floats, doubles or integers of 64 bits between edges: bin i has the items x with edges[i] <= x < edges[i + 1].
// Edges live where the items do and ascend; there are 2 to 2^24 + 1. Equal ones make empty bins.
template <class T>
void histogram(const execution& where, const T* first, std::size_t n, const T* edges, std::size_t edge_count,
               std::int64_t* counts) {
  static_assert(detail::is_float<T> || (std::is_integral_v<T> && sizeof(T) == 8),
                "onepass::library::histogram: between edges, the items have to be floats, doubles or integers of 64 "
                "bits");
  detail::histogram(where, first, n, edges, edge_count, counts);
}

}  // namespace onepass::library
