"""The calls for orders, for REST and the socket. A REJECTED order is an answer; other failures throw a StrikebookError."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack, cast

from . import records
from .amounts import Amount
from .errors import StrikebookError, invalid
from .forms import Forms, Unsigned, sign
from .http import Request
from .retries import OnAnswer
from .signer import Signer
from .terms import AmendTerms, MmpTerms, OrderTerms, QuoteTerms, ReplaceTerms, Side, StopTerms


@dataclass(frozen=True, slots=True)
class Account:
    signer: Signer
    forms: Forms


class Call(TypedDict, total=False):
    """Options of a call: seconds for each attempt, further attempts, and who gets rate limits and replays."""

    timeout: float
    retries: int
    on_answer: OnAnswer


class Act(Call, total=False):
    nonce: int


class _Order(OrderTerms, Act, total=False):
    pass


class _Replace(ReplaceTerms, Act, total=False):
    pass


class _Amend(AmendTerms, Act, total=False):
    pass


class _Stop(StopTerms, Act, total=False):
    pass


class _Mmp(MmpTerms, Act, total=False):
    pass


_CALL = ('timeout', 'retries', 'on_answer')


def stop_order(terms: StopTerms) -> OrderTerms:
    """A sale stops a fall, a purchase a rise."""
    more = {name: value for name, value in terms.items() if name not in ('stop', 'by')}
    direction = 'below' if terms['side'] == 'Sell' else 'above'
    trigger = {'by': terms.get('by', 'theo'), 'direction': direction, 'price': terms['stop']}
    return cast(OrderTerms, {'reduce_only': True, **more, 'tif': 'ioc', 'trigger': trigger})


def bracket_orders(*, symbol: str, side: Side, size: Amount, price: Amount, stop: Amount, target: Amount, link_id: str,
                   by: Literal['index', 'theo', 'mark'] = 'theo') -> list[OrderTerms]:
    """A target and a stop that together trade at most `size`. `side` is that of the closing orders."""
    limit: OrderTerms = {'symbol': symbol, 'side': side, 'size': size, 'price': target, 'reduce_only': True, 'link_id': link_id}
    return [limit, stop_order({
        'symbol': symbol, 'side': side, 'size': size, 'price': price, 'stop': stop, 'by': by, 'link_id': link_id,
    })]


class Trading:
    def __init__(self, account: Account | None) -> None:
        self._account = account

    async def send(self, request: Request, **call: Unpack[Call]) -> Any:
        raise NotImplementedError

    @property
    def is_read_only(self) -> bool:
        return self._account is None

    @property
    def forms(self) -> Forms:
        """Builds requests for `sign` and `send`. Throws without a signer."""
        return self._own.forms

    @property
    def wallet(self) -> str:
        return self.forms.wallet

    async def sign(self, unsigned: Unsigned) -> Request:
        return await sign(unsigned, self._own.signer)

    async def place_order(self, **terms: Unpack[_Order]) -> records.OrderUpdateMessage:
        own, call, nonce = _split(terms)
        return await self._act(self.forms.place_order(own, nonce), call)

    async def stop_market(self, **terms: Unpack[_Stop]) -> records.OrderUpdateMessage:
        """Waits until the value passes `stop`, then trades at `price` or better; the rest ends. Reduce-only by default."""
        own, call, nonce = _split(terms)
        return await self._act(self.forms.place_order(stop_order(own), nonce), call)

    async def bracket(self, *, call: Call | None = None, **terms: Any) -> records.BulkPlaceOrderResponse:
        """Closes a position at a target or at a stop; the terms are those of `bracket_orders`."""
        return await self.place_orders(bracket_orders(**terms), **(call or {}))

    async def replace_order(self, **terms: Unpack[_Replace]) -> records.OrderUpdateMessage:
        own, call, nonce = _split(terms)
        return await self._act(self.forms.replace_order(own, nonce), call)

    async def amend_order(self, **terms: Unpack[_Amend]) -> records.OrderUpdateMessage:
        """Keeps the order's id, and its priority if the size is not larger at the same price."""
        own, call, nonce = _split(terms)
        return await self._act(self.forms.amend_order(own, nonce), call)

    async def cancel_order(self, order_id: int, *, nonce: int | None = None, **call: Unpack[Call]) -> records.OrderUpdateMessage:
        return await self._act(self.forms.cancel_order(order_id, nonce), call)

    async def cancel_order_by_client_id(self, client_id: str, *, nonce: int | None = None,
                                        **call: Unpack[Call]) -> records.OrderUpdateMessage:
        return await self._act(self.forms.cancel_order_by_client_id(client_id, nonce), call)

    async def place_orders(self, orders: Iterable[OrderTerms], **call: Unpack[Call]) -> records.BulkPlaceOrderResponse:
        """At most 50; each item has its own result."""
        return await self._act(self.forms.place_orders(orders), call)

    async def replace_orders(self, orders: Iterable[ReplaceTerms], **call: Unpack[Call]) -> records.BulkPlaceOrderResponse:
        return await self._act(self.forms.replace_orders(orders), call)

    async def amend_orders(self, amends: Iterable[AmendTerms], **call: Unpack[Call]) -> records.BulkPlaceOrderResponse:
        return await self._act(self.forms.amend_orders(amends), call)

    async def cancel_orders(self, order_ids: Iterable[int], **call: Unpack[Call]) -> records.BulkCancelOrderResponse:
        return await self._act(self.forms.cancel_orders(order_ids), call)

    async def cancel_orders_by_client_id(self, client_ids: Iterable[str], **call: Unpack[Call]) -> records.BulkCancelOrderResponse:
        return await self._act(self.forms.cancel_orders_by_client_id(client_ids), call)

    async def cancel_all(self, scope: str = '', *, void_nonces: bool = False, nonce: int | None = None,
                         **call: Unpack[Call]) -> records.CancelAllAnswer:
        """`scope` is an underlying, a symbol, or '' for all.

        With `void_nonces`, first voids what the wallet has signed so far, so that no order in transit can arrive later. If that is
        refused, the orders are still cancelled before it throws.
        """
        if not void_nonces:
            return await self._act(self.forms.cancel_all(scope, nonce), call)
        if nonce is not None:
            raise invalid('cancel_all takes two nonces with void_nonces: give none')
        voided = self.forms.void_nonces()
        refused: StrikebookError | None = None
        try:
            await self._act(voided, call)
        except StrikebookError as error:
            refused = error
        answer = await self._act(self.forms.cancel_all(scope), call)
        if refused is not None:
            raise refused
        return answer

    async def mass_quote(self, quote_set: str, quotes: Iterable[QuoteTerms], *, crossing: Literal['reject', 'slide'] = 'reject',
                         valid_until: int | None = None, detailed: bool | None = None, nonce: int | None = None,
                         **call: Unpack[Call]) -> records.MassQuoteResponse:
        """Quotes up to 100 contracts of one underlying in one step."""
        form = self.forms.mass_quote(
            quote_set, quotes, crossing=crossing, valid_until=valid_until, detailed=detailed, nonce=nonce,
        )
        return await self._act(form, call)

    async def cancel_quotes(self, quote_set: str = '', scope: str = '', *, nonce: int | None = None,
                            **call: Unpack[Call]) -> records.CancelQuotesAnswer:
        """Of a set or of all sets (''); everywhere, or in an underlying or market."""
        return await self._act(self.forms.cancel_quotes(quote_set, scope, nonce), call)

    async def void_nonces(self, up_to: int | None = None, *, nonce: int | None = None, **call: Unpack[Call]) -> records.VoidNoncesAnswer:
        """Voids every nonce up to `up_to`, by default up to this request's own. The wallet itself must sign."""
        return await self._act(self.forms.void_nonces(up_to, nonce), call)

    async def cancel_after(self, timeout_ms: int, *, nonce: int | None = None, **call: Unpack[Call]) -> records.CancelAfterAnswer:
        """Dead man's switch: cancels all open orders after this time unless called again. 0 turns it off."""
        return await self._act(self.forms.cancel_after(timeout_ms, nonce), call)

    async def set_cancel_on_disconnect(self, enabled: bool, grace_ms: int, connection: str = '', *, nonce: int | None = None,
                                       **call: Unpack[Call]) -> records.CancelOnDisconnectAnswer:
        return await self._act(self.forms.set_cancel_on_disconnect(enabled, grace_ms, connection, nonce), call)

    async def _act(self, unsigned: Unsigned, call: Call) -> Any:
        return await self.send(await self.sign(unsigned), **call)

    @property
    def _own(self) -> Account:
        if self._account is None:
            raise invalid('This client has no signer')
        return self._account


def _split(terms: Any) -> tuple[Any, Call, int | None]:
    own = {name: value for name, value in terms.items() if name not in (*_CALL, 'nonce')}
    return own, cast(Call, {name: terms[name] for name in _CALL if name in terms}), terms.get('nonce')
