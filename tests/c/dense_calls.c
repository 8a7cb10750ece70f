/* SPDX-License-Identifier: Apache-2.0
 * The calls of onepass/c.h on rows and columns, selections, histograms and counts of flags, beside plain loops. */
#include "checks.h"

enum { width = 7, height = n / 3 / width, dense = 3 * height * width }; /* three arrays, one behind another */

static int32_t x[n], y[n], z[n];
static float a[n], b[n], h[n];
static uint8_t flags[n];

static void test_scans_of_lines(void) {
  void *in = there(x, sizeof x), *out = room(sizeof x);
  const int32_t five = 5;
  int i;
  for (i = 0; i < n; ++i) y[i] = i % 100 == 0 ? x[i] : y[i - 1] + x[i];
  OK(onepass_inclusive_scan_by_rows(where, ONEPASS_INT32, in, n, 100, out, ONEPASS_SUM));
  CHECK(same(out, y, sizeof y));
  for (i = 0; i < n; ++i) z[i] = i % 100 == 0 ? five : z[i - 1] + x[i - 1];
  OK(onepass_exclusive_scan_by_rows(where, ONEPASS_INT32, in, n, 100, out, &five, ONEPASS_SUM));
  CHECK(same(out, z, sizeof z));
  for (i = 0; i < dense; ++i) y[i] = i / width % height == 0 || y[i - width] < x[i] ? x[i] : y[i - width];
  OK(onepass_inclusive_scan_by_columns(where, ONEPASS_INT32, in, dense, width, height, out, ONEPASS_MAXIMUM));
  CHECK(same(out, y, dense * sizeof y[0]));
  for (i = 0; i < dense; ++i) z[i] = i / width == 0 ? 0 : z[i - width] + x[i - width];
  OK(onepass_exclusive_scan_by_columns(where, ONEPASS_INT32, in, dense, width, INT64_MAX, out, NULL, ONEPASS_SUM));
  CHECK(same(out, z, dense * sizeof z[0]));
  for (i = dense; i-- > 0;) y[i] = i % width == width - 1 ? x[i] : y[i + 1] + x[i];
  OK(onepass_reverse_sum(where, ONEPASS_INT32, in, dense, width, out));
  CHECK(same(out, y, dense * sizeof y[0]));
  WRONG(onepass_inclusive_scan_by_rows(where, ONEPASS_INT32, in, n, 0, out, ONEPASS_SUM), "a row has less");
  WRONG(onepass_reverse_sum(where, ONEPASS_INT32, in, n, 100, out), "not whole");
  CHECK(same(out, y, dense * sizeof y[0]));
  release_all();
}

static void test_recurrences(void) {
  const onepass_recurrence_options backwards = {1, 0}, of_gradient = {1, 1};
  void *factors = there(a, sizeof a), *terms = there(b, sizeof b), *out = room(sizeof h);
  int i;
  for (i = 0; i < dense; ++i) h[i] = i / width % height == 0 ? b[i] : a[i] * h[i - width] + b[i];
  OK(onepass_linear_recurrence(where, ONEPASS_FLOAT32, factors, terms, dense, width, height, out, NULL));
  CHECK(same(out, h, dense * sizeof h[0]));
  for (i = dense; i-- > 0;) h[i] = i % width == width - 1 ? b[i] : a[i] * h[i + 1] + b[i];
  OK(onepass_linear_recurrence(where, ONEPASS_FLOAT32, factors, terms, dense, 1, width, out, &backwards));
  CHECK(same(out, h, dense * sizeof h[0]));
  for (i = dense; i-- > 0;) h[i] = i % width == width - 1 ? b[i] : a[i + 1] * h[i + 1] + b[i];
  OK(onepass_linear_recurrence(where, ONEPASS_FLOAT32, factors, terms, dense, 1, width, out, &of_gradient));
  CHECK(same(out, h, dense * sizeof h[0]));
  WRONG(onepass_linear_recurrence(where, ONEPASS_INT32, factors, terms, 3, 1, 3, out, NULL), "float or double");
  release_all();
}

static int by_item(const void* left, const void* right) { /* ascending, then by index */
  const int i = *(const int32_t*)left, j = *(const int32_t*)right;
  if (x[i] != x[j]) return x[i] < x[j] ? -1 : 1;
  return i < j ? -1 : 1;
}
static int by_item_descending(const void* left, const void* right) {
  const int i = *(const int32_t*)left, j = *(const int32_t*)right;
  if (x[i] != x[j]) return x[i] > x[j] ? -1 : 1;
  return i < j ? -1 : 1;
}
static int by_index(const void* left, const void* right) {
  return *(const int32_t*)left < *(const int32_t*)right ? -1 : 1;
}
/* z: the indices of the items, each row of `length` in order. */
static void order_rows(int length, int (*compare)(const void*, const void*)) {
  int i;
  for (i = 0; i < n; ++i) z[i] = i;
  for (i = 0; i < n; i += length) qsort(z + i, (size_t)(n - i < length ? n - i : length), sizeof z[0], compare);
}

static void test_rows(void) {
  void *in = there(x, sizeof x), *keys = there(x, sizeof x), *out = room(sizeof x);
  const int32_t hundred = 100;
  int i;
  for (i = 0; i < n; ++i) y[i] = i;
  void* values = there(y, sizeof y);
  order_rows(1000, by_item);
  for (i = 0; i < n; ++i) y[i] = x[z[i]];
  OK(onepass_sort_rows(where, ONEPASS_INT32, keys, n, 1000, NULL));
  CHECK(same(keys, y, sizeof y));
  OK(onepass_copy(where, keys, in, sizeof x));
  OK(onepass_sort_rows_by_key(where, ONEPASS_INT32, keys, n, ONEPASS_INT32, values, 1000, NULL));
  CHECK(same(keys, y, sizeof y) && same(values, z, sizeof z));
  /* Now the keys are in order, and so no value moves. */
  OK(onepass_sort_rows_by_key(where, ONEPASS_INT32, keys, n, ONEPASS_UINT32, values, 1000, NULL));
  OK(onepass_sort_rows_by_key(where, ONEPASS_INT32, keys, n, ONEPASS_FLOAT32, values, 1000, NULL));
  CHECK(same(keys, y, sizeof y) && same(values, z, sizeof z));
  for (i = 0; i < n; ++i) y[i / 1000] = (i % 1000 == 0 ? hundred : y[i / 1000]) + x[i];
  OK(onepass_reduce_rows(where, ONEPASS_INT32, in, n, 1000, out, &hundred, ONEPASS_SUM));
  CHECK(same(out, y, (n + 999) / 1000 * sizeof y[0]));
  WRONG(onepass_sort_rows_by_key(where, ONEPASS_INT32, keys, n, ONEPASS_INT64, values, 1000, NULL), "32 bits");
  WRONG(onepass_sort_rows(where, ONEPASS_INT32, keys, n, 0, NULL), "a row has less");
  WRONG(onepass_reduce_rows(where, ONEPASS_FLOAT32, in, n, 9, out, NULL, ONEPASS_BIT_OR), "integers");
  release_all();
}

static void test_selections(void) {
  enum { k = 20, length = 1001 };
  const int64_t offsets[4] = {0, 4, 4, n};
  const onepass_top_k_options smallest = {1, 0}, as_they_stand = {1, 1};
  void *in = there(x, sizeof x), *out = room(sizeof x), *beside = room(sizeof x),
       *starts = there(offsets, sizeof offsets);
  const onepass_segments rows = {length, NULL, 0}, segments = {0, starts, 4};
  int i, r;
  order_rows(n, by_item_descending);
  for (i = 0; i < k; ++i) y[i] = x[z[i]];
  OK(onepass_top_k(where, ONEPASS_INT32, in, n, NULL, k, out, ONEPASS_INT32, beside, NULL));
  CHECK(same(out, y, k * sizeof y[0]) && same(beside, z, k * sizeof z[0]));
  OK(onepass_copy(where, out, in, sizeof x));
  OK(onepass_top_k(where, ONEPASS_INT32, in, n, NULL, k, out, ONEPASS_FLOAT32, NULL, NULL)); /* no type of indices */
  CHECK(same(out, y, k * sizeof y[0]));

  for (i = 0; i < n; ++i) y[i] = 3 * i;
  void* values = there(y, sizeof y);
  order_rows(n, by_item);
  qsort(z, k, sizeof z[0], by_index);
  for (i = 0; i < k; ++i) y[i] = x[z[i]], z[i] *= 3;
  OK(onepass_top_k_by_key(where, ONEPASS_INT32, in, n, ONEPASS_FLOAT32, values, NULL, k, out, beside, &as_they_stand));
  CHECK(same(out, y, k * sizeof y[0]) && same(beside, z, k * sizeof z[0]));

  order_rows(length, by_item);
  for (r = 0; r * length < n; ++r) {
    for (i = 0; i < 4; ++i) y[4 * r + i] = x[z[r * length + i]];
  }
  OK(onepass_top_k(where, ONEPASS_INT32, in, n, &rows, 4, out, ONEPASS_INT64, values, &smallest));
  CHECK(same(out, y, (size_t)r * 16));
  for (r = 0; r * length < n; ++r) {
    y[r] = x[z[r * length + 3]];
    const int64_t index = z[r * length] - r * length;
    CHECK(same((int64_t*)values + 4 * r, &index, 8));
  }
  OK(onepass_nth_element(where, ONEPASS_INT32, in, n, &rows, 3, out));
  CHECK(same(out, y, (size_t)r * 4));

  order_rows(4, by_item);
  const int32_t largest[] = {x[z[3]], x[z[2]], 0, 0};
  OK(onepass_copy(where, (int32_t*)out + 2, largest + 2, 8));
  OK(onepass_top_k(where, ONEPASS_INT32, in, n, &segments, 2, out, ONEPASS_INT32, NULL, NULL));
  CHECK(same(out, largest, sizeof largest)); /* the second segment has no items */
  WRONG(onepass_top_k(where, ONEPASS_INT32, in, n, NULL, n + 1, out, ONEPASS_INT32, NULL, NULL), "top_k: k is more");
  WRONG(onepass_top_k(where, ONEPASS_INT32, in, n, NULL, 1, out, ONEPASS_FLOAT32, beside, NULL), "integer");
  WRONG(onepass_top_k(where, ONEPASS_INT8, in, n, NULL, 1, out, ONEPASS_INT16, beside, NULL), "32 or 64 bits");
  WRONG(onepass_nth_element(where, ONEPASS_INT32, in, n, NULL, n, out), "rank");
  CHECK(same(out, largest, sizeof largest));
  release_all();
}

/* Integers of 8 and 16 bits as numbers and as keys. */
static void test_narrow_integers(void) {
  static int8_t bytes[n], sums[n], found[n];
  static uint16_t shorts[n], runs[n];
  const onepass_radix_options descending = {1, 0, -1};
  size_t count = 0, expected = 0;
  int i, value, to = 0;
  for (i = 0; i < n; ++i) {
    bytes[i] = (int8_t)(x[i] / 2), shorts[i] = (uint16_t)(40000 + x[i]);
    sums[i] = (int8_t)(i == 0 ? bytes[0] : sums[i - 1] + bytes[i]);
    if (i == 0 || bytes[i] != bytes[i - 1]) found[expected] = bytes[i], runs[expected++] = shorts[i];
    else runs[expected - 1] = (uint16_t)(runs[expected - 1] * shorts[i]);
  }
  void *in = there(bytes, sizeof bytes), *values = there(shorts, sizeof shorts), *out = room(sizeof bytes);
  void *out_keys = room(sizeof bytes), *out_values = room(sizeof shorts);
  OK(onepass_inclusive_scan(where, ONEPASS_INT8, in, n, out, NULL, ONEPASS_SUM));
  CHECK(same(out, sums, sizeof sums));
  OK(onepass_reduce_by_key(where, ONEPASS_INT8, in, n, ONEPASS_UINT16, values, out_keys, out_values, ONEPASS_PRODUCT,
                           &count));
  CHECK(count == expected && same(out_keys, found, expected) && same(out_values, runs, 2 * expected));
  for (i = 1; i < n; ++i) {
    if (bytes[i] == bytes[i - 1] && shorts[i] < shorts[i - 1]) shorts[i] = shorts[i - 1];
  }
  OK(onepass_inclusive_scan_by_key(where, ONEPASS_INT8, in, n, ONEPASS_UINT16, values, values, ONEPASS_MAXIMUM));
  CHECK(same(values, shorts, sizeof shorts));
  for (value = 127; value >= -128; --value) {
    for (i = 0; i < n; ++i) {
      if (bytes[i] == value) sums[to++] = (int8_t)value;
    }
  }
  OK(onepass_top_k(where, ONEPASS_INT8, in, n, NULL, 100, out, ONEPASS_INT32, NULL, NULL));
  CHECK(same(out, sums, 100));
  OK(onepass_radix_sort(where, ONEPASS_INT8, in, n, &descending));
  CHECK(same(in, sums, sizeof sums));
  release_all();
}

/* Doubles cannot tell these integers apart. */
static void test_wide_integers_between_edges(void) {
  static uint64_t wide[n];
  const uint64_t edges[4] = {UINT64_MAX - 5, UINT64_MAX - 3, UINT64_MAX - 3, UINT64_MAX};
  int64_t expected[3] = {0};
  int i;
  for (i = 0; i < n; ++i) {
    wide[i] = UINT64_MAX - (uint64_t)(i % 7);
    if (i % 7 > 0 && i % 7 < 6) ++expected[i % 7 > 3 ? 0 : 2];
  }
  void *in = there(wide, sizeof wide), *limits = there(edges, sizeof edges);
  int64_t* counts = room(sizeof expected);
  OK(onepass_histogram_between(where, ONEPASS_UINT64, in, n, limits, 4, counts));
  CHECK(same(counts, expected, sizeof expected));
  spoil(counts, sizeof expected);
  OK(onepass_histogram_between(where, ONEPASS_INT64, in, n, limits, 4, counts)); /* -6 to -4, -4 to -1 */
  CHECK(same(counts, expected, sizeof expected));
  WRONG(onepass_histogram_between(where, ONEPASS_INT32, in, n, limits, 4, counts), "float, double or an integer of 64");
  CHECK(same(counts, expected, sizeof expected));
  release_all();
}

static void test_counts(void) {
  const float edges[4] = {-0.5f, 0.5f, 0.5f, 2.5f};
  void *in = there(x, sizeof x), *f = there(flags, sizeof flags), *floats = there(b, sizeof b), *out = room(sizeof x);
  void *limits = there(edges, sizeof edges), *left = room(8);
  int64_t set = 0, expected[200] = {0}, even[4] = {0}, between[3] = {0}, thirds[3] = {0};
  int64_t* counts = room(sizeof expected);
  size_t count = 0;
  int i;
  for (i = 0; i < n; ++i) {
    if (flags[i]) z[set++] = i;
    if (x[i] >= -100 && x[i] < 100) ++expected[x[i] + 100];
    if (x[i] >= -100 && x[i] < 100) ++thirds[(x[i] + 100) * 3 / 200];
    if (b[i] >= -2 && b[i] < 2) ++even[(int)(b[i] + 2)];
    if (b[i] >= -0.5f && b[i] < 2.5f) ++between[b[i] < 0.5f ? 0 : 2];
  }
  OK(onepass_count_flags(where, f, n, &count));
  CHECK(count == (size_t)set);
  OK(onepass_positions_int32(where, f, n, out, &count));
  CHECK(count == (size_t)set && same(out, z, (size_t)set * 4));
  spoil(out, (size_t)set * 4);
  OK(onepass_positions_int32_async(where, f, n, out, left));
  CHECK(same(left, &set, 8) && same(out, z, (size_t)set * 4));
  OK(onepass_histogram_of_values(where, ONEPASS_INT32, in, n, -100, 100, counts));
  CHECK(same(counts, expected, sizeof expected));
  OK(onepass_histogram_even(where, ONEPASS_FLOAT32, floats, n, -2, 2, 4, counts));
  CHECK(same(counts, even, sizeof even));
  OK(onepass_histogram_even_integers(where, ONEPASS_INT32, in, n, -100, 100, 3, counts));
  CHECK(same(counts, thirds, sizeof thirds));
  OK(onepass_histogram_between(where, ONEPASS_FLOAT32, floats, n, limits, 4, counts));
  CHECK(same(counts, between, sizeof between));
  WRONG(onepass_histogram_even_integers(where, ONEPASS_FLOAT32, in, n, 0, 4, 4, counts), "integer");
  WRONG(onepass_count_flags(where, f, n, NULL), "count is null");
  WRONG(onepass_positions_int32(where, f, n, NULL, &count), "out is null");
  WRONG(onepass_histogram_of_values(where, ONEPASS_FLOAT32, in, n, 0, 4, counts), "integer");
  WRONG(onepass_histogram_of_values(where, ONEPASS_INT32, in, n, 4, 4, counts), "histogram");
  WRONG(onepass_histogram_even(where, ONEPASS_INT32, in, n, 0, 4, 4, counts), "float or double");
  WRONG(onepass_histogram_between(where, ONEPASS_FLOAT32, floats, n, NULL, 4, counts), "edges is null");
  CHECK(same(counts, between, sizeof between));
  release_all();
}

void test_dense_calls(onepass_execution* execution, int* all_checks, int* all_failures) {
  uint32_t random = 5;
  int i;
  where = execution;
  checks = failures = 0;
  for (i = 0; i < n; ++i) { /* recurrences of such factors and terms are exact */
    random = random * 1664525u + 1013904223u;
    x[i] = (int32_t)(random >> 8) % 500 - 250;
    a[i] = (float)((int)(random >> 16) % 3 - 1);
    b[i] = (float)((int)(random >> 20) % 7 - 3);
    flags[i] = (uint8_t)(random >> 30);
  }
  test_scans_of_lines();
  test_recurrences();
  test_rows();
  test_selections();
  test_narrow_integers();
  test_counts();
  test_wide_integers_between_edges();
  *all_checks += checks;
  *all_failures += failures;
}
