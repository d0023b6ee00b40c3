"""Signs typed data: with a private key, or with an account of `eth_account`, or with any object that has the same two members."""

import importlib
import secrets
from collections.abc import Awaitable
from typing import Any, Protocol

from . import secp256k1
from .errors import invalid
from .keccak import keccak_256
from .typed_data import TypedData, bytes_of

coincurve: Any = None
try:
    coincurve = importlib.import_module('coincurve')
except ImportError:
    pass


class Signer(Protocol):
    address: str

    def sign_typed_data(self, data: TypedData) -> str | Awaitable[str]:
        """0x r ‖ s ‖ v: 65 bytes, low s."""


class PrivateKeySigner:
    """`is_pure`: sign in plain Python even if `coincurve` is installed."""

    def __init__(self, key: str | bytes, *, is_pure: bool = False) -> None:
        secret = key if isinstance(key, bytes) else bytes_of(key if key.startswith('0x') else f'0x{key}', 32, 'the private key')
        if not secp256k1.is_secret(secret):
            raise invalid('This is no private key of secp256k1')
        self._secret = secret
        self._curve = None if is_pure or coincurve is None else coincurve.PrivateKey(secret)
        public = secp256k1.public_key(secret) if self._curve is None else self._curve.public_key.format(compressed=False)[1:]
        self.address = '0x' + keccak_256(public)[12:].hex()

    def sign_typed_data(self, data: TypedData) -> str:
        return signature_text(self._sign(data.digest()))

    def _sign(self, digest: bytes) -> bytes:
        if self._curve is None:
            return secp256k1.sign(digest, self._secret)
        return self._curve.sign_recoverable(digest, hasher=None)

    def __repr__(self) -> str:
        return f'PrivateKeySigner({self.address})'


class EthAccountSigner:
    """Of `eth_account`: `Account.from_key(key)`, a key file, a mnemonic."""

    def __init__(self, account: Any) -> None:
        self._account = account
        self.address = account.address.lower()

    def sign_typed_data(self, data: TypedData) -> str:
        encode = importlib.import_module('eth_account.messages').encode_typed_data
        signed = self._account.sign_message(encode(full_message=data.as_json()))
        return '0x' + bytes(signed.signature).hex()


def create_private_key() -> str:
    """0x and 64 hex digits."""
    while True:
        secret = secrets.token_bytes(32)
        if secp256k1.is_secret(secret):
            return '0x' + secret.hex()


def signer_of(key: Any) -> Signer:
    """Of a private key, an account of `eth_account`, or a signer."""
    if isinstance(key, (str, bytes)):
        return PrivateKeySigner(key)
    if hasattr(key, 'sign_typed_data') and not hasattr(key, 'sign_message'):
        return key
    if hasattr(key, 'sign_message'):
        return EthAccountSigner(key)
    raise invalid('A signer is a private key, an account of eth_account, or an object with address and sign_typed_data')


def signature_text(signature: bytes) -> str:
    """From r ‖ s ‖ recovery id."""
    return f'0x{signature[:64].hex()}{27 + signature[64]:02x}'
