// SPDX-License-Identifier: Apache-2.0
// Where the picture is taken from, what falls into it, and where on it a point of the scene comes to lie.
#pragma once

#include "vec3.hpp"

namespace apps {

// A perspective view onto width x height pixels.
struct camera {
  vec3 eye;
  vec3 right{1, 0, 0};  // these three are unit vectors at right angles
  vec3 up{0, 1, 0};
  vec3 forward{0, 0, -1};
  float focal = 1;  // pixels that a unit at distance 1 takes on the picture
  int width = 1;
  int height = 1;
  float nearest = 0.01F;
  float farthest = 100;
};

// Pixels from the upper left corner, and the distance along the view direction.
struct screen_point {
  float x = 0;
  float y = 0;
  float depth = 0;
};

ONEPASS_HOST_DEVICE inline float depth_of(const camera& view, vec3 position) {
  return dot(position - view.eye, view.forward);
}

// Only for points in front of the eye.
ONEPASS_HOST_DEVICE inline screen_point project(const camera& view, vec3 position) {
  const vec3 away = position - view.eye;
  const float depth = dot(away, view.forward);
  const float scale = view.focal / depth;
  return {0.5F * static_cast<float>(view.width) + dot(away, view.right) * scale,
          0.5F * static_cast<float>(view.height) - dot(away, view.up) * scale, depth};
}

// Six planes around what the camera sees; a point is inside where every one gives a number of at least 0.
struct frustum {
  vec3 normals[6];
  float offsets[6] = {};

  ONEPASS_HOST_DEVICE bool contains(vec3 position) const {
    for (int i = 0; i < 6; ++i) {
      if (!(dot(normals[i], position) + offsets[i] >= 0)) return false;
    }
    return true;
  }
};

frustum frustum_of(const camera& view);

// The camera of a frame on its orbit: one turn around `centre` over all frames, coming closer towards half time and
// going back again. At its farthest a ball of `radius` around the centre just fits the picture.
camera orbit(vec3 centre, float radius, float elevation, int frame, int frames, int width, int height);

}  // namespace apps
