"""What the client signs, against the vectors that the TypeScript client shares, and against independent implementations."""

import json
import random
from decimal import Decimal
from types import SimpleNamespace

import ecdsa
import pytest
from conftest import vectors
from Cryptodome.Hash import keccak as reference_keccak
from ecdsa.util import sigdecode_string

from strikebook import (
    Domain, Forms, NonceSource, PrivateKeySigner, StrikebookError, create_private_key, price_text, round_price, size_text,
)
from strikebook import nonces, secp256k1, signer
from strikebook.keccak import keccak_256, keccak_256_pure
from strikebook.perps import hash_action, pack
from strikebook.tables import STRUCTURES
from strikebook.typed_data import shape_of, typed_data

TABLE = vectors('eip712.json')
PUBLISHED = vectors('signing.json')
HYPERCALL = Domain('Hypercall', 998)
RANDOM = random.Random(20261128)


def reference(data):
    return reference_keccak.new(digest_bits=256, data=data).digest()


def test_vectors():
    """The signatures of the interface are reproduced byte for byte, in plain Python too"""
    golden = [
        {**row, 'structure': next(name for name, text in STRUCTURES.items() if text == row['encodeType'])}
        for row in PUBLISHED['hypercall_eip712_golden']
    ]
    rows = golden + [{**row, 'privateKey': TABLE['privateKey'], 'signer': TABLE['wallet']} for row in TABLE['rows']]
    assert len(rows) == 18
    for row in rows:
        data = typed_data(HYPERCALL, row['structure'], row['message'])
        assert '0x' + data.digest().hex() == row['digest']
        for is_pure in (False, True):
            one = PrivateKeySigner(row['privateKey'], is_pure=is_pure)
            assert one.address == row['signer']
            assert one.sign_typed_data(data) == row['signature']


def test_perp_vectors():
    """Perp actions have the published bytes and hashes"""
    rows = [row for row in PUBLISHED['l1_action_vectors'] if row['expiresAfter'] is None]
    assert len(rows) >= 3
    for row in rows:
        assert pack(row['action']).hex() == row['msgpackHex']
        assert hash_action(row['action'], row['nonce'], row['vaultAddress']) == row['connectionId']


def test_pack():
    """Integers and texts are packed in their shortest form, and what has none is refused"""
    for value, packed in (
        (0, '00'), (0x7f, '7f'), (0x80, 'cc80'), (0xff, 'ccff'), (0x100, 'cd0100'), (0xffff, 'cdffff'), (0x10000, 'ce00010000'),
        (2**32 - 1, 'ceffffffff'), (2**32, 'cf0000000100000000'), (2**64 - 1, 'cf' + 16 * 'f'), (True, 'c3'), (False, 'c2'),
        ('', 'a0'), ('a' * 31, 'bf' + 31 * '61'), ('a' * 32, 'd920' + 32 * '61'), ([1, 'b'], '9201a162'), ({'k': []}, '81a16b90'),
    ):
        assert pack(value).hex() == packed
    for wrong in (-1, 2**64, 'a' * 256, list(range(16))):
        refused(lambda: pack(wrong))


def test_keccak():
    """The own Keccak gives what pycryptodome gives, at every length around a block"""
    for length in [*range(0, 300), 1_000, 4_096]:
        data = RANDOM.randbytes(length)
        assert keccak_256_pure(data) == keccak_256(data) == reference(data)


def test_signatures():
    """Property: any digest signed with any key is what ecdsa computes by RFC 6979, with a low s, and recovers to the signer"""
    for _ in range(40):
        secret, digest = RANDOM.randbytes(32), RANDOM.randbytes(32)
        key = ecdsa.SigningKey.from_string(secret, curve=ecdsa.SECP256k1)
        r, s, recovery = split(secp256k1.sign(digest, secret))
        expected_r, expected_s = sigdecode_string(
            key.sign_digest_deterministic(digest, hashfunc=__import__('hashlib').sha256), ecdsa.SECP256k1.order,
        )
        assert (r, s) == (expected_r, min(expected_s, secp256k1.N - expected_s))
        public = secp256k1.public_key(secret)
        assert public == key.get_verifying_key().to_string()
        found = ecdsa.VerifyingKey.from_public_key_recovery_with_digest(
            r.to_bytes(32, 'big') + s.to_bytes(32, 'big'), digest, ecdsa.SECP256k1, sigdecode=sigdecode_string,
        )
        assert found[recovery].to_string() == public


def test_multiples():
    """Property: multiples of G are those of ecdsa, the smallest and largest included"""
    generator = ecdsa.SECP256k1.generator
    for factor in [1, 2, 3, 15, 16, 17, 255, 256, secp256k1.N - 1, secp256k1.N - 2, *(RANDOM.randrange(1, secp256k1.N) for _ in range(20))]:
        point = generator * factor
        assert secp256k1.multiply_base(factor) == (point.x(), point.y())
    base = (*secp256k1.G, 1)
    assert secp256k1.to_affine(secp256k1.add(base, secp256k1.G)) == secp256k1.multiply_base(2)
    opposite = (secp256k1.G[0], secp256k1.P - secp256k1.G[1])
    assert secp256k1.add(base, opposite) == secp256k1.INFINITY
    assert secp256k1.to_affine(secp256k1.add(secp256k1.INFINITY, secp256k1.G)) == secp256k1.G


def test_structures():
    """Property: the digest of every structure is that of an independent encoder, whatever its members"""
    for structure in STRUCTURES:
        primary, members = shape_of(structure)
        for _ in range(3):
            message = {name: sample(kind) for kind, name in members}
            data = typed_data(Domain('Any "name" ü', 7), structure, message)
            words = b''.join(word(kind, message[name]) for kind, name in members)
            kinds = f'{primary}({",".join(f"{kind} {name}" for kind, name in members)})'
            assert kinds == STRUCTURES[structure]
            domain = reference(
                reference(b'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
                + reference('Any "name" ü'.encode()) + reference(b'1') + (7).to_bytes(32, 'big') + bytes(32),
            )
            assert data.digest() == reference(b'\x19\x01' + domain + reference(reference(kinds.encode()) + words))


def sample(kind):
    if kind == 'bool':
        return RANDOM.random() < 0.5
    if kind == 'uint64':
        return RANDOM.choice([0, 1, 2**53 + 1, 2**64 - 1])
    if kind == 'string':
        return RANDOM.choice(['', 'gtc', 'ü "x"\n', 'long' * 100])
    return '0x' + RANDOM.randbytes(20 if kind == 'address' else 32).hex()


def word(kind, value):
    if kind == 'string':
        return reference(value.encode())
    if kind in ('bool', 'uint64'):
        return int(value).to_bytes(32, 'big')
    return bytes.fromhex(value[2:]).rjust(32, b'\0')


def split(signature):
    return int.from_bytes(signature[:32], 'big'), int.from_bytes(signature[32:64], 'big'), signature[64]


def test_coincurve():
    """Where coincurve is installed, it signs the same bytes"""
    pytest.importorskip('coincurve')
    for _ in range(20):
        key = create_private_key()
        data = typed_data(HYPERCALL, 'CancelAll', {'wallet': '0x' + 40 * '1', 'scope': 'BTC', 'nonce': RANDOM.getrandbits(64)})
        fast, pure = PrivateKeySigner(key), PrivateKeySigner(key, is_pure=True)
        assert fast.address == pure.address
        assert fast.sign_typed_data(data) == pure.sign_typed_data(data)


def test_eth_account():
    """Where eth_account is installed, its accounts sign the same bytes"""
    eth_account = pytest.importorskip('eth_account')
    key = create_private_key()
    account = signer.signer_of(eth_account.Account.from_key(key))
    own = PrivateKeySigner(key, is_pure=True)
    assert account.address == own.address
    for structure in STRUCTURES:
        data = typed_data(HYPERCALL, structure, {name: sample(kind) for kind, name in shape_of(structure)[1]})
        assert account.sign_typed_data(data) == own.sign_typed_data(data)


def test_keys():
    """An invalid key is refused, and a key is never shown"""
    key = create_private_key()
    assert PrivateKeySigner(key).address == PrivateKeySigner(key[2:]).address == PrivateKeySigner(bytes.fromhex(key[2:])).address
    assert key[2:] not in repr(PrivateKeySigner(key))
    for wrong in ['', '0x', 'zz' * 32, '00' * 32, 'ff' * 32, 'ab' * 31, bytes(32), bytes(31), ' ' + 'ab' * 31 + 'a', 'ab ' * 21 + 'a']:
        refused(lambda: PrivateKeySigner(wrong))
    refused(lambda: signer.signer_of(7))


FACTS = SimpleNamespace(
    chain_id=998, signing_domain=SimpleNamespace(name='Strikebook'), perp_source='b',
    perp_assets=(SimpleNamespace(asset=0, symbol='BTC-PERP', underlying='BTC'),),
)
TERMS = {'symbol': 'BTC-20260131-100000-C', 'side': 'Buy', 'size': '0.1', 'price': '100.0'}


def refused(call):
    with pytest.raises(StrikebookError) as caught:
        call()
    assert caught.value.code == 'invalid_argument', caught.value


def test_bodies():
    """A request has the signed texts, and the nonce with every digit"""
    forms = Forms(FACTS, '0x' + 40 * 'A')
    unsigned = forms.place_order({**TERMS, 'size': Decimal('0.10'), 'client_id': 'a"ü'}, 2**64 - 1)
    request = unsigned.signed(['0x'])
    assert (request.method, request.path) == ('POST', '/order')
    assert '"nonce":18446744073709551615,' in request.body
    assert json.loads(request.body) == {
        'wallet': '0x' + 40 * 'a', **TERMS, 'size': '0.10', 'tif': 'gtc', 'client_id': 'a"ü', 'nonce': 2**64 - 1, 'signature': '0x',
    }
    assert dict(unsigned.items[0].data.message) == {
        'wallet': '0x' + 40 * 'a', **TERMS, 'size': '0.10', 'tif': 'gtc', 'clientId': 'a"ü', 'nonce': 2**64 - 1,
    }
    bulk = forms.cancel_orders([1, 2]).signed(['0x1', '0x2'])
    assert [one['signature'] for one in json.loads(bulk.body)['cancels']] == ['0x1', '0x2']


def test_refused_forms():
    """A request that cannot be valid is refused before it is signed"""
    forms = Forms(FACTS, '0x' + 40 * '1')
    agent = Forms(FACTS, '0x' + 40 * '1', wallet='0x' + 40 * '2')
    wrong = [
        lambda: forms.place_order({**TERMS, 'price': '123456'}), lambda: forms.place_order({**TERMS, 'size': 0}),
        lambda: forms.place_order({**TERMS, 'symbol': 'DOGE-PERP'}), lambda: forms.place_order(TERMS, -1),
        lambda: forms.place_order(TERMS, 2**64), lambda: forms.cancel_order(1, 0.5), lambda: forms.cancel_order(1, True),
        lambda: forms.place_order({**TERMS, 'symbol': 'BTC-PERP', 'client_id': 'mine'}), lambda: forms.approve_agent('0x12'),
        lambda: forms.replace_order({**TERMS, 'order_id': 1, 'price': -1}), lambda: forms.place_order({**TERMS, 'side': None}),
        lambda: forms.amend_order({'order_id': 1, 'size': 1, 'price': 1, 'trigger_price': 0}), lambda: agent.void_nonces(),
        lambda: forms.void_nonces(5, 4), lambda: forms.void_nonces(5, 2**63), lambda: Forms(FACTS, '0x12'),
        lambda: forms.place_order({**TERMS, 'reduce_only': 'yes'}), lambda: forms.place_order({**TERMS, 'expires_at': 1.5}),
    ]
    for ms in (1.5, float('nan'), -1, 2**53, True):
        wrong += [
            lambda ms=ms: forms.cancel_after(ms), lambda ms=ms: forms.set_cancel_on_disconnect(True, ms),
            lambda ms=ms: forms.approve_agent(forms.wallet, ms),
            lambda ms=ms: forms.set_mmp({'currency': 'BTC', 'interval_ms': ms, 'frozen_time_ms': 0}),
        ]
    for call in wrong:
        refused(call)


def test_amounts():
    """Valid prices and sizes are sent unchanged, and invalid ones are refused by the client"""
    for text in ('0.1', '100.0', '00.10', '100000', '0.00001', '12345', '123450'):
        assert price_text(text) == text and size_text(text) == text
    for wrong in (' 1', '1e3', '+1', '.5', '5.', '0', '0.000', 'NaN', '', '-1', '1_0', '١', '1\n', 0, -1, float('nan'), float('inf'), True,
                  None, Decimal('NaN'), Decimal('-0')):
        refused(lambda: price_text(wrong))
        refused(lambda: size_text(wrong))
    for wrong in ('123456', '1.00001', '0.0000001', 0.1 + 0.2, Decimal('1.23456')):
        refused(lambda: price_text(wrong))
    for wrong in (0.1 + 0.2, 1e-7, Decimal('1E-7')):
        refused(lambda: size_text(wrong))
    assert [size_text(0.000001), size_text(1e18), size_text(Decimal('1E+3')), price_text(1e-05), price_text(100_000), price_text(2.0)] == [
        '0.000001', '1000000000000000000', '1000', '0.00001', '100000', '2',
    ]


def test_round_price():
    """Property: a rounded price has 5 figures and 6 decimals, on the requested side, within one step"""
    for _ in range(2_000):
        price = 10 ** RANDOM.uniform(-5, 8.9)
        exact = Decimal(repr(price))
        down, near, up = (round_price(price, side) for side in ('down', 'near', 'up'))
        step = max(Decimal('0.000001'), Decimal(1).scaleb(exact.adjusted() - 4))
        slack = exact * Decimal('1e-13')
        assert down <= exact + slack and up >= exact - slack and up - down <= step and near in (down, up)
        for one in (down, near, up):
            assert price_text(one) == f'{one:f}'
    assert [round_price(9.99996, 'down'), round_price(9.99996, 'up'), round_price(123_456, 'near'), round_price(1_000, 'down')] == [
        Decimal('9.9999'), Decimal(10), Decimal(123_460), Decimal(1_000),
    ]
    assert round_price(0.1 + 0.2, 'up') == Decimal('0.3')
    assert round_price(Decimal('1e-9'), 'up') == Decimal('0.000001')
    refused(lambda: round_price(1e-7, 'down'))
    for wrong in (0, -1, float('nan'), float('inf')):
        refused(lambda: round_price(wrong, 'near'))


def test_nonces():
    """Nonces increase, stay near the clock, and have one source per wallet for all clients"""
    source, before = NonceSource(), nonces.now_ms()
    numbers = [source.next() for _ in range(5_000)]
    assert numbers == sorted(set(numbers)) and before <= numbers[0] and numbers[-1] <= nonces.now_ms() + 5_000
    assert nonces.nonce_source_of('0xAB') is nonces.nonce_source_of('0xab')
    assert NonceSource(2**52).next() == 2**52
