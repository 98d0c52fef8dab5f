"""Every setting, one row each: documentation, libpy2f, ``py2f_configure`` and ``py2f config`` are made from these.

Only the standard library is imported here: the build makes C and Fortran of :data:`RUN` (runtime/build_runtime.py). The
settings of an export are read in settings.py. Rows of :data:`RUN` are only ever appended: they are arguments.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """A row; `says` and `default` are for people, in Markdown."""

    variable: str
    says: str
    default: str = ""
    name: str = ""  # the key in py2f.toml and the argument of py2f_configure; settings of an export have neither
    fortran: str = "character(len=*)"  # the type of that argument
    choices: tuple[str, ...] = ()  # empty: any text, which whoever uses it looks at

    @property
    def plain(self) -> str:
        """The default where it is a value, as programs take it."""
        return self.default.strip("`")

    @property
    def prose(self) -> str:
        """The choices as a message says them."""
        return " or ".join(filter(None, (", ".join(self.choices[:-1]), *self.choices[-1:])))


RUN = (
    Setting(
        "PY2F_PYTHON",
        "absolute path of the [Python](../howto/environments.md) that runs the functions",
        "the Python of the export",
        name="python",
    ),
    Setting(
        "PY2F_ISOLATE",
        "`on`: load Python's libraries apart from the model's, with RTLD_DEEPBIND; `off`: do not. "
        "[Why](../explanation/guards.md#libraries)",
        "`auto`: isolate, unless malloc is not libc's",
        name="isolate",
        choices=("auto", "on", "off"),
    ),
    Setting(
        "PY2F_OPTIMIZE",
        "0, 1 or 2: Python's [level of optimization](../howto/granules.md#without-assertions---optimize)",
        "the level of the export",
        name="optimize",
        fortran="integer",
        choices=("0", "1", "2"),
    ),
    Setting(
        "PY2F_START",
        "`module:function,...`: what to [call](../howto/granules.md#functions-to-call---start) before the first call, "
        "besides what the export says",
        "nothing",
        name="start",
    ),
    Setting(
        "PY2F_BACKEND",
        "`numpy`, `gtfn_cpu` or `gtfn_gpu`: what [GT4Py's programs](decorator.md#gt4py) run on",
        "what `backend=` says",
        name="backend",
    ),
    Setting(
        "PY2F_CHECK",
        "1: look at [promises](types.md#marks-of-arrays) in each call that no type can express, "
        "for the price of reading the arrays",
        "0",
        name="check",
        fortran="logical",
        choices=("0", "1"),
    ),
    Setting(
        "PY2F_OUTPUT",
        "where Python's standard output and error [go](../howto/batch.md#what-a-thousand-ranks-print): `all`; `rank0`: "
        "standard output of rank 0 only; or the name of a file, in which `%r` is the rank, as `py.%r.log`",
        "`all`",
        name="output",
    ),
)
"""What a program heeds when it starts Python."""

EXPORT = (
    Setting("FC", "the Fortran compiler, unless `--fc` names one", "gfortran, else flang"),
    Setting("CC", "the C compiler", "`cc`"),
    Setting("PATH", "where compilers are looked for"),
    Setting(
        "PY2F_CACHE_DIR",
        "the folder of the [cache](../explanation/cache.md)",
        "`py2f` in the user's cache folder, `~/.cache` unless `XDG_CACHE_HOME` says otherwise",
    ),
    Setting(
        "PY2F_CACHE_PATH",
        "caches, separated by colons: the first is written, unless `PY2F_CACHE_DIR` names another; all are read, in this order",
    ),
    Setting(
        "PY2F_CACHE_MODE",
        "`rw`; `ro`: write nothing; `require`: what is not there is an error, nothing is built; `off`: no cache; "
        "`refresh`: build anew",
        "`rw`",
        choices=("rw", "ro", "require", "off", "refresh"),
    ),
    Setting(
        "PY2F_CACHE_MAX_SIZE",
        "what the cache may hold, as `500M`. Never removed is what was used within a day, or a week on a network file system",
        "`1G`",
    ),
    Setting(
        "PY2F_CACHE_SHARED",
        "`group`: the cache may be written by its group, and what is made in it is the group's. All its members are trusted",
        choices=("group",),
    ),
    Setting(
        "PY2F_CACHE_TRUST", "numbers of users, separated by commas, whose caches are loaded from besides ours and root's", "none"
    ),
    Setting(
        "PY2F_CACHE_LEASE",
        "`on`, `off` or `auto`: nodes take a lease in the cache before they build where it is on a network file system",
        "`auto`",
        choices=("auto", "on", "off"),
    ),
    Setting(
        "PY2F_BUILD_DIR",
        "the folder in which is compiled",
        "`TMPDIR`, `/tmp`, `/var/tmp` or `/dev/shm`, whichever can be written and may hold programs",
    ),
    Setting(
        "PY2F_LOCK_TIMEOUT",
        "seconds to wait for another process that compiles the same; then it is compiled here as well",
        "600",
    ),
)
"""What exports and builds heed, :meth:`py2f.settings.Settings.read`."""


def table(settings: tuple[Setting, ...]) -> str:
    """The rows as Markdown, for docs/reference/configuration.md."""
    run = any(s.name for s in settings)
    head = ["| setting | variable | | default |\n|---|---|---|---|" if run else "| variable | | default |\n|---|---|---|"]
    return "\n".join([*head, *(f"| {f'`{s.name}` | ' * run}`{s.variable}` | {s.says} | {s.default} |" for s in settings)]) + "\n"


# ---- what the build makes of RUN


def c_rows() -> str:
    """An X macro for C: row(name, variable, choices between bars, the same as prose)."""
    rows = (
        f'  row("{s.name}", "{s.variable}", "{"|".join(["", *s.choices, ""]) if s.choices else ""}", "{s.prose}")' for s in RUN
    )
    return "#define PY2F_SETTINGS(row) \\\n" + " \\\n".join(rows) + "\n"


def fortran_procedure() -> str:
    """``py2f_configure``, behind a name that changes with its arguments: a program that has others does not start."""
    arguments = ", ".join([*(s.name for s in RUN), "stat", "errmsg"])
    types = {s.fortran: [t.name for t in RUN if t.fortran == s.fortran] for s in RUN}
    actual = {"logical": "merge(1_c_int, 0_c_int, {})", "integer": "int({}, c_int)"}
    calls = [
        f'    if (present({s.name})) call configure("{s.name}", {actual.get(s.fortran, "{}").format(s.name)}, rc)' for s in RUN
    ]
    return "\n".join(
        [
            f"  subroutine {fortran_name()}( &",
            f"      {arguments})",
            *(f"    {declared}, intent(in), optional :: {', '.join(names)}" for declared, names in types.items()),
            "    integer, intent(out), optional :: stat",
            "    character(len=*), intent(inout), optional :: errmsg",
            "    integer(c_int) :: rc",
            "    rc = py2f_ok",
            *calls,
            "    if (present(stat)) stat = rc",
            '    if (rc /= py2f_ok) call py2f_conclude("py2f_configure", stat, errmsg)',
            f"  end subroutine {fortran_name()}",
        ]
    )


def fortran_name() -> str:
    """The specific procedure: with the number of the settings."""
    return f"py2f_configure_{len(RUN)}"
