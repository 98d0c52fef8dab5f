/* SPDX-License-Identifier: 0BSD
 * py2f_back.h - which call of Python a procedure belongs to that Fortran calls back: the innermost of its target in this
 * thread; in a thread that Fortran has made itself, the only one that is under way.
 */
#ifndef PY2F_BACK_H
#define PY2F_BACK_H
#include <stdio.h>
#include <stdlib.h>
#include "py2f_table.h"

static py2f_calling *py2f_only; /* the last call that was entered ... */
static int py2f_under_way;      /* ... and how many are, in all threads */

static inline void py2f_enter(py2f_calling **current, py2f_calling *calling)
{
  calling->before = *current;
  *current = calling;
  __atomic_store_n(&py2f_only, calling, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&py2f_under_way, 1, __ATOMIC_SEQ_CST);
}

static inline void py2f_leave(py2f_calling **current, py2f_calling *calling)
{
  *current = calling->before;
  __atomic_store_n(&py2f_only, calling->before, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&py2f_under_way, 1, __ATOMIC_SEQ_CST);
}

static inline int py2f_back(py2f_calling *current, const py2f_target *target, int argument, py2f_procedure *p, void *frame)
{
  py2f_calling *c = current;
  const int elsewhere = !c;
  if (elsewhere && __atomic_load_n(&py2f_under_way, __ATOMIC_SEQ_CST) == 1) c = __atomic_load_n(&py2f_only, __ATOMIC_SEQ_CST);
  while (c && c->target != target) c = c->before;
  if (c && !(elsewhere && c->alone)) return c->back(c, argument, p, frame);
  fprintf(stderr, c ? "py2f: '%s', an argument of '%s', was called by another thread: write @pythoncall(..., nogil=True)\n"
    : "py2f: '%1$s', an argument of '%2$s', was called outside of that call: it is valid until '%2$s' returns\n", p->name, target->name);
  abort(); /* there is nobody to tell, and no value to go on with */
}
#endif
