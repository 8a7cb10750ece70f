// SPDX-License-Identifier: Apache-2.0
// Types with a copy constructor and an assignment of their own, beside Thrust: nothing is assigned where there is no object.
#include <cstdint>
#include <vector>

#include "beside.hpp"
#if ONEPASS_HAS_CUDA
#include <thrust/device_vector.h>
#endif

namespace {

// The same number five times; a copy is made of one of them. Any integer converts to it, also a bool. It converts to a pointer,
// so to a bool, and has && and || of its own, as a type of Thrust's tests has. What is known of a wrong count with that one is
// in docs/history/performance-log.md.
class five_times {
 public:
  ONEPASS_HOST_DEVICE five_times() { fill(0); }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  ONEPASS_HOST_DEVICE five_times(const Integer& x) {
    fill(static_cast<int>(x));
  }
  ONEPASS_HOST_DEVICE five_times(const five_times& other) { fill(other.x_[0]); }
  ONEPASS_HOST_DEVICE five_times& operator=(int x) {
    fill(x);
    return *this;
  }
  ONEPASS_HOST_DEVICE five_times& operator=(const five_times& other) {
    if (this != &other) fill(other.x_[0]);
    return *this;
  }
  ONEPASS_HOST_DEVICE operator void*() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(x_[0])); }
  ONEPASS_HOST_DEVICE int value() const {
    for (const int x : x_) {
      if (x != x_[0]) return -1;
    }
    return x_[0];
  }
  friend ONEPASS_HOST_DEVICE bool operator==(const five_times& a, const five_times& b) { return a.x_[0] == b.x_[0]; }
  friend ONEPASS_HOST_DEVICE bool operator&&(const five_times& a, const five_times& b) { return a.x_[0] && b.x_[0]; }
  friend ONEPASS_HOST_DEVICE bool operator||(const five_times& a, const five_times& b) { return a.x_[0] || b.x_[0]; }
  friend ONEPASS_HOST_DEVICE five_times operator+(const five_times& a, const five_times& b) {
    return five_times(a.x_[0] + b.x_[0]);
  }

 private:
  ONEPASS_HOST_DEVICE void fill(int x) {
    for (int& y : x_) y = x;
  }
  int x_[5];
};

// Takes an assignment only where a constructor has been.
class only_live {
 public:
  ONEPASS_HOST_DEVICE only_live() : only_live(0) {}
  ONEPASS_HOST_DEVICE only_live(int x) : x_(x), mark_(live) {}
  ONEPASS_HOST_DEVICE only_live(const only_live& other) : x_(other.x_), mark_(live) {}
  ONEPASS_HOST_DEVICE only_live& operator=(const only_live& other) {
    if (mark_ == live) x_ = other.x_;
    return *this;
  }
  ONEPASS_HOST_DEVICE int value() const { return mark_ == live ? x_ : -1; }
  friend ONEPASS_HOST_DEVICE bool operator==(const only_live& a, const only_live& b) { return a.x_ == b.x_; }
  friend ONEPASS_HOST_DEVICE only_live operator+(const only_live& a, const only_live& b) {
    return only_live(a.x_ + b.x_);
  }

 private:
  static constexpr int live = 923390;
  int x_, mark_;
};

// Objects cross between host and device as their bytes: Thrust's own copies assign to memory that has none.
template <class T>
std::vector<T> vector_of(const test::cpu_backend&, const std::vector<T>& values) {
  return values;
}
#if ONEPASS_HAS_CUDA
template <class T>
thrust::device_vector<T> vector_of(const test::cuda_backend& where, const std::vector<T>& values) {
  thrust::device_vector<T> vector(values.size());
  where.memory().copy(thrust::raw_pointer_cast(vector.data()), values.data(), values.size() * sizeof(T));
  return vector;
}
template <class T>
std::vector<T> host_of(const thrust::device_vector<T>& vector) {
  std::vector<T> host(vector.size());
  test::cuda_backend::memory().copy(host.data(), thrust::raw_pointer_cast(vector.data()), host.size() * sizeof(T));
  return host;
}
#endif
template <class T>
const std::vector<T>& host_of(const std::vector<T>& vector) {
  return vector;
}

int number_of(int x) { return x; }
template <class T>
int number_of(const T& x) {
  return x.value();
}
// The values up to `last`.
template <class Vector, class It>
std::vector<int> numbers(const Vector& vector, It last) {
  const auto& host = host_of(vector);
  std::vector<int> result;
  for (std::ptrdiff_t i = 0; i < last - vector.begin(); ++i)
    result.push_back(number_of(host[static_cast<std::size_t>(i)]));
  return result;
}
template <class Vector>
std::vector<int> numbers(const Vector& vector) {
  return numbers(vector, vector.end());
}

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
