"""Keccak-256: of pycryptodome if that is installed, which is a hundred times faster, otherwise of this file."""

from collections.abc import Callable

_MASK = (1 << 64) - 1
_RATE = 136
_ROTATIONS = (0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14)


def _round_constants() -> tuple[int, ...]:
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for bit in range(7):
            if register & 1:
                constant |= 1 << ((1 << bit) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        constants.append(constant)
    return tuple(constants)


_CONSTANTS = _round_constants()
# Lane x + 5 y goes to lane y + 5 ((2 x + 3 y) mod 5).
_TARGETS = tuple(y + 5 * ((2 * x + 3 * y) % 5) for y in range(5) for x in range(5))


def _permute(lanes: list[int]) -> list[int]:
    for constant in _CONSTANTS:
        columns = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        mixes = [columns[x - 1] ^ (((columns[(x + 1) % 5] << 1) | (columns[(x + 1) % 5] >> 63)) & _MASK) for x in range(5)]
        moved = [0] * 25
        for at in range(25):
            lane, turn = lanes[at] ^ mixes[at % 5], _ROTATIONS[at]
            moved[_TARGETS[at]] = ((lane << turn) | (lane >> (64 - turn))) & _MASK
        lanes = [
            moved[row + x] ^ (~moved[row + (x + 1) % 5] & moved[row + (x + 2) % 5])
            for row in range(0, 25, 5) for x in range(5)
        ]
        lanes[0] ^= constant
    return lanes


def keccak_256_pure(data: bytes) -> bytes:
    padding = bytearray(_RATE - len(data) % _RATE)
    padding[0] = 0x01
    padding[-1] |= 0x80
    padded = data + padding
    lanes = [0] * 25
    for start in range(0, len(padded), _RATE):
        for at in range(_RATE // 8):
            lanes[at] ^= int.from_bytes(padded[start + 8 * at:start + 8 * at + 8], 'little')
        lanes = _permute(lanes)
    return b''.join(lane.to_bytes(8, 'little') for lane in lanes[:4])


def _installed() -> Callable[[bytes], bytes] | None:
    """Debian's package has another name."""
    for name in ('Crypto', 'Cryptodome'):
        try:
            keccak = __import__(f'{name}.Hash.keccak', fromlist=['new'])
        except ImportError:
            continue
        return lambda data: keccak.new(digest_bits=256, data=data).digest()
    return None


keccak_256: Callable[[bytes], bytes] = _installed() or keccak_256_pure
