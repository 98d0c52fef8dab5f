/* py2f_runtime.h - the runtime of py2f: one C file in parts, compiled once into the wheel through ffi.set_source(). */
#include "core/state.h"
#include "core/traps.h"
#include "core/errors.h"
#include "core/views.h"
#include "core/values.h"
#include "core/call.h"
#include "core/bind.h"
#include "core/start.h"
