// SPDX-License-Identifier: Apache-2.0
// Answers on each backend beside those of a serial program.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../../../apps/query/run.hpp"
#include "random_tables.hpp"
#include "support/test.hpp"

namespace {

using namespace query;

run_report answered(bool on_device, const question& asked, const table& on) {
  return answer_and_compare(plan_of(asked, on), on, on_device ? apps::backend_kind::cuda : apps::backend_kind::cpu, 3,
                            true, 1);
}

std::string lines(const table& what) { return as_csv(what); }

table rides() {
  return read_table(
      "zone,paid,fare,tip,people\n"
      "north,cash,10,0.5,1\n"
      "south,card,20.5,,2\n"
      "north,card,30,1.5,3\n"
      ",card,40,2,4\n"
      "south,cash,5,,1\n"
      "north,cash,,1,2\n",
      "rides");
}

ONEPASS_TEST(query, groups_and_aggregates) {
  question asked;
  asked.group_by = {"zone"};
  asked.aggregates = {{aggregate_kind::count, ""},     {aggregate_kind::sum, "fare"},
                      {aggregate_kind::mean, "tip"},   {aggregate_kind::least, "paid"},
                      {aggregate_kind::sum, "people"}, {aggregate_kind::greatest, "fare"}};
  const run_report report = answered(backend.on_device, asked, rides());
  EXPECT_EQ(lines(report.answer),
            "zone,count,sum(fare),mean(tip),min(paid),sum(people),max(fare)\n"
            "north,3,40,1,card,6,30\n"
            "south,2,25.5,,card,3,20.5\n"
            ",1,40,2,card,4,40\n");
  EXPECT_TRUE(apps::all_agree(report.stages));
}

ONEPASS_TEST(query, rows_in_order) {
  question asked;
  asked.where = "people < 4";
  asked.select = {"tip", "zone"};
  asked.order_by = {"tip"};
  EXPECT_EQ(lines(answered(backend.on_device, asked, rides()).answer),
            "tip,zone\n0.5,north\n1,north\n1.5,north\n,south\n,south\n");
  asked.descending = true;
  asked.order_by = {"tip", "fare"};
  EXPECT_EQ(lines(answered(backend.on_device, asked, rides()).answer),
            "tip,zone\n1.5,north\n1,north\n0.5,north\n,south\n,south\n");
  asked.limited = true;
  asked.limit = 2;
  EXPECT_EQ(lines(answered(backend.on_device, asked, rides()).answer), "tip,zone\n1.5,north\n1,north\n");
}

ONEPASS_TEST(query, nothing_is_taken) {
  question asked;
  asked.where = "fare > 1000";
  asked.aggregates = {{aggregate_kind::count, ""}, {aggregate_kind::sum, "people"}, {aggregate_kind::least, "zone"}};
  EXPECT_EQ(lines(answered(backend.on_device, asked, rides()).answer), "count,sum(people),min(zone)\n0,,\n");
  asked.group_by = {"paid"};
  EXPECT_EQ(lines(answered(backend.on_device, asked, rides()).answer), "paid,count,sum(people),min(zone)\n");
  asked = {};
  asked.where = "fare > 1000";
  EXPECT_EQ(answered(backend.on_device, asked, rides()).answer.rows(), 0U);
  const table empty = read_table("a,b\n", "empty");
  asked.where = "a > 3";
  EXPECT_EQ(lines(answered(backend.on_device, asked, empty).answer), "a,b\n");
}

// The sum of these does not fit in 64 bits.
ONEPASS_TEST(query, large_sums_are_reals) {
  const table on = read_table("a\n9000000000000000000\n9000000000000000000\n-1\n", "large");
  question asked;
  asked.aggregates = {{aggregate_kind::sum, "a"}, {aggregate_kind::greatest, "a"}};
  EXPECT_EQ(lines(answered(backend.on_device, asked, on).answer), "sum(a),max(a)\n1.8e+19,9000000000000000000\n");
}

ONEPASS_TEST(query, random_questions) {
  test::random_source random(7);
  for (int i = 0; i < 150; ++i) {
    const std::size_t rows = test::one_of<std::size_t>(random, {0, 1, 2, 63, 700, 5000});
    const table on = test::random_table(random, rows, 1 + test::below(random, 12));
    const question asked = test::random_question(random, on);
    const run_report report = answered(backend.on_device, asked, on);
    for (const apps::comparison& row : report.stages) {
      EXPECT_TRUE(row.agree) << row.name << " of question " << i << ", " << rows << " rows, where " << asked.where;
    }
  }
}

// Rows enough for several tables of groups: some groups are in all of them, "late" is in the last alone, one value is missing.
ONEPASS_TEST(query, groups_of_many_rows) {
  std::string text = "kind,value\n";
  for (int row = 0; row < 40000; ++row) {
    text += row == 39999 ? "late" : row % 3 == 0 ? "even" : row % 5 == 0 ? "" : "odd";
    text += "," + (row == 7 ? std::string() : std::to_string(row % 11) + ".1") + "\n";
  }
  const table on = read_table(text, "many");
  question asked;
  asked.group_by = {"kind"};
  asked.aggregates = {{aggregate_kind::count, ""}, {aggregate_kind::sum, "value"}, {aggregate_kind::greatest, "value"}};
  const run_report report = answered(backend.on_device, asked, on);
  EXPECT_TRUE(apps::all_agree(report.stages));
  ASSERT_EQ(report.answer.rows(), 4U);
  EXPECT_EQ(report.answer.columns[0].as_text(1), "late");
  EXPECT_EQ(report.answer.columns[1].integers, (std::vector<std::int64_t>{13333, 1, 21333, 5333}));
  EXPECT_EQ(report.answer.columns[2].reals[1], 3.1);
  if (backend.on_device) return;
  for (const int threads : {1, 2, 16}) {
    EXPECT_EQ(lines(answer_and_compare(plan_of(asked, on), on, apps::backend_kind::cpu, threads, false, 1).answer),
              lines(report.answer));
  }
}

// Comparisons that are joined at once, and those that wait for others.
ONEPASS_TEST(query, conditions_in_every_order) {
  const table on = rides();
  for (const auto& [condition, rows] : std::vector<std::pair<std::string, std::size_t>>{
           {"fare > 6 and paid == \"card\"", 3},
           {"fare > 6 and (paid == \"cash\" or people > 3)", 2},
           {"not (fare > 6 and paid == \"card\") and people == 1", 2},
           {"(fare > 25 or people == 1) and not paid == \"cash\"", 2},
           {"tip is missing or fare is missing", 3},
           {"people > 1 and people < 4 or zone is missing and fare > 1", 4}}) {
    question asked;
    asked.where = condition;
    const run_report report = answered(backend.on_device, asked, on);
    EXPECT_EQ(report.answer.rows(), rows) << condition;
    EXPECT_TRUE(apps::all_agree(report.stages)) << condition;
  }
}

ONEPASS_TEST(query, generated_rides) {
  const table on = generated_table(100000, 3);
  question asked;
  asked.where = "fare > 20 and payment == \"credit card\"";
  asked.group_by = {"zone", "passengers"};
  asked.aggregates = {{aggregate_kind::sum, "fare"}, {aggregate_kind::mean, "tip"}, {aggregate_kind::count, ""}};
  asked.order_by = {"sum(fare)"};
  asked.descending = true;
  const run_report report = answered(backend.on_device, asked, on);
  EXPECT_TRUE(apps::all_agree(report.stages));
  EXPECT_EQ(report.answer.rows(), 260U * 6);
  EXPECT_EQ(lines(generated_table(100, 3)), lines(read_table(lines(generated_table(100, 3)), "again")));
  EXPECT_NE(lines(generated_table(100, 3)), lines(generated_table(100, 4)));
}

}  // namespace
