"""Builds signed requests: the data to sign, and the body that the signature completes. Signs and sends nothing."""

import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from . import records
from .amounts import Amount, price_text, size_text, text_of
from .errors import invalid
from .http import Request
from .nonces import NonceSource, nonce_source_of, now_ms
from .perps import perp_typed_data
from .signer import Signer
from .tables import ANSWERS
from .terms import AmendTerms, MmpTerms, OrderTerms, QuoteSide, QuoteTerms, ReplaceTerms
from .typed_data import Domain, TypedData, bytes_of, typed_data

# How long an extended order, an amend or a page of quotes may be on its way, ms.
VALID_MS = 10_000
_PERP = '-PERP'
_EXTENDED = ('post_only', 'expires_at', 'valid_until', 'stp', 'trigger', 'link_id')
_LARGEST = 2**53


@dataclass(frozen=True, slots=True)
class Item:
    data: TypedData
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unsigned:
    """`list_name`: the field with the items of a bulk, each signed by itself; None: the single item is the body."""

    method: str
    path: str
    items: tuple[Item, ...]
    list_name: str | None = None

    def signed(self, signatures: Iterable[str]) -> Request:
        bodies = [
            json.dumps({**item.body, 'signature': signature}, separators=(',', ':'), ensure_ascii=False)
            for item, signature in zip(self.items, signatures, strict=True)
        ]
        body = bodies[0] if self.list_name is None else f'{{"{self.list_name}":[{",".join(bodies)}]}}'
        return Request(self.method, self.path, answer_of(f'{self.method} {self.path}'), body)


def answer_of(route: str) -> Any:
    return getattr(records, ANSWERS[route], None)


async def sign(unsigned: Unsigned, signer: Signer) -> Request:
    signatures = []
    for item in unsigned.items:
        signature = signer.sign_typed_data(item.data)
        signatures.append(await signature if inspect.isawaitable(signature) else signature)
    return unsigned.signed(signatures)


class Forms:
    """`are_amounts_raw` sends sizes and prices unchecked, to test what a venue refuses."""

    def __init__(self, info: records.ExchangeInfoAnswer, signer: str, *, wallet: str | None = None, nonces: NonceSource | None = None,
                 are_amounts_raw: bool = False) -> None:
        self.wallet = (wallet or signer).lower()
        bytes_of(self.wallet, 20, 'wallet')
        self._info = info
        self._domain = Domain(info.signing_domain.name, info.chain_id)
        self._nonces = nonces
        self._are_amounts_raw = are_amounts_raw
        # The wallet, if an agent signs for it; used by perp orders.
        self._agent_for = None if self.wallet == signer.lower() else self.wallet

    def place_order(self, terms: OrderTerms, nonce: int | None = None) -> Unsigned:
        message, body = self._order(terms, nonce)
        body['route'] = terms.get('route')
        symbol, reduce_only = terms['symbol'], terms.get('reduce_only', False)
        underlying = symbol.removesuffix(_PERP) if symbol.endswith(_PERP) else None
        if _is_extended(terms):
            extended, more = self._extended(terms)
            signed = {**message, **extended, 'reduceOnly': reduce_only}
            return self._form('POST', '/order', 'PlaceOrderExtended', signed, {**body, 'underlying': underlying, **more})
        if underlying is not None:
            return self._perp(message, body, reduce_only)
        route = terms.get('route') or ('book_only' if reduce_only else None)
        if route is None:
            return self._form('POST', '/order', 'PlaceOrder', message, body)
        structure = 'PlaceOrderReduceOnly' if reduce_only else 'PlaceOrderRouted'
        return self._form('POST', '/order', structure, {**message, 'route': route, 'reduceOnly': reduce_only}, {**body, 'route': route})

    def replace_order(self, terms: ReplaceTerms, nonce: int | None = None) -> Unsigned:
        message, body = self._order(terms, nonce)
        reduce_only = terms.get('reduce_only', False)
        message = {**message, 'orderId': str(terms['order_id']), 'reduceOnly': reduce_only}
        body['order_id'] = terms['order_id']
        if _is_extended(terms):
            extended, more = self._extended(terms)
            return self._form('PUT', '/order', 'ReplaceOrderExtended', {**message, **extended}, {**body, **more})
        return self._form('PUT', '/order', 'ReplaceOrderReduceOnly' if reduce_only else 'ReplaceOrder', message, body)

    def amend_order(self, terms: AmendTerms, nonce: int | None = None) -> Unsigned:
        trigger = terms.get('trigger_price')
        body = {
            'wallet': self.wallet, 'order_id': terms['order_id'], 'size': self._size(terms['size']), 'price': self._price(terms['price']),
            'trigger_price': None if trigger is None else self._price(trigger), 'valid_until': _until(terms.get('valid_until')),
            'nonce': self._nonce(nonce),
        }
        message = {
            **body, 'orderId': str(terms['order_id']), 'triggerPrice': body['trigger_price'] or '', 'validUntil': body['valid_until'],
        }
        return self._form('POST', '/amend', 'AmendOrder', message, body)

    def cancel_order(self, order_id: int, nonce: int | None = None) -> Unsigned:
        body = {'wallet': self.wallet, 'order_id': order_id, 'nonce': self._nonce(nonce)}
        return self._form('POST', '/cancel', 'CancelOrder', {**body, 'orderId': str(order_id)}, body)

    def cancel_order_by_client_id(self, client_id: str, nonce: int | None = None) -> Unsigned:
        body = {'wallet': self.wallet, 'client_id': client_id, 'nonce': self._nonce(nonce)}
        return self._form('POST', '/cancel-by-cloid', 'CancelOrderByClientId', {**body, 'clientId': client_id}, body)

    def mass_quote(self, quote_set: str, quotes: Iterable[QuoteTerms], *, crossing: str = 'reject', valid_until: int | None = None,
                   detailed: bool | None = None, nonce: int | None = None) -> Unsigned:
        """Sign with an agent's key: no wallet can display the text."""
        body = {
            'wallet': self.wallet, 'quote_set': quote_set, 'valid_until': _until(valid_until), 'crossing': crossing,
            'quotes': '\n'.join(self._line(line) for line in quotes), 'detailed': detailed, 'nonce': self._nonce(nonce),
        }
        message = {**body, 'quoteSet': quote_set, 'validUntil': body['valid_until']}
        return self._form('POST', '/mass-quote', 'MassQuote', message, body)

    def cancel_quotes(self, quote_set: str = '', scope: str = '', nonce: int | None = None) -> Unsigned:
        """`quote_set`: '' for all sets. `scope`: an underlying, a symbol, or ''."""
        body = {'wallet': self.wallet, 'quote_set': quote_set, 'scope': scope, 'nonce': self._nonce(nonce)}
        return self._form('POST', '/cancel-quotes', 'CancelQuotes', {**body, 'quoteSet': quote_set}, body)

    def cancel_all(self, scope: str = '', nonce: int | None = None) -> Unsigned:
        """`scope`: an underlying, a symbol, or '' for all orders."""
        return self._plain('POST', '/cancel-all', 'CancelAll', {'scope': scope}, nonce)

    def void_nonces(self, up_to: int | None = None, nonce: int | None = None) -> Unsigned:
        """Requests with a nonce up to `up_to`, by default this one's own, can no longer act. The wallet itself must sign."""
        if self._agent_for is not None:
            raise invalid('An agent cannot void the nonces of its wallet')
        own = self._nonce(nonce)
        last = own if up_to is None else self._nonce(up_to)
        if last > own or own >= 2**63:
            raise invalid(f'Nonces up to {last} cannot be voided with nonce {own}')
        body = {'wallet': self.wallet, 'up_to': last, 'nonce': own}
        return self._form('POST', '/void-nonces', 'VoidNonces', {**body, 'upTo': last}, body)

    def cancel_after(self, timeout_ms: int, nonce: int | None = None) -> Unsigned:
        """0 turns it off; asking again restarts it."""
        body = {'wallet': self.wallet, 'timeout_ms': _ms('timeout_ms', timeout_ms), 'nonce': self._nonce(nonce)}
        return self._form('POST', '/cancel-after', 'CancelAfter', {**body, 'timeoutMs': timeout_ms}, body)

    def set_cancel_on_disconnect(self, enabled: bool, grace_ms: int, connection: str = '', nonce: int | None = None) -> Unsigned:
        """`connection`: the socket whose loss counts; default: the wallet's last with a signed request."""
        body = {
            'wallet': self.wallet, 'enabled': enabled, 'grace_ms': _ms('grace_ms', grace_ms), 'connection': connection,
            'nonce': self._nonce(nonce),
        }
        return self._form('POST', '/cancel-on-disconnect', 'SetCancelOnDisconnect', {**body, 'graceMs': grace_ms}, body)

    def place_orders(self, orders: Iterable[OrderTerms]) -> Unsigned:
        return _bulk('POST', '/bulk_order', 'orders', [self.place_order(terms) for terms in orders])

    def replace_orders(self, orders: Iterable[ReplaceTerms]) -> Unsigned:
        return _bulk('PUT', '/bulk_order', 'replacements', [self.replace_order(terms) for terms in orders])

    def amend_orders(self, amends: Iterable[AmendTerms]) -> Unsigned:
        return _bulk('PUT', '/bulk_amend', 'amends', [self.amend_order(terms) for terms in amends])

    def cancel_orders(self, order_ids: Iterable[int]) -> Unsigned:
        return _bulk('DELETE', '/bulk_order', 'cancels', [self.cancel_order(order_id) for order_id in order_ids])

    def cancel_orders_by_client_id(self, client_ids: Iterable[str]) -> Unsigned:
        return _bulk('DELETE', '/bulk_order_cloid', 'cancels', [self.cancel_order_by_client_id(one) for one in client_ids])

    def approve_agent(self, agent: str, expires_at: int | None = None, nonce: int | None = None) -> Unsigned:
        """The wallet itself must sign. `expires_at` in ms; without it the agent stays until revoked."""
        if expires_at is None:
            return self._plain('POST', '/approve-agent', 'ApproveAgent', {'agent': agent}, nonce)
        body = {'wallet': self.wallet, 'agent': agent, 'expires_at': _ms('expires_at', expires_at), 'nonce': self._nonce(nonce)}
        return self._form('POST', '/approve-agent', 'ApproveAgentUntil', {**body, 'expiresAt': expires_at}, body)

    def revoke_agent(self, agent: str, nonce: int | None = None) -> Unsigned:
        return self._plain('POST', '/revoke-agent', 'RevokeAgent', {'agent': agent}, nonce)

    def revoke_all_agents(self, nonce: int | None = None) -> Unsigned:
        return self._plain('DELETE', '/revoke-all-agents', 'RevokeAllAgents', {}, nonce)

    def set_margin_mode(self, mode: str, nonce: int | None = None) -> Unsigned:
        body = {'wallet': self.wallet, 'margin_mode': mode, 'nonce': self._nonce(nonce)}
        return self._form('POST', '/margin-mode', 'SetMarginMode', {**body, 'marginMode': mode}, body)

    def set_mmp(self, terms: MmpTerms, nonce: int | None = None) -> Unsigned:
        given = {name: cast(dict[str, Any], terms).get(name) for name in ('qty_limit', 'delta_limit', 'vega_limit')}
        limits = {name: None if limit is None else text_of(limit) for name, limit in given.items()}
        body = {
            'wallet': self.wallet, 'currency': terms['currency'], 'interval_ms': _ms('interval_ms', terms['interval_ms']),
            'frozen_time_ms': _ms('frozen_time_ms', terms['frozen_time_ms']), **limits, 'nonce': self._nonce(nonce),
        }
        message = {
            **body, 'intervalMs': terms['interval_ms'], 'frozenTimeMs': terms['frozen_time_ms'], 'qtyLimit': limits['qty_limit'] or '',
            'deltaLimit': limits['delta_limit'] or '', 'vegaLimit': limits['vega_limit'] or '',
        }
        return self._form('POST', '/mmp/config', 'SetMmpConfig', message, body)

    def delete_mmp(self, currency: str, nonce: int | None = None) -> Unsigned:
        return self._plain('DELETE', '/mmp/config', 'DeleteMmpConfig', {'currency': currency}, nonce)

    def reset_mmp(self, currency: str, nonce: int | None = None) -> Unsigned:
        return self._plain('POST', '/mmp/reset', 'ResetMmp', {'currency': currency}, nonce)

    def set_username(self, name: str, nonce: int | None = None) -> Unsigned:
        """Surrounding spaces are not signed."""
        return self._plain('POST', '/username', 'SetUsername', {'username': name.strip()}, nonce)

    def request_username(self, name: str, nonce: int | None = None) -> Unsigned:
        body = {'wallet': self.wallet, 'requested_username': name.strip(), 'nonce': self._nonce(nonce)}
        message = {**body, 'requestedUsername': body['requested_username']}
        return self._form('POST', '/profile/username-request', 'SubmitUsernameRequest', message, body)

    def mark_payouts_seen(self, ids: Iterable[int], nonce: int | None = None) -> Unsigned:
        listed = list(ids)
        body = {'wallet': self.wallet, 'ids': listed, 'nonce': self._nonce(nonce)}
        message = {**body, 'payoutIds': ','.join(map(str, listed)), 'seen': True}
        return self._form('POST', '/settlement-payouts/seen', 'SetSettlementPayoutSeen', message, body)

    def set_user_tier(self, wallet: str, tier: str, nonce: int | None = None) -> Unsigned:
        """For another wallet; the operator must sign."""
        body = {'wallet': wallet, 'tier': tier, 'nonce': self._nonce(nonce)}
        return self._form('POST', '/user-tier', 'SetUserTier', body, body)

    def _order(self, terms: OrderTerms, nonce: int | None) -> tuple[dict[str, Any], dict[str, Any]]:
        body = {
            'wallet': self.wallet, 'symbol': terms['symbol'], 'side': terms['side'], 'size': self._size(terms['size']),
            'price': self._price(terms['price']), 'tif': terms.get('tif', 'gtc'), 'client_id': terms.get('client_id', ''),
            'reduce_only': terms.get('reduce_only'), 'mmp_enabled': terms.get('mmp_enabled'), 'nonce': self._nonce(nonce),
        }
        return {**body, 'clientId': body['client_id']}, body

    def _extended(self, terms: OrderTerms) -> tuple[dict[str, Any], dict[str, Any]]:
        post_only, trigger, expires_at = terms.get('post_only'), terms.get('trigger'), terms.get('expires_at')
        price = '' if trigger is None else self._price(trigger['price'])
        body = {
            'post_only': post_only, 'expires_at': None if expires_at is None else _ms('expires_at', expires_at),
            'valid_until': _until(terms.get('valid_until')), 'stp': terms.get('stp'), 'link_id': terms.get('link_id'),
            'trigger': None if trigger is None else {**trigger, 'price': price},
        }
        message = {
            'postOnly': 'reject' if post_only is True else post_only or '', 'expiresAt': expires_at or 0,
            'validUntil': body['valid_until'], 'stp': body['stp'] or '', 'linkId': body['link_id'] or '', 'triggerPrice': price,
            'triggerBy': '' if trigger is None else trigger['by'], 'triggerDirection': '' if trigger is None else trigger['direction'],
        }
        return message, body

    def _perp(self, message: dict[str, Any], body: dict[str, Any], reduce_only: bool) -> Unsigned:
        perp = next((one for one in self._info.perp_assets if one.symbol == message['symbol']), None)
        if perp is None:
            raise invalid(f'{message["symbol"]} is no perp of this venue, or was listed after this client connected')
        data = perp_typed_data(
            self._info.perp_source, message, asset=perp.asset, reduce_only=reduce_only, agent_for=self._agent_for,
        )
        return Unsigned('POST', '/order', (Item(data, _present({**body, 'underlying': perp.underlying})),))

    def _line(self, terms: QuoteTerms) -> str:
        return ' '.join([terms['symbol'], *self._quote(terms.get('bid')), *self._quote(terms.get('ask'))])

    def _quote(self, side: QuoteSide | None) -> tuple[str, str]:
        if side is None:
            return '-', '-'
        is_removal = isinstance(side['size'], (int, float, Decimal)) and side['size'] == 0
        price = side.get('price')
        return '0' if is_removal else self._size(side['size']), '-' if price is None else self._price(price)

    def _size(self, size: Amount) -> str:
        return text_of(size) if self._are_amounts_raw else size_text(size)

    def _price(self, price: Amount) -> str:
        return text_of(price) if self._are_amounts_raw else price_text(price)

    def _nonce(self, nonce: int | None) -> int:
        number = (self._nonces or nonce_source_of(self.wallet)).next() if nonce is None else nonce
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**64:
            raise invalid(f'Nonce {number} is not from 0 to 2^64 - 1')
        return number

    def _form(self, method: str, path: str, structure: str, message: Mapping[str, Any], body: Mapping[str, Any]) -> Unsigned:
        return Unsigned(method, path, (Item(typed_data(self._domain, structure, message), _present(body)),))

    def _plain(self, method: str, path: str, structure: str, fields: Mapping[str, Any], nonce: int | None) -> Unsigned:
        body = {'wallet': self.wallet, **fields, 'nonce': self._nonce(nonce)}
        return self._form(method, path, structure, body, body)


def _bulk(method: str, path: str, list_name: str, requests: list[Unsigned]) -> Unsigned:
    return Unsigned(method, path, tuple(item for request in requests for item in request.items), list_name)


def _is_extended(terms: Mapping[str, Any]) -> bool:
    return any(terms.get(name) is not None for name in _EXTENDED)


def _present(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _until(ms: int | None) -> int:
    return now_ms() + VALID_MS if ms is None else _ms('valid_until', ms)


def _ms(name: str, ms: int) -> int:
    if isinstance(ms, bool) or not isinstance(ms, int) or not 0 <= ms < _LARGEST:
        raise invalid(f'{name} {ms} is no whole number of milliseconds from 0')
    return ms
