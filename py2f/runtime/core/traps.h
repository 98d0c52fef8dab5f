/* traps.h - floating-point traps and sticky flags are the host's: masked during a call, given back after it.
 *
 * Who sets traps sets them in both units, so MXCSR alone is asked for them; the x87 unit is loaded only when it has to be.
 * Its flags are asked for all the same: gfortran's ieee_set_flag keeps overflow there, and NumPy clears them.
 * feholdexcept and fesetenv would cost 110 ns a call, this 8, of which asking for those flags 3. */
#ifdef __x86_64__
typedef struct { unsigned sse; unsigned short control, status; } p2f_traps;
enum { P2F_ALL_MASKED = 0x1F80, P2F_STICKY = 0x3F };

static inline unsigned short p2f_x87_status(void)
{
  unsigned short status;
  __asm__ volatile("fnstsw %0" : "=a"(status));
  return status;
}

static inline p2f_traps p2f_mask(void)
{
  p2f_traps host = { __builtin_ia32_stmxcsr(), 0, p2f_x87_status() };
  if (UNLIKELY((host.sse & P2F_ALL_MASKED) != P2F_ALL_MASKED)) {
    unsigned short masked;
    __asm__ volatile("fnstcw %0" : "=m"(host.control));
    masked = host.control | P2F_STICKY;
    __asm__ volatile("fldcw %0" : : "m"(masked));
    __builtin_ia32_ldmxcsr((host.sse & ~(unsigned)P2F_STICKY) | P2F_ALL_MASKED);
  }
  return host;
}

static int p2f_trapping(void) /* whether the host has any on */
{
  return (__builtin_ia32_stmxcsr() & P2F_ALL_MASKED) != P2F_ALL_MASKED;
}

static COLD void p2f_restore_x87(p2f_traps host, int trapping) /* a flag alone cannot be written, so all the environment is */
{
  struct { unsigned short control, unused1, status, unused2; unsigned others[5]; } unit;
  __asm__ volatile("fnstenv %0" : "=m"(unit));
  if (trapping) unit.control = host.control;
  unit.status = (unsigned short)((unit.status & ~P2F_STICKY) | (host.status & P2F_STICKY));
  __asm__ volatile("fldenv %0" : : "m"(unit));
}

static inline void p2f_unmask(p2f_traps host)
{
  int trapping = (host.sse & P2F_ALL_MASKED) != P2F_ALL_MASKED;
  if (UNLIKELY(trapping || ((p2f_x87_status() ^ host.status) & P2F_STICKY))) p2f_restore_x87(host, trapping);
  if (UNLIKELY(__builtin_ia32_stmxcsr() != host.sse)) __builtin_ia32_ldmxcsr(host.sse);
}
#else
typedef fenv_t p2f_traps;

static int p2f_trapping(void)
{
  return fegetexcept() != 0;
}

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
