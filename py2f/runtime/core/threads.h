/* threads.h - how many threads the libraries of Python have during a call: as many as the model would use where it calls, which
 * is one inside a parallel region. py2f/runtime/threads.py tells them, whenever the number is another than it was.
 *
 * The run times of OpenMP keep a number a thread, BLAS and its like one a process: both are compared. An import may have brought
 * further libraries, which have not been told; there are more modules then. What the model itself is linked with keeps its
 * numbers: its own run time of OpenMP is told for a call only. */

enum { P2F_OWN_THREADS = -1, P2F_HOST_THREADS = 0 }; /* else that many */

static struct { int (*most)(void), (*inside)(void); void (*set)(int); } p2f_openmp; /* the model's; or null pointers */
static int p2f_counting;      /* some procedure has to look at the number */
static int p2f_host_objects;  /* executable and libraries that were there before Python; 0: it was there before us */
static int p2f_given;         /* what the libraries were told last; 0: nothing, they have their own numbers ... */
static THREAD int p2f_given_here; /* ... and in this thread ... */
static Py_ssize_t p2f_given_modules; /* ... when there were so many modules */
static PyObject *p2f_modules;

typedef struct { int number, wanted; const char *name; } p2f_object;

static int p2f_next_object(struct dl_phdr_info *object, size_t size, void *found)
{
  (void)size;
  p2f_object *o = found;
  if (o->number++ == o->wanted) o->name = object->dlpi_name;
  return 0;
}

static void p2f_count_objects(void) /* before Python starts */
{
  p2f_object all = { 0, -1, NULL };
  dl_iterate_phdr(p2f_next_object, &all);
  p2f_host_objects = all.number;
}

static const char *p2f_host_object(int k) /* the file of the model's k-th object; NULL: it has no more */
{
  p2f_object one = { 0, k, NULL };
  if (k < p2f_host_objects) dl_iterate_phdr(p2f_next_object, &one);
  return one.name;
}

static const char *p2f_openmp_file(void)
{
  return p2f_openmp.most ? p2f_file_of((const void *)(uintptr_t)p2f_openmp.most) : "";
}

static void p2f_find_openmp(void)
{
  if (!p2f_host_objects || p2f_openmp.most) return;
  int (*most)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "omp_get_max_threads");
  p2f_openmp.inside = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "omp_in_parallel");
  p2f_openmp.set = (void (*)(int))(uintptr_t)dlsym(RTLD_DEFAULT, "omp_set_num_threads");
  if (p2f_openmp.inside && p2f_openmp.set) p2f_openmp.most = most;
}

static void p2f_threads_given(int n, Py_ssize_t modules)
{
  p2f_given = p2f_given_here = n;
  p2f_given_modules = modules;
}

static COLD void p2f_tell_threads(int n)
{
  PyObject *threads = PyImport_ImportModule("py2f.runtime.threads");
  PyObject *done = threads ? PyObject_CallMethod(threads, "give", "i", n) : NULL;
  if (!done) { /* the call itself does not depend on it; once is enough */
    PyErr_WriteUnraisable(threads);
    p2f_threads_given(n, PyDict_Size(p2f_modules));
  }
  Py_XDECREF(done);
  Py_XDECREF(threads);
}

static COLD void p2f_threads_back(int most) /* the model finds its number as it was */
{
  if (most && p2f_openmp.most() != most) p2f_openmp.set(most);
}

typedef struct { int most, told; } p2f_count; /* the model's number, 0 without OpenMP; whether its run time has another now */

/* Its run time may have got another from a library that starts its threads at an import, as numba does. */
STRAIGHT void p2f_take_threads(const p2f_count before)
{
  if (UNLIKELY(before.told | (PyDict_GET_SIZE(p2f_modules) != p2f_given_modules))) p2f_threads_back(before.most);
}

/* Under the GIL. */
STRAIGHT p2f_count p2f_give_threads(const p2f_state *f)
{
  const int most = p2f_openmp.most ? p2f_openmp.most() : 0;
  int n = f->threads;
  if (n <= 0) n = n == P2F_OWN_THREADS || !most ? 0 : p2f_openmp.inside() ? 1 : most;
  if (UNLIKELY(((n ^ p2f_given_here) | (n ^ p2f_given)) || (n && PyDict_GET_SIZE(p2f_modules) != p2f_given_modules))) p2f_tell_threads(n);
  const int told = n && most && n != most;
  if (UNLIKELY(told)) p2f_openmp.set(n);
  return (p2f_count){ most, told };
}
