// SPDX-License-Identifier: Apache-2.0
// Equalisation on each backend, against its definition and a serial program.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/equalize/plain_equalize.hpp"
#include "../../../apps/equalize/run.hpp"
#include "pictures.hpp"
#include "support/test.hpp"

namespace {

using namespace equalize;

template <class Backend>
options on(const Backend&, int columns = 1, int rows = 1, double clip = 0) {
  options wanted;
  wanted.backend = Backend::on_device ? apps::backend_kind::cuda : apps::backend_kind::cpu;
  wanted.columns = columns, wanted.rows = rows, wanted.clip = clip;
  return wanted;
}

// Every stage and every value against its peer's; that is the program's own check.
template <class Backend>
picture expect_right(const Backend& backend, const picture& what, int columns, int rows, double clip) {
  const run_report report = equalize_and_compare(what, on(backend, columns, rows, clip));
  EXPECT_TRUE(apps::all_agree(report.rows)) << what.width << " x " << what.height << ", " << columns << " x " << rows;
  EXPECT_GE(report.rows.size(), 5U);
  return report.result;
}

ONEPASS_TEST(equalize, grey_pictures_by_the_definition) {
  for (const int depth : {8, 16}) {
    for (const auto& [width, height] : {std::pair{1, 1}, std::pair{7, 1}, std::pair{64, 48}, std::pair{501, 333}}) {
      const picture what = test::random_picture(3, width, height, 1, depth);
      const picture got = expect_right(backend, what, 1, 1, 0);
      std::vector<std::uint16_t> sorted = what.samples;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto up_to = std::upper_bound(sorted.begin(), sorted.end(), what.samples[i]) - sorted.begin();
        const double share = static_cast<double>(up_to) / static_cast<double>(sorted.size());
        ASSERT_NEAR(got.samples[i], share * ((1 << depth) - 1), 0.5 + 1e-9) << "pixel " << i;
      }
    }
  }
}

ONEPASS_TEST(equalize, every_kind_of_picture) {
  for (const int channels : {1, 2, 3, 4}) {
    for (const int depth : {8, 16}) {
      const picture what = test::random_picture(4, 90, 61, channels, depth);
      expect_right(backend, what, 1, 1, 0);
      const picture got = expect_right(backend, what, 4, 3, 2);
      if (channels % 2 == 1) continue;
      for (std::size_t i = static_cast<std::size_t>(channels) - 1; i < what.samples.size();
           i += static_cast<std::size_t>(channels)) {
        ASSERT_EQ(got.samples[i], what.samples[i]) << "opacity";
      }
    }
  }
}

ONEPASS_TEST(equalize, tiles_of_all_shapes) {
  const picture what = test::random_picture(5, 203, 97, 1, 8);
  for (const auto& [columns, rows] : {std::pair{1, 1}, std::pair{2, 1}, std::pair{1, 2}, std::pair{8, 8},
                                      std::pair{64, 64}, std::pair{13, 7}, std::pair{64, 1}}) {
    expect_right(backend, what, columns, rows, 2.5);
  }
  for (const double clip : {0.0, 0.01, 1.0, 256.0}) expect_right(backend, what, 13, 7, clip);
  expect_right(backend, test::random_picture(6, 3, 3, 3, 16), 3, 3, 4);
  expect_right(backend, test::random_picture(7, 400, 300, 3, 16), 5, 4, 3);
}

// More bins than one call counts.
ONEPASS_TEST(equalize, tiles_of_16_bits) { expect_right(backend, test::random_picture(10, 130, 12, 1, 16), 16, 5, 2); }

ONEPASS_TEST(equalize, flat_and_black_pictures) {
  picture what{40, 30, 1, 8, std::vector<std::uint16_t>(1200, 7)};
  EXPECT_EQ(expect_right(backend, what, 1, 1, 0).samples, std::vector<std::uint16_t>(1200, 255));
  expect_right(backend, what, 4, 4, 2);
  what.samples.assign(1200, 0);
  run_report report = equalize_and_compare(what, on(backend));
  EXPECT_TRUE(apps::all_agree(report.rows));
  EXPECT_TRUE(report.lit.empty());
  what.samples[0] = what.samples[77] = what.samples[1199] = 1;
  report = equalize_and_compare(what, on(backend));
  EXPECT_EQ(report.lit, (std::vector<std::uint32_t>{0, 77, 1199}));
}

// Seven luminances have 256 pixels left each; 249 more come to every one of the 256 luminances.
ONEPASS_TEST(equalize, a_limit_of_one_makes_the_map_even) {
  picture what{256, 256, 1, 8, {}};
  for (int i = 0; i < 256 * 256; ++i) what.samples.push_back(static_cast<std::uint16_t>(100 + i % 7));
  const picture got = expect_right(backend, what, 1, 1, 1);
  for (std::size_t i = 0; i < got.samples.size(); ++i) {
    const int light = what.samples[i], sum = (light + 1) * 249 + (light - 99) * 256;
    ASSERT_EQ(got.samples[i], (sum * 255 + 32768) / 65536) << i;
  }
}

ONEPASS_CPU_TEST(equalize, same_values_with_any_number_of_threads) {
  const picture what = test::random_picture(8, 400, 300, 3, 8);
  options wanted = on(backend, 8, 8, 2);
  wanted.threads = 1;
  const picture one = equalize_and_compare(what, wanted).result;
  for (const int threads : {2, 7}) {
    wanted.threads = threads;
    EXPECT_TRUE(equalize_and_compare(what, wanted).result == one);
  }
}

ONEPASS_CPU_TEST(equalize, more_tiles_than_pixels) {
  const picture what = test::random_picture(9, 5, 9, 1, 8);
  EXPECT_THROW(equalize_and_compare(what, on(backend, 6, 1, 2)), apps::user_error);
  EXPECT_THROW(equalize_and_compare(what, on(backend, 1, 10, 2)), apps::user_error);
}

}  // namespace
