// SPDX-License-Identifier: Apache-2.0
// Tables from Parquet files: each type, compression and encoding, and what is refused. make_parquet.py wrote the files; damage
// to them is in tests/fuzz/files.
#include <limits>
#include <string>
#include <vector>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/query/calendar.hpp"
#include "../../../apps/query/parquet_file.hpp"
#include "../common/program.hpp"

namespace {

using namespace query;

class parquet : public test::app_program {
 protected:
  parquet() : app_program("query") {}

  void SetUp() override {
    if (!reads_parquet()) GTEST_SKIP() << "this build has no Arrow, and reads no Parquet";
    if (files_.empty()) GTEST_SKIP() << "the source tree is not there";
  }

  std::string file(const std::string& name) const { return files_ + "/" + name + ".parquet"; }
  table read(const std::string& name) const { return read_any_table(text_of(file(name)), name); }

  void expect_error(const std::string& name, const std::string& part) const {
    try {
      read(name);
      ADD_FAILURE() << name;
    } catch (const apps::user_error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(name + ": ", 0), 0U) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << name << ": " << error.what();
    }
  }

  const std::string files_ = test::found_above("tests/fuzz/files/corpus/parquet");
  const std::string rides_ = test::found_above("tests/apps/query/rides.csv");
};

TEST_F(parquet, whole_numbers) {
  EXPECT_EQ(as_csv(read("whole_numbers")),
            "i8,u8,i16,u16,i32,u32,i64,u64,beyond,least\n"
            "-128,0,-32768,0,-2147483648,0,-9223372036854775807,0,1,1\n"
            ",,,,,,,,,\n"
            "127,255,32767,65535,2147483647,4294967295,9223372036854775807,9223372036854775807,18446744073709551616,"
            "-9223372036854775808\n");
}

TEST_F(parquet, reals) {
  const table on = read("reals");
  for (const column& one : on.columns) EXPECT_EQ(one.type, column_type::real) << one.name;
  EXPECT_EQ(as_csv(on),
            "half,small,single,double,ends,ends_of_half\n"
            "-0.5,-65504,0.10000000149011612,0.1,inf,inf\n"
            ",5.960464477539063e-08,,,,\n"
            "1.5,6.103515625e-05,1.5,1e+300,-inf,-inf\n");
}

TEST_F(parquet, decimals) {
  const std::string expected =
      "d9,d18,d38,d76,whole,large\n"
      "-12.3,-12.3,-12.3,-12.3,-7,1e+20\n"
      ",,,,,\n"
      "0.07,0.07,0.07,0.07,8,8\n";
  EXPECT_EQ(as_csv(read("decimals")), expected);
  EXPECT_EQ(as_csv(read("decimals_as_integers")), expected);
  EXPECT_EQ(read("decimals").columns[4].type, column_type::integer);
}

TEST_F(parquet, texts) {
  const table on = read("texts");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(on.columns[i].words,
              (std::vector<std::string>{"", " a ", "NA", "a", "b,c", "q\"q", "\xC3\xA9t\xC3\xA9"}));
    EXPECT_EQ(on.columns[i].texts, (std::vector<std::uint32_t>{4, missing_text, 0, 3, 2, 1, 5, 6}));
  }
  EXPECT_EQ(on.columns[4].words, (std::vector<std::string>{"false", "true"}));
  EXPECT_EQ(on.columns[4].texts, (std::vector<std::uint32_t>{1, missing_text, 0, 1, 1, 0, 0, missing_text}));
  EXPECT_EQ(on.columns[5].integers, std::vector<std::int64_t>(8, missing_integer));
}

TEST_F(parquet, moments) {
  const table on = read("moments");
  EXPECT_EQ(on.columns[0].words, (std::vector<std::string>{"0001-01-01", "1970-01-01", "2024-02-29", "9999-12-31"}));
  EXPECT_EQ(on.columns[0].texts, (std::vector<std::uint32_t>{1, missing_text, 2, 0, 3}));
  const std::vector<std::string> times{"1900-03-01 07:00:00", "1969-12-31 23:59:59.999", "1970-01-01 00:00:00",
                                       "2024-02-29 12:30:05.25"};
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(on.columns[i].words, times) << on.columns[i].name;
  EXPECT_EQ(read("moments_of_96_bits").columns[0].words, times);
  for (std::size_t i = 5; i < 8; ++i) {
    EXPECT_EQ(on.columns[i].words, (std::vector<std::string>{"00:00:00", "07:00:00", "12:30:05.25", "23:59:59.999"}));
  }
}

TEST_F(parquet, shapes) {
  EXPECT_EQ(as_csv(read("structures")), "point.x,point.y.z,n\n1,a,1\n,,2\n3,,3\n");
  const table none = read("no_rows");
  EXPECT_EQ(none.rows(), 0U);
  EXPECT_EQ(as_csv(none), "n,x,t\n");
  EXPECT_EQ(none.columns[1].type, column_type::real);
  EXPECT_EQ(none.columns[2].type, column_type::text);
}

TEST_F(parquet, the_same_table_in_many_forms) {
  const std::string csv = text_of(rides_);
  ASSERT_EQ(as_csv(read_any_table(csv, "rides.csv")), csv);
  for (const char* form :
       {"plain", "snappy", "gzip", "zstd", "lz4", "brotli", "small_pages", "version_2", "with_schema", "deltas"}) {
    EXPECT_EQ(as_csv(read(std::string("rides_") + form)), csv) << form;
  }
}

TEST_F(parquet, what_is_refused) {
  expect_error("bad_lists", "column tags is in lists or maps");
  expect_error("bad_map", "column n is in lists or maps");
  expect_error("bad_no_columns", "has no columns");
  expect_error("bad_type", "column id is of the type FIXED_LEN_BYTE_ARRAY");
  expect_error("bad_two_names", "two columns are named n");
  expect_error("bad_no_name", "a column has no name");
  expect_error("bad_year", "column late has a date outside the years 0 to 9999");
  expect_error("bad_clock", "column clock has a date outside");
  expect_error("bad_checksum", "CRC");
  for (const char* name :
       {"magic_alone", "twice_magic", "cut", "no_end", "footer_too_long", "footer_empty", "pages", "moved"}) {
    expect_error(std::string("bad_") + name, "can't be read as Parquet: ");
  }
}

// 1 * 10^-90 and two more in a column d. pyarrow writes no such file.
TEST_F(parquet, decimals_with_more_digits_than_arrow_prints) {
  constexpr char bytes[] =
      "\x50\x41\x52\x31\x15\x00\x15\x24\x15\x24\x2C\x15\x06\x15\x00\x15\x06\x15\x06\x00\x00\x01\x00\x00\x00\x01\x02\x00"
      "\x00"
      "\x00\x7F\xFF\x03\x00\x00\x00\x10\x00\x00\x15\x02\x19\x2C\x48\x04\x72\x6F\x6F\x74\x15\x02\x00\x15\x0C\x25\x00\x18"
      "\x01"
      "\x64\x25\x0A\x15\xB4\x01\x15\xC8\x01\x00\x16\x06\x19\x1C\x19\x1C\x26\x08\x1C\x15\x0C\x19\x15\x00\x19\x18\x01\x64"
      "\x15"
      "\x00\x16\x06\x16\x46\x16\x46\x26\x08\x00\x00\x16\x46\x16\x06\x00\x28\x01\x78\x00\x44\x00\x00\x00\x50\x41\x52"
      "\x31";
  write("small.parquet", std::string(bytes, sizeof bytes - 1));
  expect_refused("small.parquet", "column d has decimals of more than 76 digits behind the point");
}

TEST_F(parquet, program_cpu) {
  const std::string question =
      " --backend cpu --threads 2 --where 'day >= \"2024-03\"' --group-by zone --count --sum fare --mean riders --max "
      "day --order-by "
      "'sum(fare)' --out ";
  const test::outcome csv = run("'" + rides_ + "'" + question + "csv.csv");
  const test::outcome parquet = run("'" + file("rides_zstd") + "'" + question + "parquet.csv");
  EXPECT_EQ(csv.status, 0) << csv.errors;
  EXPECT_EQ(parquet.status, 0) << parquet.errors;
  EXPECT_NE(parquet.out.find(
                "rides_zstd.parquet: 120 rows of zone (texts), day (texts), riders (whole numbers), fare (numbers)"),
            std::string::npos)
      << parquet.out;
  EXPECT_NE(parquet.out.find("all results agree: yes"), std::string::npos) << parquet.out;
  EXPECT_GT(text_of(folder_ / "csv.csv").size(), 60U);
  EXPECT_EQ(text_of(folder_ / "parquet.csv"), text_of(folder_ / "csv.csv"));
  // Infinite values, by a pipe.
  const test::outcome reals = run("- --backend cpu --where 'ends > 0' --max ends --count <'" + file("reals") + "'");
  EXPECT_EQ(reals.status, 0) << reals.errors;
  EXPECT_NE(reals.out.find("all results agree: yes"), std::string::npos) << reals.out;
  expect_refused("'" + file("bad_cut") + "'", "can't be read as Parquet: ");
}

class parquet_or_not : public test::app_program {
 protected:
  parquet_or_not() : app_program("query") {}
};

TEST_F(parquet_or_not, one_clear_line) {
  write("t.parquet", "PAR1\x15\x04");
  expect_refused("t.parquet",
                 reads_parquet() ? "t.parquet: can't be read as Parquet: " : "t.parquet: is a Parquet file, and");
}

TEST(calendar, dates_and_times) {
  EXPECT_EQ(date_text(0), "1970-01-01");
  EXPECT_EQ(date_text(-719528), "0000-01-01");
  EXPECT_EQ(date_text(-719529), "");
  EXPECT_EQ(date_text(2932896), "9999-12-31");
  EXPECT_EQ(date_text(2932897), "");
  EXPECT_EQ(date_text(11016), "2000-02-29");
  EXPECT_EQ(date_text(47540), "2100-02-28");
  EXPECT_EQ(date_text(47541), "2100-03-01");
  std::string before;
  for (std::int64_t day = -719528; day <= 2932896; day += 7) {
    std::string text = date_text(day);
    ASSERT_LT(before, text);
    before = std::move(text);
  }
  EXPECT_EQ(clock_text(86399999, 1000), "23:59:59.999");
  EXPECT_EQ(clock_text(86400000, 1000), "");
  EXPECT_EQ(clock_text(-1, 1000), "");
  EXPECT_EQ(clock_text(1, 1000000000), "00:00:00.000000001");
  EXPECT_EQ(clock_text(3600000000, 1000000), "01:00:00");
  EXPECT_EQ(moment_text(-1, 1000), "1969-12-31 23:59:59.999");
  EXPECT_EQ(moment_text(std::numeric_limits<std::int64_t>::min(), 1000000), "");
  EXPECT_EQ(moment_text(std::numeric_limits<std::int64_t>::max(), 1000000000), "2262-04-11 23:47:16.854775807");
}

}  // namespace
