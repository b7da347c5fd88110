"""Cases: a use of a command, what was done to its options and its files before, and what is typed; and drawing them."""

import importlib
import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
from fuzzing import values
from fuzzing.edits import Edit, at
from fuzzing.files import Array, format_of
from fuzzing.uses import CONFIGURATION, TYPED, USES, Use
from hypothesis import strategies as st
from tictactoe.tools.command_list import module_of

_LINKS = {"to_match": "match", "to_record": "match/solution.msgpack"}


@dataclass(frozen=True)
class Case:
    """use: of USES. words: the command and its arguments. edits: each begins with the file. typed: standard input."""

    use: Use
    words: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    typed: str = ""

    def __str__(self) -> str:
        about = {"use": self.use.line, "words": self.words, "edits": self.edits, "typed": self.typed}
        return json.dumps({name: value for name, value in about.items() if value})

    @staticmethod
    def parse(text: str) -> "Case":
        """What `str` has written."""
        about = json.loads(text)
        (use,) = (use for use in USES if use.line == about["use"])
        return Case(use, tuple(about["words"]), tuple(about.get("edits", ())), about.get("typed", ""))

    def may_write(self, path: str) -> bool:
        """Whether the command may write this file or directory, named as it stands in the world."""
        inputs = set() if "--save" in self.words else {pattern.split("/")[0] for pattern in self.use.reads}
        named = {os.path.normpath(word) for word in self.words[1:] if word}
        kept = {CONFIGURATION} if self.words[0].startswith("play-") else set()  # what is over
        outputs = {self.use.output or "out", *kept, *named - inputs, *(_LINKS[name] for name in named & _LINKS.keys())}
        return any(_is_below(path, output) or _is_below(output, path) for output in outputs)


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


@cache
def _opened(path: Path) -> Any:
    """The content of a file of the world; None if the file stays closed."""
    kind = format_of(path)
    return kind and kind.read(path.read_bytes())


@st.composite
def _edits(draw: st.DrawFn, world: Path, name: str) -> Edit:
    content = _opened(world / name)
    if content is None or draw(st.integers(0, 9)) == 0:
        return [name, *draw(_file_edits(world, name))]
    place = draw(_places(content))
    value = at(content, place)
    if isinstance(value, Array) and draw(st.integers(0, 9)) > 0:
        return [name, "array", place, *draw(_array_edits())]
    what = draw(st.sampled_from((*["like"] * 4, "set", "set", "remove", "twice", "add", "wrap", "copy")))
    match what:
        case "set":
            return [name, "set", place, draw(values.values)]
        case "like":
            return [name, "set", place, draw(values.like(value))]
        case "twice":
            return [name, "twice", place, draw(st.one_of(values.like(value), values.values))]
        case "add":
            return [name, "add", place, draw(values.texts), draw(values.values)]
        case "copy":
            return [name, "copy", place, draw(st.sampled_from(_same_kind(world, name)))]
    return [name, what, place]


@st.composite
def _places(draw: st.DrawFn, content: Any) -> list[Any]:
    """Of a value in the content, found from the outside in: what stands near the outside is drawn more often."""
    place: list[Any] = []
    value = content
    if isinstance(value, dict) and value.keys() == {"magic", "kind", "version", "content"} and draw(st.integers(0, 19)):
        place, value = ["content"], value["content"]
    while isinstance(value, (dict, list)) and value and draw(st.integers(0, 5)):
        last = len(value) - 1
        keys = list(value) if isinstance(value, dict) else sorted({0, min(1, last), len(value) // 2, last})
        place = [*place, draw(st.sampled_from(keys))]
        value = value[place[-1]]
    return place


def _array_edits() -> st.SearchStrategy[list[Any]]:
    numbers = st.sampled_from([float(number) for number in (*values.FINITE, *values.FINITE, *values.NO_NUMBERS[3:])])
    return st.one_of(
        st.tuples(st.just("dtype"), st.sampled_from(values.DTYPES[:8])),
        st.tuples(st.just("claim"), st.sampled_from(values.DTYPES)),
        st.tuples(st.just("shape"), st.sampled_from(values.SHAPES)),
        st.tuples(st.just("rows"), st.sampled_from((0, 1, 2, 100, 2000, 100_000))),
        st.tuples(st.just("turn")),
        st.tuples(st.just("fill"), numbers),
        st.tuples(st.just("put"), st.sampled_from((0.0, 1e-4, 1e-3, 0.01, 0.3, 0.5, 0.9, 1.0)), numbers),
        st.tuples(st.just("scale"), st.sampled_from((-1.0, 0.0, 0.5, 1.0001, 2.0, 1e6, 1e150, 1e290, 1e300, 1e-300))),
    ).map(list)


@cache
def _same_kind(world: Path, name: str) -> list[str]:
    suffix = "".join(Path(name).suffixes[-2:])
    return sorted(file for file in _files(world) if file.endswith(suffix))


def _file_edits(world: Path, name: str) -> st.SearchStrategy[Edit]:
    parts = st.floats(0, 1)
    names = *(f"snapshot_{number:06}.msgpack" for number in (0, 7, 10**12 - 1)), "solution.msgpack", "x"
    return st.one_of(
        st.tuples(st.just("replace"), st.sampled_from(_files(world))),
        st.tuples(st.just("delete")),
        st.tuples(st.just("directory")),
        st.tuples(st.just("link"), st.sampled_from(("nowhere", ".", "/dev/zero", Path(name).name, "../afile"))),
        st.tuples(st.just("pipe")),
        st.tuples(st.just("rename"), st.sampled_from(names)),
        st.tuples(st.just("cut"), parts),
        st.tuples(st.just("byte"), parts, st.integers(0, 255)),
    ).map(list)


@cache
def _files(world: Path) -> list[str]:
    paths = (path for path in world.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(str(path.relative_to(world)) for path in paths)


@cache
def _read_by(world: Path, use: Use) -> list[str]:
    """The files that a use reads; of snapshots the last ones stand there more often, as they are read more often."""
    found = []
    for pattern in use.reads:
        paths = sorted(str(path.relative_to(world)) for path in world.glob(pattern) if path.is_file())
        last = {os.path.dirname(path): path for path in paths}
        found += [*paths, *(path for path in last.values() for _ in range(1 + len(paths) // len(last)))]
    return found


@cache
def _options(name: str) -> tuple[click.Option, ...]:
    module = importlib.import_module(f"tictactoe.tools.commands.{module_of(name)}")
    return tuple(option for option in module.command.params if isinstance(option, click.Option))


_LEFT_OUT = {"--unreduced", "--polish", "--prove", "--continue", "--no-open", "--version", "--help"}
"""Flags that are right and make a command work for long, or do something else."""


@st.composite
def _odd_words(draw: st.DrawFn, words: tuple[str, ...]) -> tuple[str, ...]:
    """With another argument in the place of one, or one option more."""
    options = {spelt: option for option in _options(words[0]) for spelt in option.opts}
    option = draw(st.sampled_from(list(options)))
    if option in words and not options[option].is_flag:
        index = words.index(option) + 1
        return (*words[:index], draw(_argument(options[option])), *words[index + 1 :])
    if options[option].is_flag:
        return words if option in _LEFT_OUT else (*words, option)
    return (*words, option, *(draw(_argument(options[option])) for _ in range(options[option].nargs)))


def _argument(option: click.Option) -> st.SearchStrategy[str]:
    name = option.type.name
    if isinstance(option.type, click.Choice):
        return st.sampled_from([*map(str, option.type.choices), "", "nonsense", "\x1b[31m"])
    if name in ("directory", "file", "path") or option.name in ("opponent", "agent"):
        return st.sampled_from(values.PATHS)
    if name in ("count", "number", "list", "budget", "rules", "digits", "true|false"):
        return st.sampled_from(values.OPTION_NUMBERS)
    return st.one_of(st.sampled_from(values.PATHS), values.texts)


@st.composite
def cases(draw: st.DrawFn, world: Path, command: str = "") -> Case:
    """Any use, of this command if it is named, with one to three changes of its files, or with odd options."""
    use = draw(st.sampled_from([use for use in USES if command in ("", use.words[0])]))
    files = _read_by(world, use)
    edits: list[Edit] = []
    if files and draw(st.integers(0, 3)) > 0:
        names = st.sampled_from(files)
        edits = [draw(_edits(world, draw(names))) for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3))))]
    words = use.words
    if not edits or draw(st.integers(0, 5)) == 0:
        words = draw(_odd_words(words))
    typed = draw(values.typed) if use.words[0] in TYPED else ""
    return Case(use, tuple(map(_as_a_shell_can, words)), tuple(edits), typed)


def _as_a_shell_can(word: str) -> str:
    """Without what no argument of a program can hold."""
    return "".join(c for c in word if c != "\0" and not "\ud800" <= c < "\udc80" and not "\udcff" < c <= "\udfff")


def plain(use: Use) -> Case:
    return Case(use, use.words)
