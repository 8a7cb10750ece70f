// SPDX-License-Identifier: Apache-2.0
// segmented_reduce by offsets, again and again with one workspace. Parts of long segments are counted in its control block, which
// each launch has to leave as the next expects it; where offsets do not ascend, the next has to put it right.
#include <onepass/segmented_reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "offsets_fixture.hpp"
#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

class repeated_sums {
 public:
  explicit repeated_sums(const test::offsets_list& offsets)
      : backend_{stream_.get()},
        offsets_(offsets),
        values_(test::random_values<std::uint64_t>(static_cast<std::size_t>(offsets.back()), 5)),
        in_(backend_, values_),
        at_(backend_, offsets),
        out_(backend_, offsets.size() - 1),
        expected_(test::expected_results(values_, offsets, values_.size(), init, test::slow_sum{})) {
    const auto needed = onepass::measure(backend_.policy(), [&](const auto& p) { reduce(p, out_); });
    memory_ = std::make_unique<onepass::workspace>(backend_.policy(), needed);
    stream_.wait();
  }

  void back_to_back(std::size_t calls) {
    std::vector<std::unique_ptr<test::buffer<std::uint64_t>>> outs;
    for (std::size_t i = 0; i < calls; ++i)
      outs.push_back(std::make_unique<test::buffer<std::uint64_t>>(backend_, expected_.size()));
    stream_.wait();
    for (const auto& out : outs) reduce_in_memory(*out);
    for (const auto& out : outs) ASSERT_TRUE(test::same(out->to_host(), expected_));
  }
  // The launches of a graph's node are all alike, also in what the device calls their grid.
  void in_a_graph() {
    const test::graph captured(stream_, [&] { reduce_in_memory(out_); });
    for (int i = 0; i < 3; ++i) check([&] { captured.launch(stream_); });
  }
  // Results with the wrong offsets mean nothing, but those after them are right.
  void after(const test::offsets_list& wrong) {
    for (int i = 0; i < 3; ++i) {
      at_.assign(wrong);
      reduce_in_memory(out_);
      stream_.wait();
      EXPECT_TRUE(out_.guards_intact());
      at_.assign(offsets_);
      check([&] { reduce_in_memory(out_); });
    }
  }

 private:
  static constexpr std::uint64_t init = 5;

  template <class Policy>
  void reduce(const Policy& policy, const test::buffer<std::uint64_t>& out) const {
    onepass::segmented_reduce(policy, in_.begin(), in_.end(), onepass::offsets(at_.begin(), at_.end()), out.begin(),
                              init, test::slow_sum{});
  }
  void reduce_in_memory(const test::buffer<std::uint64_t>& out) const { reduce(backend_.policy().with(*memory_), out); }
  template <class Call>
  void check(Call call) {
    out_.poison_all();
    call();
    stream_.wait();
    EXPECT_TRUE(test::same(out_.to_host(), expected_));
  }

  const test::stream stream_;
  const test::cuda_backend backend_;
  const test::offsets_list offsets_;
  const std::vector<std::uint64_t> values_;
  test::buffer<std::uint64_t> in_;
  test::buffer<std::int64_t> at_;
  test::buffer<std::uint64_t> out_;
  const std::vector<std::uint64_t> expected_;
  std::unique_ptr<onepass::workspace> memory_;
};

// One segment that is cut among a few thousand empty ones.
test::offsets_list few_segments() {
  test::offsets_list offsets(3802, 3 * 3712 - 2);
  offsets[0] = 0;
  return offsets;
}
// Some of many segments are cut.
test::offsets_list many_segments() { return test::drawn_offsets(test::limited(1700003), 10); }
// One that is cut among short ones, in tiles.
test::offsets_list short_segments() { return test::drawn_offsets(100003, 5); }

std::size_t longest_of(const test::offsets_list& offsets) {
  std::size_t longest = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    if (offsets[s + 1] - offsets[s] > offsets[longest + 1] - offsets[longest]) longest = s;
  return longest;
}
// Many segments that overlap, each of which would be cut.
test::offsets_list overlapping(test::offsets_list offsets) {
  const std::size_t longest = longest_of(offsets);
  const std::int64_t begin = offsets[longest], end = offsets[longest + 1];
  for (std::size_t i = 0; i < std::min<std::size_t>(60, offsets.size()); ++i) offsets[i] = i % 2 == 0 ? begin : end;
  return offsets;
}
// The segment behind the longest one ends before it begins.
test::offsets_list with_a_dip(test::offsets_list offsets) {
  const std::size_t longest = longest_of(offsets);
  offsets[longest + 2] = (offsets[longest] + offsets[longest + 1]) / 2;
  return offsets;
}
}  // namespace

ONEPASS_GPU_TEST(segmented_reduce_by_offsets, one_workspace_again_and_again) {
  repeated_sums(few_segments()).back_to_back(test::small_only() ? 10 : 300);
  repeated_sums(many_segments()).back_to_back(10);
  repeated_sums(short_segments()).back_to_back(10);
}
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, one_graph_again_and_again) {
  repeated_sums(few_segments()).in_a_graph();
  repeated_sums(many_segments()).in_a_graph();
  repeated_sums(short_segments()).in_a_graph();
}
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, offsets_that_do_not_ascend_harm_no_later_call) {
  repeated_sums(few_segments()).after(overlapping(few_segments()));
  repeated_sums(many_segments()).after(overlapping(many_segments()));
  repeated_sums(short_segments()).after(with_a_dip(short_segments()));
}
#endif
