"""A row of float64 lanes as one value, for compiled code: `load` a row, compute, `store` it.

In compiled code, such a value is an LLVM vector. In plain Python (NUMBA_DISABLE_JIT=1), it is a NumPy array of shape
(k,), with the same results up to rounding. Indices are not checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable
from numpy.typing import NDArray

from .arrays import TYPES, Rows

Lanes = NDArray[np.float64]

_LONGEST_UNROLLED = 16
"""The most types over which sums are written out. Longer sums are loops."""


def load(rows: Rows, row: int) -> Lanes:
    """A row of a C-contiguous array of rows, (n,)."""
    result: Lanes = rows[row][TYPES].copy()
    return result


def store(rows: Rows, row: int, lanes: Lanes) -> None:
    """Write one row."""
    rows[TYPES][row] = lanes


def get(rows: Rows, row: int, lane: int) -> float:
    """One number of a row."""
    return float(rows[TYPES][row, lane])


def put(rows: Rows, row: int, lane: int, number: float) -> None:
    """Write one number of a row."""
    rows[TYPES][row, lane] = number


def item(array: NDArray[Any], index: int) -> int:
    """array[index] of a C-contiguous array of integers, for an index of at least 0."""
    return int(array[index])


def num_types(rows: Rows) -> int:
    """The number of a row's types, k, which is a constant in compiled code."""
    return int(rows.dtype[TYPES].shape[0])


def broadcast(rows: Rows, number: float) -> Lanes:
    """The same number in all lanes of a row of `rows`."""
    return np.full(rows.dtype[TYPES].shape, number)


def padded(rows: Rows, number: float) -> Lanes:
    """The same number for every type, 0 in the padding."""
    return np.full(rows.dtype[TYPES].shape, number)


def splat(lanes: Lanes, lane: int) -> Lanes:
    """The number of one lane in all lanes."""
    return np.full(len(lanes), lanes[lane])


def weighted_sum(rows: Rows, first: int, weights: Lanes) -> Lanes:
    """The sum of k rows from `first` on, each times one of `weights`."""
    result: Lanes = weights @ rows[TYPES][first : first + len(weights)]
    return result


def merged(partitions: Rows, group: NDArray[np.int32] | None, index: int, lanes: Lanes) -> Lanes:
    """The lanes times the part of `partitions` from row group[index] on; unchanged if group[index] is negative or there
    are no groups.
    """
    if group is None or group[index] < 0:
        return lanes
    return weighted_sum(partitions, int(group[index]), lanes)


def maximum(left: Lanes, right: Lanes) -> Lanes:
    """The larger of two numbers, lane by lane; with a NaN, the right one."""
    return np.where(left > right, left, right)


def where_positive(test: Lanes, positive: Lanes, other: Lanes) -> Lanes:
    """Lane by lane: `positive` where test > 0, `other` elsewhere."""
    return np.where(test > 0, positive, other)


def following(index: int) -> int:
    """index + 1, which keeps the compiler from unrolling short loops."""
    return index + 1


def any_nonzero(lanes: Lanes) -> bool:
    """Whether a lane is not zero."""
    return bool(np.any(lanes != 0))


class LanesType(types.Type):  # type: ignore[misc]
    """numba's type of the lanes of a row, of which the first `num_types` have a meaning."""

    def __init__(self, num_types: int, num_lanes: int) -> None:
        super().__init__(name=f"Lanes({num_types} of {num_lanes} x float64)")
        self.num_types, self.num_lanes = num_types, num_lanes
        self.vector = ir.VectorType(ir.DoubleType(), num_lanes)
        self.zeros = ir.Constant(self.vector, [0.0] * num_lanes)


_INDEX = ir.IntType(64)
_BYTE = ir.IntType(8)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: LanesType) -> None:
        super().__init__(manager, kind, kind.vector)


@lru_cache
def _lanes(num_types: int, size: int) -> LanesType:
    return LanesType(num_types, size // 8)


def _lanes_of(kind: Any) -> LanesType | None:
    if not (isinstance(kind, types.Array) and kind.layout == "C" and isinstance(kind.dtype, types.Record)):
        return None
    return _lanes(kind.dtype.typeof(TYPES).shape[0], kind.dtype.size)


def _all_lanes(*kinds: Any) -> LanesType | None:
    return kinds[0] if isinstance(kinds[0], LanesType) and all(kind == kinds[0] for kind in kinds) else None


def _compiled_as(function: Callable[..., Any], typer: Callable[..., Any], *kinds: Any) -> Callable[..., Any]:
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

    @_compiled_as(_function, lambda left, right: _all_lanes(left, right), LanesType, LanesType)
    def _operator(context: Any, builder: Any, signature: Any, arguments: Any, instruction: str = _instruction) -> Any:
        return getattr(builder, instruction)(*arguments, flags=("contract",))


def _element(context: Any, builder: Any, signature: Any, arguments: Any, size: int) -> Any:
    kind, index_kind = signature.args[:2]
    data = builder.bitcast(context.make_array(kind)(context, builder, arguments[0]).data, _BYTE.as_pointer())
    offset = context.cast(builder, arguments[1], index_kind, types.int64)
    return builder.gep(data, [builder.mul(offset, ir.Constant(_INDEX, size))])


def _row(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = _lanes_of(signature.args[0])
    assert lanes is not None
    pointer = _element(context, builder, signature, arguments, 8 * lanes.num_lanes)
    return builder.bitcast(pointer, lanes.vector.as_pointer())


def _number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    row = builder.bitcast(_row(context, builder, signature, arguments), ir.DoubleType().as_pointer())
    return builder.gep(row, [context.cast(builder, arguments[2], signature.args[2], types.int64)])


def _are_items(kind: Any) -> bool:
    return isinstance(kind, types.Array) and isinstance(kind.dtype, types.Integer) and kind.layout == "C"


def _splatted(builder: Any, number: Any, lanes: LanesType) -> Any:
    undefined = ir.Constant(lanes.vector, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), lanes.num_lanes), [0] * lanes.num_lanes)
    return builder.shuffle_vector(first, undefined, mask)


@_compiled_as(load, lambda rows, row: _lanes_of(rows))
def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    # NumPy only guarantees the alignment of one float64
    return builder.load(_row(context, builder, signature, arguments), align=8)


@_compiled_as(store, lambda rows, row, lanes: types.void if lanes == _lanes_of(rows) else None)
def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    builder.store(arguments[2], _row(context, builder, signature, arguments), align=8)
    return context.get_dummy_value()


@_compiled_as(get, lambda rows, row, lane: types.float64 if _lanes_of(rows) else None)
def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.load(_number(context, builder, signature, arguments))


@_compiled_as(put, lambda rows, row, lane, number: types.void if _lanes_of(rows) else None)
def _put(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = context.cast(builder, arguments[3], signature.args[3], types.float64)
    builder.store(number, _number(context, builder, signature, arguments))
    return context.get_dummy_value()


@_compiled_as(item, lambda array, index: types.int64 if _are_items(array) else None)
def _item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.args[0].dtype
    pointer = _element(context, builder, signature, arguments, kind.bitwidth // 8)
    value = builder.load(builder.bitcast(pointer, ir.IntType(kind.bitwidth).as_pointer()))
    return context.cast(builder, value, kind, types.int64)


@_compiled_as(following, lambda index: types.int64(types.int64))
def _following(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = ir.FunctionType(_INDEX, [_INDEX])
    return builder.asm(kind, "", "=r,0", [builder.add(arguments[0], ir.Constant(_INDEX, 1))], side_effect=False)


@_compiled_as(num_types, lambda rows: types.int64 if _lanes_of(rows) else None)
def _num_types(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = _lanes_of(signature.args[0])
    assert lanes is not None
    return ir.Constant(_INDEX, lanes.num_types)


def _filled(rows: Any, number: Any) -> Any:
    lanes = _lanes_of(rows)
    return lanes and lanes(rows, types.float64)


@_compiled_as(broadcast, _filled)
def _broadcast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _splatted(builder, arguments[1], signature.return_type)


@_compiled_as(padded, _filled)
def _padded(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = signature.return_type
    vector = lanes.zeros
    for lane in range(lanes.num_types):
        vector = builder.insert_element(vector, arguments[1], ir.Constant(ir.IntType(32), lane))
    return vector


@_compiled_as(splat, lambda lanes, lane: lanes if isinstance(lanes, LanesType) else None)
def _splat(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lane = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return _splatted(builder, builder.extract_element(arguments[0], lane), signature.return_type)


@_compiled_as(weighted_sum, lambda rows, first, weights: weights if weights == _lanes_of(rows) else None)
def _weighted_sum(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _sum_of_rows(builder, signature.return_type, _row(context, builder, signature, arguments), arguments[2])


def _sum_of_rows(builder: Any, lanes: LanesType, first: Any, weights: Any) -> Any:
    # in bytes, because LLVM's own steps between vectors are powers of two
    size = ir.Constant(_INDEX, 8 * lanes.num_lanes)
    first_row = builder.bitcast(first, _BYTE.as_pointer())

    def term(place: Any, weight: Any) -> Any:
        pointer = builder.gep(first_row, [builder.mul(place, size)])
        row = builder.load(builder.bitcast(pointer, lanes.vector.as_pointer()), align=8)
        return builder.fmul(_splatted(builder, weight, lanes), row, flags=("contract",))

    places = [ir.Constant(_INDEX, place) for place in range(lanes.num_types)]
    total = term(places[0], builder.extract_element(weights, places[0]))
    if lanes.num_types <= _LONGEST_UNROLLED:
        for place in places[1:]:
            weight = builder.extract_element(weights, place)
            total = builder.fadd(total, term(place, weight), flags=("contract",))
        return total
    # from memory, where LLVM would otherwise write all lanes of a vector to extract one
    in_memory = builder.bitcast(cgutils.alloca_once_value(builder, weights), ir.DoubleType().as_pointer())
    sum_so_far = cgutils.alloca_once_value(builder, total)
    with cgutils.for_range(builder, ir.Constant(_INDEX, lanes.num_types), ir.Constant(_INDEX, 1)) as loop:
        weight = builder.load(builder.gep(in_memory, [loop.index]))
        builder.store(builder.fadd(builder.load(sum_so_far), term(loop.index, weight), flags=("contract",)), sum_so_far)
    return builder.load(sum_so_far)


@_compiled_as(merged, lambda partitions, group, index, lanes: lanes if lanes == _lanes_of(partitions) else None)
def _merged(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    partitions, group, index, lanes = signature.args
    result = arguments[3]
    if isinstance(group, types.NoneType):
        return result
    row = _item(context, builder, types.int64(group, index), arguments[1:3])
    place = cgutils.alloca_once_value(builder, result)
    with builder.if_then(builder.icmp_signed(">=", row, ir.Constant(_INDEX, 0))):
        first = _row(context, builder, lanes(partitions, types.int64), (arguments[0], row))
        builder.store(_sum_of_rows(builder, lanes, first, result), place)
    return builder.load(place)


@_compiled_as(maximum, lambda left, right: _all_lanes(left, right))
def _maximum(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)


@_compiled_as(where_positive, lambda test, positive, other: _all_lanes(test, positive, other))
def _where_positive(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", arguments[0], signature.return_type.zeros), *arguments[1:])


@_compiled_as(any_nonzero, lambda lanes: types.boolean if _all_lanes(lanes) else None)
def _any_nonzero(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = signature.args[0]
    mask = builder.fcmp_unordered("!=", arguments[0], lanes.zeros)
    return cgutils.is_not_null(builder, builder.bitcast(mask, ir.IntType(lanes.num_lanes)))
