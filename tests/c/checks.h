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

/* Arrays of the backend, which live until the end of a test, between bytes that no call may write. */
enum { guard = 64, unused = 0xA5 };
static struct array {
  char* memory;
  size_t bytes;
} copies[most_copies];
static int copy_count = 0;
/* So that what an earlier call wrote is no result of the next one. */
static void spoil(void* memory, size_t bytes) {
  void* host = malloc(bytes + 1);
  memset(host, unused, bytes);
  OK(onepass_copy(where, memory, host, bytes));
  free(host);
}
static void* room(size_t bytes) {
  void* memory = NULL;
  OK(onepass_allocate(where, bytes + 2 * guard, &memory));
  if (copy_count == most_copies) exit(100);
  spoil(memory, bytes + 2 * guard);
  copies[copy_count].memory = memory, copies[copy_count++].bytes = bytes;
  return (char*)memory + guard;
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
  char intact[guard];
  memset(intact, unused, guard);
  while (copy_count > 0) {
    const struct array* last = &copies[--copy_count];
    CHECK(same(last->memory, intact, guard) && same(last->memory + guard + last->bytes, intact, guard));
    onepass_release(where, last->memory);
  }
}

/* The calls of dense_calls.c; adds to the two counts. */
void test_dense_calls(onepass_execution* execution, int* all_checks, int* all_failures);
