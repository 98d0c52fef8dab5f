/* Marks where callgrind counts: one dump a case, named after it. Without valgrind's header, or outside valgrind, nothing happens. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
void count_on(void) { CALLGRIND_START_INSTRUMENTATION; }
void count_from_zero(void) { CALLGRIND_ZERO_STATS; }
void count_dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
#else
void count_on(void) {}
void count_from_zero(void) {}
void count_dump(const char *name) { (void)name; }
#endif
