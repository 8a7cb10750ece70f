// SPDX-License-Identifier: Apache-2.0
// The types of items, 1 to 32 bytes, and the function objects that calls are given; each with the text that names and defines
// it in a program of its own.
#pragma once

#include <thrust/tuple.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include <onepass/operators.hpp>
#include "dice.hpp"
#include "other_values.hpp"

namespace fuzz {

// Maps and matrices of integers without a sign. Their product is associative, exact and not commutative.
template <class U>
struct map_of {  // x -> a x + b
  U a, b;
  static constexpr int fields = 2;
  friend ONEPASS_HOST_DEVICE map_of operator*(const map_of& f, const map_of& g) {
    return {static_cast<U>(g.a * f.a), static_cast<U>(g.a * f.b + g.b)};
  }
  friend ONEPASS_HOST_DEVICE bool operator==(const map_of& x, const map_of& y) { return x.a == y.a && x.b == y.b; }
};
template <class U>
struct triangle_of {  // (a b; 0 c)
  U a, b, c;
  static constexpr int fields = 3;
  friend ONEPASS_HOST_DEVICE triangle_of operator*(const triangle_of& x, const triangle_of& y) {
    return {static_cast<U>(x.a * y.a), static_cast<U>(x.a * y.b + x.b * y.c), static_cast<U>(x.c * y.c)};
  }
  friend ONEPASS_HOST_DEVICE bool operator==(const triangle_of& x, const triangle_of& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c;
  }
};
template <class U>
struct square_of {  // (a b; c d)
  U a, b, c, d;
  static constexpr int fields = 4;
  friend ONEPASS_HOST_DEVICE square_of operator*(const square_of& x, const square_of& y) {
    return {static_cast<U>(x.a * y.a + x.b * y.c), static_cast<U>(x.a * y.b + x.b * y.d),
            static_cast<U>(x.c * y.a + x.d * y.c), static_cast<U>(x.c * y.b + x.d * y.d)};
  }
  friend ONEPASS_HOST_DEVICE bool operator==(const square_of& x, const square_of& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
};
using b2 = map_of<std::uint8_t>;
using b3 = triangle_of<std::uint8_t>;
using b8 = map_of<std::uint32_t>;
using b12 = triangle_of<std::uint32_t>;
using b16 = square_of<std::uint32_t>;
using b24 = triangle_of<std::uint64_t>;
using b32 = square_of<std::uint64_t>;
static_assert(sizeof(b2) == 2 && sizeof(b3) == 3 && sizeof(b8) == 8 && sizeof(b12) == 12 && sizeof(b16) == 16);
static_assert(sizeof(b24) == 24 && sizeof(b32) == 32);

// The item of two arrays that are zipped.
using b8_b8 = thrust::tuple<std::int64_t, double>;
template <class T>
constexpr bool is_zipped = std::is_same_v<T, b8_b8>;

template <class T, class = void>
constexpr bool is_struct = false;
template <class T>
constexpr bool is_struct<T, std::void_t<decltype(T::fields)>> = true;
template <class T>
struct unit_of {
  using type = T;
};
template <template <class> class S, class U>
struct unit_of<S<U>> {
  using type = U;
};

// An item of these bits. Of a struct, each field has some of them; maps and matrices have an inverse, as products of others are
// soon zero.
template <class T>
T item_of(std::uint64_t bits) {
  if constexpr (is_struct<T>) {
    using U = typename unit_of<T>::type;
    U fields[T::fields];
    for (int f = 0; f < T::fields; ++f) fields[f] = static_cast<U>(bits >> (7 * f));
    if constexpr (T::fields == 4) {
      fields[0] = static_cast<U>(1 + fields[1] * fields[2]);
      fields[3] = 1;
    } else {
      fields[0] |= 1;
      if constexpr (T::fields == 3) fields[2] |= 1;
    }
    T item;
    std::memcpy(static_cast<void*>(&item), fields, sizeof item);
    return item;
  } else {
    return static_cast<T>(bits);
  }
}

// ---- as text ------------------------------------------------------------------------------------------------------------
template <class T>
std::string name_of() {
  if constexpr (is_zipped<T>) {
    return "thrust::tuple<std::int64_t, double>";
  } else if constexpr (tells_itself<T>) {
    return T::name;
  } else if constexpr (std::is_same_v<T, uint128>) {
    return "uint128";
  } else if constexpr (is_struct<T>) {
    return "b" + std::to_string(sizeof(T));
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? "float" : "double";
  } else {
    return (std::is_signed_v<T> ? "std::int" : "std::uint") + std::to_string(8 * sizeof(T)) + "_t";
  }
}
template <class T>
std::string text_of(const T& item) {
  if constexpr (is_zipped<T>) {
    return std::to_string(thrust::get<0>(item)) + ", " + std::to_string(thrust::get<1>(item));
  } else if constexpr (tells_itself<T>) {
    return T::text(item);
  } else if constexpr (is_struct<T>) {
    typename unit_of<T>::type fields[T::fields];
    std::memcpy(fields, static_cast<const void*>(&item), sizeof item);
    std::string text = "{";
    for (int f = 0; f < T::fields; ++f) text += (f > 0 ? ", " : "") + std::to_string(+fields[f]);
    return text + "}";
  } else if constexpr (std::is_floating_point_v<T>) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(item));
    return text;
  } else if constexpr (sizeof(T) > 8) {
    return "uint128(" + std::to_string(static_cast<std::uint64_t>(item >> 64)) + "ull) << 64 | " +
           std::to_string(static_cast<std::uint64_t>(item)) + "ull";
  } else {
    return std::to_string(+item);
  }
}
// What a program has to define before it uses the type.
template <class T>
std::string definition_of() {
  if constexpr (tells_itself<T>) {
    return T::definition;
  } else if constexpr (!is_struct<T>) {
    return std::is_same_v<T, uint128> ? wide_definition : "";
  } else {
    const std::string u = name_of<typename unit_of<T>::type>(), t = name_of<T>();
    const char* const bodies[] = {
        "{U(y.a * x.a), U(y.a * x.b + y.b)}", "{U(x.a * y.a), U(x.a * y.b + x.b * y.c), U(x.c * y.c)}",
        "{U(x.a * y.a + x.b * y.c), U(x.a * y.b + x.b * y.d), U(x.c * y.a + x.d * y.c), U(x.c * y.b + x.d * y.d)}"};
    const char* const names[] = {"a, b", "a, b, c", "a, b, c, d"};
    return "using U = " + u + ";\nstruct " + t + " { U " + names[T::fields - 2] + "; };\nHD " + t +
           " operator*(const " + t + "& x, const " + t + "& y) { return " + bodies[T::fields - 2] +
           "; }\nHD bool operator==(const " + t + "& x, const " + t + "& y) { return !memcmp(&x, &y, sizeof x); }\n";
  }
}

// ---- operators ----------------------------------------------------------------------------------------------------------
// No functor that onepass knows.
struct my_sum {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
  static constexpr const char* text =
      "struct my_sum { template <class T> HD T operator()(T a, T b) const { return T(a + b); } };\n";
};
struct my_product {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return a * b;
  }
  static constexpr const char* text =
      "struct my_product { template <class T> HD T operator()(T a, T b) const { return a * b; } };\n";
};
struct latter {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T&, const T& b) const {
    return b;
  }
  static constexpr const char* text =
      "struct latter { template <class T> HD T operator()(T, T b) const { return b; } };\n";
};

struct sum_of_both {
  ONEPASS_HOST_DEVICE b8_b8 operator()(const b8_b8& x, const b8_b8& y) const {
    return b8_b8(thrust::get<0>(x) + thrust::get<0>(y), thrust::get<1>(x) + thrust::get<1>(y));
  }
  static constexpr const char* text =
      "using both = thrust::tuple<std::int64_t, double>;\n"
      "struct sum_of_both { HD both operator()(both x, both y) const { return both(thrust::get<0>(x) + "
      "thrust::get<0>(y), "
      "thrust::get<1>(x) + thrust::get<1>(y)); } };\n";
};

// The operators' names, and which items their results are exact for.
template <class Op>
struct about_operator;
enum class domain { small, ones, any };
struct named_operator {
  const char *name, *definition;
  domain items;
};
template <class Op>
constexpr named_operator described = about_operator<Op>::value;
template <>
struct about_operator<onepass::sum> {
  static constexpr named_operator value{"onepass::sum{}", "", domain::small};
};
template <>
struct about_operator<std::plus<>> {
  static constexpr named_operator value{"std::plus<>{}", "", domain::small};
};
template <>
struct about_operator<my_sum> {
  static constexpr named_operator value{"my_sum{}", my_sum::text, domain::small};
};
template <>
struct about_operator<sum_of_both> {
  static constexpr named_operator value{"sum_of_both{}", sum_of_both::text, domain::small};
};
template <>
struct about_operator<onepass::product> {
  static constexpr named_operator value{"onepass::product{}", "", domain::ones};
};
template <>
struct about_operator<my_product> {
  static constexpr named_operator value{"my_product{}", my_product::text, domain::ones};
};
template <>
struct about_operator<latter> {
  static constexpr named_operator value{"latter{}", latter::text, domain::any};
};
template <>
struct about_operator<onepass::maximum> {
  static constexpr named_operator value{"onepass::maximum{}", "", domain::any};
};
template <>
struct about_operator<onepass::minimum> {
  static constexpr named_operator value{"onepass::minimum{}", "", domain::any};
};
template <>
struct about_operator<onepass::bit_xor> {
  static constexpr named_operator value{"onepass::bit_xor{}", "", domain::any};
};
template <>
struct about_operator<onepass::bit_and> {
  static constexpr named_operator value{"onepass::bit_and{}", "", domain::any};
};
template <>
struct about_operator<onepass::bit_or> {
  static constexpr named_operator value{"onepass::bit_or{}", "", domain::any};
};
template <>
struct about_operator<onepass::logical_or> {
  static constexpr named_operator value{"onepass::logical_or{}", "", domain::any};
};
template <>
struct about_operator<onepass::logical_and> {
  static constexpr named_operator value{"onepass::logical_and{}", "", domain::any};
};

}  // namespace fuzz
