"""``py2f cache``: what is in the caches, why something is not, and how to make room.

Exit status: 0; 1 when something is wrong with the cache or not there; 2 for wrong options.
"""

from __future__ import annotations

import json
import os
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py2f.cache.carry import export_cache, import_cache
from py2f.cache.entry import MANIFEST, manifest_of, sound
from py2f.cache.explain import described
from py2f.cache.key import differences
from py2f.cache.layers import Layers
from py2f.cache.node import file_system, is_network
from py2f.cache.prune import Caps, prune, remove
from py2f.cache.store import Store, last_used, size_of
from py2f.cache.trust import refusal
from py2f.errors import CacheMissError, Py2fError
from py2f.settings import Settings, bytes_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

SHORT, HOUR = 12, 60
"""Digits of a key that are shown; minutes."""


def run(options: argparse.Namespace) -> int:
    """Run a verb; a file system's refusal is a message."""
    try:
        status: int = options.verb(options, Settings.read())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Py2fError(f"{error.filename or 'the cache'}: {error.strerror or error}") from error
    return status


def _say(options: argparse.Namespace, content: Any, text: str) -> None:
    print(json.dumps(content, indent=2) if options.json else text)


def _own(settings: Settings) -> Store:
    """The cache that is written, whatever the mode. Raises Py2fError when it may not be used."""
    why = refusal(settings.cache_dir, own=True, shared=settings.cache_shared, trusted=settings.cache_trust)
    if why:
        raise Py2fError(f"the cache {settings.cache_dir} is not used: {why}")
    return Store(settings.cache_dir, shared=settings.cache_shared)


def _rows(settings: Settings) -> list[dict[str, Any]]:
    rows = []
    for folder, said in described(Layers(settings).stores):
        about = {"seconds": said["built"].get("seconds"), "built": said["built"].get("time")}
        used = last_used(folder / MANIFEST)
        rows.append(
            {"name": said.get("name"), "key": folder.name, "size": size_of(folder), "used": used, **about, "path": str(folder)}
        )
    return rows


def _which(settings: Settings, wanted: str) -> Path:
    """The entry of a name, or of the first digits of a key. Raises Py2fError."""
    found = [folder for folder, said in described(Layers(settings).stores) if wanted in (said.get("name"), folder.name)]
    found = found or [folder for store in Layers(settings).stores for folder in store.entries() if folder.name.startswith(wanted)]
    names = {folder.name for folder in found}
    if not names:
        raise Py2fError(f"there is no entry {wanted!r} in the cache: `py2f cache list` shows those that are")
    if len(names) > 1:
        raise Py2fError(f"there are several entries {wanted!r}: {', '.join(sorted(n[:SHORT] for n in names))}")
    return found[0]


# ---- verbs that look


def path(options: argparse.Namespace, settings: Settings) -> int:
    """Say which caches there are, and what is wrong with them."""
    rows: list[dict[str, Any]] = []
    for root in (settings.cache_dir, *settings.cache_layers):
        own = root == settings.cache_dir
        why = refusal(root, own=own, shared=settings.cache_shared, trusted=settings.cache_trust)
        there = next((p for p in (root, *root.parents) if p.is_dir()), Path("/"))
        system = os.statvfs(there)
        if own and not why and not os.access(there, os.W_OK):
            why = "cannot be written"
        role = "written" if own and settings.cache_mode in ("rw", "refresh") else "read"
        row = {"path": str(root), "role": "off" if settings.cache_mode == "off" else role, "trouble": why}
        kind = {"file_system": file_system(root), "network": is_network(root), "noexec": bool(system.f_flag & os.ST_NOEXEC)}
        rows.append({**row, **kind, "free": system.f_bavail * system.f_frsize})
    lines = [
        f"{row['path']}  {row['role']}, {row['file_system']}{', network' * row['network']}{', noexec' * row['noexec']}, "
        f"{_size(row['free'])} free" + f"; not used: {row['trouble']}" * bool(row["trouble"])
        for row in rows
    ]
    _say(options, rows, "\n".join(lines))
    return int(any(row["trouble"] or row["noexec"] for row in rows))


def list_entries(options: argparse.Namespace, settings: Settings) -> int:
    """List entries."""
    rows = [row for row in _rows(settings) if fnmatchcase(row["name"] or "", options.name)]
    order: dict[str, Callable[[dict[str, Any]], Any]] = {
        "name": lambda row: (row["name"] or "", row["key"]),
        "size": lambda row: -row["size"],
        "used": lambda row: -row["used"],
        "time": lambda row: -(row["seconds"] or 0),
    }
    rows.sort(key=order[options.sort])
    lines = [f"{r['key'][:SHORT]}  {_size(r['size']):>8}  used {_ago(r['used']):>8} ago  {r['name']}" for r in rows]
    _say(options, rows, "\n".join(lines) or "no entries")
    return 0


def info(options: argparse.Namespace, settings: Settings) -> int:
    """Show what an entry says of itself."""
    folder = _which(settings, options.entry)
    said = manifest_of(folder) or {}
    content = {"path": str(folder), "sound": sound(folder), **said}
    built = ", ".join(f"{name} {value}" for name, value in said.get("built", {}).items())
    files = [f"  {name}  {size if size != 'link' else '-> ' + str(what)}" for name, (size, what) in said.get("files", {}).items()]
    parts = [f"  {name}: {value.splitlines()[-1] if value else ''}" for name, value in said.get("key", {}).items()]
    lines = [f"{said.get('name')}  {folder}", f"built: {built}", f"sound: {content['sound']}", "files:", *files, "key:", *parts]
    _say(options, content, "\n".join(lines))
    return int(not content["sound"])


def explain(options: argparse.Namespace, settings: Settings) -> int:
    """Say which parts of two keys differ, or why a module would be built now."""
    if options.other:
        entries = [_which(settings, wanted) for wanted in (options.entry, options.other)]
        ours, theirs = ((manifest_of(entry) or {}).get("key", {}) for entry in entries)
        lines = differences(ours, theirs)
        _say(options, {"differences": lines}, "\n".join(lines) or "the same key")
        return int(bool(lines))
    from dataclasses import replace

    from py2f.export import search_here
    from py2f.prebuilding import prebuild

    search_here()
    try:
        names = prebuild(options.module, settings=replace(settings, cache_mode="require"))
    except CacheMissError as miss:
        _say(options, {"hit": False, "explanation": str(miss).splitlines()}, str(miss))
        return 1
    _say(
        options,
        {"hit": True, "libraries": names},
        f"{options.module}: everything is in the cache: {', '.join(names) or 'nothing'}",
    )
    return 0


def stats(options: argparse.Namespace, settings: Settings) -> int:
    """Count what is there."""
    rows, store = _rows(settings), _own(settings)
    waste = {name: sum(1 for _ in (store.root / name).glob("*")) for name in ("staging", "quarantine", "failed")}
    seconds = sum(row["seconds"] or 0 for row in rows)
    content = {"entries": len(rows), "bytes": sum(row["size"] for row in rows), "build_seconds": round(seconds, 1), **waste}
    text = f"{content['entries']} entries, {_size(content['bytes'])}, which took {seconds:.1f} s to build\n"
    text += ", ".join(f"{count} in {name}" for name, count in waste.items())
    _say(options, content, text)
    return 0


# ---- verbs that change


def verify(options: argparse.Namespace, settings: Settings) -> int:
    """Compare every entry with its checksums; mend by moving bad ones aside."""
    bad = [(store, folder) for store in Layers(settings).stores for folder in store.entries() if not sound(folder)]
    own = settings.cache_dir
    for store, folder in bad if options.fix else ():
        if store.root == own:
            store.quarantine(folder)
    left = [str(folder) for _, folder in bad if folder.exists()]
    lines = [f"damaged{'' if str(folder) in left else ', moved to quarantine'}: {folder}" for _, folder in bad]
    _say(options, {"damaged": [str(folder) for _, folder in bad], "left": left}, "\n".join(lines) or "all entries are sound")
    return int(bool(left))


def prune_entries(options: argparse.Namespace, settings: Settings) -> int:
    """Remove what is too old or too much."""
    size = bytes_of("--max-size", options.max_size) if options.max_size else settings.cache_max_size
    store = _own(settings)
    going = prune(store, Caps(size, options.max_entries, options.max_age), settings, dry_run=options.dry_run)
    word = "would be removed" if options.dry_run else "removed"
    _say(
        options,
        {"removed": [str(p) for p in going], "dry_run": options.dry_run},
        "\n".join([f"{word}: {p}" for p in going]) or "nothing to remove",
    )
    return 0


def clear(options: argparse.Namespace, settings: Settings) -> int:
    """Remove all entries of the own cache, and all notes."""
    store = _own(settings)
    going = [*store.entries(), *store.root.glob("asked/??/*"), *store.root.glob("quarantine/*"), *store.root.glob("failed/*")]
    for each in going:
        remove(store, each)
    left = [str(each) for each in going if each.exists()]
    _say(
        options,
        {"removed": len(going) - len(left), "left": left},
        f"removed {len(going) - len(left)} of {len(going)} from {store.root}",
    )
    return int(bool(left))


def export(options: argparse.Namespace, settings: Settings) -> int:
    """Write entries to a folder or an archive."""
    store = _own(settings)
    entries = [_which(settings, wanted) for wanted in options.entries] if options.entries else store.entries()
    foreign = [str(entry) for entry in entries if not entry.is_relative_to(store.root)]
    if foreign:
        raise Py2fError(f"{foreign[0]} is not in {store.root}: export it from its own cache")
    count = export_cache(store, options.target.absolute(), entries)
    _say(options, {"entries": count, "target": str(options.target)}, f"{options.target}: {count} entries")
    return int(count < len(entries))


def take_over(options: argparse.Namespace, settings: Settings) -> int:
    """Take over what was exported."""
    count, damaged = import_cache(_own(settings), options.source.absolute())
    text = f"{settings.cache_dir}: {count} entries" + f"; damaged, and left out: {', '.join(damaged)}" * bool(damaged)
    _say(options, {"entries": count, "damaged": damaged}, text)
    return int(bool(damaged))


# ---- options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verbs."""
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name: str, function: Callable[[argparse.Namespace, Settings], int], text: str) -> argparse.ArgumentParser:
        added = verbs.add_parser(name, help=text)
        added.add_argument("--json", action="store_true", help="print JSON")
        added.set_defaults(run=run, verb=function, module="")
        return added

    verb("path", path, "which caches are used, and what is wrong with them")
    lister = verb("list", list_entries, "what is in them")
    lister.add_argument("--name", default="*", metavar="GLOB", help="only entries of such a name")
    lister.add_argument("--sort", choices=("name", "size", "used", "time"), default="name", help="time: of the build")
    verb("info", info, "what an entry says of itself").add_argument("entry", help="its name, or the first digits of its key")
    explainer = verb("explain", explain, "which part of a key makes the difference, or why a module would be built")
    explainer.add_argument("entry", metavar="ENTRY|MODULE", help="an entry, or alone a module that would be built now")
    explainer.add_argument("other", nargs="?", metavar="ENTRY", help="the entry to compare with")
    explainer.set_defaults(verb=_explain)
    verb("verify", verify, "compare all entries with their checksums").add_argument(
        "--fix", action="store_true", help="move damaged ones aside, so that they are built again"
    )
    pruner = verb("prune", prune_entries, "remove what was not used for long, and what is beyond the caps")
    pruner.add_argument("--max-size", metavar="SIZE", help="as 500M; default: PY2F_CACHE_MAX_SIZE, or 1G")
    pruner.add_argument("--max-entries", type=int, default=Caps.entries, metavar="N", help="default: 5000")
    pruner.add_argument("--max-age", type=float, default=Caps.days, metavar="DAYS", help="since the last use; default: 180")
    pruner.add_argument("--dry-run", action="store_true", help="only say what would go")
    verb("clear", clear, "remove everything that py2f has put into the own cache")
    exporter = verb("export", export, "write entries to a folder or an archive, for images and for sites without a network")
    exporter.add_argument("target", type=Path, help="a folder, or a .tar, .tar.gz or .tar.zst")
    exporter.add_argument("entries", nargs="*", help="names or first digits of keys; default: all")
    verb("import", take_over, "take over what was exported").add_argument("source", type=Path, help="the folder or archive")
    verb("stats", stats, "count what is there")


def _explain(options: argparse.Namespace, settings: Settings) -> int:
    options.module = options.entry  # what is said when there is no such module names it
    return explain(options, settings)


def _size(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:  # noqa: PLR2004  units
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def _ago(moment: float) -> str:
    minutes = max(time.time() - moment, 0) / 60
    return f"{minutes:.0f} min" if minutes < HOUR else f"{minutes / HOUR:.0f} h"
