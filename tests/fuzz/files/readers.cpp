// SPDX-License-Identifier: Apache-2.0
// Each reader, and what holds for whatever it returns.
#include "readers.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "../../../apps/common/text.hpp"
#include "../../../apps/common/user_error.hpp"
#include "../../../apps/particle_culling/cloud.hpp"
#include "../../../apps/particle_culling/ply_reader.hpp"
#include "../../../apps/recurrence/series.hpp"
#include "../../../apps/spmv/csr_matrix.hpp"
#include "../../../apps/spmv/matrix_market.hpp"

namespace file_fuzz {
namespace {

const std::string name = "input";

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

// False where `read` refused, which may only be with a message about the input, of a bounded length.
template <class Read>
bool accepted(Read read) {
  try {
    read();
    return true;
  } catch (const apps::user_error& error) {
    const std::string text = error.what();
    require(text.find(name) != std::string::npos, "a message names the input");
    require(text.size() < 2000 && apps::escaped(text).size() < 8000, "a message is short");
    return false;
  }
}

bool finite(particle_culling::vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

bool read_ply(std::string_view bytes) {
  return accepted([&] {
    particle_culling::cloud points = particle_culling::parse_ply(bytes, name);
    require(!points.points.empty(), "a cloud has points");
    require(points.points.size() <= bytes.size(), "points are in proportion to the file");
    const std::size_t count = points.points.size();
    const particle_culling::scene scene = particle_culling::scene_of_cloud(std::move(points), name, 0);
    require(scene.source.points.size() == count, "a scene has all points");
    require(scene.radius > 0 && std::isfinite(scene.radius) && finite(scene.centre), "a scene has a size");
    for (const particle_culling::point& p : scene.source.points) {
      require(finite(p.position) && finite(p.normal) && finite(p.velocity) && finite(p.colour), "points are finite");
      require(p.radius > 0 && std::isfinite(p.radius), "a point has a size");
    }
  });
}

bool read_mtx(std::string_view bytes) {
  return accepted([&] {
    const spmv::coordinate_matrix from = spmv::parse_matrix_market(bytes, name);
    const auto rows = static_cast<std::size_t>(from.rows), columns = static_cast<std::size_t>(from.columns);
    require(rows >= 1 && columns >= 1 && from.entries.size() <= 2 * bytes.size(),
            "sizes are in proportion to the file");
    require(rows <= 1000000 + 32 * bytes.size() && columns <= 1000000 + 32 * bytes.size(), "rows and columns, too");
    for (const spmv::entry& e : from.entries) {
      require(e.row >= 0 && e.row < from.rows && e.column >= 0 && e.column < from.columns, "an entry is in the matrix");
      require(std::isfinite(e.value), "an entry is finite");
    }
    if (rows + columns > 20000) return;  // takes too long to do often
    const spmv::csr_matrix matrix = spmv::compressed(from);
    require(matrix.offsets.size() == rows + 1 && matrix.offsets.front() == 0, "rows have offsets");
    require(static_cast<std::size_t>(matrix.offsets.back()) == matrix.value.size(), "rows hold all entries");
    for (std::size_t row = 0; row < rows; ++row) {
      require(matrix.offsets[row] <= matrix.offsets[row + 1], "offsets ascend");
      for (auto k = static_cast<std::size_t>(matrix.offsets[row]) + 1;
           k < static_cast<std::size_t>(matrix.offsets[row + 1]); ++k) {
        require(matrix.column[k - 1] < matrix.column[k], "columns ascend in a row");
      }
    }
    require(spmv::multiplied(matrix, std::vector<double>(columns, 1)).size() == rows, "a product has all rows");
  });
}

void require_series(const recurrence::series& got, std::size_t most) {
  require(!got.values.empty() && got.values.size() <= most, "values are in proportion to the file");
  for (const double value : got.values) require(std::isfinite(value), "values are finite");
  require(!got.name.empty() && apps::escaped(got.name) == got.name, "a name is fit for a terminal");
  require(got.rate >= 0 && std::isfinite(got.rate), "a rate is a number");
}

bool read_csv(std::string_view bytes) {
  bool any = false;
  for (const char* column : {"", "1", "3", "v"}) {
    any |= accepted([&] { require_series(recurrence::parse_csv(bytes, name, column), bytes.size()); });
  }
  return any;
}

bool read_wav(std::string_view bytes) {
  bool any = false;
  // Compressed sound: no kind makes more than a few hundred samples of a byte.
  for (const int channel : {1, 2}) {
    any |= accepted([&] { require_series(recurrence::parse_wav(bytes, name, channel), 1000 * bytes.size()); });
  }
  return any;
}

}  // namespace

const std::vector<reader>& readers() {
  static const std::vector<reader> all{{"ply", read_ply}, {"mtx", read_mtx}, {"csv", read_csv}, {"wav", read_wav}};
  return all;
}

}  // namespace file_fuzz
