// SPDX-License-Identifier: Apache-2.0
// Goes from element to element in the order of the header.
#include "ply_items.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ply_values.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "user_error.hpp"

namespace apps {
namespace {

template <class Values>
class body_reader {
 public:
  body_reader(Values values, const ply_header& header, const std::string& file, ply_visitor& visitor)
      : values_(values), header_(header), file_(file), visitor_(visitor) {}

  void read() {
    for (const ply_element& element : header_.elements) {
      require_room(element);
      wanted_ = visitor_.begin(element);
      const bool any = !wanted_.empty();
      wanted_.resize(element.properties.size());
      item_.assign(element.properties.size(), {});
      progress_bar progress("reading item", element.count);
      for (std::uint64_t i = 0; i < element.count && !element.properties.empty(); ++i) {
        progress.show(i);
        read_item(element, i);
        if (any) visitor_.take(item_);
      }
    }
  }

 private:
  // A header may promise anything: what the file is too short for is refused before memory is taken for it.
  void require_room(const ply_element& element) const {
    std::uint64_t bytes = 0;
    for (const ply_property& p : element.properties) bytes += values_.least_bytes(p.is_list ? p.count_type : p.type);
    if (bytes != 0 && element.count > values_.bytes_left() / bytes) {
      throw user_error(file_ + ": cut short: the header promises " + std::to_string(element.count) + " of " +
                       printable(element.name) + ", at least " + std::to_string(bytes) + " bytes each, but only " +
                       std::to_string(values_.bytes_left()) + " bytes are left");
    }
  }

  void read_item(const ply_element& element, std::uint64_t index) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      bool complete = false;
      try {
        complete = read_property(element.properties[p], wanted_[p], item_[p]);
      } catch (const user_error& error) {
        throw user_error(file_ + ": " + printable(element.name) + " " + std::to_string(index + 1) + ", " +
                         printable(element.properties[p].name) + ": " + error.what());
      }
      if (!complete) {
        throw user_error(file_ + ": cut short in " + printable(element.name) + " " + std::to_string(index + 1) +
                         " of " + std::to_string(element.count));
      }
    }
  }

  // False where the file ends.
  bool read_property(const ply_property& property, bool wanted, std::vector<double>& values) {
    double length = 1;
    if (property.is_list && !values_.next(property.count_type, length)) return false;
    if (!(length >= 0 && length <= 4294967295.0 && length == std::floor(length))) {
      throw user_error("a list can't have that length");
    }
    auto left = static_cast<std::uint64_t>(length);
    if (!wanted) return values_.skip(property.type, left);
    values.clear();
    for (double value = 0; left > 0; --left) {
      if (!values_.next(property.type, value)) return false;
      values.push_back(value);
    }
    return true;
  }

  Values values_;
  const ply_header& header_;
  const std::string& file_;
  ply_visitor& visitor_;
  std::vector<bool> wanted_;               // of an element's properties
  std::vector<std::vector<double>> item_;  // their values
};

}  // namespace

void read_ply_items(std::string_view bytes, const std::string& file, ply_visitor& visitor) {
  const ply_header header = parse_ply_header(bytes, file);
  const std::string_view rest = bytes.substr(header.size);
  if (header.format == ply_format::ascii) {
    body_reader<ply_text>(ply_text(rest), header, file, visitor).read();
  } else {
    const ply_binary values(rest, header.format == ply_format::little_endian);
    body_reader<ply_binary>(values, header, file, visitor).read();
  }
}

std::array<double, 3> float_origin(const std::vector<std::array<double, 3>>& places) {
  constexpr double largest = 1e18, far = 64;  // then at most 6 of a float's 24 bits are lost
  std::array<double, 3> low{largest, largest, largest}, high{-largest, -largest, -largest};
  for (const std::array<double, 3>& at : places) {
    if (!std::all_of(at.begin(), at.end(), [](double value) { return std::abs(value) <= largest; })) continue;
    for (std::size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], at[i]), high[i] = std::max(high[i], at[i]);
  }
  std::array<double, 3> origin{};
  const double size = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_far = std::max(std::abs(low[i]), std::abs(high[i])) > far * size;
    if (size > 0 && is_far) origin[i] = 0.5 * (low[i] + high[i]);
  }
  return origin;
}

}  // namespace apps
