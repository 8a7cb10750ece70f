// SPDX-License-Identifier: Apache-2.0
// The hierarchy's shape, and rays through it against rays at each primitive.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "../../../apps/common/cpu_backend.hpp"
#include "../../../apps/common/random.hpp"
#include "../../../apps/rays/bvh.hpp"

namespace {

using namespace rays;

struct hierarchy {
  std::vector<primitive> primitives;  // in the order of the codes
  std::vector<std::uint32_t> parents;
  std::vector<bvh_node> nodes;
  bvh_view view() const { return {nodes.data(), primitives.data()}; }
};

hierarchy built(std::vector<primitive> what, int threads) {
  const apps::cpu_backend backend(threads);
  const auto count = static_cast<std::int64_t>(what.size());
  box all = box_of(what[0]);
  for (std::size_t i = 0; i < what.size(); ++i) {
    what[i].id = static_cast<std::uint32_t>(i);
    all = around(all, box_of(what[i]));
  }
  std::vector<std::uint64_t> codes(what.size());
  std::vector<std::uint32_t> order(what.size()), arrived(what.size());
  backend.for_each(count, find_code{what.data(), morton_curve(all), codes.data(), order.data()});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return codes[a] < codes[b]; });
  std::sort(codes.begin(), codes.end());
  hierarchy result{what, std::vector<std::uint32_t>(2 * what.size() - 1), std::vector<bvh_node>(what.size() - 1)};
  backend.for_each(count, gather_primitive{what.data(), order.data(), result.primitives.data()});
  backend.for_each(count - 1, find_node{codes.data(), count, result.nodes.data(), result.parents.data()});
  backend.for_each(
      count, find_boxes{result.primitives.data(), count, result.parents.data(), arrived.data(), result.nodes.data()});
  return result;
}

vec3 drawn_point(apps::random_stream& random) {
  return {2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1};
}

// Triangles and spheres of all sizes; every third one where the one before is.
std::vector<primitive> drawn_primitives(std::uint64_t seed, int count, float size, bool flat) {
  std::vector<primitive> result;
  for (int i = 0; i < count; ++i) {
    apps::random_stream random(seed, static_cast<std::uint64_t>(i - (i % 3 == 2 ? 1 : 0)));
    vec3 a = drawn_point(random), b = drawn_point(random) * size, c = drawn_point(random) * size;
    if (flat) a.y = b.y = c.y = 0;
    if (i % 4 == 0 && !flat) result.push_back(make_sphere(a, 0.3F * size * random.uniform() + 0.01F, 0));
    else result.push_back(make_triangle(a, a + b, a + c, 0));
  }
  return result;
}

bool holds(const box& outer, const box& inner) {
  return outer.low.x <= inner.low.x && outer.low.y <= inner.low.y && outer.low.z <= inner.low.z &&
         outer.high.x >= inner.high.x && outer.high.y >= inner.high.y && outer.high.z >= inner.high.z;
}

// The leaves below a node, each of which lies in all boxes on the way.
void visit(const hierarchy& tree, std::int32_t at, const box& outer, int depth, std::vector<int>& visits) {
  ASSERT_LT(depth, 96);
  if (at < 0) {
    ++visits[static_cast<std::size_t>(~at)];
    EXPECT_TRUE(holds(outer, box_of(tree.primitives[static_cast<std::size_t>(~at)])));
    return;
  }
  const bvh_node& node = tree.nodes[static_cast<std::size_t>(at)];
  for (int which = 0; which < 2; ++which) {
    EXPECT_TRUE(holds(outer, node.around_child[which]));
    visit(tree, node.child[which], node.around_child[which], depth + 1, visits);
  }
}

TEST(hierarchy, has_each_leaf_once_within_its_boxes_cpu) {
  const box everything{{-9, -9, -9}, {9, 9, 9}};
  for (const int count : {2, 3, 4, 5, 31, 64, 1000}) {
    for (const float size : {0.0F, 0.1F, 2.0F}) {
      const hierarchy tree = built(drawn_primitives(1, count, size, false), 3);
      std::vector<int> visits(static_cast<std::size_t>(count));
      visit(tree, 0, everything, 0, visits);
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << count;
    }
  }
  // All codes equal: told apart by their indices.
  const hierarchy tree = built(std::vector<primitive>(777, make_sphere({1, 2, 3}, 0.5F, 0)), 2);
  std::vector<int> visits(777);
  visit(tree, 0, everything, 0, visits);
  EXPECT_EQ(visits, std::vector<int>(777, 1));
}

void expect_same_hits(const hierarchy& tree, std::uint64_t seed, int rays) {
  int hits = 0;
  for (int i = 0; i < rays; ++i) {
    apps::random_stream random(seed, static_cast<std::uint64_t>(i));
    vec3 origin = drawn_point(random) * 2;
    vec3 direction = normalized(drawn_point(random));
    if (i % 5 == 0) direction.x = 0;
    if (i % 7 == 0) direction = {0, i % 2 == 0 ? 1.0F : -1.0F, 0};
    if (i % 11 == 0) origin = tree.primitives[static_cast<std::size_t>(i) % tree.primitives.size()].a;
    direction = normalized(direction);
    float nearest = nowhere;
    std::uint32_t id = 0;
    for (const primitive& p : tree.primitives) {
      const float distance = distance_to(p, origin, direction);
      if (distance < nearest || (distance == nearest && distance != nowhere && p.id < id)) {
        nearest = distance;
        id = p.id;
      }
    }
    const hit found = trace<false>(tree.view(), origin, direction, nowhere);
    ASSERT_EQ(found.leaf != no_leaf, nearest != nowhere) << "ray " << i;
    ASSERT_EQ(found.distance, nearest) << "ray " << i;
    if (found.leaf == no_leaf) continue;
    ++hits;
    ASSERT_EQ(tree.primitives[found.leaf].id, id) << "ray " << i;
    ASSERT_NE(trace<true>(tree.view(), origin, direction, nearest * 1.001F).leaf, no_leaf) << "ray " << i;
    ASSERT_EQ(trace<true>(tree.view(), origin, direction, nearest * 0.999F).leaf, no_leaf) << "ray " << i;
  }
  EXPECT_GT(hits, rays / 50);
  EXPECT_LT(hits, rays);
}

TEST(hierarchy, rays_hit_what_they_hit_without_it_cpu) {
  for (const int count : {2, 7, 100, 600}) {
    for (const float size : {0.15F, 0.6F, 2.0F}) {
      expect_same_hits(built(drawn_primitives(2, count, count < 10 ? 2.0F : size, false), 2), 3, 3000);
    }
  }
  expect_same_hits(built(drawn_primitives(4, 300, 0.5F, true), 2), 5, 3000);
}

TEST(hierarchy, is_the_same_with_any_number_of_threads_cpu) {
  const std::vector<primitive> what = drawn_primitives(6, 5000, 0.1F, false);
  const hierarchy one = built(what, 1), many = built(what, 7);
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    for (int which = 0; which < 2; ++which) {
      ASSERT_EQ(one.nodes[i].child[which], many.nodes[i].child[which]);
      ASSERT_TRUE(holds(one.nodes[i].around_child[which], many.nodes[i].around_child[which]));
      ASSERT_TRUE(holds(many.nodes[i].around_child[which], one.nodes[i].around_child[which]));
    }
  }
}

}  // namespace
