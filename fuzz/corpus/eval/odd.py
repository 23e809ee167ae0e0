match a:
    case B(c=[*d, {"e": f, **g}]) | h if (i := j): k = lambda *l, m=1, **n: (yield)
async def o[P: int](q: "r", /, *s) -> t: return [u async for u in v if not await w]
try: x = f"{y!r:>{z}}" "\\N{BULLET}" if a else not -b ** ~c
except* (D, E) as e: del f.g[h:i:j], (k)
@l.m
class N(o, metaclass=P): q: int = 0x_ff
