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
}
