/* SPDX-License-Identifier: 0BSD
 * py2f_c.h - what the generated headers for C share: arrays of any strides become what a wrapper in Fortran hands over.
 */
#ifndef PY2F_C_H
#define PY2F_C_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "py2f_codes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* in libpy2f: the message and the traceback of the last error of this thread, the first padded with blanks, both without NUL */
size_t py2f_message_length(void);
void py2f_message_copy(char *text, size_t length);
size_t py2f_traceback_length(void);
void py2f_traceback_copy(char *text, size_t length);
void py2f_error_print(const char *where, size_t length); /* both, to standard error */

/* for the generated functions */
void py2f_take_text(void *returned, void *text);
void py2f_take_array(void *returned, void *array);
void py2f_mismatch(const char *procedure, size_t nprocedure, const char *argument, size_t nargument, int dimension,
                   int64_t extent, const char *expression, size_t nexpression, int64_t wanted);

static inline int py2f_differs(const char *procedure, const char *argument, int dimension, int64_t extent,
                               const char *expression, int64_t wanted)
{
  py2f_mismatch(procedure, strlen(procedure), argument, strlen(argument), dimension, extent, expression, strlen(expression), wanted);
  return PY2F_BAD_ARGUMENT;
}

static inline int64_t py2f_count(int64_t extent) /* less than none is none, as in Fortran */
{
  return extent > 0 ? extent : 0;
}

/* Strides count elements; all zero: Fortran's order, dense. No extents: the array is absent. Nonzero: no memory for elements. */
static inline int py2f_lend(void *first, size_t size, int rank, const int64_t *extent, const int64_t *stride,
                            void **place, int64_t *extents, void **next)
{
  int empty = !extent, strided = 0;
  int64_t dense = 1;
  for (int d = 0; d < rank && extent; d++) {
    empty |= extent[d] <= 0;
    strided |= stride[d] != 0;
  }
  *place = empty ? NULL : first;
  for (int d = 0; d < rank; d++) {
    int64_t step = !extent || extent[d] < 2 ? 0 : strided ? stride[d] : dense;
    extents[d] = extent ? py2f_count(extent[d]) : -1;
    next[d] = empty || !first ? NULL : (char *)first + step * (int64_t)size;
    dense *= extents[d];
  }
  return !empty && !first;
}

static inline void *py2f_memory(size_t bytes) /* a call that has been made cannot be taken back */
{
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) abort();
  return memory;
}

static inline void *py2f_array_taken(void *returned, size_t size, int rank, const int64_t *extent)
{
  for (int d = 0; d < rank; d++) size *= (size_t)extent[d];
  void *memory = py2f_memory(size);
  py2f_take_array(returned, memory);
  return memory;
}

static inline char *py2f_text_taken(void *returned, int64_t length)
{
  char *text = (char *)py2f_memory((size_t)length + 1);
  py2f_take_text(returned, text);
  text[length] = 0;
  return text;
}

#ifdef __cplusplus
}
#endif
#endif
