"""What Numba has no words for: bits written as bytes, many at a time, by vector instructions; and memory fetched in advance.

It does not find the former in loops over bits. So these two things are said in LLVM's own words, and again in Python, for
when the JIT is off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from unoflip_env.game import CACHE_LINE, GAME
from unoflip_env.kernels.jit import settings

NO_BIT = -1
Planes = Sequence[Sequence[int]]
_BYTE, _INT32, _INT64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def byte_writer(*planes: Sequence[int]) -> Callable[..., None]:
    """A function for kernels, `write(words, source, out, start)`; each plane holds the number of a bit for every byte written.

    Byte out[start + k] becomes the sum, over those planes p whose bit planes[p][k] is set, of source[k + p], or of 1 where
    `source` is None. Bit b is bit b % 64 of words[b // 64]; NO_BIT is never set.

    `words` is a tuple of uint64, `source` and `out` are arrays of bytes, at whose bounds nobody looks. What `source` lends must
    be followed by a byte of the same memory for each plane after the first: it is read, though not used.
    """
    return _interpreted(planes) if settings.DISABLE_JIT else _compiled(planes)


@intrinsic
def _fetch(_: Any, games: Any, number: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        data = builder.bitcast(context.make_array(games)(context, builder, arguments[0]).data, _BYTE.as_pointer())
        record = builder.gep(data, [builder.mul(arguments[1], ir.Constant(_INT64, GAME.itemsize))])
        kind = ir.FunctionType(ir.VoidType(), [record.type, _INT32, _INT32, _INT32])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [record.type], kind)
        to_read, to_keep, data_cache = (ir.Constant(_INT32, number) for number in (0, 3, 1))
        for line in range(0, GAME.itemsize, CACHE_LINE):
            builder.call(prefetch, [builder.gep(record, [ir.Constant(_INT64, line)]), to_read, to_keep, data_cache])
        return context.get_dummy_value()

    return types.void(games, types.int64), generate


def _fetch_nothing(games: Any, number: int) -> None:
    """There is no telling the processor from here."""


fetch_game: Any = _fetch_nothing if settings.DISABLE_JIT else _fetch
"""`fetch_game(games, number)` for kernels: have this game's record brought into the cache while something else is done."""


def _interpreted(planes: Planes) -> Callable[..., None]:
    def write(words: tuple[int, ...], source: Any, out: Any, start: int) -> None:
        bits = sum(int(word) << 64 * i for i, word in enumerate(words))
        for k in range(len(planes[0])):
            chosen = [p for p, plane in enumerate(planes) if plane[k] != NO_BIT and bits >> plane[k] & 1]
            out[start + k] = sum(1 if source is None else int(source[k + p]) for p in chosen)

    return write


def _compiled(planes: Planes) -> Any:
    size = len(planes[0])

    @intrinsic
    def write(_: Any, words: Any, source: Any, out: Any, start: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            bits, total = _as_bytes(builder, arguments[0]), _vector([0] * size)
            for p, plane in enumerate(planes):
                added = _vector([1] * size)
                if source != types.none:
                    lender = context.make_array(source)(context, builder, arguments[1]).data
                    added = builder.load(_pointer(builder, lender, ir.Constant(_INT64, p), size), align=1)
                total = builder.add(total, builder.select(_are_set(builder, bits, plane), added, _vector([0] * size)))
            written = context.make_array(out)(context, builder, arguments[2]).data
            builder.store(total, _pointer(builder, written, arguments[3], size), align=1)
            return context.get_dummy_value()

        return types.void(words, source, out, types.int64), generate

    return write


def _vector(values: Sequence[int], kind: ir.IntType = _BYTE) -> ir.Constant:
    return ir.Constant(ir.VectorType(kind, len(values)), list(values))


def _pointer(builder: ir.IRBuilder, data: ir.Value, place: ir.Value, size: int) -> Any:
    """The address of `size` bytes of an array."""
    start = builder.gep(builder.bitcast(data, _BYTE.as_pointer()), [place])
    return builder.bitcast(start, ir.VectorType(_BYTE, size).as_pointer())


def _as_bytes(builder: ir.IRBuilder, words: ir.Value) -> Any:
    """A tuple of words as a vector of bytes, the lowest bits first."""
    count = words.type.count
    vector = ir.Constant(ir.VectorType(_INT64, count), ir.Undefined)
    for i in range(count):
        vector = builder.insert_element(vector, builder.extract_value(words, i), ir.Constant(_INT32, i))
    return builder.bitcast(vector, ir.VectorType(_BYTE, 8 * count))


def _are_set(builder: ir.IRBuilder, source: ir.Value, plane: Sequence[int]) -> Any:
    """Whether each bit of a plane is set: its byte is fetched, and the other bits of that are masked."""
    fetched = builder.shuffle_vector(source, source, _vector([max(bit, 0) // 8 for bit in plane], _INT32))
    masks = _vector([0 if bit == NO_BIT else 1 << bit % 8 for bit in plane])
    return builder.icmp_unsigned("!=", builder.and_(fetched, masks), _vector([0] * len(plane)))
