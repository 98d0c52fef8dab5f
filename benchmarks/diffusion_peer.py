"""A Fortran module with the interface of one of py2f's that hands over to py2fgen's: one program can be linked with both.

What py2fgen asks of its caller happens here: logicals of one byte, pointers for what is optional, rc = 1 for success.
"""

import re

PROCEDURE = re.compile(r"^ *subroutine (\w+)\((.*?)\)\n(.*?)^ *end subroutine \1$", re.MULTILINE | re.DOTALL)
DUMMY = re.compile(r"^ *(.+?) :: (\w+)(\([:, ]+\))?$")


def peer_module(name: str, peer: str, ours: str) -> str:
    """The text of module `name` over py2fgen's module `peer`, made from the text of py2f's module."""
    procedures = [_procedure(*match.groups()) for match in PROCEDURE.finditer(ours.replace("&\n", "\n"))]
    names = [procedure[0] for procedure in procedures]
    uses = ", ".join(f"peer_{n} => {n}" for n in names)
    head = [f"module {name}", "use, intrinsic :: iso_c_binding", f"use {peer}, only: {uses}", "implicit none", "private"]
    return "\n".join([*head, f"public :: {', '.join(names)}", "contains", *(text for _, text in procedures), "end module"])


def _procedure(name: str, dummies: str, body: str) -> tuple[str, str]:
    names = [dummy.strip() for dummy in dummies.split(",")]
    rows_ = reversed(body.splitlines())  # the dummies come first: components of the frame are called like them
    declared = dict(_dummy(*match.groups()) for line in rows_ if (match := DUMMY.match(line)) and match[2] in names)
    rows, before, handed = [], [], []
    for dummy in names[:-2]:
        kind, attributes, shape = declared[dummy]
        optional = "optional" in attributes
        if not shape:
            rows.append(f"{kind}, intent(in) :: {dummy}")
            handed.append(f"logical({dummy}, c_bool)" if kind.startswith("logical") else dummy)
        elif optional:
            rows += [f"{kind}, intent(inout), optional, target, contiguous :: {dummy}{shape}",
                     f"{kind}, pointer, contiguous :: {dummy}_p{shape}"]  # fmt: skip
            before += [f"nullify({dummy}_p)", f"if (present({dummy})) {dummy}_p => {dummy}"]
            handed.append(f"{dummy}_p")
        else:
            rows.append(f"{kind}, intent(inout), target, contiguous :: {dummy}{shape}")
            handed.append(dummy)
    call = ", &\n".join([*handed, "rc"])
    after = ["if (present(stat)) stat = merge(0, 1, rc == 1)", "if (rc /= 1 .and. .not. present(stat)) error stop 1"]
    after += ['if (present(errmsg) .and. rc /= 1) errmsg = "?"']
    status = [
        "integer, intent(out), optional :: stat",
        "character(len=*), intent(inout), optional :: errmsg",
        "integer(c_int) :: rc",
    ]
    head = f"subroutine {name}(" + ", &\n".join(names) + ")"
    return name, "\n".join([head, *rows, *status, *before, f"call peer_{name}({call})", *after, f"end subroutine {name}"])


def _dummy(attributes: str, name: str, shape: str | None) -> tuple[str, tuple[str, list[str], str]]:
    kind, *others = [part.strip() for part in re.split(r",(?![^(]*\))", attributes)]
    return name, (kind, others, shape or "")
