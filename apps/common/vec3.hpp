// SPDX-License-Identifier: Apache-2.0
// Three floats and the little arithmetic on them that points, directions and colours need, on host and device.
#pragma once

#include <onepass/config.hpp>

#include <cmath>

namespace apps {

struct vec3 {
  float x = 0;
  float y = 0;
  float z = 0;
};

ONEPASS_HOST_DEVICE inline vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
ONEPASS_HOST_DEVICE inline vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
ONEPASS_HOST_DEVICE inline vec3 operator*(vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
ONEPASS_HOST_DEVICE inline vec3 operator*(vec3 a, vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
ONEPASS_HOST_DEVICE inline float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ONEPASS_HOST_DEVICE inline float length(vec3 a) { return sqrtf(dot(a, a)); }
ONEPASS_HOST_DEVICE inline vec3 cross(vec3 a, vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// The vector of length 1 in the same direction; the null vector stays what it is.
ONEPASS_HOST_DEVICE inline vec3 normalized(vec3 a) {
  const float size = length(a);
  return size > 0 ? a * (1 / size) : a;
}

// Smallest, largest and limited value, for plain floats and ints.
template <class T>
ONEPASS_HOST_DEVICE T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
ONEPASS_HOST_DEVICE T larger(T a, T b) {
  return a < b ? b : a;
}
template <class T>
ONEPASS_HOST_DEVICE T limited(T value, T low, T high) {
  return smaller(larger(value, low), high);
}

}  // namespace apps
