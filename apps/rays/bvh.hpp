// SPDX-License-Identifier: Apache-2.0
// A bounding volume hierarchy from sorted Morton codes, and the walk of a ray through it. Each inner node is found from the
// codes alone, without its parent, and boxes are put together from the leaves upwards: the second child to arrive goes on.
// Methods: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees" (2012); slabs after Ize,
// "Robust BVH Ray Traversal" (2013).
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "primitives.hpp"

namespace rays {

// A child is a node, or ~leaf; a leaf is a primitive, by its index in the order of the codes. The root is node 0.
struct bvh_node {
  box around_child[2];
  std::int32_t child[2];
};

constexpr std::uint32_t no_leaf = 0xFFFFFFFF;
constexpr std::uint32_t no_parent = 0xFFFFFFFF;

// Every third bit of 63: the lowest 21 bits of x, apart.
ONEPASS_HOST_DEVICE inline std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x001F00000000FFFFULL;
  x = (x | x << 16) & 0x001F0000FF0000FFULL;
  x = (x | x << 8) & 0x100F00F00F00F00FULL;
  x = (x | x << 4) & 0x10C30C30C30C30C3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

// Where a position lies on the Morton curve through a box, 63 bits; what lies outside counts as on the box's border.
struct morton_curve {
  vec3 low, scale;

  explicit morton_curve(const box& b) : low(b.low) {
    const vec3 size = b.high - b.low;
    scale = {cells / larger(size.x, 1e-20F), cells / larger(size.y, 1e-20F), cells / larger(size.z, 1e-20F)};
  }
  ONEPASS_HOST_DEVICE std::uint64_t operator()(vec3 p) const {
    const vec3 at = (p - low) * scale;
    return spread_bits(cell(at.x)) | spread_bits(cell(at.y)) << 1 | spread_bits(cell(at.z)) << 2;
  }

 private:
  static constexpr float cells = 2097152;  // 2^21 along an axis
  ONEPASS_HOST_DEVICE static std::uint64_t cell(float at) {
    return static_cast<std::uint64_t>(limited(at, 0.0F, cells - 1));
  }
};

struct find_code {
  const primitive* primitives;
  morton_curve curve;
  std::uint64_t* codes;
  std::uint32_t* order;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const box b = box_of(primitives[i]);
    codes[i] = curve((b.low + b.high) * 0.5F);
    order[i] = static_cast<std::uint32_t>(i);
  }
};

struct gather_primitive {
  const primitive* from;
  const std::uint32_t* order;
  primitive* to;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[order[i]]; }
};

// Karras's algorithm for one inner node. Primitives with the same code are told apart by their index.
struct find_node {
  const std::uint64_t* codes;
  std::int64_t leaves;
  bvh_node* nodes;
  std::uint32_t* parents;  // of the inner nodes, then of the leaves: 2 * node + which child; the root's is no_parent

  ONEPASS_HOST_DEVICE static int leading_zeros(std::uint64_t x) {
#ifdef __CUDA_ARCH__
    return __clzll(static_cast<long long>(x));
#else
    return __builtin_clzll(x);
#endif
  }
  // How many leading bits the codes of two leaves have in common; -1 outside.
  ONEPASS_HOST_DEVICE int common(std::int64_t i, std::int64_t j) const {
    if (j < 0 || j >= leaves) return -1;
    if (codes[i] != codes[j]) return leading_zeros(codes[i] ^ codes[j]);
    return 64 + leading_zeros(static_cast<std::uint64_t>(i ^ j));
  }
  ONEPASS_HOST_DEVICE void set_child(std::int64_t node, int which, std::int64_t first, std::int64_t last,
                                     std::int64_t split) const {
    const bool leaf = first == last;
    nodes[node].child[which] = static_cast<std::int32_t>(leaf ? ~split : split);
    parents[leaf ? leaves - 1 + split : split] = static_cast<std::uint32_t>(2 * node + which);
  }
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const int step = common(i, i + 1) > common(i, i - 1) ? 1 : -1;  // towards the other end of the node's leaves
    const int outside = common(i, i - step);
    std::int64_t reach = 2, length = 0;
    while (common(i, i + reach * step) > outside) reach *= 2;
    for (reach /= 2; reach > 0; reach /= 2) {
      if (common(i, i + (length + reach) * step) > outside) length += reach;
    }
    const std::int64_t end = i + length * step;
    const int inside = common(i, end);
    std::int64_t left = 0;  // leaves from i on that share more than the node does
    for (std::int64_t part = length; part > 1;) {
      part = (part + 1) / 2;
      if (common(i, i + (left + part) * step) > inside) left += part;
    }
    const std::int64_t split = i + left * step + smaller(step, 0);
    set_child(i, 0, smaller(i, end), split, split);
    set_child(i, 1, split + 1, larger(i, end), split + 1);
    if (i == 0) parents[0] = no_parent;
  }
};

// Puts a leaf's box into its parent, and goes up from there where the other child has arrived before.
struct find_boxes {
  const primitive* primitives;  // in the order of the codes
  std::int64_t leaves;
  const std::uint32_t* parents;
  std::uint32_t* arrived;  // 0 for each node before
  bvh_node* nodes;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t leaf) const {
    // Far more than a hit's distance may be off by, so that no box hides what is hit in it.
    const vec3 margin{2e-5F, 2e-5F, 2e-5F};
    box b = box_of(primitives[leaf]);
    b = {b.low - margin, b.high + margin};
    for (std::uint32_t parent = parents[leaves - 1 + leaf]; parent != no_parent;) {
      const std::uint32_t at = parent / 2;
      nodes[at].around_child[parent % 2] = b;
      cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> count(arrived[at]);
      if (count.fetch_add(1, cuda::memory_order_acq_rel) == 0) return;
      b = around(nodes[at].around_child[0], nodes[at].around_child[1]);
      parent = parents[at];
    }
  }
};

struct bvh_view {
  const bvh_node* nodes;
  const primitive* primitives;  // in the order of the codes
};

struct hit {
  float distance;
  std::uint32_t leaf;  // no_leaf: nothing was hit
};

// Where a ray enters a box, and whether it does so before `farthest`.
ONEPASS_HOST_DEVICE inline bool enters(const box& b, vec3 origin, vec3 inverse, float farthest, float& near) {
  const vec3 low = (b.low - origin) * inverse, high = (b.high - origin) * inverse;
  near = larger(larger(smaller(low.x, high.x), smaller(low.y, high.y)), larger(smaller(low.z, high.z), 0.0F));
  const float far = smaller(smaller(larger(low.x, high.x), larger(low.y, high.y)), larger(low.z, high.z));
  return near <= far * 1.0000004F && near <= farthest;  // for the rounding of both
}

// 1 / x; of 0 a number so large that no box is missed, but none that makes 0 * x no number.
ONEPASS_HOST_DEVICE inline float inverse_of(float x) {
  if (x < 1e-18F && x > -1e-18F) return x < 0 ? -1e18F : 1e18F;
  return 1 / x;
}

// The nearest hit before `farthest`; with `any` the first one that is found.
template <bool any>
ONEPASS_HOST_DEVICE hit trace(const bvh_view& bvh, vec3 origin, vec3 direction, float farthest) {
  constexpr int deepest = 96;  // a level for each of 63 bits of codes and 32 of indices
  std::int32_t waiting[deepest];
  int count = 0;
  const vec3 inverse{inverse_of(direction.x), inverse_of(direction.y), inverse_of(direction.z)};
  hit found{farthest, no_leaf};
  std::uint32_t found_id = 0;
  for (std::int32_t at = 0;;) {
    const bvh_node& node = bvh.nodes[at];
    float near[2] = {0, 0};
    bool inside[2];
    for (int which = 0; which < 2; ++which) {
      inside[which] = enters(node.around_child[which], origin, inverse, found.distance, near[which]);
      if (!inside[which] || node.child[which] >= 0) continue;
      inside[which] = false;
      const auto leaf = static_cast<std::uint32_t>(~node.child[which]);
      const primitive& p = bvh.primitives[leaf];
      const float distance = distance_to(p, origin, direction);
      if (!(distance < found.distance || (distance == found.distance && found.leaf != no_leaf && p.id < found_id))) {
        continue;
      }
      found = {distance, leaf};
      found_id = p.id;
      if (any) return found;
    }
    if (inside[0] && inside[1]) {
      const int first = near[1] < near[0] ? 1 : 0;
      waiting[count++] = node.child[1 - first];
      at = node.child[first];
    } else if (inside[0] || inside[1]) {
      at = node.child[inside[0] ? 0 : 1];
    } else {
      if (count == 0) return found;
      at = waiting[--count];
    }
  }
}

}  // namespace rays
