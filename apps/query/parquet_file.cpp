// SPDX-License-Identifier: Apache-2.0
// Reads Parquet with Arrow's readers of single columns, which give what is in the file. C++20, as Arrow's headers are.
#include "parquet_file.hpp"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/util/decimal.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_set>
#include <utility>

#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "calendar.hpp"
#include "typed_columns.hpp"

namespace query {
namespace {

using descriptor = parquet::ColumnDescriptor;

constexpr const char* outside_the_calendar = "has a date outside the years 0 to 9999, or a time of no day";

// What is wrong with a column; the file's name comes before it.
[[noreturn]] void refuse(const descriptor& column, const std::string& what) {
  const bool repeated = column.max_repetition_level() > 0;  // then what is repeated has the name
  const std::string name = repeated ? column.path()->ToDotVector()[0] : column.path()->ToDotString();
  throw apps::user_error("column " + apps::printable(name) + " " + what);
}

// One column while it is read.
class column_in_file {
 public:
  virtual ~column_in_file() = default;
  virtual void reserve(std::size_t rows) = 0;
  virtual void read(parquet::ColumnReader& from, std::int64_t rows) = 0;  // one row group's
  virtual column built() = 0;
};

// Values of the file's type `Physical` that `Convert` makes into what a `Builder` takes.
template <class Physical, class Builder, class Convert, class Finish>
class column_of : public column_in_file {
 public:
  column_of(const descriptor& of, Builder builder, Convert convert, Finish finish)
      : of_(of), builder_(std::move(builder)), convert_(convert), finish_(finish) {}

  void reserve(std::size_t rows) override { builder_.reserve(rows); }
  column built() override { return finish_(builder_); }

  void read(parquet::ColumnReader& from, std::int64_t rows) override {
    auto& values = static_cast<parquet::TypedColumnReader<Physical>&>(from);
    std::int64_t got = 0;
    while (got < rows && values.HasNext()) {
      const std::int64_t levels = read_batch(values, std::min(rows - got, batch));
      if (levels <= 0) break;
      got += levels;
    }
    if (got != rows || values.HasNext()) refuse(of_, "has more or fewer values than the table has rows");
  }

 private:
  using value = typename Physical::c_type;
  static constexpr std::int64_t batch = 1 << 14;

  // Of a value that is missing the batch has the level alone.
  std::int64_t read_batch(parquet::TypedColumnReader<Physical>& from, std::int64_t most) {
    const int present = of_.max_definition_level();
    std::int64_t count = 0, next = 0;
    const std::int64_t levels = from.ReadBatch(most, levels_.get(), nullptr, values_.get(), &count);
    for (std::int64_t i = 0; i < levels; ++i) {
      if (present > 0 && levels_[i] != present) builder_.add_missing();
      else if (next < count) builder_.add(convert_(values_[next++]));
      else refuse(of_, "lacks values");
    }
    return levels;
  }

  const descriptor& of_;
  Builder builder_;
  Convert convert_;
  Finish finish_;
  std::unique_ptr<value[]> values_{new value[batch]};
  std::unique_ptr<std::int16_t[]> levels_{new std::int16_t[batch]};
};

template <class Physical, class Builder, class Convert, class Finish>
std::unique_ptr<column_in_file> made(const descriptor& of, Builder builder, Convert convert, Finish finish) {
  return std::make_unique<column_of<Physical, Builder, Convert, Finish>>(of, std::move(builder), convert, finish);
}

template <class Physical, class Convert>
std::unique_ptr<column_in_file> numbers(const descriptor& of, column_type type, Convert convert) {
  return made<Physical>(of, number_column(type), convert, [](number_column& builder) { return builder.built(); });
}

// Texts of numbers: `as_text` makes none of a number that has no text.
template <class Physical, class AsText>
std::unique_ptr<column_in_file> texts_of_numbers(const descriptor& of, AsText as_text) {
  return made<Physical>(
      of, text_column<std::int64_t>(), [](auto number) { return static_cast<std::int64_t>(number); },
      [&of, as_text](text_column<std::int64_t>& builder) {
        return builder.built([&](std::int64_t number) {
          std::string text = as_text(number);
          if (text.empty()) refuse(of, outside_the_calendar);
          return text;
        });
      });
}

template <class Physical, class Convert>
std::unique_ptr<column_in_file> texts(const descriptor& of, Convert convert) {
  return made<Physical>(of, text_column<std::string_view>(), convert, [](auto& builder) { return builder.built(); });
}

std::string moment_of(const parquet::Int96& value) {
  constexpr std::int64_t day_of_1970 = 2440588;  // in Julian days
  std::int64_t nanoseconds = 0;
  std::memcpy(&nanoseconds, &value.value, sizeof nanoseconds);
  return moment_text(std::int64_t{value.value[2]} - day_of_1970, nanoseconds, 1000000000);
}

// How many of a timestamp's or a time's units a second has.
std::int64_t per_second(const descriptor& of, parquet::LogicalType::TimeUnit::unit unit) {
  if (unit == parquet::LogicalType::TimeUnit::MILLIS) return 1000;
  if (unit == parquet::LogicalType::TimeUnit::MICROS) return 1000000;
  if (unit == parquet::LogicalType::TimeUnit::NANOS) return 1000000000;
  refuse(of, "counts time in a unit that is not known");
}

[[noreturn]] void refuse_type(const descriptor& of) {
  const std::string type =
      of.logical_type()->is_none() ? parquet::TypeToString(of.physical_type()) : of.logical_type()->ToString();
  refuse(of, "is of the type " + apps::printable(type) + ", which is not read");
}

template <class Physical>
std::unique_ptr<column_in_file> decimals_of_integers(const descriptor& of) {
  const int scale = of.type_scale();
  return numbers<Physical>(of, scale == 0 ? column_type::integer : column_type::real,
                           [scale](auto value) { return arrow::Decimal128(value).ToString(scale); });
}

// Of bytes; `length` tells how many a value has.
template <class Physical, class Length>
std::unique_ptr<column_in_file> decimals_of_bytes(const descriptor& of, Length length) {
  const int scale = of.type_scale();
  if (scale > 76) refuse(of, "has decimals of more than 76 digits behind the point");  // of which Arrow makes no text
  return numbers<Physical>(of, scale == 0 ? column_type::integer : column_type::real, [&of, scale, length](auto value) {
    const auto decimal = arrow::Decimal256::FromBigEndian(value.ptr, static_cast<std::int32_t>(length(value)));
    if (!decimal.ok()) refuse(of, "has a decimal of more than 256 bits, or of none");
    return decimal->ToString(scale);
  });
}

// Of 32 or 64 bits. Numbers without a sign are stored in the bits of those with one.
template <class Physical>
std::unique_ptr<column_in_file> of_integers(const descriptor& of) {
  using number = typename Physical::c_type;
  const parquet::LogicalType& type = *of.logical_type();
  if (type.is_decimal()) return decimals_of_integers<Physical>(of);
  if (type.is_date()) return texts_of_numbers<Physical>(of, [](std::int64_t days) { return date_text(days); });
  if (type.is_timestamp()) {
    const std::int64_t unit = per_second(of, static_cast<const parquet::TimestampLogicalType&>(type).time_unit());
    return texts_of_numbers<Physical>(of, [unit](std::int64_t time) { return moment_text(time, unit); });
  }
  if (type.is_time()) {
    const std::int64_t unit = per_second(of, static_cast<const parquet::TimeLogicalType&>(type).time_unit());
    return texts_of_numbers<Physical>(of, [unit](std::int64_t time) { return clock_text(time, unit); });
  }
  if (type.is_int() && !static_cast<const parquet::IntLogicalType&>(type).is_signed()) {
    return numbers<Physical>(of, column_type::integer, [](number value) {
      return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<number>>(value));
    });
  }
  if (!type.is_int() && !type.is_none() && !type.is_null()) refuse_type(of);
  return numbers<Physical>(of, column_type::integer, [](number value) { return static_cast<std::int64_t>(value); });
}

std::unique_ptr<column_in_file> of_bytes(const descriptor& of) {
  const parquet::LogicalType& type = *of.logical_type();
  if (type.is_decimal()) {
    return decimals_of_bytes<parquet::ByteArrayType>(of, [](const parquet::ByteArray& value) { return value.len; });
  }
  // Older programs write strings without saying that they are some.
  if (!type.is_string() && !type.is_enum() && !type.is_JSON() && !type.is_none()) refuse_type(of);
  return texts<parquet::ByteArrayType>(of, [](const parquet::ByteArray& value) {
    return std::string_view(reinterpret_cast<const char*>(value.ptr), value.len);
  });
}

std::unique_ptr<column_in_file> of_fixed_bytes(const descriptor& of) {
  const int length = of.type_length();
  if (of.logical_type()->is_decimal()) {
    return decimals_of_bytes<parquet::FLBAType>(of, [length](const parquet::FixedLenByteArray&) { return length; });
  }
  if (!of.logical_type()->is_float16() || length != 2) refuse_type(of);
  return numbers<parquet::FLBAType>(of, column_type::real, [](const parquet::FixedLenByteArray& value) {
    return number_of_half(value.ptr[0] | value.ptr[1] << 8);
  });
}

std::unique_ptr<column_in_file> column_like(const descriptor& of) {
  if (of.max_repetition_level() > 0) refuse(of, "is in lists or maps, which are not read");
  const auto exactly = [](auto value) { return double{value}; };
  switch (of.physical_type()) {
    case parquet::Type::BOOLEAN:
      return texts_of_numbers<parquet::BooleanType>(of,
                                                    [](std::int64_t v) { return std::string(v ? "true" : "false"); });
    case parquet::Type::INT32: return of_integers<parquet::Int32Type>(of);
    case parquet::Type::INT64: return of_integers<parquet::Int64Type>(of);
    case parquet::Type::INT96:
      return texts<parquet::Int96Type>(of, [&of](const parquet::Int96& value) {
        std::string text = moment_of(value);
        if (text.empty()) refuse(of, outside_the_calendar);
        return text;
      });
    case parquet::Type::FLOAT: return numbers<parquet::FloatType>(of, column_type::real, exactly);
    case parquet::Type::DOUBLE: return numbers<parquet::DoubleType>(of, column_type::real, exactly);
    case parquet::Type::BYTE_ARRAY: return of_bytes(of);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: return of_fixed_bytes(of);
    default: refuse_type(of);
  }
}

// The columns' names, which tell them apart.
std::vector<std::string> names_in(const parquet::SchemaDescriptor& schema) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (int i = 0; i < schema.num_columns(); ++i) {
    const std::string name = schema.Column(i)->path()->ToDotString();
    if (name.empty()) throw apps::user_error("a column has no name");
    if (!known.insert(name).second) throw apps::user_error("two columns are named " + apps::printable(name));
    names.push_back(name);
  }
  if (names.empty()) throw apps::user_error("has no columns");
  return names;
}

// All rows of all groups. Throws user_error without the file's name, and what Arrow throws.
table table_in(std::string_view bytes) {
  const auto memory = std::make_shared<arrow::Buffer>(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                      static_cast<std::int64_t>(bytes.size()));
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);  // where there are some
  const auto file = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(memory), properties);
  const parquet::FileMetaData& about = *file->metadata();
  std::vector<std::string> names = names_in(*about.schema());
  const auto said = static_cast<std::size_t>(about.num_rows());
  std::vector<std::unique_ptr<column_in_file>> columns;
  for (int i = 0; i < about.num_columns(); ++i) {
    columns.push_back(column_like(*about.schema()->Column(i)));
    columns.back()->reserve(std::min(said, 64 * bytes.size()));  // of which a broken file may say anything
  }
  apps::progress_bar progress("reading row group", static_cast<std::uint64_t>(about.num_row_groups()));
  std::uint64_t rows = 0;
  for (int group = 0; group < about.num_row_groups(); ++group) {
    const auto from = file->RowGroup(group);
    const std::int64_t of_group = from->metadata()->num_rows();
    rows += static_cast<std::uint64_t>(of_group);
    if (rows > most_rows) throw apps::user_error("a table has at most " + apps::grouped(most_rows) + " rows");
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i]->read(*from->Column(static_cast<int>(i)), of_group);
    progress.show(static_cast<std::uint64_t>(group) + 1);
  }
  if (rows != said) throw apps::user_error("has " + apps::grouped(rows) + " rows, and says " + apps::grouped(said));
  table result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    result.columns.push_back(columns[i]->built());
    result.columns.back().name = std::move(names[i]);
    columns[i].reset();
  }
  return result;
}

}  // namespace

bool reads_parquet() { return true; }

table read_parquet(std::string_view bytes, const std::string& file) {
  try {
    return table_in(bytes);
  } catch (const apps::user_error& error) {
    throw apps::user_error(file + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // Arrow's own
    const std::string reason = error.what();
    throw apps::user_error(
        file + ": can't be read as Parquet: " + reason.substr(0, std::min<std::size_t>(reason.find('\n'), 200)));
  }
}

}  // namespace query
