/* SPDX-License-Identifier: 0BSD
 * py2f_ending.h - part of loader.c: how a job ends, what is said before, and what is known of MPI.
 *
 * MPI is the program's own, if it has one: found by name. MPI_COMM_WORLD is the address of a variable in Open MPI, and a
 * number in MPICH and its descendants.
 */
#define MPICH_WORLD 0x44000000

static int mpi_runs(void)
{
  int (*initialized)(int *), (*finalized)(int *), yes = 0, over = 0;
  *(void **)&initialized = dlsym(RTLD_DEFAULT, "MPI_Initialized");
  *(void **)&finalized = dlsym(RTLD_DEFAULT, "MPI_Finalized");
  return initialized && finalized && !initialized(&yes) && !finalized(&over) && yes && !over;
}

static int mpi_rank(void) /* -1: MPI does not run */
{
  int (*open_mpi)(void *, int *), (*mpich)(int, int *), rank = -1;
  void *world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"), *ask = dlsym(RTLD_DEFAULT, "MPI_Comm_rank");
  *(void **)&open_mpi = ask;
  *(void **)&mpich = ask;
  if (!ask || !mpi_runs() || (world ? open_mpi(world, &rank) : mpich(MPICH_WORLD, &rank))) return -1;
  return rank;
}

static int rank_of_process(void) /* also before MPI is initialized: what launchers say; -1: nobody does */
{
  static const char *const names[] = { "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID",
                                       "FLUX_TASK_RANK", "SLURM_PROCID" }; /* last: under mpirun it is the batch script's */
  int rank = mpi_rank();
  for (size_t i = 0; rank < 0 && i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    if (text && *text >= '0' && *text <= '9') rank = atoi(text);
  }
  return rank;
}

static uint64_t place_of(const char *trace) /* the lines of a traceback that say where: what they lead to differs from rank to rank */
{
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (int indented = 0, start = 1; *trace; trace++) {
    if (start) indented = *trace == ' ';
    start = *trace == '\n';
    if (indented) hash = (hash ^ (unsigned char)*trace) * 1099511628211u;
  }
  return hash;
}

/* Whether no other process of the job on this node has printed such a traceback. They meet at a name that is no file and goes
 * with the process. A job is what PMIx calls it, else the children of one launcher; where that tells nothing, all print. */
static int first_on_node(const char *trace)
{
  struct sockaddr_un name = { .sun_family = AF_UNIX }; /* it begins with a zero: abstract */
  char parent[16];
  const char *job = getenv("PMIX_NAMESPACE");
  snprintf(parent, sizeof parent, "%d", (int)getppid());
  int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "py2f-%d-%016llx-%s", (int)getuid(), (unsigned long long)place_of(trace),
                   job && *job ? job : parent);
  if (n >= (int)sizeof name.sun_path - 1) return 1;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || !bind(fd, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) || errno != EADDRINUSE)
    return 1; /* it stays open */
  close(fd);
  return 0;
}

static void put(const char *text, size_t length) /* to file descriptor 2: stdio of C and Fortran may be half-way through a line */
{
  while (length > 0) {
    ssize_t n = write(STDERR_FILENO, text, length);
    if (n < 0 && errno != EINTR) return; /* nobody listens */
    if (n > 0) text += n, length -= (size_t)n;
  }
}

SHARED void py2f_error_print(const char *where, size_t length)
{
  const char *trace = traceback(), *said = message();
  char *text, rank[32] = "";
  const int number = mpi_rank(), alone = number < 0 || !*trace || first_on_node(trace);
  size_t shown = alone ? strlen(said) : strcspn(said, "\n"); /* one line a rank */
  if (number >= 0) snprintf(rank, sizeof rank, "rank %d: ", number);
  if (runtime.flush) runtime.flush(); /* MPI_Abort and a model's own end run no exit handlers; what was printed came before */
  int n = asprintf(&text, "%spy2f: %s%.*s: %.*s%s\n", alone ? trace : "", rank, (int)length, where, (int)shown, said, said[shown] ? " ..." : "");
  if (n < 0) return;
  put(text, (size_t)n); /* one write: ranks and threads do not mix their lines */
  free(text);
}

static void *handler; /* a Fortran procedure; only Fortran can call it */

SHARED void py2f_handler_set(void *procedure)
{
  __atomic_store_n(&handler, procedure, __ATOMIC_RELEASE);
}

SHARED void *py2f_handler_get(void)
{
  return __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
}

/* One thread ends the job: exit() by two at once would lose what exit handlers print. The others wait here, but not for ever,
 * since one of them may hold what the first one needs. Nonzero: this thread is at it already, its handler failed in turn. */
SHARED int py2f_end_begin(void)
{
  static pthread_mutex_t one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  static __thread int times;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 10;
  pthread_mutex_timedlock(&one, &until);
  return times++;
}

/* Other ranks would wait for this one until the time limit. Those that fail at the same moment have half a second to say so,
 * while the name that they meet at is held. */
SHARED void py2f_abort_mpi(void)
{
  const struct timespec moment = { 0, 500000000 };
  int (*open_mpi)(void *, int), (*mpich)(int, int);
  void *abort_job = dlsym(RTLD_DEFAULT, "MPI_Abort"), *world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
  if (!abort_job || !mpi_runs()) return;
  nanosleep(&moment, NULL);
  *(void **)&open_mpi = abort_job;
  *(void **)&mpich = abort_job;
  if (world) open_mpi(world, 1);
  else mpich(MPICH_WORLD, 1);
}
