/* SPDX-License-Identifier: 0BSD
 * py2f_descriptor.h - a C descriptor of the Fortran compiler at hand for an array that Python hands over.
 *
 * ISO_Fortran_binding.h is that compiler's own: the order of its members is nobody else's.
 */
#ifndef PY2F_DESCRIPTOR_H
#define PY2F_DESCRIPTOR_H
#include <stddef.h>
#include <string.h>
#include "ISO_Fortran_binding.h"
#include "py2f_table.h"

static inline CFI_cdesc_t *py2f_describe(CFI_cdesc_t *d, const py2f_array *a, int rank, CFI_type_t type, size_t size)
{
  memset(d, 0, offsetof(CFI_cdesc_t, dim));
  d->base_addr = a->first;
  d->elem_len = size;
  d->version = CFI_VERSION;
  d->rank = (CFI_rank_t)rank;
  d->attribute = CFI_attribute_other;
  d->type = type;
  for (int r = 0; r < rank; r++) {
    d->dim[r].lower_bound = 0;
    d->dim[r].extent = a->extent[r];
    d->dim[r].sm = a->stride[r];
  }
  return d;
}

/* An argument that may be absent, and is a disassociated pointer then: gfortran 11 looks into a descriptor before it asks
 * whether there is one. */
static inline CFI_cdesc_t *py2f_describe_pointer(CFI_cdesc_t *d, const py2f_array *a, int rank, CFI_type_t type, size_t size)
{
  static const py2f_array absent;
  py2f_describe(d, a ? a : &absent, rank, type, size);
  d->attribute = CFI_attribute_pointer;
  return d;
}
#endif
