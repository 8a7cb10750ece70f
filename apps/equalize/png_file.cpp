// SPDX-License-Identifier: Apache-2.0
// Decodes and encodes by libpng. It leaves its calls by longjmp on an error, so the functions that make them keep nothing
// that has to be destroyed.
#include "png_file.hpp"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace equalize {
namespace {

// What libpng is given to read from and to complain to.
struct png_bytes {
  std::string_view left;
  std::string* written = nullptr;
  std::size_t packed_row = 0;  // bytes of a row as the file has it, with its filter's
  char reason[200] = "";
};

void keep_reason(png_structp png, png_const_charp reason) {
  auto* const bytes = static_cast<png_bytes*>(png_get_error_ptr(png));
  std::strncpy(bytes->reason, reason, sizeof bytes->reason - 1);
  std::longjmp(png_jmpbuf(png), 1);
}

void ignore(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t size) {
  auto* const bytes = static_cast<png_bytes*>(png_get_io_ptr(png));
  if (size > bytes->left.size()) png_error(png, "it ends too early");
  std::memcpy(to, bytes->left.data(), size);
  bytes->left.remove_prefix(size);
}

void write_bytes(png_structp png, png_bytep from, std::size_t size) {
  static_cast<png_bytes*>(png_get_io_ptr(png))->written->append(reinterpret_cast<const char*>(from), size);
}

void flush(png_structp) {}

// Up to the pixels; false with a reason.
bool read_header(png_structp png, png_infop info, png_bytes& bytes) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, &bytes, read_bytes);
  png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
  png_read_info(png, info);
  bytes.packed_row = png_get_rowbytes(png, info) + 1;
  return true;
}

// libpng takes memory for rows here.
bool begin_rows(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);
  if (png_get_bit_depth(png, info) == 16) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

bool write_rows(png_structp png, png_infop info, const picture& what, png_bytes& bytes, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  constexpr int kinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                           PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_write_fn(png, &bytes, write_bytes, flush);
  png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
  png_set_compression_level(png, 3);
  png_set_IHDR(png, info, static_cast<png_uint_32>(what.width), static_cast<png_uint_32>(what.height), what.depth,
               kinds[what.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (what.depth == 16) png_set_swap(png);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

// libpng's two structures for a file, and their end.
struct reader {
  explicit reader(png_bytes& bytes)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &bytes, keep_reason, ignore)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info == nullptr) throw std::bad_alloc();
  }
  ~reader() { png_destroy_read_struct(&png, &info, nullptr); }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  png_structp png;
  png_infop info;
};

struct writer {
  explicit writer(png_bytes& bytes)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &bytes, keep_reason, ignore)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info == nullptr) throw std::bad_alloc();
  }
  ~writer() { png_destroy_write_struct(&png, &info); }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  png_structp png;
  png_infop info;
};

std::vector<png_bytep> rows_of(std::vector<png_byte>& raw, std::size_t row_bytes) {
  std::vector<png_bytep> rows;
  for (std::size_t at = 0; at < raw.size(); at += row_bytes) rows.push_back(raw.data() + at);
  return rows;
}

// Whether a chunk is longer than the rest of the file. libpng would take memory for all of it first.
bool ends_too_early(std::string_view bytes) {
  for (std::size_t at = 8; at + 12 <= bytes.size();) {  // a chunk's size, name, data, checksum
    const std::size_t size = png_get_uint_32(reinterpret_cast<png_const_bytep>(bytes.data() + at));
    if (size > bytes.size() - at - 12) return true;
    if (bytes.substr(at + 4, 4) == "IEND") return false;
    at += size + 12;
  }
  return true;
}

void check_promise(const reader& source, const png_bytes& from, std::size_t bytes, const std::string& file) {
  const png_uint_32 width = png_get_image_width(source.png, source.info);
  const png_uint_32 height = png_get_image_height(source.png, source.info);
  if (static_cast<double>(width) * height > 4e9) throw apps::user_error(file + ": has more than 4,000,000,000 pixels");
  // Deflate makes no more than 1032 bytes of one.
  if (static_cast<double>(from.packed_row) * height > 1032.0 * static_cast<double>(bytes)) {
    throw apps::user_error(file + ": promises " + std::to_string(width) + " x " + std::to_string(height) +
                           " pixels, more than it can hold");
  }
}

}  // namespace

picture parse_png(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) throw apps::user_error(file + ": is empty");
  if (bytes.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, 8) != 0) {
    throw apps::user_error(file + ": is no PNG file");
  }
  if (ends_too_early(bytes)) throw apps::user_error(file + ": is damaged: it ends too early");
  png_bytes from{bytes};
  reader source(from);
  const auto damaged = [&] { return apps::user_error(file + ": is damaged: " + apps::printable(from.reason)); };
  if (!read_header(source.png, source.info, from)) throw damaged();
  check_promise(source, from, bytes.size(), file);
  if (!begin_rows(source.png, source.info)) throw damaged();

  picture result;
  result.width = static_cast<int>(png_get_image_width(source.png, source.info));
  result.height = static_cast<int>(png_get_image_height(source.png, source.info));
  result.channels = png_get_channels(source.png, source.info);
  result.depth = png_get_bit_depth(source.png, source.info);
  const std::size_t row_bytes = png_get_rowbytes(source.png, source.info);
  std::vector<png_byte> raw(row_bytes * static_cast<std::size_t>(result.height));
  std::vector<png_bytep> rows = rows_of(raw, row_bytes);
  if (!read_rows(source.png, rows.data())) throw damaged();
  result.samples.resize(result.pixels() * static_cast<std::size_t>(result.channels));
  if (result.depth == 16) std::memcpy(result.samples.data(), raw.data(), raw.size());
  else std::copy(raw.begin(), raw.end(), result.samples.begin());
  return result;
}

picture read_png(const std::string& file) { return parse_png(apps::read_whole(file), apps::input_name(file)); }

std::string as_png(const picture& what, const std::string& file) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(what.width) * static_cast<std::size_t>(what.channels * what.depth / 8);
  std::vector<png_byte> raw(row_bytes * static_cast<std::size_t>(what.height));
  if (what.depth == 16) std::memcpy(raw.data(), what.samples.data(), raw.size());
  else
    std::transform(what.samples.begin(), what.samples.end(), raw.begin(),
                   [](auto s) { return static_cast<png_byte>(s); });
  std::vector<png_bytep> rows = rows_of(raw, row_bytes);
  std::string result;
  png_bytes to{{}, &result, 0};
  writer target(to);
  if (write_rows(target.png, target.info, what, to, rows.data())) return result;
  throw apps::user_error(file + ": can't be written: " + to.reason);
}

}  // namespace equalize
