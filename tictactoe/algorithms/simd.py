"""Four float64 lanes as one value, for compiled code: `load` a row of four, compute, `store` it.

In compiled code such a value is an LLVM <4 x double>, one AVX register: +, - and * and the functions below are one or
two instructions each. In plain Python (NUMBA_DISABLE_JIT=1) the same functions work on NumPy arrays of shape (4,),
which have the operators already. The compiler may fuse a product into a following sum, so that compiled and interpreted
results agree to rounding, not to the bit.

Nothing here checks an index: rows and items must exist, and negative indices do not count from the end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable
from numpy.typing import NDArray

from .arrays import ROW, Rows

Lanes = NDArray[np.float64]


def load(rows: Rows, row: int) -> Lanes:
    """Row `row` of a C-contiguous float64 array of shape (n, 4)."""
    result: Lanes = rows[row].copy()
    return result


def store(rows: Rows, row: int, lanes: Lanes) -> None:
    """Write one row of a C-contiguous float64 array of shape (n, 4)."""
    rows[row] = lanes


def item(array: NDArray[Any], index: int) -> int:
    """array[index] of a C-contiguous array of integers, without the test for a negative index."""
    return int(array[index])


def broadcast(number: float) -> Lanes:
    """The same number in all four lanes."""
    return np.full(ROW, number)


def padded(number: float) -> Lanes:
    """The same number in lanes 0 to 2, 0 in lane 3."""
    return np.array([number, number, number, 0.0])


def splat(lanes: Lanes, lane: int) -> Lanes:
    """One of the four lanes in all four."""
    return np.full(ROW, lanes[lane])


def maximum(left: Lanes, right: Lanes) -> Lanes:
    """The larger of two numbers, lane by lane; with a NaN, the right number."""
    return np.where(left > right, left, right)


def where_positive(test: Lanes, positive: Lanes, other: Lanes) -> Lanes:
    """Lane by lane: `positive` where test > 0, `other` elsewhere."""
    return np.where(test > 0, positive, other)


def following(index: int) -> int:
    """index + 1, computed so that the compiler cannot tell how often a loop runs.

    If it could, it would unroll loops of two or three iterations eightfold.
    """
    return index + 1


def any_nonzero(lanes: Lanes) -> bool:
    """Whether some lane is not zero."""
    return bool(np.any(lanes != 0))


class LanesType(types.Type):  # type: ignore[misc]
    """numba's type of four lanes."""

    def __init__(self) -> None:
        super().__init__(name="Lanes(4 x float64)")


LANES = LanesType()
_VECTOR = ir.VectorType(ir.DoubleType(), ROW)
_ZEROS = ir.Constant(_VECTOR, [0.0] * ROW)
_INDEX = ir.IntType(64)
_LANE = [ir.Constant(ir.IntType(32), lane) for lane in range(ROW)]


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _compiled_as(function: Callable[..., Any], typer: Callable[..., Any], *kinds: Any) -> Callable[..., Any]:
    """Decorates a function that builds LLVM's instructions for a call of `function`.

    typer: a function of the types of the arguments. It returns the type of the result or the whole signature, or None
        for arguments that `function` does not take.
    kinds: the types of the arguments that the decorated function handles; if none are given, it handles any types.
    """

    def register(build: Callable[..., Any]) -> Callable[..., Any]:
        type_callable(function)(lambda context: typer)
        lower_builtin(function, *(kinds or (types.VarArg(types.Any),)))(build)
        return build

    return register


for _function, _instruction in (
    (operator.add, "fadd"),
    (operator.iadd, "fadd"),
    (operator.sub, "fsub"),
    (operator.isub, "fsub"),
    (operator.mul, "fmul"),
    (operator.imul, "fmul"),
    (operator.truediv, "fdiv"),
):

    @_compiled_as(_function, lambda left, right: LANES if left is LANES and right is LANES else None, LANES, LANES)
    def _operator(context: Any, builder: Any, signature: Any, arguments: Any, instruction: str = _instruction) -> Any:
        """An operator between two lane values is one instruction."""
        return getattr(builder, instruction)(*arguments, flags=("contract",))


def _element(context: Any, builder: Any, signature: Any, arguments: Any, scale: int) -> Any:
    """Pointer to element index * scale of a C-contiguous array: the first two arguments are the array and the index."""
    kind, index_kind = signature.args[:2]
    data = context.make_array(kind)(context, builder, arguments[0]).data
    offset = context.cast(builder, arguments[1], index_kind, types.int64)
    return builder.gep(data, [builder.mul(offset, ir.Constant(_INDEX, scale))])


def _are_rows(kind: Any) -> bool:
    """Whether `load` reads arrays of a type. Compiling a caller with any other type fails."""
    return isinstance(kind, types.Array) and (kind.dtype, kind.ndim, kind.layout) == (types.float64, 2, "C")


def _are_items(kind: Any) -> bool:
    """Whether `item` reads arrays of a type."""
    return isinstance(kind, types.Array) and isinstance(kind.dtype, types.Integer) and kind.layout == "C"


def _splatted(builder: Any, vector: Any, lane: Any) -> Any:
    """All four lanes equal to one lane of a vector."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, builder.extract_element(vector, lane), _LANE[0])
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), ROW), [0] * ROW))


@_compiled_as(load, lambda rows, row: LANES if _are_rows(rows) else None)
def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer = _element(context, builder, signature, arguments, ROW)
    # NumPy guarantees no more than the alignment of one float64
    return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=8)


@_compiled_as(store, lambda rows, row, lanes: types.void if _are_rows(rows) and lanes is LANES else None)
def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer = _element(context, builder, signature, arguments, ROW)
    builder.store(arguments[2], builder.bitcast(pointer, _VECTOR.as_pointer()), align=8)
    return context.get_dummy_value()


@_compiled_as(item, lambda array, index: types.int64 if _are_items(array) else None)
def _item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    value = builder.load(_element(context, builder, signature, arguments, 1))
    return context.cast(builder, value, signature.args[0].dtype, types.int64)


@_compiled_as(following, lambda index: types.int64(types.int64))
def _following(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = ir.FunctionType(_INDEX, [_INDEX])
    return builder.asm(kind, "", "=r,0", [builder.add(arguments[0], ir.Constant(_INDEX, 1))], side_effect=False)


@_compiled_as(broadcast, lambda number: LANES(types.float64))
def _broadcast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[0], _LANE[0])
    return _splatted(builder, vector, _LANE[0])


@_compiled_as(padded, lambda number: LANES(types.float64))
def _padded(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    vector = _ZEROS
    for lane in range(ROW - 1):
        vector = builder.insert_element(vector, arguments[0], _LANE[lane])
    return vector


@_compiled_as(splat, lambda lanes, lane: LANES(LANES, types.int32))
def _splat(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _splatted(builder, *arguments)


@_compiled_as(maximum, lambda left, right: LANES(LANES, LANES))
def _maximum(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)


@_compiled_as(where_positive, lambda test, positive, other: LANES(LANES, LANES, LANES))
def _where_positive(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", arguments[0], _ZEROS), *arguments[1:])


@_compiled_as(any_nonzero, lambda lanes: types.boolean(LANES))
def _any_nonzero(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    mask = builder.fcmp_unordered("!=", arguments[0], _ZEROS)
    return cgutils.is_not_null(builder, builder.bitcast(mask, ir.IntType(ROW)))
