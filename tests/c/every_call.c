/* SPDX-License-Identifier: Apache-2.0
 * Every call of onepass/c.h from C, on host threads and, where there is a device, on CUDA: results beside plain loops,
 * wrong arguments, workspaces and allocators; those on dense arrays, selections and histograms are in dense_calls.c. Exits
 * with the number of checks that failed. */
#include "checks.h"

static int32_t x[n], keys[n], y[n], z[n];
static int64_t wide[n], offsets[3] = {0, 4000, n};
static uint8_t flags[n];
static int is_head(int i) { return i == 0 || keys[i] != keys[i - 1]; }

static void test_scans(void) {
  void *in = there(x, sizeof x), *out = room(sizeof x), *out_wide = room(sizeof wide), *k = there(keys, sizeof keys);
  void *f = there(flags, sizeof flags), *o = there(offsets, sizeof offsets);
  const int32_t five = 5;
  int i;
  for (i = 0; i < n; ++i) y[i] = (i > 0 ? y[i - 1] : five) + x[i];
  OK(onepass_inclusive_scan(where, ONEPASS_INT32, in, n, out, &five, ONEPASS_SUM));
  CHECK(same(out, y, sizeof y));
  for (i = 0; i < n; ++i) y[i] = i > 0 && y[i - 1] > x[i] ? y[i - 1] : x[i];
  OK(onepass_inclusive_scan(where, ONEPASS_INT32, in, n, out, NULL, ONEPASS_MAXIMUM));
  CHECK(same(out, y, sizeof y));
  for (i = 0; i < n; ++i) y[i] = i > 0 ? y[i - 1] + x[i - 1] : 0;
  OK(onepass_exclusive_scan(where, ONEPASS_INT32, in, n, out, NULL, ONEPASS_SUM));
  CHECK(same(out, y, sizeof y));
  for (i = 0; i < n; ++i) wide[i] = (i > 0 ? wide[i - 1] : 7) + x[i];
  OK(onepass_inclusive_wide_sum(where, ONEPASS_INT32, in, n, out_wide, 7));
  CHECK(same(out_wide, wide, sizeof wide));
  for (i = n - 1; i > 0; --i) wide[i] = wide[i - 1];
  wide[0] = 7;
  OK(onepass_exclusive_wide_sum(where, ONEPASS_INT32, in, n, out_wide, 7));
  CHECK(same(out_wide, wide, sizeof wide));

  for (i = 0; i < n; ++i) y[i] = is_head(i) ? x[i] : y[i - 1] + x[i];
  OK(onepass_inclusive_scan_by_key(where, ONEPASS_INT32, k, n, ONEPASS_INT32, in, out, ONEPASS_SUM));
  CHECK(same(out, y, sizeof y));
  for (i = 0; i < n; ++i) z[i] = is_head(i) ? five : z[i - 1] + x[i - 1];
  OK(onepass_exclusive_scan_by_key(where, ONEPASS_UINT32, k, n, ONEPASS_INT32, in, out, &five, ONEPASS_SUM));
  CHECK(same(out, z, sizeof z));
  for (i = 0; i < n; ++i) y[i] = i == 0 || flags[i] ? x[i] : y[i - 1] + x[i];
  OK(onepass_inclusive_scan_by_flags(where, ONEPASS_INT32, in, n, f, out, ONEPASS_SUM));
  CHECK(same(out, y, sizeof y));
  for (i = 0; i < n; ++i) z[i] = i == 0 || flags[i] ? 0 : z[i - 1] + x[i - 1];
  OK(onepass_exclusive_scan_by_flags(where, ONEPASS_INT32, in, n, f, out, NULL, ONEPASS_SUM));
  CHECK(same(out, z, sizeof z));
  for (i = 0; i < n; ++i) y[i] = i == 0 || i == 4000 ? x[i] : y[i - 1] + x[i];
  OK(onepass_inclusive_scan_by_offsets(where, ONEPASS_INT32, in, n, o, 3, out, ONEPASS_SUM));
  CHECK(same(out, y, sizeof y));
  for (i = 0; i < n; ++i) z[i] = i == 0 || i == 4000 ? five : z[i - 1] + x[i - 1];
  OK(onepass_exclusive_scan_by_offsets(where, ONEPASS_INT32, in, n, o, 3, out, &five, ONEPASS_SUM));
  CHECK(same(out, z, sizeof z));
  release_all();
}

static void test_compaction(void) {
  void *in = there(x, sizeof x), *out = room(sizeof x), *rest = room(sizeof x), *f = there(flags, sizeof flags);
  void *k = there(keys, sizeof keys), *places = room(sizeof wide), *left = room(8);
  int64_t kept = 0, rejected = 0, runs = 0;
  size_t count = 0;
  int i;
  for (i = 0; i < n; ++i) {
    if (flags[i]) wide[kept] = i, y[kept++] = x[i];
    else z[rejected++] = x[i];
  }
  const size_t kept_bytes = (size_t)kept * 4, rejected_bytes = (size_t)rejected * 4;
  OK(onepass_compact(where, ONEPASS_INT32, in, n, f, out, &count));
  CHECK(count == (size_t)kept && same(out, y, kept_bytes));
  spoil(out, sizeof x);
  OK(onepass_compact_async(where, ONEPASS_FLOAT32, in, n, f, out, left));
  CHECK(same(left, &kept, 8) && same(out, y, kept_bytes));
  OK(onepass_stable_partition_copy(where, ONEPASS_INT32, in, n, f, out, rest, &count));
  CHECK(count == (size_t)kept && same(out, y, kept_bytes) && same(rest, z, rejected_bytes));
  spoil(out, sizeof x), spoil(rest, sizeof x), spoil(left, 8);
  OK(onepass_stable_partition_copy_async(where, ONEPASS_UINT32, in, n, f, out, rest, left));
  CHECK(same(left, &kept, 8) && same(out, y, kept_bytes) && same(rest, z, rejected_bytes));
  OK(onepass_positions(where, f, n, places, &count));
  CHECK(count == (size_t)kept && same(places, wide, (size_t)kept * 8));
  spoil(places, sizeof wide), spoil(left, 8);
  OK(onepass_positions_async(where, f, n, places, left));
  CHECK(same(left, &kept, 8) && same(places, wide, (size_t)kept * 8));

  for (i = 0; i < n; ++i) {
    if (is_head(i)) z[runs] = x[i], y[runs++] = keys[i];
  }
  const size_t run_bytes = (size_t)runs * 4;
  OK(onepass_unique(where, ONEPASS_INT32, k, n, out, &count));
  CHECK(count == (size_t)runs && same(out, y, run_bytes));
  spoil(out, sizeof x), spoil(left, 8);
  OK(onepass_unique_async(where, ONEPASS_INT32, k, n, out, left));
  CHECK(same(left, &runs, 8) && same(out, y, run_bytes));
  count = 0, spoil(left, 8);
  OK(onepass_unique_count(where, ONEPASS_INT32, k, n, &count));
  OK(onepass_unique_count_async(where, ONEPASS_INT32, k, n, left));
  CHECK(count == (size_t)runs && same(left, &runs, 8));
  OK(onepass_unique_by_key(where, ONEPASS_INT32, k, n, ONEPASS_INT32, in, out, rest, &count));
  CHECK(count == (size_t)runs && same(out, y, run_bytes) && same(rest, z, run_bytes));
  spoil(out, sizeof x), spoil(rest, sizeof x), spoil(left, 8);
  OK(onepass_unique_by_key_async(where, ONEPASS_INT32, k, n, ONEPASS_INT32, in, out, rest, left));
  CHECK(same(left, &runs, 8) && same(out, y, run_bytes) && same(rest, z, run_bytes));
  release_all();
}

static int by_key(const void* a, const void* b) { /* ascending, then by index */
  const int i = *(const int32_t*)a, j = *(const int32_t*)b;
  if (x[i] != x[j]) return x[i] < x[j] ? -1 : 1;
  return i < j ? -1 : 1;
}
static void test_sorts(void) {
  const onepass_radix_options lowest_byte = {0, 0, 8};
  void *in = there(x, sizeof x), *out = room(sizeof x), *order = room(sizeof x), *o = there(offsets, sizeof offsets);
  int i;
  for (i = 0; i < n; ++i) z[i] = i;
  void* numbers = there(z, sizeof z);
  qsort(z, n, sizeof z[0], by_key);
  for (i = 0; i < n; ++i) y[i] = x[z[i]];
  OK(onepass_argsort(where, ONEPASS_INT32, in, n, ONEPASS_INT32, order, NULL));
  CHECK(same(order, z, sizeof z) && same(in, x, sizeof x));
  OK(onepass_copy(where, out, in, sizeof x));
  OK(onepass_radix_sort(where, ONEPASS_INT32, out, n, NULL));
  CHECK(same(out, y, sizeof y));
  OK(onepass_copy(where, out, in, sizeof x));
  OK(onepass_radix_sort_by_key(where, ONEPASS_INT32, out, n, ONEPASS_UINT32, numbers, NULL));
  CHECK(same(out, y, sizeof y) && same(numbers, z, sizeof z));

  for (i = 0; i < n; ++i) z[i] = i;
  OK(onepass_copy(where, numbers, z, sizeof z));
  qsort(z, 4000, sizeof z[0], by_key);
  qsort(z + 4000, n - 4000, sizeof z[0], by_key);
  for (i = 0; i < n; ++i) y[i] = x[z[i]];
  OK(onepass_copy(where, out, in, sizeof x));
  OK(onepass_segmented_sort(where, ONEPASS_INT32, out, n, o, 3, NULL));
  CHECK(same(out, y, sizeof y));
  OK(onepass_copy(where, out, in, sizeof x));
  OK(onepass_segmented_sort_by_key(where, ONEPASS_INT32, out, n, ONEPASS_INT32, numbers, o, 3, NULL));
  CHECK(same(out, y, sizeof y) && same(numbers, z, sizeof z));
  /* Now the keys are in order, and so no value moves. */
  OK(onepass_segmented_sort_by_key(where, ONEPASS_INT32, out, n, ONEPASS_UINT32, numbers, o, 3, NULL));
  OK(onepass_segmented_sort_by_key(where, ONEPASS_INT32, out, n, ONEPASS_FLOAT32, numbers, o, 3, NULL));
  CHECK(same(out, y, sizeof y) && same(numbers, z, sizeof z));

  int to = 0;
  for (int digit = 0; digit < 256; ++digit) {
    for (i = 0; i < n; ++i) {
      if (((unsigned)x[i] & 255) == (unsigned)digit) y[to++] = x[i];
    }
  }
  OK(onepass_split(where, ONEPASS_INT32, in, n, out, 0, 8));
  CHECK(same(out, y, sizeof y));
  OK(onepass_copy(where, order, in, sizeof x));
  OK(onepass_radix_sort(where, ONEPASS_UINT32, order, n, &lowest_byte));
  CHECK(same(order, y, sizeof y));
  release_all();
}

static void test_reductions(void) {
  void *in = there(x, sizeof x), *k = there(keys, sizeof keys), *out_keys = room(sizeof x), *out = room(sizeof x);
  void *lengths = room(sizeof wide), *left = room(8), *o = there(offsets, sizeof offsets);
  int32_t sums[2] = {100, 100};
  const int32_t hundred = 100;
  int64_t runs = 0;
  size_t count = 0;
  int i;
  for (i = 0; i < n; ++i) {
    if (is_head(i)) wide[runs] = 0, z[runs] = 0, y[runs++] = keys[i];
    ++wide[runs - 1], z[runs - 1] += x[i];
    sums[i < 4000 ? 0 : 1] += x[i];
  }
  const size_t bytes = (size_t)runs * 4;
  OK(onepass_run_length_encode(where, ONEPASS_INT32, k, n, out, lengths, &count));
  CHECK(count == (size_t)runs && same(out, y, bytes) && same(lengths, wide, 2 * bytes));
  spoil(out, sizeof x), spoil(lengths, sizeof wide);
  OK(onepass_run_length_encode_async(where, ONEPASS_INT32, k, n, out, lengths, left));
  CHECK(same(left, &runs, 8) && same(out, y, bytes) && same(lengths, wide, 2 * bytes));
  OK(onepass_reduce_by_key(where, ONEPASS_INT32, k, n, ONEPASS_INT32, in, out_keys, out, ONEPASS_SUM, &count));
  CHECK(count == (size_t)runs && same(out_keys, y, bytes) && same(out, z, bytes));
  spoil(out_keys, sizeof x), spoil(out, sizeof x), spoil(left, 8);
  OK(onepass_reduce_by_key_async(where, ONEPASS_INT32, k, n, ONEPASS_INT32, in, out_keys, out, ONEPASS_SUM, left));
  CHECK(same(left, &runs, 8) && same(out_keys, y, bytes) && same(out, z, bytes));
  OK(onepass_segmented_reduce(where, ONEPASS_INT32, in, n, o, 3, out, &hundred, ONEPASS_SUM));
  CHECK(same(out, sums, sizeof sums));
  release_all();
}

/* ---- temporary memory ------------------------------------------------------------------------------------------- */
struct source {
  onepass_execution* own;
  int taken, given_back, fails;
};
static void* take(void* context, size_t bytes) {
  struct source* s = context;
  void* memory = NULL;
  if (s->fails) return NULL;
  OK(onepass_allocate(s->own, bytes, &memory));
  ++s->taken;
  return memory;
}
static void give_back(void* context, void* memory, size_t bytes) {
  struct source* s = context;
  CHECK(bytes > 0);
  onepass_release(s->own, memory);
  ++s->given_back;
}

/* The CPU's sort of so many items needs scratch, and so does that of CUDA. */
static void sort_some(int which) {
  void *in = there(which == 0 ? x : keys, sizeof x), *order = room(sizeof x);
  OK(onepass_argsort(where, ONEPASS_INT32, in, n, ONEPASS_INT32, order, NULL));
  OK(onepass_wait(where));
}

static void test_temporary_memory(onepass_execution* other) {
  struct source s = {other, 0, 0, 0};
  OK(onepass_use_allocator(where, &s, take, give_back));
  sort_some(0);
  CHECK(s.taken > 0 && s.taken == s.given_back);
  s.fails = 1;
  void *in = there(x, sizeof x), *order = there(keys, sizeof keys);
  CHECK(onepass_argsort(where, ONEPASS_INT32, in, n, ONEPASS_INT32, order, NULL) == ONEPASS_OUT_OF_MEMORY);
  CHECK(strstr(onepass_last_message(), "argsort") != NULL && same(order, keys, sizeof keys));
  OK(onepass_use_allocator(where, NULL, NULL, NULL));
  sort_some(0);

  onepass_workspace* workspace = NULL;
  OK(onepass_create_workspace(where, 1000, &workspace));
  CHECK(onepass_workspace_bytes(workspace) == 1000);
  OK(onepass_use_workspace(where, workspace));
  sort_some(0);
  const size_t grown = onepass_workspace_bytes(workspace);
  CHECK(grown > 4 * n);
  sort_some(1);
  CHECK(onepass_workspace_bytes(workspace) == grown); /* used again */
  /* A call that takes memory twice finds both in a block that has room. */
  onepass_workspace* large = NULL;
  OK(onepass_create_workspace(where, 1 << 26, &large));
  OK(onepass_use_workspace(where, large));
  void *unsorted = there(x, sizeof x), *in_64_bits = room(sizeof wide);
  OK(onepass_argsort(where, ONEPASS_INT32, unsorted, n, ONEPASS_INT64, in_64_bits, NULL));
  OK(onepass_sort_rows(where, ONEPASS_INT32, unsorted, n, 10, NULL));
  CHECK(onepass_workspace_bytes(large) == 1 << 26);
  OK(onepass_use_workspace(where, workspace));
  onepass_destroy_workspace(large);
  OK(onepass_use_workspace(where, NULL));
  onepass_destroy_workspace(workspace);
  OK(onepass_create_workspace(where, 0, &workspace));
  CHECK(onepass_workspace_bytes(workspace) == 0);
  onepass_destroy_workspace(workspace);
  onepass_destroy_workspace(NULL);
  OK(onepass_release_workspace());
  release_all();
}

static void test_wrong_arguments(void) {
  void *in = there(x, sizeof x), *out = room(sizeof x);
  size_t count = 0;
  onepass_execution* none = where;
  WRONG(onepass_create_cpu(-1, &none), "threads");
  CHECK(none == NULL);
  WRONG(onepass_create_cpu(0, NULL), "out is null");
  WRONG(onepass_inclusive_scan(NULL, ONEPASS_INT32, in, n, out, NULL, ONEPASS_SUM), "execution is null");
  WRONG(onepass_inclusive_scan(where, (onepass_type)12, in, n, out, NULL, ONEPASS_SUM), "enumeration");
  WRONG(onepass_inclusive_scan(where, ONEPASS_INT32, in, n, out, NULL, (onepass_op)7), "operator");
  WRONG(onepass_inclusive_scan(where, ONEPASS_FLOAT32, in, n, out, NULL, ONEPASS_BIT_OR), "integers");
  WRONG(onepass_inclusive_scan(where, ONEPASS_INT32, NULL, n, out, NULL, ONEPASS_SUM), "first is null");
  WRONG(onepass_inclusive_wide_sum(where, ONEPASS_INT64, in, 1, out, 0), "8 to 32 bits");
  WRONG(onepass_inclusive_scan_by_key(where, ONEPASS_FLOAT32, in, n, ONEPASS_INT32, in, out, ONEPASS_SUM), "integer");
  WRONG(onepass_compact(where, ONEPASS_INT32, in, n, in, out, NULL), "count is null");
  WRONG(onepass_compact_async(where, ONEPASS_INT32, in, n, in, out, NULL), "count is null");
  WRONG(onepass_compact(where, (onepass_type)-1, in, n, in, out, &count), "enumeration");
  WRONG(onepass_split(where, ONEPASS_FLOAT32, in, n, out, 0, 8), "integer");
  WRONG(onepass_segmented_sort_by_key(where, ONEPASS_INT32, in, n, ONEPASS_INT64, out, NULL, 0, NULL), "32 bits");
  WRONG(onepass_argsort(where, ONEPASS_INT32, in, n, ONEPASS_FLOAT32, out, NULL), "integer");
  WRONG(onepass_argsort(where, ONEPASS_INT8, in, n, ONEPASS_INT16, out, NULL), "32 or 64 bits");
  WRONG(onepass_use_allocator(where, NULL, take, NULL), "one of the two");
  WRONG(onepass_use_size(NULL, NULL), "execution is null");
  CHECK(same(in, x, sizeof x));
  OK(onepass_inclusive_scan(where, ONEPASS_INT32, NULL, 0, NULL, NULL, ONEPASS_SUM));
  release_all();
}

/* A size in memory: the count of one call is the size of the next ones. */
static void test_size_in_memory(void) {
  void *in = there(x, sizeof x), *f = there(flags, sizeof flags), *out = room(sizeof x), *sums = room(sizeof x);
  int64_t* left = room(8);
  int64_t kept = 0;
  size_t count = 0;
  int i;
  OK(onepass_compact_async(where, ONEPASS_INT32, in, n, f, out, left));
  OK(onepass_use_size(where, left));
  OK(onepass_inclusive_scan(where, ONEPASS_INT32, out, n, sums, NULL, ONEPASS_MAXIMUM));
  OK(onepass_count_flags(where, f, n, &count));
  WRONG(onepass_compact_async(where, ONEPASS_INT32, in, n, f, out, left), "the execution's size");
  OK(onepass_use_size(where, NULL));
  for (i = 0; i < n; ++i) {
    if (!flags[i]) continue;
    y[kept] = kept > 0 && y[kept - 1] > x[i] ? y[kept - 1] : x[i];
    ++kept;
  }
  CHECK(same(sums, y, (size_t)kept * 4));
  for (i = 0; i < (int)kept; ++i) count -= flags[i] != 0;
  CHECK(count == 0);
  OK(onepass_count_flags(where, f, n, &count));
  CHECK(count == (size_t)kept);
  release_all();
}

static void test_all(onepass_execution* execution, onepass_execution* other) {
  where = execution;
  test_scans();
  test_compaction();
  test_size_in_memory();
  test_sorts();
  test_reductions();
  test_dense_calls(execution, &checks, &failures);
  test_temporary_memory(other);
  test_wrong_arguments();
}

int main(void) {
  uint32_t random = 1;
  int i;
  for (i = 0; i < n; ++i) {
    random = random * 1664525u + 1013904223u;
    x[i] = (int32_t)(random >> 8) % 20000 - 10000;
    keys[i] = i == 0 ? 3 : keys[i - 1] + (random >> 28 == 0);
    flags[i] = random >> 30 == 0;
  }
  onepass_execution *execution = NULL, *other = NULL;
  OK(onepass_create_cpu(2, &execution));
  OK(onepass_create_cpu(0, &other));
  test_all(execution, other);
  onepass_destroy(execution), onepass_destroy(other), onepass_destroy(NULL);
  if (onepass_has_cuda()) {
    OK(onepass_create_cuda(NULL, &execution));
    OK(onepass_create_cuda(NULL, &other));
    test_all(execution, other);
    onepass_destroy(execution), onepass_destroy(other);
  } else {
    WRONG(onepass_create_cuda(NULL, &execution), "CUDA");
    CHECK(execution == NULL);
  }
  CHECK(strcmp(onepass_version(), ONEPASS_TEST_VERSION) == 0);
  CHECK(onepass_last_cuda_error() == 0);
  printf("%d checks, %d failed\n", checks, failures);
  return failures < 100 ? failures : 100;
}
