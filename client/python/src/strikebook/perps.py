"""Typed data of a perp order: the hash of a MessagePack action, as connectionId of the structure Agent in the domain Exchange / 1 / 1337.

The order of the keys and the shortest encoding of integers are part of the hash.
"""

import re
from typing import Any

from .errors import invalid
from .keccak import keccak_256
from .typed_data import Domain, TypedData, bytes_of, typed_data

EXCHANGE = Domain('Exchange', 1337)
_CLIENT_ID = re.compile('0x[0-9a-fA-F]{32}')


def perp_typed_data(source: str, order: dict[str, Any], *, asset: int, reduce_only: bool, agent_for: str | None) -> TypedData:
    """`order` has the texts of the order's body. `agent_for` is the wallet if an agent signs, otherwise None."""
    client_id, tif = order['clientId'], order['tif']
    if client_id != '' and _CLIENT_ID.fullmatch(client_id) is None:
        raise invalid('client_id of a perp must be 0x and 32 hex digits')
    wire = {
        'a': asset, 'b': order['side'] == 'Buy', 'p': order['price'], 's': order['size'], 'r': reduce_only,
        't': {'limit': {'tif': tif[:1].upper() + tif[1:]}}, **({} if client_id == '' else {'c': client_id}),
    }
    connection = hash_action({'type': 'order', 'orders': [wire], 'grouping': 'na'}, order['nonce'], agent_for)
    return typed_data(EXCHANGE, 'Agent', {'source': source, 'connectionId': connection})


def hash_action(action: Any, nonce: int, account: str | None) -> str:
    """keccak256(msgpack(action) ‖ nonce ‖ 0x00, or 0x01 and the account)."""
    whose = b'\x00' if account is None else b'\x01' + bytes_of(account, 20, 'wallet')
    return '0x' + keccak_256(pack(action) + nonce.to_bytes(8, 'big') + whose).hex()


def pack(value: Any) -> bytes:
    """Maps and lists up to 15 entries, text, booleans, integers from 0 to 2^64 - 1."""
    if isinstance(value, bool):
        return b'\xc3' if value else b'\xc2'
    if isinstance(value, int):
        return _pack_integer(value)
    if isinstance(value, str):
        return _pack_text(value)
    if len(value) > 15:
        raise invalid('A map or list of an action has at most 15 entries')
    if isinstance(value, (list, tuple)):
        return bytes([0x90 + len(value)]) + b''.join(pack(item) for item in value)
    return bytes([0x80 + len(value)]) + b''.join(pack(name) + pack(item) for name, item in value.items())


def _pack_integer(value: int) -> bytes:
    if 0 <= value < 0x80:
        return bytes([value])
    for mark, length in ((0xcc, 1), (0xcd, 2), (0xce, 4), (0xcf, 8)):
        if 0 <= value < 1 << 8 * length:
            return bytes([mark]) + value.to_bytes(length, 'big')
    raise invalid(f'{value} is not an integer of 64 bits')


def _pack_text(text: str) -> bytes:
    data = text.encode()
    if len(data) < 32:
        return bytes([0xa0 + len(data)]) + data
    if len(data) < 256:
        return bytes([0xd9, len(data)]) + data
    raise invalid('A text of an action has at most 255 bytes')
