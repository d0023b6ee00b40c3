"""Signatures of secp256k1 in plain Python: deterministic (RFC 6979, SHA-256), with a low s.

Not in constant time: who can measure this process precisely could learn the key. `coincurve` is used instead if it is installed.
"""

import hashlib
import hmac
from collections.abc import Iterator
from functools import cache

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)

Point = tuple[int, int]
# (X, Y, Z) for the point (X / Z², Y / Z³); Z is 0 at infinity.
Jacobian = tuple[int, int, int]
INFINITY: Jacobian = (1, 1, 0)
_WINDOW = 4


def is_secret(secret: bytes) -> bool:
    return len(secret) == 32 and 0 < int.from_bytes(secret, 'big') < N


def public_key(secret: bytes) -> bytes:
    """x ‖ y."""
    x, y = multiply_base(int.from_bytes(secret, 'big'))
    return x.to_bytes(32, 'big') + y.to_bytes(32, 'big')


def sign(digest: bytes, secret: bytes) -> bytes:
    """r ‖ s ‖ recovery id, 65 bytes."""
    key, hashed = int.from_bytes(secret, 'big'), int.from_bytes(digest, 'big')
    for k in _nonces(digest, secret):
        x, y = multiply_base(k)
        r = x % N
        s = pow(k, -1, N) * (hashed + r * key) % N
        if r == 0 or s == 0:
            continue
        recovery = (y & 1) | (2 if x >= N else 0)
        if s > N // 2:
            s, recovery = N - s, recovery ^ 1
        return r.to_bytes(32, 'big') + s.to_bytes(32, 'big') + bytes([recovery])
    raise AssertionError('unreachable')


def multiply_base(factor: int) -> Point:
    """The factor, from 1 to N - 1, times G."""
    total = INFINITY
    for row in _table():
        digit = factor & (2**_WINDOW - 1)
        factor >>= _WINDOW
        if digit:
            total = add(total, row[digit - 1])
    return to_affine(total)


def add(a: Jacobian, b: Point) -> Jacobian:
    x, y, z = a
    if z == 0:
        return (*b, 1)
    z_squared = z * z % P
    h = (b[0] * z_squared - x) % P
    rise = (b[1] * z_squared * z - y) % P
    if h == 0:
        return double(a) if rise == 0 else INFINITY
    h_squared = h * h % P
    h_cubed, v = h * h_squared % P, x * h_squared % P
    new_x = (rise * rise - h_cubed - 2 * v) % P
    return new_x, (rise * (v - new_x) - y * h_cubed) % P, z * h % P


def double(a: Jacobian) -> Jacobian:
    x, y, z = a
    squared = y * y % P
    s, m = 4 * x * squared % P, 3 * x * x % P
    new_x = (m * m - 2 * s) % P
    return new_x, (m * (s - new_x) - 8 * squared * squared) % P, 2 * y * z % P


def to_affine(a: Jacobian) -> Point:
    inverse = pow(a[2], -1, P)
    squared = inverse * inverse % P
    return a[0] * squared % P, a[1] * squared * inverse % P


@cache
def _table() -> tuple[tuple[Point, ...], ...]:
    """Row i has the multiples 1 to 15 of G · 16^i."""
    rows, base = [], G
    for _ in range(256 // _WINDOW):
        row, multiple = [], INFINITY
        for _ in range(2**_WINDOW - 1):
            multiple = add(multiple, base)
            row.append(to_affine(multiple))
        rows.append(tuple(row))
        base = to_affine(add(multiple, base))
    return tuple(rows)


def _nonces(digest: bytes, secret: bytes) -> Iterator[int]:
    """RFC 6979, section 3.2."""
    reduced = (int.from_bytes(digest, 'big') % N).to_bytes(32, 'big')

    def mac(key: bytes, data: bytes) -> bytes:
        return hmac.new(key, data, hashlib.sha256).digest()

    key, value = bytes(32), b'\x01' * 32
    for mark in (b'\x00', b'\x01'):
        key = mac(key, value + mark + secret + reduced)
        value = mac(key, value)
    while True:
        value = mac(key, value)
        candidate = int.from_bytes(value, 'big')
        if 0 < candidate < N:
            yield candidate
        key = mac(key, value + b'\x00')
        value = mac(key, value)
