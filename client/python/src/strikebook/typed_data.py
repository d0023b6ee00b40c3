"""EIP-712 typed data of the venue's structures, as wallets take it, and its digest. Texts are hashed exactly as given."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from .errors import invalid
from .keccak import keccak_256
from .tables import STRUCTURES

Value = str | bool | int
Member = tuple[str, str]

_DOMAIN_MEMBERS: tuple[Member, ...] = (
    ('string', 'name'), ('string', 'version'), ('uint256', 'chainId'), ('address', 'verifyingContract'),
)
# Texts whose hashes are kept, because types, symbols and sides repeat; and the longest of them.
_KEPT_TEXTS = 10_000
_KEPT_LENGTH = 256


@dataclass(frozen=True, slots=True)
class Domain:
    name: str
    chain_id: int
    version: str = '1'
    verifying_contract: str = '0x' + 40 * '0'


@dataclass(frozen=True, slots=True)
class TypedData:
    domain: Domain
    primary_type: str
    members: tuple[Member, ...]
    message: Mapping[str, Value]

    def digest(self) -> bytes:
        return keccak_256(b'\x19\x01' + _hash_domain(self.domain) + _hash_struct(self.primary_type, self.members, self.message))

    def as_json(self) -> dict[str, Any]:
        """As eth_signTypedData_v4 takes it."""
        domain = self.domain
        return {
            'types': {'EIP712Domain': _listed(_DOMAIN_MEMBERS), self.primary_type: _listed(self.members)},
            'primaryType': self.primary_type,
            'domain': {
                'name': domain.name, 'version': domain.version, 'chainId': domain.chain_id,
                'verifyingContract': domain.verifying_contract,
            },
            'message': dict(self.message),
        }


def typed_data(domain: Domain, structure: str, message: Mapping[str, Value]) -> TypedData:
    primary_type, members = shape_of(structure)
    for kind, name in members:
        value = message[name]
        if kind == 'string' and not isinstance(value, str):
            raise invalid(f'{name} must be a text')
        if kind == 'bool' and not isinstance(value, bool):
            raise invalid(f'{name} must be True or False')
        if kind == 'address':
            bytes_of(value, 20, name)
    return TypedData(domain, primary_type, members, {name: message[name] for _, name in members})


@cache
def shape_of(structure: str) -> tuple[str, tuple[Member, ...]]:
    primary_type, _, rest = STRUCTURES[structure].partition('(')
    pairs = (member.partition(' ') for member in rest.removesuffix(')').split(','))
    return primary_type, tuple((kind, name) for kind, _, name in pairs)


def bytes_of(text: Any, length: int, name: str) -> bytes:
    """Throws unless the text is 0x and the right number of digits."""
    try:
        if isinstance(text, str) and text.startswith('0x') and len(text) == 2 + 2 * length:
            found = bytes.fromhex(text[2:])
            if len(found) == length:
                return found
    except ValueError:
        pass
    raise invalid(f'{name} must be 0x and {2 * length} hex digits')


def _listed(members: tuple[Member, ...]) -> list[dict[str, str]]:
    return [{'name': name, 'type': kind} for kind, name in members]


def _hash_struct(name: str, members: tuple[Member, ...], values: Mapping[str, Value]) -> bytes:
    encoded = f'{name}({",".join(f"{kind} {member}" for kind, member in members)})'
    return keccak_256(_hash_text(encoded) + b''.join(_word(kind, member, values[member]) for kind, member in members))


def _word(kind: str, name: str, value: Value) -> bytes:
    if kind == 'string':
        return _hash_text(str(value))
    if kind == 'bytes32':
        return bytes_of(value, 32, name)
    if kind == 'address':
        return bytes(12) + bytes_of(value, 20, name)
    return int(value).to_bytes(32, 'big')


def _hash_text(text: str) -> bytes:
    return _kept_hash(text) if len(text) <= _KEPT_LENGTH else keccak_256(text.encode())


@lru_cache(_KEPT_TEXTS)
def _kept_hash(text: str) -> bytes:
    return keccak_256(text.encode())


@cache
def _hash_domain(domain: Domain) -> bytes:
    return _hash_struct('EIP712Domain', _DOMAIN_MEMBERS, {
        'name': domain.name, 'version': domain.version, 'chainId': domain.chain_id, 'verifyingContract': domain.verifying_contract,
    })
