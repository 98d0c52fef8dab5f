/* fetched_glue.c - what a C programmer writes by hand for fetched.f90: METH_FASTCALL functions on NumPy's C API that check
 * whatever can be wrong: number, type, kind, rank, extent, layout, alignment, permission to write, overflow. The yardstick. */
#include <Python.h>
#include <limits.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <ISO_Fortran_binding.h> /* gcc's, so gfortran's */

typedef double real_function(const double *x);
void fetched_nothing(void);
void fetched_three(double x, double y, double z);
void fetched_add(const double *a, const double *b, double *c);
void fetched_add_n(int n, const double *a, const double *b, double *c);
double fetched_last(CFI_cdesc_t *x);
double fetched_each(real_function *f, int n);

static int takes(const char *name, Py_ssize_t nargs, Py_ssize_t wanted)
{
  if (nargs == wanted) return 1;
  PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, %zd were given", name, wanted, nargs);
  return 0;
}

static int is_real(PyObject *o, const char *name, double *value)
{
  if (PyFloat_CheckExact(o)) return *value = PyFloat_AS_DOUBLE(o), 1;
  if (PyFloat_Check(o) || PyLong_Check(o)) return *value = PyFloat_AsDouble(o), !(*value == -1 && PyErr_Occurred());
  PyErr_Format(PyExc_TypeError, "%s: a real number is expected, not %s", name, Py_TYPE(o)->tp_name);
  return 0;
}

static int is_integer(PyObject *o, const char *name, int *value)
{
  if (!PyLong_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s: an integer is expected, not %s", name, Py_TYPE(o)->tp_name);
    return 0;
  }
  const long wide = PyLong_AsLong(o);
  if (wide == -1 && PyErr_Occurred()) return 0;
  if (wide < INT_MIN || wide > INT_MAX) {
    PyErr_Format(PyExc_OverflowError, "%s: %ld is too large", name, wide);
    return 0;
  }
  *value = (int)wide;
  return 1;
}

static PyArrayObject *is_array(PyObject *o, const char *name, int flags)
{
  if (!PyArray_Check(o)) {
    PyErr_Format(PyExc_TypeError, "%s: an array is expected, not %s", name, Py_TYPE(o)->tp_name);
    return NULL;
  }
  PyArrayObject *a = (PyArrayObject *)o;
  if (PyArray_TYPE(a) != NPY_DOUBLE || PyArray_NDIM(a) != 1 || !PyArray_ISNOTSWAPPED(a) || (PyArray_FLAGS(a) & flags) != flags) {
    PyErr_Format(PyExc_TypeError, "%s: an array of float64, rank 1, aligned%s%s, is expected", name,
                 flags & NPY_ARRAY_F_CONTIGUOUS ? ", contiguous" : "", flags & NPY_ARRAY_WRITEABLE ? ", writeable" : "");
    return NULL;
  }
  return a;
}

static double *is_dense(PyObject *o, const char *name, npy_intp extent, int flags)
{
  PyArrayObject *a = is_array(o, name, flags | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
  if (!a) return NULL;
  if (PyArray_DIMS(a)[0] == extent) return PyArray_DATA(a);
  PyErr_Format(PyExc_ValueError, "%s: %zd elements are expected, not %zd", name, (Py_ssize_t)extent, (Py_ssize_t)PyArray_DIMS(a)[0]);
  return NULL;
}

static PyObject *nothing(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
  (void)self, (void)args;
  if (!takes("nothing", nargs, 0)) return NULL;
  fetched_nothing();
  Py_RETURN_NONE;
}

static PyObject *three(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
  double x, y, z;
  (void)self;
  if (!takes("three", nargs, 3) || !is_real(args[0], "x", &x) || !is_real(args[1], "y", &y) || !is_real(args[2], "z", &z)) return NULL;
  fetched_three(x, y, z);
  Py_RETURN_NONE;
}

static PyObject *add(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
  const double *a, *b;
  double *c;
  (void)self;
  if (!takes("add", nargs, 3) || !(a = is_dense(args[0], "a", 10, 0)) || !(b = is_dense(args[1], "b", 10, 0))
      || !(c = is_dense(args[2], "c", 10, NPY_ARRAY_WRITEABLE))) return NULL;
  fetched_add(a, b, c);
  Py_RETURN_NONE;
}

static PyObject *add_n(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
  const double *a, *b;
  double *c;
  int n;
  (void)self;
  if (!takes("add_n", nargs, 4) || !is_integer(args[0], "n", &n) || !(a = is_dense(args[1], "a", n, 0))
      || !(b = is_dense(args[2], "b", n, 0)) || !(c = is_dense(args[3], "c", n, NPY_ARRAY_WRITEABLE))) return NULL;
  fetched_add_n(n, a, b, c);
  Py_RETURN_NONE;
}

static PyObject *last(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
  CFI_CDESC_T(1) x;
  (void)self;
  PyArrayObject *a = takes("last", nargs, 1) ? is_array(args[0], "x", NPY_ARRAY_ALIGNED) : NULL;
  if (!a) return NULL;
  if (PyArray_STRIDES(a)[0] % (npy_intp)sizeof(double)) {
    PyErr_SetString(PyExc_ValueError, "x: the stride is not a multiple of the size of an element");
    return NULL;
  }
  CFI_cdesc_t *d = (CFI_cdesc_t *)&x;
  *d = (CFI_cdesc_t){ PyArray_DATA(a), sizeof(double), CFI_VERSION, 1, CFI_attribute_other, CFI_type_double };
  d->dim[0] = (CFI_dim_t){ 0, PyArray_DIMS(a)[0], PyArray_STRIDES(a)[0] };
  return PyFloat_FromDouble(fetched_last(d));
}

/* The function that is being called back, in each thread. After an exception it is called no more. */
static _Thread_local PyObject *called;

static double call_back(const double *x)
{
  if (PyErr_Occurred()) return 0;
  PyObject *given = PyFloat_FromDouble(*x);
  PyObject *got = given ? PyObject_CallOneArg(called, given) : NULL;
  double y = 0;
  if (got && !is_real(got, "the result of f", &y)) y = 0;
  Py_XDECREF(given);
  Py_XDECREF(got);
  return y;
}

static PyObject *each(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
  int n;
  (void)self;
  if (!takes("each", nargs, 2) || !is_integer(args[1], "n", &n)) return NULL;
  if (!PyCallable_Check(args[0])) {
    PyErr_Format(PyExc_TypeError, "f: a function is expected, not %s", Py_TYPE(args[0])->tp_name);
    return NULL;
  }
  PyObject *outer = called;
  called = args[0];
  const double total = fetched_each(call_back, n);
  called = outer;
  return PyErr_Occurred() ? NULL : PyFloat_FromDouble(total);
}

#define FUNCTION(name) { #name, (PyCFunction)(void *)name, METH_FASTCALL, NULL }
static PyMethodDef functions[] = {
  FUNCTION(nothing), FUNCTION(three), FUNCTION(add), FUNCTION(add_n), FUNCTION(last), FUNCTION(each), { NULL, NULL, 0, NULL },
};
static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, "fetched_glue", NULL, -1, functions, NULL, NULL, NULL, NULL };

PyMODINIT_FUNC PyInit_fetched_glue(void)
{
  import_array();
  return PyModule_Create(&module);
}
