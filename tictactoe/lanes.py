"""Four float64 lanes as one value, for compiled code: `load` a row of four, compute, `store` it.

In compiled code a value of this kind is an LLVM <4 x double>, one AVX register: +, - and * and the functions below
are one or two instructions each. In plain Python (NUMBA_DISABLE_JIT=1) the same functions work on
NumPy arrays of shape (4,), which have the operators already. Products may be fused into a following sum, so that
compiled and interpreted results agree to rounding, not to the bit.

Nothing here checks an index: rows and items must exist, and negative indices do not count from the end.
numba's cache of kernels.py does not notice an edit in this file: delete __pycache__ after one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, overload, register_model, type_callable
from numpy.typing import NDArray

WIDTH = 4

Lanes = NDArray[np.float64]
Rows = NDArray[np.float64]


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
    return np.full(WIDTH, number)


def padded(number: float) -> Lanes:
    """The same number in lanes 0 to 2, 0 in lane 3."""
    return np.array([number, number, number, 0.0])


def splat(lanes: Lanes, lane: int) -> Lanes:
    """One of the four lanes in all four."""
    return np.full(WIDTH, lanes[lane])


def maximum(left: Lanes, right: Lanes) -> Lanes:
    """The larger of two numbers, lane by lane; the right one where either is NaN."""
    return np.where(left > right, left, right)


def where_positive(test: Lanes, positive: Lanes, other: Lanes) -> Lanes:
    """Lane by lane: `positive` where test > 0, `other` elsewhere."""
    return np.where(test > 0, positive, other)


def following(index: int) -> int:
    """index + 1, in a way that hides from the compiler how often a loop runs.

    Left to itself it unrolls loops of two or three rounds eightfold.
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
_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, WIDTH)
_INDEX = ir.IntType(64)
_CONTRACT = ("contract",)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _operator(function: Callable[[Any, Any], Any], instruction: str) -> None:
    """Make an operator between two lane values one LLVM instruction."""

    @type_callable(function)  # type: ignore[untyped-decorator]
    def typer(context: Any) -> Any:
        return lambda left, right: LANES if left is LANES and right is LANES else None

    @lower_builtin(function, LANES, LANES)  # type: ignore[untyped-decorator]
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, instruction)(*arguments, flags=_CONTRACT)


for _function, _instruction in (
    (operator.add, "fadd"), (operator.iadd, "fadd"), (operator.sub, "fsub"), (operator.isub, "fsub"),
    (operator.mul, "fmul"), (operator.imul, "fmul"), (operator.truediv, "fdiv"),
):
    _operator(_function, _instruction)


def _element(context: Any, builder: Any, kind: Any, array: Any, index: Any, index_kind: Any, scale: int) -> Any:
    """Pointer to element index * scale of a C-contiguous array."""
    data = context.make_array(kind)(context, builder, array).data
    offset = context.cast(builder, index, index_kind, types.int64)
    return builder.gep(data, [builder.mul(offset, ir.Constant(_INDEX, scale))])


def _are_rows(kind: Any) -> bool:
    """Whether a type is one that `load` reads; any other is an error when the caller is compiled."""
    return isinstance(kind, types.Array) and (kind.dtype, kind.ndim, kind.layout) == (types.float64, 2, "C")


def _are_items(kind: Any) -> bool:
    """Whether a type is one that `item` reads."""
    return isinstance(kind, types.Array) and isinstance(kind.dtype, types.Integer) and kind.layout == "C"


def _splatted(builder: Any, vector: Any, lane: Any) -> Any:
    """All four lanes equal to one lane of a vector."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, builder.extract_element(vector, lane), ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, undefined, zeros)


@intrinsic  # type: ignore[untyped-decorator]
def _load(typing: Any, rows: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index = arguments
        pointer = _element(context, builder, signature.args[0], array, index, signature.args[1], WIDTH)
        # NumPy guarantees no more than the alignment of one float64
        return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=8)

    return LANES(rows, row), generate


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing: Any, rows: Any, row: Any, lanes: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, vector = arguments
        pointer = _element(context, builder, signature.args[0], array, index, signature.args[1], WIDTH)
        builder.store(vector, builder.bitcast(pointer, _VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(rows, row, lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def _item(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, index_kind = signature.args
        value = builder.load(_element(context, builder, kind, arguments[0], arguments[1], index_kind, 1))
        return context.cast(builder, value, kind.dtype, types.int64)

    return types.int64(array, index), generate


@intrinsic  # type: ignore[untyped-decorator]
def _following(typing: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_INDEX, [_INDEX])
        return builder.asm(kind, "", "=r,0", [builder.add(arguments[0], ir.Constant(_INDEX, 1))], side_effect=False)

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _broadcast(typing: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero = ir.Constant(ir.IntType(32), 0)
        vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[0], zero)
        return _splatted(builder, vector, zero)

    return LANES(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _padded(typing: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.Constant(_VECTOR, [0.0] * WIDTH)
        for lane in range(WIDTH - 1):
            vector = builder.insert_element(vector, arguments[0], ir.Constant(ir.IntType(32), lane))
        return vector

    return LANES(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _splat(typing: Any, lanes: Any, lane: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _splatted(builder, arguments[0], context.cast(builder, arguments[1], signature.args[1], types.int32))

    return LANES(lanes, lane), generate


@intrinsic  # type: ignore[untyped-decorator]
def _maximum(typing: Any, left: Any, right: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return LANES(left, right), generate


@intrinsic  # type: ignore[untyped-decorator]
def _where_positive(typing: Any, test: Any, positive: Any, other: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero = ir.Constant(_VECTOR, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", arguments[0], zero), arguments[1], arguments[2])

    return LANES(test, positive, other), generate


@intrinsic  # type: ignore[untyped-decorator]
def _any_nonzero(typing: Any, lanes: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        mask = builder.fcmp_unordered("!=", arguments[0], ir.Constant(_VECTOR, [0.0] * WIDTH))
        bits = builder.bitcast(mask, ir.IntType(WIDTH))
        return cgutils.is_not_null(builder, bits)

    return types.boolean(lanes), generate


# the plain functions above mean the instructions when they are compiled
overload(load)(lambda rows, row: (lambda rows, row: _load(rows, row)) if _are_rows(rows) else None)
overload(store)(
    lambda rows, row, lanes: (lambda rows, row, lanes: _store(rows, row, lanes)) if _are_rows(rows) else None
)
overload(item)(lambda array, index: (lambda array, index: _item(array, index)) if _are_items(array) else None)
overload(following)(lambda index: lambda index: _following(index))
overload(broadcast)(lambda number: lambda number: _broadcast(number))
overload(padded)(lambda number: lambda number: _padded(number))
overload(splat)(lambda lanes, lane: lambda lanes, lane: _splat(lanes, lane))
overload(maximum)(lambda left, right: lambda left, right: _maximum(left, right))
overload(where_positive)(
    lambda test, positive, other: lambda test, positive, other: _where_positive(test, positive, other)
)
overload(any_nonzero)(lambda lanes: lambda lanes: _any_nonzero(lanes))
