/* SPDX-License-Identifier: Apache-2.0
 * What the tests of onepass/c.h share: checks that are counted, and arrays of a backend. */
#pragma once

#include <onepass/c.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0, checks = 0;
static onepass_execution* where;

static void check_at(const char* file, int line, int is_right, const char* what) {
  ++checks;
  if (is_right) return;
  ++failures;
  printf("%s:%d: %s; the last message: %s\n", file, line, what, onepass_last_message());
}
#define CHECK(is_right) check_at(__FILE__, __LINE__, is_right, #is_right)
#define OK(call) CHECK((call) == ONEPASS_OK)
#define WRONG(call, word) CHECK((call) == ONEPASS_INVALID_ARGUMENT && strstr(onepass_last_message(), word) != NULL)

enum { n = 10007, most_copies = 64 };

/* Arrays of the backend, which live until the end of a test. */
static void* copies[most_copies];
static int copy_count = 0;
static void* room(size_t bytes) {
  void* memory = NULL;
  OK(onepass_allocate(where, bytes, &memory));
  if (copy_count == most_copies) exit(100);
  return copies[copy_count++] = memory;
}
static void* there(const void* host, size_t bytes) {
  void* memory = room(bytes);
  OK(onepass_copy(where, memory, host, bytes));
  return memory;
}
static int same(const void* memory, const void* expected, size_t bytes) {
  void* host = malloc(bytes);
  OK(onepass_copy(where, host, memory, bytes));
  const int is_same = memcmp(host, expected, bytes) == 0;
  free(host);
  return is_same;
}
static void release_all(void) {
  while (copy_count > 0) onepass_release(where, copies[--copy_count]);
}

/* The calls of dense_calls.c; adds to the two counts. */
void test_dense_calls(onepass_execution* execution, int* all_checks, int* all_failures);
