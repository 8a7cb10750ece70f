// SPDX-License-Identifier: Apache-2.0
// Each reader, and what holds for whatever it returns.
#include "readers.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "../../../apps/common/text.hpp"
#include "../../../apps/common/user_error.hpp"
#include "../../../apps/equalize/png_file.hpp"
#include "../../../apps/kmers/plain_count.hpp"
#include "../../../apps/kmers/sequence_file.hpp"
#include "../../../apps/particle_culling/cloud.hpp"
#include "../../../apps/particle_culling/ply_reader.hpp"
#include "../../../apps/query/parquet_file.hpp"
#include "../../../apps/query/plain_query.hpp"
#include "../../../apps/query/plan.hpp"
#include "../../../apps/rays/mesh_file.hpp"
#include "../../../apps/recurrence/series.hpp"
#include "../../../apps/splats/splat_file.hpp"
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

bool finite(apps::vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

bool read_mesh(std::string_view bytes) {
  return accepted([&] {
    const rays::mesh found = rays::parse_mesh(bytes, name);
    require(!found.triangles.empty(), "a mesh has triangles");
    require(found.triangles.size() + found.left_out <= bytes.size(), "triangles are in proportion to the file");
    for (const rays::triangle& one : found.triangles) {
      require(finite(one[0]) && finite(one[1]) && finite(one[2]), "corners are finite");
    }
  });
}

bool read_splats(std::string_view bytes) {
  return accepted([&] {
    const splats::scene found = splats::parse_splats(bytes, name);
    require(!found.gaussians.empty(), "a scene has splats");
    require(found.gaussians.size() + found.left_out <= bytes.size(), "splats are in proportion to the file");
    const auto coefficients = static_cast<std::size_t>(splats::coefficients_of(found.degree));
    require(found.colours.size() == coefficients * found.gaussians.size(), "a splat has all its colours");
    for (const splats::gaussian& one : found.gaussians) require(finite(one.position), "positions are finite");
    require(splats::parse_splats(splats::splat_file(found), name).gaussians.size() == found.gaussians.size(),
            "what is written is read");
  });
}

bool read_ply(std::string_view bytes) {
  const bool as_mesh = read_mesh(bytes), as_splats = read_splats(bytes);
  const bool as_cloud = accepted([&] {
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
  return as_mesh || as_cloud || as_splats;
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

// The text of all parts, each of which begins as the ones before it say.
std::string sequences_in(std::string_view bytes, std::size_t part_bytes, kmers::sequence_text& whole) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
              lseek(file, 0, SEEK_SET) == 0,
          "memory is a file");
  kmers::sequence_file parts(file, name, part_bytes);
  std::string text;
  std::size_t line = 0, lines = 0;  // where the last one begins, and how many have ended
  while (std::optional<kmers::sequence_text> part = parts.next()) {
    require(part->begins_file == text.empty(), "the first part begins the file");
    require(part->lines == kmers::line_ends(part->text), "lines are counted");
    require(part->first_line == 1 + lines, "lines are numbered");
    require(part->begins_line == (line == text.size()), "a part says whether it begins a line");
    if (!part->begins_line) require(part->in_header == (text[line] == '>'), "a part says what its line is");
    lines += part->lines;
    if (part->lines > 0) line = text.size() + part->text.rfind('\n') + 1;
    text += part->text;
    part->text.clear();
    if (part->begins_file) whole = *part;
  }
  whole.text = text;
  return text;
}

bool read_seq(std::string_view bytes) {
  return accepted([&] {
    kmers::sequence_text whole, again;
    const std::string text = sequences_in(bytes, 1 << 20, whole);
    require(text.size() <= 1100 * bytes.size() + 1, "text is in proportion to the file");
    require(sequences_in(bytes, 5, again) == text, "parts do not change the text");
    require(again.format == whole.format, "nor the format");
    const std::vector<std::uint64_t> found = kmers::plain_kmers(whole, 4);
    require(
        found.size() <= text.size() && std::all_of(found.begin(), found.end(), [](auto code) { return code < 256; }),
        "k-mers have 2 bits a base");
  });
}

// The checksums of all chunks as they have to be, so that damage gets past them.
std::string with_checksums(std::string_view bytes) {
  std::string result(bytes);
  const auto number_at = [&](std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | static_cast<unsigned char>(result[i]);
    return number;
  };
  for (std::size_t at = 8; at + 12 <= result.size();) {  // size, name, data, checksum
    const std::size_t size = number_at(at);
    if (size > result.size() - at - 12) break;
    const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(result.data() + at + 4), static_cast<uInt>(size + 4));
    for (std::size_t i = 0; i < 4; ++i) result[at + 8 + size + i] = static_cast<char>(sum >> (24 - 8 * i) & 0xFF);
    at += size + 12;
  }
  return result;
}

void require_picture(const equalize::picture& got, std::size_t bytes) {
  require(got.width >= 1 && got.height >= 1, "a picture has pixels");
  require(got.channels >= 1 && got.channels <= 4 && (got.depth == 8 || got.depth == 16), "a picture has channels");
  require(got.samples.size() == got.pixels() * static_cast<std::size_t>(got.channels), "a pixel has all channels");
  // Deflate makes up to 1032 bytes of one, a pixel of a palette has one bit, and becomes four samples.
  require(got.samples.size() <= std::size_t{32} * 1032 * bytes, "samples are in proportion to the file");
  if (got.samples.size() > 100000) return;  // takes too long to do often
  const auto most = static_cast<std::uint16_t>((1U << got.depth) - 1);
  require(std::all_of(got.samples.begin(), got.samples.end(), [&](auto s) { return s <= most; }), "samples have bits");
  require(equalize::parse_png(equalize::as_png(got, name), name) == got, "a picture can be written and read again");
}

bool read_png(std::string_view bytes) {
  const bool as_it_is = accepted([&] { require_picture(equalize::parse_png(bytes, name), bytes.size()); });
  const std::string mended = with_checksums(bytes);
  return (mended != bytes && accepted([&] { require_picture(equalize::parse_png(mended, name), bytes.size()); })) ||
         as_it_is;
}

void require_table(const query::table& on) {
  for (const query::column& one : on.columns) {
    require(!one.name.empty() && one.size() == on.rows(), "columns have names and are of one size");
    require(std::adjacent_find(one.words.begin(), one.words.end(), std::greater_equal<>()) == one.words.end(),
            "words ascend");
    for (const std::uint32_t text : one.texts)
      require(text == query::missing_text || text < one.words.size(), "texts are words");
  }
}

bool read_parquet(std::string_view bytes) {
  return accepted([&] {
    const query::table on = query::read_parquet(bytes, name);
    require(!on.columns.empty(), "a table has columns");
    require_table(on);
  });
}

// A condition in the first line, and the table behind it.
bool read_table(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  query::table on;
  if (!accepted([&] { on = query::read_table(bytes.substr(std::min(end + 1, bytes.size())), name); })) return false;
  require(on.rows() <= bytes.size() && on.columns.size() <= bytes.size(), "rows are in proportion to the file");
  require_table(on);
  query::question asked;
  asked.where = bytes.substr(0, end);
  try {
    const query::plan what = query::plan_of(asked, on);
    if (on.rows() < 200)
      require(query::plain_query(what, on).result.rows() <= on.rows(), "rows are taken from the table");
  } catch (const apps::user_error& error) {
    require(std::string(error.what()).find("--where") == 0 && std::string(error.what()).size() < 2000,
            "a message is short");
    return false;
  }
  return true;
}

}  // namespace

const std::vector<reader>& readers() {
  static const std::vector<reader> all = [] {
    std::vector<reader> result{{"ply", read_ply}, {"mtx", read_mtx}, {"csv", read_csv},    {"wav", read_wav},
                               {"seq", read_seq}, {"png", read_png}, {"table", read_table}};
    if (query::reads_parquet()) result.push_back({"parquet", read_parquet});
    return result;
  }();
  return all;
}

}  // namespace file_fuzz
