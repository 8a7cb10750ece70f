// SPDX-License-Identifier: Apache-2.0
// Types with a copy constructor and an assignment of their own, beside Thrust: nothing is assigned where there is no object.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "own_types.hpp"

namespace {

struct is_two {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    return x.value() == 2;
  }
};
template <class T>
struct equals {
  T value;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return x == value; }
};
struct equal {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct is_odd {
  ONEPASS_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct plus {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

// body(library, policy, items, output, keys) for a few items and for many.
template <class T, class Backend, class Body>
void check(const Backend& backend, const char* call, Body body) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{30011}}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    std::vector<T> values;
    std::vector<int> keys;
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(T(static_cast<int>(test::hash(i / 2, 1) % 3 + 1)));
      keys.push_back(static_cast<int>(i / 3));
    }
    test::beside(backend, call, [&](auto library, const auto& policy, const auto& where) {
      auto in = vector_of(where, values), out = vector_of(where, std::vector<T>(n, T(77)));
      auto key = vector_of(where, keys);
      return body(library, policy, in, out, key);
    });
  }
}

template <class T, class Backend>
void check_compactions(const Backend& backend) {
  check<T>(backend, "copy_if", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    return numbers(out, library.copy_if(policy, in.begin(), in.end(), out.begin(), is_two{}));
  });
  check<T>(backend, "copy_if, stencil", [](auto library, const auto& policy, auto& in, auto& out, auto& key) {
    return numbers(out, library.copy_if(policy, in.begin(), in.end(), key.begin(), out.begin(), is_odd{}));
  });
  check<T>(backend, "remove", [](auto library, const auto& policy, auto& in, auto&, auto&) {
    return numbers(in, library.remove(policy, in.begin(), in.end(), T(2)));
  });
  check<T>(backend, "remove_copy", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    return numbers(out, library.remove_copy(policy, in.begin(), in.end(), out.begin(), T(2)));
  });
  check<T>(backend, "remove_if", [](auto library, const auto& policy, auto& in, auto&, auto&) {
    return numbers(in, library.remove_if(policy, in.begin(), in.end(), equals<T>{T(2)}));
  });
  check<T>(backend, "partition_copy", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    auto others = out;
    const auto ends =
        library.partition_copy(policy, in.begin(), in.end(), out.begin(), others.begin(), equals<T>{T(3)});
    return std::make_tuple(numbers(out, ends.first), numbers(others, ends.second));
  });
  check<T>(backend, "stable_partition", [](auto library, const auto& policy, auto& in, auto&, auto&) {
    library.stable_partition(policy, in.begin(), in.end(), is_two{});
    return numbers(in);
  });
  check<T>(backend, "stable_partition_copy", [](auto library, const auto& policy, auto& in, auto& out, auto& key) {
    auto others = out;
    const auto ends =
        library.stable_partition_copy(policy, in.begin(), in.end(), key.begin(), out.begin(), others.begin(), is_odd{});
    return std::make_tuple(numbers(out, ends.first), numbers(others, ends.second));
  });
  check<T>(backend, "unique", [](auto library, const auto& policy, auto& in, auto&, auto&) {
    return numbers(in, library.unique(policy, in.begin(), in.end()));
  });
  check<T>(backend, "unique_copy", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    return numbers(out, library.unique_copy(policy, in.begin(), in.end(), out.begin()));
  });
  check<T>(backend, "unique_count", [](auto library, const auto& policy, auto& in, auto&, auto&) {
    return std::vector<int>{static_cast<int>(library.unique_count(policy, in.begin(), in.end()))};
  });
  check<T>(backend, "unique_by_key", [](auto library, const auto& policy, auto& in, auto&, auto& key) {
    return numbers(in, library.unique_by_key(policy, key.begin(), key.end(), in.begin()).second);
  });
  check<T>(backend, "unique_by_key, as keys", [](auto library, const auto& policy, auto& in, auto&, auto& key) {
    const auto ends = library.unique_by_key(policy, in.begin(), in.end(), key.begin());
    return std::make_tuple(numbers(in, ends.first), numbers(key, ends.second));
  });
}
// As keys, which calls compare by == where they are given nothing else.
template <class T, class Backend>
void check_keys(const Backend& backend) {
  check<T>(backend, "inclusive_scan_by_key", [](auto library, const auto& policy, auto& in, auto&, auto& value) {
    library.inclusive_scan_by_key(policy, in.begin(), in.end(), value.begin(), value.begin());
    return numbers(value);
  });
  check<T>(backend, "exclusive_scan_by_key", [](auto library, const auto& policy, auto& in, auto&, auto& value) {
    library.exclusive_scan_by_key(policy, in.begin(), in.end(), value.begin(), value.begin(), 7, equal{}, plus{});
    return numbers(value);
  });
  check<T>(backend, "reduce_by_key", [](auto library, const auto& policy, auto& in, auto& out, auto& value) {
    auto sums = value;
    const auto ends = library.reduce_by_key(policy, in.begin(), in.end(), value.begin(), out.begin(), sums.begin());
    return std::make_tuple(numbers(out, ends.first), numbers(sums, ends.second));
  });
  check<T>(backend, "reduce_by_key, sums of them", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    auto sums = out;
    const auto ends = library.reduce_by_key(policy, in.begin(), in.end(), in.begin(), out.begin(), sums.begin());
    return std::make_tuple(numbers(out, ends.first), numbers(sums, ends.second));
  });
}
template <class T, class Backend>
void check_sums(const Backend& backend) {
  check<T>(backend, "inclusive_scan", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    return numbers(out, library.inclusive_scan(policy, in.begin(), in.end(), out.begin(), plus{}));
  });
  check<T>(backend, "inclusive_scan, no functor", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    return numbers(out, library.inclusive_scan(policy, in.begin(), in.end(), out.begin()));
  });
  check<T>(backend, "exclusive_scan", [](auto library, const auto& policy, auto& in, auto& out, auto&) {
    return numbers(out, library.exclusive_scan(policy, in.begin(), in.end(), out.begin(), T(5), plus{}));
  });
  check<T>(backend, "inclusive_scan_by_key", [](auto library, const auto& policy, auto& in, auto& out, auto& key) {
    return numbers(out, library.inclusive_scan_by_key(policy, key.begin(), key.end(), in.begin(), out.begin(),
                                                      thrust::equal_to<int>(), plus{}));
  });
  check<T>(backend, "reduce_by_key", [](auto library, const auto& policy, auto& in, auto& out, auto& key) {
    auto out_keys = key;
    return numbers(out, library
                            .reduce_by_key(policy, key.begin(), key.end(), in.begin(), out_keys.begin(), out.begin(),
                                           thrust::equal_to<int>(), plus{})
                            .second);
  });
}
template <class T, class Backend>
void check_values_of_sorts(const Backend& backend) {
  check<T>(backend, "stable_sort_by_key", [](auto library, const auto& policy, auto& in, auto&, auto& key) {
    library.stable_sort_by_key(policy, key.begin(), key.end(), in.begin(), thrust::greater<int>());
    return numbers(in);
  });
}

}  // namespace

ONEPASS_TEST(own_types, compaction_of_five_times) { check_compactions<five_times>(backend); }
ONEPASS_TEST(own_types, compaction_of_only_live) { check_compactions<only_live>(backend); }
ONEPASS_TEST(own_types, keys_of_five_times) { check_keys<five_times>(backend); }
ONEPASS_TEST(own_types, sums_of_five_times) { check_sums<five_times>(backend); }
ONEPASS_TEST(own_types, sums_of_only_live) { check_sums<only_live>(backend); }
ONEPASS_TEST(own_types, values_of_sorts) {
  check_values_of_sorts<five_times>(backend);
  check_values_of_sorts<only_live>(backend);
}

// By a predicate, stably: Thrust has no call for it.
ONEPASS_TEST(own_types, split) {
  std::vector<only_live> values;
  for (int i = 0; i < 30011; ++i) values.push_back(only_live(static_cast<int>(test::hash(i, 3) % 4)));
  auto in = vector_of(backend, values), out = vector_of(backend, std::vector<only_live>(values.size()));
  const auto border = onepass::split(backend.policy(), in.begin(), in.end(), out.begin(), is_two{});
  std::vector<int> expected;
  for (const bool wanted : {true, false}) {
    for (const only_live& x : values) {
      if (is_two{}(x) == wanted) expected.push_back(x.value());
    }
  }
  EXPECT_TRUE(test::same(numbers(out), expected));
  EXPECT_EQ(border - out.begin(), std::count_if(values.begin(), values.end(), is_two{}));
}
