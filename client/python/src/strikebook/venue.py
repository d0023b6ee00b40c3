"""The client of one venue by REST: `async with connect(url, signer=key) as venue`. Answers are the interface's, unchanged."""

import json
from collections.abc import Callable, Generator, Mapping
from ssl import SSLContext
from typing import Any, Literal, Unpack
from urllib.parse import quote, urlencode

from . import records
from .amounts import Amount, text_of
from .errors import StrikebookError
from .forms import Forms, answer_of
from .http import Http, HttpOptions, Request
from .nonces import NonceSource
from .reads import Reads
from .retries import RETRIES, TIMEOUT, OnAnswer
from .signer import signer_of
from .socket import SocketOptions, VenueSocket
from .terms import MmpTerms, Side
from .trading import Account, Act, Call, Trading, _Mmp, _split

_EXPORT_TYPES = {'csv': 'text/csv', 'ndjson': 'application/x-ndjson'}


class connect:
    """`await connect(url)` is the client of a venue; `async with connect(url)` closes it too.

    `signer` is a private key, an account of `eth_account`, or a signer; without it the client only reads. If `wallet` is given, the
    signer acts as its agent. Throws if nothing, or no venue, answers.
    """

    def __init__(self, url: str, *, signer: Any = None, wallet: str | None = None, nonces: NonceSource | None = None,
                 timeout: float = TIMEOUT, retries: int = RETRIES, headers: Mapping[str, str] | None = None,
                 on_answer: OnAnswer | None = None, on_error: Callable[[BaseException], None] | None = None,
                 ssl: SSLContext | None = None) -> None:
        self._http = Http(url, HttpOptions(timeout, retries, headers, on_answer, on_error, ssl))
        self._signer = None if signer is None else signer_of(signer)
        self._wallet = wallet
        self._nonces = nonces
        self._venue: Strikebook | None = None

    def __await__(self) -> Generator[Any, None, 'Strikebook']:
        return self._connect().__await__()

    async def __aenter__(self) -> 'Strikebook':
        self._venue = await self._connect()
        return self._venue

    async def __aexit__(self, *_: object) -> None:
        if self._venue is not None:
            await self._venue.close()

    async def _connect(self) -> 'Strikebook':
        try:
            info = await self._http.send(Request('GET', '/exchange-info', records.ExchangeInfoAnswer))
            account = None
            if self._signer is not None:
                forms = Forms(info, self._signer.address, wallet=self._wallet, nonces=self._nonces)
                account = Account(self._signer, forms)
            return Strikebook(self._http, info, account)
        except BaseException:
            await self._http.close()
            raise


class Strikebook(Reads, Trading):
    """`info`: as of `connect`."""

    def __init__(self, http: Http, info: records.ExchangeInfoAnswer, account: Account | None) -> None:
        super().__init__(account)
        self.info = info
        self._http = http

    async def close(self) -> None:
        await self._http.close()

    async def send(self, request: Request, **call: Unpack[Call]) -> Any:
        return await self._http.send(request, **call)

    async def _read(self, path: str, query: Mapping[str, Any], answer: Any) -> Any:
        return await self.send(Request('GET', path_of(path, self._of_wallet(query)), answer))

    async def export(self, path: Literal['/fills', '/ledger', '/orders', '/trades'], *, format: Literal['csv', 'ndjson'] = 'csv',
                     **query: Any) -> str:
        """All rows of a list, by default as CSV; otherwise one JSON text a line. One export at a time."""
        whose = query if path == '/trades' else self._of_wallet({'wallet': None, **query})
        return await self.send(Request('GET', path_of(path, {**whose, 'export': 'all'}), accept=_EXPORT_TYPES[format]))

    async def metrics(self) -> str:
        """Prometheus text. Venues give it to their own machine only; others need the admin token."""
        return await self.send(Request('GET', '/metrics', accept='text/plain'))

    async def limit_iv(self, symbol: str, iv: float, side: Side | None = None) -> records.LimitIvApiResponse:
        """The price of a volatility."""
        return await self._simulate('/limit_iv', {'symbol': symbol, 'iv': iv, 'side': side})

    async def simulate_orders(self, orders: list[Mapping[str, Any]], wallet: str | None = None) -> records.RiskSimulateOrdersAnswer:
        """What orders would do to an account; each has symbol, side, size and perhaps a price."""
        return await self._simulate('/risk/simulate/orders', {'wallet': wallet or self.wallet, 'orders': orders})

    async def simulate_portfolio(self, positions: list[Mapping[str, Any]], *, wallet: str | None = None, balance: Amount | None = None,
                                 margin_mode: Literal['standard', 'portfolio'] | None = None) -> records.RiskGridAnswer:
        """The margin of positions; each has symbol, amount and perhaps an entry_price."""
        body = {'wallet': wallet, 'positions': positions, 'balance': balance, 'margin_mode': margin_mode}
        return await self._simulate('/risk/simulate/portfolio', body)

    async def approve_agent(self, agent: str, expires_at: int | None = None, *, nonce: int | None = None,
                            **call: Unpack[Call]) -> records.ApproveAgentResponse:
        """`expires_at` in ms; without it the agent stays until revoked."""
        return await self._act(self.forms.approve_agent(agent, expires_at, nonce), call)

    async def revoke_agent(self, agent: str, *, nonce: int | None = None, **call: Unpack[Call]) -> records.RevokeAgentResponse:
        return await self._act(self.forms.revoke_agent(agent, nonce), call)

    async def revoke_all_agents(self, *, nonce: int | None = None, **call: Unpack[Call]) -> records.RevokeAgentResponse:
        return await self._act(self.forms.revoke_all_agents(nonce), call)

    async def set_margin_mode(self, mode: Literal['standard', 'portfolio'], *, nonce: int | None = None,
                              **call: Unpack[Call]) -> records.MarginModeApiResponse:
        return await self._act(self.forms.set_margin_mode(mode, nonce), call)

    async def set_mmp(self, **terms: Unpack[_Mmp]) -> records.MmpConfigData:
        own, call, nonce = _split(terms)
        return await self._act(self.forms.set_mmp(own, nonce), call)

    async def delete_mmp(self, currency: str, *, nonce: int | None = None, **call: Unpack[Call]) -> None:
        await self._act(self.forms.delete_mmp(currency, nonce), call)

    async def reset_mmp(self, currency: str, *, nonce: int | None = None, **call: Unpack[Call]) -> None:
        await self._act(self.forms.reset_mmp(currency, nonce), call)

    async def set_username(self, name: str, *, nonce: int | None = None, **call: Unpack[Call]) -> records.UsernameResponse:
        return await self._act(self.forms.set_username(name, nonce), call)

    async def request_username(self, name: str, *, nonce: int | None = None,
                               **call: Unpack[Call]) -> records.UsernameChangeRequestResponse:
        return await self._act(self.forms.request_username(name, nonce), call)

    async def mark_payouts_seen(self, ids: list[int], *, nonce: int | None = None,
                                **call: Unpack[Call]) -> records.SettlementPayoutSeenMutationResponse:
        return await self._act(self.forms.mark_payouts_seen(ids, nonce), call)

    async def set_user_tier(self, wallet: str, tier: str, *, nonce: int | None = None, **call: Unpack[Call]) -> records.UserTierAnswer:
        """For another wallet; the operator must sign."""
        return await self._act(self.forms.set_user_tier(wallet, tier, nonce), call)

    def socket(self, **options: Unpack[SocketOptions]) -> VenueSocket:
        """To be called in a running event loop, which it connects in."""
        return VenueSocket(self._http.url, options, self._account)

    def _of_wallet(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        """A wallet that is asked for, and not given, is the client's own."""
        is_open = 'wallet' in query and query['wallet'] is None and query.get('username') is None
        return {**query, 'wallet': self.wallet} if is_open and not self.is_read_only else query

    async def _simulate(self, path: str, body: Mapping[str, Any]) -> Any:
        return await self.send(Request('POST', path, answer_of(f'POST {path}'), body_text(body)))


class Operator:
    """What the operator of a venue asks of it: `act('POST /admin/halt', scope='BTC', mode='halted')`.

    The token goes into a header of each request. Nothing is retried: not all of these requests are safe to repeat.
    """

    def __init__(self, url: str, token: str, *, timeout: float = TIMEOUT, ssl: SSLContext | None = None) -> None:
        self._http = Http(url, HttpOptions(timeout, 0, {'authorization': f'Bearer {token}'}, ssl=ssl))

    async def __aenter__(self) -> 'Operator':
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def act(self, route: str, **body: Any) -> Any:
        method, path = route.split(' ')
        return await self._http.send(Request(method, path, answer_of(route), body_text(body)))

    async def read(self, path: str, **query: Any) -> Any:
        """`/admin/status`, `/admin/accounts`."""
        return await self._http.send(Request('GET', path_of(path, query), answer_of(f'GET {path}')))


def path_of(path: str, query: Mapping[str, Any]) -> str:
    """Names in braces fill the path; what is None is left out."""
    rest = {}
    for name, value in query.items():
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if isinstance(value, (list, tuple)):
            text = ','.join(map(str, value))
        if f'{{{name}}}' in path:
            path = path.replace(f'{{{name}}}', quote(text, safe=''))
        else:
            rest[name] = text
    return f'{path}?{urlencode(rest)}' if rest else path


def body_text(body: Mapping[str, Any]) -> str:
    """JSON, without fields that are None. A Decimal is its text."""
    present = {name: value for name, value in body.items() if value is not None}
    return json.dumps(present, default=text_of, separators=(',', ':'), ensure_ascii=False)
