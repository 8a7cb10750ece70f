// SPDX-License-Identifier: Apache-2.0
// A user's types in a namespace whose functions have names that the library has, too, and take anything: calls find their own.
#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>

#include <vector>

#include "beside.hpp"

namespace {
namespace user {

struct number {
  int x;
  friend ONEPASS_HOST_DEVICE bool operator==(const number& a, const number& b) { return a.x == b.x; }
};
struct is_odd {
  ONEPASS_HOST_DEVICE bool operator()(const number& a) const { return a.x % 2 != 0; }
};
struct plus {
  ONEPASS_HOST_DEVICE number operator()(const number& a, const number& b) const { return {a.x + b.x}; }
};

template <class T>
void unwrap(T&&);
template <class T>
void address_of(T&&);
template <class A, class B>
void zipped(A&&, B&&);
template <class T, class... Args>
void construct(T*, Args&&...);
template <class A, class B>
void same_start(A&&, B&&);
template <class A, class B>
void by_first_of_run(A&&, B&&);
template <class... As>
void byte_range(As&&...);
template <class... As>
void check_begin(As&&...);
template <class... As>
void copy_async_with(As&&...);
template <class... As>
void copy_kept(As&&...);
template <class... As>
void copy_run(As&&...);
template <class... As>
void is_aligned_to_vector(As&&...);
template <class... As>
void item_or_number(As&&...);
template <class... As>
void items_into_line(As&&...);
template <class... As>
void load_by_items(As&&...);
template <class... As>
void load_row(As&&...);
template <class... As>
void load_with(As&&...);
template <class... As>
void or_put_back(As&&...);
template <class... As>
void prefetch_ahead(As&&...);
template <class... As>
void reduce_heads(As&&...);
template <class... As>
void run_scan(As&&...);
template <class... As>
void shuffle_down(As&&...);
template <class... As>
void shuffle_from(As&&...);
template <class... As>
void shuffle_up(As&&...);
template <class... As>
void sort_ranges(As&&...);
template <class... As>
void store_by_items(As&&...);
template <class... As>
void store_row(As&&...);
template <class... As>
void store_with(As&&...);
template <class... As>
void stream_copy(As&&...);

}  // namespace user

constexpr int count = 5001;

// body(library, policy, items, output), for items in runs of two.
template <class Backend, class Body>
void check(const Backend& backend, const char* call, Body body) {
  std::vector<user::number> values;
  for (int i = 0; i < count; ++i) values.push_back({static_cast<int>(test::hash(i / 2, 1) % 100)});
  test::beside(backend, call, [&](auto library, const auto& policy, const auto& where) {
    const test::array<user::number> in(where, values), out(where, values.size());
    const user::number* const last = body(library, policy, in, out.begin());
    std::vector<int> numbers;
    for (const user::number& n : out.to_host(last)) numbers.push_back(n.x);
    return numbers;
  });
}

}  // namespace

ONEPASS_TEST(same_names, calls) {
  check(backend, "inclusive_scan", [](auto library, const auto& policy, const auto& in, user::number* out) {
    return library.inclusive_scan(policy, in.begin(), in.end(), out, user::plus{});
  });
  check(backend, "copy_if", [](auto library, const auto& policy, const auto& in, user::number* out) {
    return library.copy_if(policy, in.begin(), in.end(), out, user::is_odd{});
  });
  check(backend, "partition_copy", [](auto library, const auto& policy, const auto& in, user::number* out) {
    return library
        .partition_copy(policy, in.begin(), in.end(), out, thrust::make_reverse_iterator(out + count), user::is_odd{})
        .first;
  });
  check(backend, "unique_by_key_copy", [](auto library, const auto& policy, const auto& in, user::number* out) {
    const auto no_keys = thrust::make_discard_iterator();
    return library.unique_by_key_copy(policy, in.begin(), in.end(), in.begin(), no_keys, out).second;
  });
  check(backend, "reduce_by_key", [](auto library, const auto& policy, const auto& in, user::number* out) {
    const auto no_keys = thrust::make_discard_iterator();
    return library
        .reduce_by_key(policy, in.begin(), in.end(), in.begin(), no_keys, out, thrust::equal_to<>(), user::plus{})
        .second;
  });
  check(backend, "inclusive_scan_by_key", [](auto library, const auto& policy, const auto& in, user::number* out) {
    return library.inclusive_scan_by_key(policy, in.begin(), in.end(), in.begin(), out, thrust::equal_to<>(),
                                         user::plus{});
  });
}

// The items as values, and keys of the library's own kinds.
ONEPASS_TEST(same_names, values) {
  std::vector<int> keys;
  for (int i = 0; i < count; ++i) keys.push_back(static_cast<int>(test::hash(i, 2) % 1000));
  test::beside(backend, "stable_sort_by_key", [&](auto library, const auto& policy, const auto& where) {
    std::vector<user::number> values;
    for (int i = 0; i < count; ++i) values.push_back({i});
    const test::array<int> sorted(where, keys);
    const test::array<user::number> out(where, values);
    library.stable_sort_by_key(policy, sorted.begin(), sorted.end(), out.begin());
    std::vector<int> numbers;
    for (const user::number& n : out.to_host()) numbers.push_back(n.x);
    return numbers;
  });
}
