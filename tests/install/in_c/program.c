/* SPDX-License-Identifier: Apache-2.0
 * A C program with the static library: sums of five numbers. */
#include <onepass/c.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  const int32_t x[5] = {3, 1, 4, 1, 5};
  int32_t y[5] = {0};
  onepass_execution* cpu = NULL;
  if (onepass_create_cpu(0, &cpu) != ONEPASS_OK ||
      onepass_inclusive_scan(cpu, ONEPASS_INT32, x, 5, y, NULL, ONEPASS_SUM) != ONEPASS_OK) {
    fprintf(stderr, "%s\n", onepass_last_message());
    return 1;
  }
  onepass_destroy(cpu);
  return y[0] == 3 && y[1] == 4 && y[2] == 8 && y[3] == 9 && y[4] == 14 ? 0 : 1;
}
