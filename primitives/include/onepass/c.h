/* SPDX-License-Identifier: Apache-2.0
 * onepass/c.h: the static library in plain C (C99), for C and for every language that calls C. Link libonepass.a with a
 * C++ linker, or libonepass.so. These are the calls of onepass/library.hpp, with the type of items as an argument. This file is
 * over 300 lines because it is the library's one header for C.
 *
 *   int x[] = {3, 1, 4, 1, 5}, y[5];
 *   onepass_execution* cpu;
 *   onepass_create_cpu(0, &cpu);
 *   if (onepass_inclusive_scan(cpu, ONEPASS_INT32, x, 5, y, NULL, ONEPASS_SUM) != ONEPASS_OK)
 *     puts(onepass_last_message());
 *   onepass_destroy(cpu);    // y = 3 4 8 9 14
 *
 * All calls share this:
 *   Errors     a call returns ONEPASS_OK, or what went wrong; onepass_last_message() says it in words. Wrong arguments and
 *              missing memory are found before any result is written. No call throws or ends the program.
 *   Where      the first argument, an execution: on host threads with host pointers, or on CUDA with device pointers.
 *   Types      all of onepass_type, if a call does not say otherwise. Floats of 16 bits are calculated with as floats, and
 *              each result is rounded once. Integers are calculated with in their own type: wide sums are there for more.
 *              Values that go with sorted keys have 32 or 64 bits (in segments 32). Flags are bytes: 0 or not.
 *   Ranges     a pointer and a count of items, which may be past 2^32 (of selections: onepass/select.hpp). A pointer may be null
 *              where its count is 0, and an output of a compaction that waits where it gets no items.
 *              Outputs have room for n items, if not said otherwise; they may be the input itself (in place) only where
 *              that is said, and overlap nothing else. Flags, keys and offsets never overlap what is written.
 *   Order      everything is stable, and gives the same bits on every run on the same device with the same settings,
 *              floats included. Integer sums and products wrap around, also signed ones.
 *   Waiting    on host threads a call returns when all is done. On CUDA it only puts work into the stream; those that
 *              write a size_t through `count` wait for it, and cannot be captured in a graph. Their NAME_async (count_flags
 *              has none) leaves the count in memory of the backend (8 bytes) and does not wait.
 *   Extremes   a minimum or maximum of floats is NaN where an item is NaN (the first one's bits; of 16 bits: any NaN).
 *   Threads    calls may run at the same time in several threads. An execution may be shared by threads as long as none
 *              changes it; a workspace serves one call at a time.
 *   Cost       bytes moved and launches are those of the C++ headers that are named at each group.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The version of this header; onepass_version() returns that of the library. */
#define ONEPASS_VERSION "0.1.0"

#if defined(__GNUC__)
#define ONEPASS_C_API __attribute__((visibility("default")))
#else
#define ONEPASS_C_API
#endif

/* In C++ the enumerations have a type, so that a wrong value can be looked at. */
#ifdef __cplusplus
#define ONEPASS_C_INT : int
extern "C" {
#else
#define ONEPASS_C_INT
#endif

/* ---- what calls return and take --------------------------------------------------------------------------------- */
typedef enum onepass_status ONEPASS_C_INT {
  ONEPASS_OK = 0,
  ONEPASS_INVALID_ARGUMENT = 1, /* also: CUDA asked of a library without it */
  ONEPASS_OUT_OF_MEMORY = 2,
  ONEPASS_CUDA_ERROR = 3, /* an error of the CUDA runtime: onepass_last_cuda_error() has its number */
  ONEPASS_UNKNOWN_ERROR = 4
} onepass_status;

typedef enum onepass_type ONEPASS_C_INT {
  ONEPASS_INT8 = 0,
  ONEPASS_UINT8 = 1, /* also for bool */
  ONEPASS_INT16 = 2,
  ONEPASS_UINT16 = 3,
  ONEPASS_INT32 = 4,
  ONEPASS_UINT32 = 5,
  ONEPASS_INT64 = 6,
  ONEPASS_UINT64 = 7,
  ONEPASS_FLOAT32 = 8,
  ONEPASS_FLOAT64 = 9,
  ONEPASS_FLOAT16 = 10, /* binary16 of IEEE 754 */
  ONEPASS_BFLOAT16 = 11 /* the upper half of a float */
} onepass_type;

/* Those on bits are for integers alone. */
typedef enum onepass_op ONEPASS_C_INT {
  ONEPASS_SUM = 0,
  ONEPASS_PRODUCT = 1,
  ONEPASS_MINIMUM = 2,
  ONEPASS_MAXIMUM = 3,
  ONEPASS_BIT_AND = 4,
  ONEPASS_BIT_OR = 5,
  ONEPASS_BIT_XOR = 6
} onepass_op;

/* What the last call of this thread that failed has to say, as "onepass::radix_sort: keys is null and the range is not
 * empty"; empty before one has failed. The name is that of the C++ call behind it, as onepass::segmented_reduce behind
 * onepass_reduce_rows. Valid until the next call that fails in this thread. */
ONEPASS_C_API const char* onepass_last_message(void);
/* The cudaError_t of the last ONEPASS_CUDA_ERROR in this thread; 0: there was none. */
ONEPASS_C_API int onepass_last_cuda_error(void);
/* The library's version, as "0.1.0". */
ONEPASS_C_API const char* onepass_version(void);
/* 1 if executions on CUDA can work: the library was built with CUDA, and there is a device. Otherwise 0. */
ONEPASS_C_API int onepass_has_cuda(void);

/* ---- where a call runs ------------------------------------------------------------------------------------------ */
typedef struct onepass_execution onepass_execution;
/* On the calling thread and up to threads - 1 others; 0: as many as the cores that the process may use. */
ONEPASS_C_API onepass_status onepass_create_cpu(int threads, onepass_execution** out);
/* On the CUDA device that is current at each call, in the order of `stream`, a cudaStream_t; NULL: the default stream. */
ONEPASS_C_API onepass_status onepass_create_cuda(void* stream, onepass_execution** out);
/* May be null; then nothing happens. What the execution used stays as it is. */
ONEPASS_C_API void onepass_destroy(onepass_execution* execution);

/* Ranges whose size stands in memory, as the count of a NAME_async does. The calls of the execution work on the first *size of
 * the n items that they are given, as if n were *size, and may read the others. A *size below 0 counts as 0, one above n as n.
 * On CUDA it is memory that the device can read, and it is read when the stream reaches the call; on host threads when the
 * call begins. Outputs and results keep their room for n items: rows and offsets behind the size have no items. Calls write
 * nothing there, but for onepass_segmented_reduce and onepass_reduce_rows. What a call writes must not be at `size`.
 * What depends on the size and only the device knows is not checked: n items have to fit indices, and from the end *size has to
 * be of whole rows. Null: n is the size. */
ONEPASS_C_API onepass_status onepass_use_size(onepass_execution* execution, const int64_t* size);

/* Temporary memory. Without an allocator or a workspace of the caller's, the library keeps a workspace for each stream.
 *
 * Memory for the calls of an execution comes from allocate(context, bytes), which returns memory of its backend, or null:
 * then the call returns ONEPASS_OUT_OF_MEMORY. It is given back by release(context, memory, bytes) before the call
 * returns; on CUDA the device may still work in it then, so an allocator keeps the stream's order. Two null functions:
 * the library's workspace again; one alone is an error of this call, which then changes nothing. */
ONEPASS_C_API onepass_status onepass_use_allocator(onepass_execution* execution, void* context,
                                                   void* (*allocate)(void* context, size_t bytes),
                                                   void (*release)(void* context, void* memory, size_t bytes));

/* Memory that the caller owns and calls use again: `bytes` at first, and more when a call needs more. A call that finds
 * enough allocates nothing (on CUDA, nothing on the device). It belongs to one execution's backend and stream, and serves
 * one call at a time. What calls use that a CUDA graph captures stays until the workspace is destroyed, and the graph may
 * be launched until then. */
typedef struct onepass_workspace onepass_workspace;
ONEPASS_C_API onepass_status onepass_create_workspace(const onepass_execution* execution, size_t bytes,
                                                      onepass_workspace** out);
/* Null: the library's workspace again. The workspace has to live as long as the execution uses it. One of another backend or
 * stream is an error. */
ONEPASS_C_API onepass_status onepass_use_workspace(onepass_execution* execution, onepass_workspace* workspace);
/* How many bytes it has by now. */
ONEPASS_C_API size_t onepass_workspace_bytes(const onepass_workspace* workspace);
/* On CUDA, to be called when the calls that used it are done. May be null; then nothing happens. */
ONEPASS_C_API void onepass_destroy_workspace(onepass_workspace* workspace);
/* Gives the library's own unused workspace on the current CUDA device back to the driver. What streams keep for their next
 * scan stays: up to 24 bytes a tile of the longest so far, 64 KB at least. */
ONEPASS_C_API onepass_status onepass_release_workspace(void);

/* Memory for items of any type, for programs that have no CUDA header. */
ONEPASS_C_API onepass_status onepass_allocate(const onepass_execution* execution, size_t bytes, void** out);
/* May be null; then nothing happens. */
ONEPASS_C_API void onepass_release(const onepass_execution* execution, void* memory);
/* Copies after all that the execution has been given before, and waits. On CUDA each side may be host or device memory. */
ONEPASS_C_API onepass_status onepass_copy(const onepass_execution* execution, void* to, const void* from, size_t bytes);
/* Waits for all that the execution has been given; an error that the device has met comes out here. */
ONEPASS_C_API onepass_status onepass_wait(const onepass_execution* execution);

/* ---- scan (onepass/scan.hpp); in place is allowed ---------------------------------------------------------------- */
/* out[i] = first[0] op ... op first[i]. `init` points to an item that comes before all others, on the host; null: none. */
ONEPASS_C_API onepass_status onepass_inclusive_scan(const onepass_execution* execution, onepass_type type,
                                                    const void* first, size_t n, void* out, const void* init,
                                                    onepass_op op);
/* out[i] = init op first[0] op ... op first[i - 1]. Null `init`: 0. */
ONEPASS_C_API onepass_status onepass_exclusive_scan(const onepass_execution* execution, onepass_type type,
                                                    const void* first, size_t n, void* out, const void* init,
                                                    onepass_op op);
/* Sums of integers of 8 to 32 bits, in 64 bits. Not in place. */
ONEPASS_C_API onepass_status onepass_inclusive_wide_sum(const onepass_execution* execution, onepass_type type,
                                                        const void* first, size_t n, int64_t* out, int64_t init);
ONEPASS_C_API onepass_status onepass_exclusive_wide_sum(const onepass_execution* execution, onepass_type type,
                                                        const void* first, size_t n, int64_t* out, int64_t init);

/* ---- segmented scan (onepass/segmented_scan.hpp); out may be the values ------------------------------------------ */
/* By key: a segment is a run of items whose keys, integers, are equal. Keys of 8 and 16 bits are a pass more:
 * it writes n bytes of scratch. */
ONEPASS_C_API onepass_status onepass_inclusive_scan_by_key(const onepass_execution* execution, onepass_type key_type,
                                                           const void* keys, size_t n, onepass_type type,
                                                           const void* values, void* out, onepass_op op);
/* `init` comes at the first item of every segment; null: 0. So it does in the calls below. */
ONEPASS_C_API onepass_status onepass_exclusive_scan_by_key(const onepass_execution* execution, onepass_type key_type,
                                                           const void* keys, size_t n, onepass_type type,
                                                           const void* values, void* out, const void* init,
                                                           onepass_op op);
/* By head flags: a segment starts at item 0 and at each item whose flag is not 0. */
ONEPASS_C_API onepass_status onepass_inclusive_scan_by_flags(const onepass_execution* execution, onepass_type type,
                                                             const void* first, size_t n, const uint8_t* flags,
                                                             void* out, onepass_op op);
ONEPASS_C_API onepass_status onepass_exclusive_scan_by_flags(const onepass_execution* execution, onepass_type type,
                                                             const void* first, size_t n, const uint8_t* flags,
                                                             void* out, const void* init, onepass_op op);
/* By offsets: a segment starts at item 0 and at item offsets[i]; offsets[i] <= offsets[i + 1]. Offsets outside [0, n)
 * start nothing, so row offsets of a sparse matrix will do. */
ONEPASS_C_API onepass_status onepass_inclusive_scan_by_offsets(const onepass_execution* execution, onepass_type type,
                                                               const void* first, size_t n, const int64_t* offsets,
                                                               size_t offset_count, void* out, onepass_op op);
ONEPASS_C_API onepass_status onepass_exclusive_scan_by_offsets(const onepass_execution* execution, onepass_type type,
                                                               const void* first, size_t n, const int64_t* offsets,
                                                               size_t offset_count, void* out, const void* init,
                                                               onepass_op op);

/* Segments as arguments of calls that follow. With offsets null they are rows of row_length items, of which the last may be
 * shorter; otherwise segment i has the items from offsets[i] up to offsets[i + 1]. */
typedef struct onepass_segments {
  int64_t row_length;
  const int64_t* offsets;
  size_t offset_count;
} onepass_segments;

/* ---- dense arrays: scans of rows and columns --------------------------------------------------------------------- */
/* Row i has the items from i * length up to (i + 1) * length; the last may be shorter. In place is allowed. */
ONEPASS_C_API onepass_status onepass_inclusive_scan_by_rows(const onepass_execution* execution, onepass_type type,
                                                            const void* first, size_t n, int64_t length, void* out,
                                                            onepass_op op);
ONEPASS_C_API onepass_status onepass_exclusive_scan_by_rows(const onepass_execution* execution, onepass_type type,
                                                            const void* first, size_t n, int64_t length, void* out,
                                                            const void* init, onepass_op op);
/* The columns of an array with `width` items a row: item i + width follows item i. The items are such arrays of `height` rows
 * one behind another, and each has columns of its own; INT64_MAX: one array. In place is allowed. */
ONEPASS_C_API onepass_status onepass_inclusive_scan_by_columns(const onepass_execution* execution, onepass_type type,
                                                               const void* first, size_t n, int64_t width,
                                                               int64_t height, void* out, onepass_op op);
ONEPASS_C_API onepass_status onepass_exclusive_scan_by_columns(const onepass_execution* execution, onepass_type type,
                                                               const void* first, size_t n, int64_t width,
                                                               int64_t height, void* out, const void* init,
                                                               onepass_op op);
/* Sums from the end of each row: out[i] = first[i] + ... up to the last item of its row. The rows are whole; one of n items or
 * more is a row of all. In place is allowed. */
ONEPASS_C_API onepass_status onepass_reverse_sum(const onepass_execution* execution, onepass_type type,
                                                 const void* first, size_t n, int64_t length, void* out);
/* How a recurrence runs. reverse: from the last item of a row or column to the first, h[t] = a[t] h[t + 1] + b[t]. next_factor:
 * each item takes the factor of the item that the recurrence has met before it. In reverse the columns have to be whole. */
typedef struct onepass_recurrence_options {
  int reverse;
  int next_factor;
} onepass_recurrence_options;
/* The linear recurrence h[t] = a[t] h[t - 1] + b[t] of floats or doubles along each column (see above; width 1 and a height:
 * along rows of so many items), where h is 0 before the first item: out = h. Along rows, and on CUDA along columns, factors are
 * multiplied with each other, too. Where a product of neighbours is too large, or so small that it is 0, results may differ
 * from a loop's: infinite, NaN, or without what came before. Null options: from the first item on. Nothing is in place. */
ONEPASS_C_API onepass_status onepass_linear_recurrence(const onepass_execution* execution, onepass_type type,
                                                       const void* a, const void* b, size_t n, int64_t width,
                                                       int64_t height, void* out,
                                                       const onepass_recurrence_options* options);

/* ---- compaction (onepass/compact.hpp) ---------------------------------------------------------------------------- */
/* Copies the items whose flag is set to out, in their order; `count` gets their number. Nothing behind them is written,
 * and out needs no more room than that. In place is allowed. */
ONEPASS_C_API onepass_status onepass_compact(const onepass_execution* execution, onepass_type type, const void* first,
                                             size_t n, const uint8_t* flags, void* out, size_t* count);
ONEPASS_C_API onepass_status onepass_compact_async(const onepass_execution* execution, onepass_type type,
                                                   const void* first, size_t n, const uint8_t* flags, void* out,
                                                   int64_t* count);
/* Copies the items whose flag is set to out_true and the others to out_false, each in their order. `count` gets how many
 * go to out_true. Each output needs room for as many items as it gets. */
ONEPASS_C_API onepass_status onepass_stable_partition_copy(const onepass_execution* execution, onepass_type type,
                                                           const void* first, size_t n, const uint8_t* flags,
                                                           void* out_true, void* out_false, size_t* count);
ONEPASS_C_API onepass_status onepass_stable_partition_copy_async(const onepass_execution* execution, onepass_type type,
                                                                 const void* first, size_t n, const uint8_t* flags,
                                                                 void* out_true, void* out_false, int64_t* count);
/* The indices of the flags that are set, in rising order; out needs no more room than that. */
ONEPASS_C_API onepass_status onepass_positions(const onepass_execution* execution, const uint8_t* flags, size_t n,
                                               int64_t* out, size_t* count);
ONEPASS_C_API onepass_status onepass_positions_async(const onepass_execution* execution, const uint8_t* flags, size_t n,
                                                     int64_t* out, int64_t* count);
/* The same of up to 2^31 flags, with indices of 32 bits. */
ONEPASS_C_API onepass_status onepass_positions_int32(const onepass_execution* execution, const uint8_t* flags, size_t n,
                                                     int32_t* out, size_t* count);
ONEPASS_C_API onepass_status onepass_positions_int32_async(const onepass_execution* execution, const uint8_t* flags,
                                                           size_t n, int32_t* out, int64_t* count);
/* How many flags are set. */
ONEPASS_C_API onepass_status onepass_count_flags(const onepass_execution* execution, const uint8_t* flags, size_t n,
                                                 size_t* count);
/* Keeps the first of every run of equal items; out may be first. -0 equals +0, and NaN equals nothing. */
ONEPASS_C_API onepass_status onepass_unique(const onepass_execution* execution, onepass_type type, const void* first,
                                            size_t n, void* out, size_t* count);
ONEPASS_C_API onepass_status onepass_unique_async(const onepass_execution* execution, onepass_type type,
                                                  const void* first, size_t n, void* out, int64_t* count);
/* How many runs of equal items there are: what onepass_unique would keep. */
ONEPASS_C_API onepass_status onepass_unique_count(const onepass_execution* execution, onepass_type type,
                                                  const void* first, size_t n, size_t* count);
ONEPASS_C_API onepass_status onepass_unique_count_async(const onepass_execution* execution, onepass_type type,
                                                        const void* first, size_t n, int64_t* count);
/* The same for keys that take a value along; both outputs may be the inputs. */
ONEPASS_C_API onepass_status onepass_unique_by_key(const onepass_execution* execution, onepass_type key_type,
                                                   const void* keys, size_t n, onepass_type type, const void* values,
                                                   void* out_keys, void* out_values, size_t* count);
ONEPASS_C_API onepass_status onepass_unique_by_key_async(const onepass_execution* execution, onepass_type key_type,
                                                         const void* keys, size_t n, onepass_type type,
                                                         const void* values, void* out_keys, void* out_values,
                                                         int64_t* count);

/* ---- split and sort (onepass/radix_sort.hpp, onepass/segmented_sort.hpp) ----------------------------------------- */
/* Which bits of a key count, and in which direction. end_bit -1: up to the last. {0, 0, -1} is an ascending sort by the
 * whole key, and so is a null pointer. */
typedef struct onepass_radix_options {
  int descending;
  int begin_bit;
  int end_bit;
} onepass_radix_options;

/* Copies integers to out in rising order of their `bits` bits (1 to 8) from bit `shift` on, equal digits
 * in their order. Not in place. */
ONEPASS_C_API onepass_status onepass_split(const onepass_execution* execution, onepass_type type, const void* first,
                                           size_t n, void* out, int shift, int bits);
/* Sorts keys in place, stable. Floats: -0 and +0 are equal; NaNs with the sign bit go below all numbers, those without
 * above all. */
ONEPASS_C_API onepass_status onepass_radix_sort(const onepass_execution* execution, onepass_type type, void* keys,
                                                size_t n, const onepass_radix_options* options);
/* values[i] goes where key i goes. */
ONEPASS_C_API onepass_status onepass_radix_sort_by_key(const onepass_execution* execution, onepass_type key_type,
                                                       void* keys, size_t n, onepass_type type, void* values,
                                                       const onepass_radix_options* options);
/* Writes where each key would go: keys[out[0]], keys[out[1]] ... are sorted. The keys stay as they are. Indices are
 * integers of 32 or 64 bits; n - 1 is at most their largest value. */
ONEPASS_C_API onepass_status onepass_argsort(const onepass_execution* execution, onepass_type key_type,
                                             const void* keys, size_t n, onepass_type index_type, void* out,
                                             const onepass_radix_options* options);
/* Sorts the items from offsets[i] up to offsets[i + 1] in place, for each i; there is one segment less than there are
 * offsets. Items in no segment stay where they are. */
ONEPASS_C_API onepass_status onepass_segmented_sort(const onepass_execution* execution, onepass_type type, void* keys,
                                                    size_t n, const int64_t* offsets, size_t offset_count,
                                                    const onepass_radix_options* options);
/* The same with values of 32 bits. */
ONEPASS_C_API onepass_status onepass_segmented_sort_by_key(const onepass_execution* execution, onepass_type key_type,
                                                           void* keys, size_t n, onepass_type type, void* values,
                                                           const int64_t* offsets, size_t offset_count,
                                                           const onepass_radix_options* options);

/* The same for rows of `length` items; 8 bytes of scratch a row. */
ONEPASS_C_API onepass_status onepass_sort_rows(const onepass_execution* execution, onepass_type type, void* keys,
                                               size_t n, int64_t length, const onepass_radix_options* options);
ONEPASS_C_API onepass_status onepass_sort_rows_by_key(const onepass_execution* execution, onepass_type key_type,
                                                      void* keys, size_t n, onepass_type type, void* values,
                                                      int64_t length, const onepass_radix_options* options);

/* ---- selection (onepass/select.hpp) ------------------------------------------------------------------------------ */
/* Keys are ordered as by onepass_radix_sort. Of equal ones the first in the input are taken, and they stand in the
 * order of the input. Null segments: all items are one. Results of segment i stand from out + i * k on: k of them, or as many
 * as it has items if these are fewer. k is at most the number of items, or the length of rows. Nothing is in place. */

/* Which items are taken, and in which order they are written. Null: the largest, largest first. */
typedef struct onepass_top_k_options {
  int smallest;    /* the smallest, smallest first */
  int input_order; /* in the order of the input */
} onepass_top_k_options;
/* Writes the k first items of each segment, and where each of them stands, counted from the first item of its segment: as
 * integers of 32 or 64 bits. Null indices: none. */
ONEPASS_C_API onepass_status onepass_top_k(const onepass_execution* execution, onepass_type type, const void* first,
                                           size_t n, const onepass_segments* segments, size_t k, void* out,
                                           onepass_type index_type, void* indices,
                                           const onepass_top_k_options* options);
/* The k first keys of each segment, and their values. */
ONEPASS_C_API onepass_status onepass_top_k_by_key(const onepass_execution* execution, onepass_type key_type,
                                                  const void* keys, size_t n, onepass_type type, const void* values,
                                                  const onepass_segments* segments, size_t k, void* out_keys,
                                                  void* out_values, const onepass_top_k_options* options);
/* Writes the item that a stable sort would put at index `rank` of each segment: one result a segment; none is written for one
 * with no more items than `rank`. Of all items `rank` is below their number, of rows below their length. */
ONEPASS_C_API onepass_status onepass_nth_element(const onepass_execution* execution, onepass_type type,
                                                 const void* first, size_t n, const onepass_segments* segments,
                                                 size_t rank, void* out);

/* ---- histogram (onepass/histogram.hpp) --------------------------------------------------------------------------- */
/* counts[i] = how many items are in bin i, 1 to 2^24 bins; all counts are overwritten. Items outside all bins are not counted,
 * nor is NaN. */

/* Of integers by value: bin i has those of value lower + i, and there are upper - lower bins. */
ONEPASS_C_API onepass_status onepass_histogram_of_values(const onepass_execution* execution, onepass_type type,
                                                         const void* first, size_t n, int64_t lower, int64_t upper,
                                                         int64_t* counts);
/* Of floats or doubles in bins of one width, from lower to upper: an item that is no more than a rounding error away from an
 * edge may be in the bin on the other side of it, of a million bins of floats and more also in the one behind that. */
ONEPASS_C_API onepass_status onepass_histogram_even(const onepass_execution* execution, onepass_type type,
                                                    const void* first, size_t n, double lower, double upper,
                                                    int64_t bins, int64_t* counts);
/* The same of integers, exactly: x with lower <= x < upper is in bin (x - lower) * bins / (upper - lower), rounded down. */
ONEPASS_C_API onepass_status onepass_histogram_even_integers(const onepass_execution* execution, onepass_type type,
                                                             const void* first, size_t n, int64_t lower, int64_t upper,
                                                             int64_t bins, int64_t* counts);
/* Of floats, doubles or integers of 64 bits between ascending edges of the same type, which live where the items do: bin i
 * has the items x with edges[i] <= x < edges[i + 1]. */
ONEPASS_C_API onepass_status onepass_histogram_between(const onepass_execution* execution, onepass_type type,
                                                       const void* first, size_t n, const void* edges,
                                                       size_t edge_count, int64_t* counts);

/* ---- reduction of runs and segments (onepass/segmented_reduce.hpp) ----------------------------------------------- */
/* Each run of equal items: the first of them, and how many there are; `count` gets the number of runs, and no
 * output needs more room than that. */
ONEPASS_C_API onepass_status onepass_run_length_encode(const onepass_execution* execution, onepass_type type,
                                                       const void* first, size_t n, void* out, int64_t* lengths,
                                                       size_t* count);
ONEPASS_C_API onepass_status onepass_run_length_encode_async(const onepass_execution* execution, onepass_type type,
                                                             const void* first, size_t n, void* out, int64_t* lengths,
                                                             int64_t* count);
/* Each run of equal keys, which are integers: its first key, and its values combined in their order (floats on the CPU: in
 * another, fixed order). */
ONEPASS_C_API onepass_status onepass_reduce_by_key(const onepass_execution* execution, onepass_type key_type,
                                                   const void* keys, size_t n, onepass_type type, const void* values,
                                                   void* out_keys, void* out_values, onepass_op op, size_t* count);
ONEPASS_C_API onepass_status onepass_reduce_by_key_async(const onepass_execution* execution, onepass_type key_type,
                                                         const void* keys, size_t n, onepass_type type,
                                                         const void* values, void* out_keys, void* out_values,
                                                         onepass_op op, int64_t* count);
/* out[i] = init op the items from offsets[i] up to offsets[i + 1]; there is one result less than there are offsets, and an
 * empty segment gives init. Null `init`: 0. Offsets lie in [0, n]. */
ONEPASS_C_API onepass_status onepass_segmented_reduce(const onepass_execution* execution, onepass_type type,
                                                      const void* first, size_t n, const int64_t* offsets,
                                                      size_t offset_count, void* out, const void* init, onepass_op op);
/* The same for rows of `length` items. */
ONEPASS_C_API onepass_status onepass_reduce_rows(const onepass_execution* execution, onepass_type type,
                                                 const void* first, size_t n, int64_t length, void* out,
                                                 const void* init, onepass_op op);

#ifdef __cplusplus
}
#endif
