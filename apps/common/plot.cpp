// SPDX-License-Identifier: Apache-2.0
// Finds the ranges, draws ticks and curves.
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "canvas.hpp"
#include "png_writer.hpp"
#include "text.hpp"

namespace apps {
namespace {

constexpr int width = 1200, height = 700;
constexpr double left = 120, right = width - 30, top = 80, bottom = height - 80;
constexpr colour ink{40, 40, 40}, grid{225, 225, 225};
constexpr colour paints[] = {{165, 175, 190}, {200, 60, 40}, {30, 100, 180}, {40, 140, 70}};

// An axis: numbers to places between two pixels.
struct axis {
  double low, high, from, to;
  bool logarithmic = false;

  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
  double place(double value) const {
    const auto scaled = [&](double v) { return logarithmic ? std::log10(v) : v; };
    // Halves, as high - low may be too large for a double.
    const double extent = scaled(high) / 2 - scaled(low) / 2;
    return from + (to - from) * ((scaled(value) / 2 - scaled(low) / 2) / extent);
  }
};

axis x_axis(const plot& what) {
  std::size_t most = 2;
  for (const curve& c : what.curves) most = std::max(most, c.values.size());
  return {what.x_begin, what.x_begin + what.x_step * static_cast<double>(most - 1), left, right};
}

axis y_axis(const plot& what) {
  axis y{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), bottom, top,
         what.logarithmic};
  for (const curve& c : what.curves) {
    for (const double value : c.values) {
      if (y.shows(value)) y.low = std::min(y.low, value), y.high = std::max(y.high, value);
    }
  }
  if (y.low > y.high) y.low = y.logarithmic ? 1 : 0, y.high = y.low;  // nothing to show
  if (y.logarithmic) {
    y.low = std::pow(10, std::floor(std::log10(y.low)));
    y.high = std::max(std::pow(10, std::ceil(std::log10(y.high))), 10 * y.low);
  } else {
    const double margin = y.low < y.high ? 0.04 * (y.high / 2 - y.low / 2) : std::max(1.0, std::abs(y.low));
    y.low -= margin, y.high += margin;
  }
  using limits = std::numeric_limits<double>;
  y.low = std::max(y.low, y.logarithmic ? limits::min() : limits::lowest());
  y.high = std::min(y.high, limits::max());
  return y;
}

void draw_ticks(canvas& on, const axis& x, const axis& y) {
  const double half = 0.35 * canvas::text_height();
  std::vector<double> ticks = ticks_of(x.low, x.high, 8, false);
  std::vector<std::string> labels = labels_of(ticks, 6);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double place = x.place(ticks[i]);
    on.line(place, top, place, bottom, 1, grid);
    on.text(place - 0.5 * canvas::text_width(labels[i]), bottom + 10, labels[i], ink);
  }
  ticks = ticks_of(y.low, y.high, 8, y.logarithmic);
  labels = labels_of(ticks, 5);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const std::string label = y.logarithmic ? formatted("%.0e", ticks[i]) : labels[i];
    const double place = y.place(ticks[i]);
    on.line(left, place, right, place, 1, grid);
    on.text(std::max(2.0, left - 10 - canvas::text_width(label)), place - half, label, ink);
  }
  on.line(left, top, left, bottom, 1.5, ink);
  on.line(left, bottom, right, bottom, 1.5, ink);
}

// A line from value to value; of several in one column of pixels, from the lowest to the highest.
void draw_curve(canvas& on, const axis& x, const axis& y, const plot& what, const curve& c, colour paint) {
  const double thickness = 2;
  const std::size_t n = c.values.size();
  const std::size_t columns = static_cast<std::size_t>(right - left);
  const std::size_t step = std::max<std::size_t>(1, n / columns);
  double last_x = 0, last_y = 0;
  bool joined = false;
  for (std::size_t begin = 0; begin < n; begin += step) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = begin; i < std::min(begin + step, n); ++i) {
      if (y.shows(c.values[i])) low = std::min(low, c.values[i]), high = std::max(high, c.values[i]);
    }
    const bool shown = low <= high;
    if (shown) {
      const double at = x.place(what.x_begin + what.x_step * static_cast<double>(begin));
      const double first = y.shows(c.values[begin]) ? y.place(c.values[begin]) : y.place(low);
      if (joined) on.line(last_x, last_y, at, first, thickness, paint);
      on.line(at, y.place(low), at, y.place(high), thickness, paint);
      const double final_value = c.values[std::min(begin + step, n) - 1];
      last_x = at, last_y = y.shows(final_value) ? y.place(final_value) : y.place(high);
    }
    joined = shown;
  }
}

void draw_names(canvas& on, const plot& what) {
  on.text(left, 16, what.title, ink);
  double x = left;
  for (std::size_t i = 0; i < what.curves.size(); ++i) {
    on.box(x, 54, x + 24, 60, paints[i % 4]);
    on.text(x + 32, 48, what.curves[i].name, ink);
    x += 32 + canvas::text_width(what.curves[i].name) + 32;
  }
  on.text(0.5 * (left + right - canvas::text_width(what.x_name)), height - 34, what.x_name, ink);
}

}  // namespace

std::vector<double> ticks_of(double low, double high, int wanted, bool logarithmic) {
  std::vector<double> ticks;
  if (logarithmic) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    const int step = std::max(1, (last - first + wanted - 1) / wanted);
    for (int power = first; power <= last; power += step) ticks.push_back(std::pow(10, power));
    return ticks;
  }
  const double rough = high / wanted - low / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  }
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double number = first; number <= last && ticks.size() < 100; ++number) ticks.push_back(number * step + 0.0);
  return ticks;
}

std::vector<std::string> labels_of(const std::vector<double>& ticks, int least_digits) {
  constexpr int most_digits = 17;  // that a double has
  const double apart = ticks.size() < 2 ? std::numeric_limits<double>::infinity() : ticks[1] - ticks[0];
  std::vector<std::string> labels;
  for (int digits = least_digits; digits <= most_digits; ++digits) {
    labels.clear();
    bool are_apart = true;
    for (const double tick : ticks) {
      labels.push_back(formatted("%.*g", digits, tick));
      are_apart = are_apart && std::abs(number_in(labels.back()).value_or(tick) - tick) <= 0.01 * apart;
    }
    if (are_apart) break;
  }
  return labels;
}

void write_plot(const std::string& file, const plot& what) {
  canvas on(width, height);
  const axis x = x_axis(what), y = y_axis(what);
  draw_ticks(on, x, y);
  for (std::size_t i = 0; i < what.curves.size(); ++i) draw_curve(on, x, y, what, what.curves[i], paints[i % 4]);
  draw_names(on, what);
  write_png(file, on.rgb(), width, height);
}

}  // namespace apps
