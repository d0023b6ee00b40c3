# Written by `npm run docs`; do not edit.
"""A method for every read of the interface."""

from collections.abc import Mapping
from typing import Any, Literal

from .records import (
    AuthorizedAgentsResponse,
    CancelAfterAnswer,
    CancelOnDisconnectAnswer,
    CandleResolution,
    CandlesApiResponse,
    ClusterResponse,
    CompetitionLeaderboardResponse,
    CompetitionResponse,
    CompetitionSortByValue,
    CompetitionSortOrderValue,
    CompetitionStateValue,
    CompetitionsResponse,
    ExchangeInfoAnswer,
    FillsResponse,
    Funding,
    FundingHistoryResponse,
    FundingPaymentsResponse,
    GasProviderResponse,
    Greeks,
    GreeksApiResponse,
    HealthResponse,
    HistoricalGreeksResponse,
    HistoricalPnlApiResponse,
    HistoricalPnlInterval,
    HistoricalTheoApiResponse,
    HistoricalTheoInterval,
    InstrumentCandlesResponse,
    InstrumentResponse,
    InstrumentWithOrderbook,
    InsuranceFundAnswer,
    LedgerResponse,
    LiquidationsResponse,
    Market,
    MarketsResponse,
    MmpConfigResponse,
    OpenInterestResponse,
    OptionSummary,
    OptionsChainSnapshotResponse,
    Order,
    OrderBookResponse,
    OrdersResponse,
    OrdersStatusAnswer,
    PerpsResponse,
    Portfolio,
    PortfolioGreeksApiResponse,
    ProfileResponse,
    ProfileTradesResponse,
    ReadyResponse,
    RiskGridAnswer,
    RiskInputsAnswer,
    Settlement,
    SettlementPayoutsResponse,
    SettlementsResponse,
    TradesResponse,
    TradesTradeIdAnswer,
    UserTierAnswer,
    UsernameResponse,
    VenueTime,
    VolIndexResponse,
)


class Reads:
    """Reads are public and not signed. A `wallet` that is left out is the client's own."""

    async def _read(self, path: str, query: Mapping[str, Any], answer: Any) -> Any:
        raise NotImplementedError

    async def get_mmp_config(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        currency: str | None = None,
    ) -> MmpConfigResponse:
        """Market-maker protections of a wallet."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/mmp/config', {'min_seq': min_seq, 'wallet': wallet, 'currency': currency}, MmpConfigResponse)

    async def get_cancel_after(self, *, min_seq: int | None = None, wallet: str | None = None) -> CancelAfterAnswer:
        """When the dead man's switch of a wallet will cancel its orders."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/cancel-after', {'min_seq': min_seq, 'wallet': wallet}, CancelAfterAnswer)

    async def get_cancel_on_disconnect(self, *, min_seq: int | None = None, wallet: str | None = None) -> CancelOnDisconnectAnswer:
        """The cancel-on-disconnect setting of a wallet."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/cancel-on-disconnect', {'min_seq': min_seq, 'wallet': wallet}, CancelOnDisconnectAnswer)

    async def get_username(self, *, min_seq: int | None = None, wallet: str | None = None, username: str | None = None) -> UsernameResponse:
        """The username of a wallet, or the wallet of a username."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/username', {'min_seq': min_seq, 'wallet': wallet, 'username': username}, UsernameResponse)

    async def get_user_tier(self, *, min_seq: int | None = None, wallet: str | None = None) -> UserTierAnswer:
        """Tier of a wallet."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/user-tier', {'min_seq': min_seq, 'wallet': wallet}, UserTierAnswer)

    async def get_markets(self, *, min_seq: int | None = None, include_instruments: bool | None = None) -> MarketsResponse:
        """Underlyings and expiries with their instruments."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/markets', {'min_seq': min_seq, 'include_instruments': include_instruments}, MarketsResponse)

    async def get_competitions(self, *,
        min_seq: int | None = None,
        state: CompetitionStateValue | None = None,
        from_ts_ms: int | None = None,
        to_ts_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> CompetitionsResponse:
        """Competitions, newest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # from_ts_ms: Leaves out competitions that ended earlier.
        # to_ts_ms: Leaves out competitions that start later.
        return await self._read('/competitions', {
            'min_seq': min_seq, 'state': state, 'from_ts_ms': from_ts_ms, 'to_ts_ms': to_ts_ms, 'limit': limit, 'offset': offset,
        }, CompetitionsResponse)

    async def get_authorized_agents(self, *, min_seq: int | None = None, wallet: str | None = None) -> AuthorizedAgentsResponse:
        """Active agents of a wallet."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/authorized-agents', {'min_seq': min_seq, 'wallet': wallet}, AuthorizedAgentsResponse)

    async def get_orders(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        status: str | tuple[str, ...] | None = None,
        client_id: str | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> OrdersResponse:
        """Orders of a wallet: open ones, newest first, then ended ones, latest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # status: Comma-separated list. Default: all orders. `open`: every order in the book, including partly filled ones. `working`: these
        # and orders that wait for a trigger. The other values match exactly.
        # client_id: Only orders with this client id.
        # from_ms: Bound of the last change (`updated_at`), inclusive.
        # to_ms: Bound of the last change (`updated_at`), inclusive.
        return await self._read('/orders', {
            'min_seq': min_seq, 'wallet': wallet, 'status': status, 'client_id': client_id, 'from_ms': from_ms, 'to_ms': to_ms, 'limit': limit, 'offset': offset,
        }, OrdersResponse)

    async def get_orders_status(self, *, order_id: str, min_seq: int | None = None, wallet: str | None = None) -> OrdersStatusAnswer:
        """Current or final state of one order of a wallet. Null if unknown."""
        # order_id: An order id or a client id.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/orders/status', {'order_id': order_id, 'min_seq': min_seq, 'wallet': wallet}, OrdersStatusAnswer)

    async def get_fills(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        kind: Literal['trade', 'all'] | None = None,
        order_id: int | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> FillsResponse:
        """Fills of a wallet, newest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # kind: `all` also returns positions that moved without a trade: to the insurance fund (`takeover`), or to a holder of the opposite
        # side (`deleveraging`). Their `trade_id` and `order_id` are null.
        # order_id: Only fills of this order.
        return await self._read('/fills', {
            'min_seq': min_seq, 'wallet': wallet, 'kind': kind, 'order_id': order_id, 'from_ms': from_ms, 'to_ms': to_ms, 'limit': limit, 'offset': offset,
        }, FillsResponse)

    async def get_portfolio(self, *, min_seq: int | None = None, wallet: str | None = None) -> Portfolio:
        """Positions and margin of a wallet."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/portfolio', {'min_seq': min_seq, 'wallet': wallet}, Portfolio)

    async def get_trades(self, *,
        min_seq: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        symbol: str | None = None,
        underlying: str | None = None,
        account: str | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        after_trade_id: int | None = None,
    ) -> TradesResponse:
        """Trades, newest first. With `after_trade_id`: later trades, oldest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # account: Maker or taker.
        # after_trade_id: Cannot be combined with offset and filters.
        return await self._read('/trades', {
            'min_seq': min_seq, 'limit': limit, 'offset': offset, 'symbol': symbol, 'underlying': underlying, 'account': account, 'from_ms': from_ms, 'to_ms': to_ms, 'after_trade_id': after_trade_id,
        }, TradesResponse)

    async def get_trades_by_trade_id(self, *, trade_id: int, min_seq: int | None = None) -> TradesTradeIdAnswer:
        """One trade."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/trades/{trade_id}', {'trade_id': trade_id, 'min_seq': min_seq}, TradesTradeIdAnswer)

    async def get_instruments(self, *,
        min_seq: int | None = None,
        currency: str | None = None,
        status: str | tuple[str, ...] | None = None,
    ) -> tuple[InstrumentResponse, ...]:
        """Instruments of an underlying."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # status: Comma-separated list.
        return await self._read('/instruments', {
            'min_seq': min_seq, 'currency': currency, 'status': status,
        }, tuple[InstrumentResponse, ...])

    async def get_exchange_info(self, *, min_seq: int | None = None) -> ExchangeInfoAnswer:
        """Signing domain, venue id and last journal entry."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/exchange-info', {'min_seq': min_seq}, ExchangeInfoAnswer)

    async def get_orderbook(self, *,
        min_seq: int | None = None,
        instrument_id: str | None = None,
        instrument_name: str | None = None,
        depth: int | None = None,
    ) -> OrderBookResponse:
        """Order book of one instrument, with marks, greeks and daily statistics."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # instrument_id: An integer. A name is accepted too.
        return await self._read('/orderbook', {
            'min_seq': min_seq, 'instrument_id': instrument_id, 'instrument_name': instrument_name, 'depth': depth,
        }, OrderBookResponse)

    async def get_expiry_summary(self, *,
        currency: str,
        expiry: str,
        min_seq: int | None = None,
        depth: int | None = None,
    ) -> tuple[InstrumentWithOrderbook, ...]:
        """Every active instrument of an expiry with its book."""
        # expiry: An ISO date such as 2026-01-30, or 30JAN26.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/expiry-summary', {
            'currency': currency, 'expiry': expiry, 'min_seq': min_seq, 'depth': depth,
        }, tuple[InstrumentWithOrderbook, ...])

    async def get_options_chain(self, *,
        currency: str,
        expiry: str,
        min_seq: int | None = None,
        option_type: Literal['call', 'put', 'both'] | None = None,
        side: Literal['buy', 'sell', 'both'] | None = None,
    ) -> OptionsChainSnapshotResponse:
        """Best quotes and greeks of an expiry, one row per strike. `option_type` leaves out the other type; `side` leaves the quotes of the other side null."""
        # expiry: An ISO date such as 2026-01-30, or 30JAN26.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/options-chain', {
            'currency': currency, 'expiry': expiry, 'min_seq': min_seq, 'option_type': option_type, 'side': side,
        }, OptionsChainSnapshotResponse)

    async def get_options_summary(self, *,
        min_seq: int | None = None,
        currency: str | None = None,
        kind: str | None = None,
        expiry: str | int | None = None,
    ) -> tuple[OptionSummary, ...]:
        """Quotes, marks, greeks and statistics of every active option."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # currency: Comma-separated list or ALL. Default: all.
        # kind: `option`; any other value returns no rows.
        return await self._read('/options-summary', {
            'min_seq': min_seq, 'currency': currency, 'kind': kind, 'expiry': expiry,
        }, tuple[OptionSummary, ...])

    async def get_greeks(self, *, symbol: str, min_seq: int | None = None) -> GreeksApiResponse:
        """Greeks of one contract: theta per day, vega per vol point, rho per per cent."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/greeks', {'symbol': symbol, 'min_seq': min_seq}, GreeksApiResponse)

    async def get_perps(self, *, min_seq: int | None = None, underlying: str | None = None) -> PerpsResponse:
        """The listed perps."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # underlying: Default: all.
        return await self._read('/perps', {'min_seq': min_seq, 'underlying': underlying}, PerpsResponse)

    async def get_funding(self, *, symbol: str, min_seq: int | None = None) -> Funding:
        """Funding of a perp: rates an hour, and the premium that they come from."""
        # symbol: A perp.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/funding', {'symbol': symbol, 'min_seq': min_seq}, Funding)

    async def get_funding_history(self, *,
        symbol: str,
        min_seq: int | None = None,
        start_time_ms: int | None = None,
        end_time_ms: int | None = None,
        limit: int | None = None,
    ) -> FundingHistoryResponse:
        """Hours of funding that were charged, newest first."""
        # symbol: A perp.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # start_time_ms: Earliest end of an hour, inclusive.
        # end_time_ms: Latest end of an hour, inclusive.
        return await self._read('/funding/history', {
            'symbol': symbol, 'min_seq': min_seq, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms, 'limit': limit,
        }, FundingHistoryResponse)

    async def get_funding_payments(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        symbol: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> FundingPaymentsResponse:
        """Funding that was booked on a wallet, newest first, and what is not booked yet."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # symbol: A perp.
        return await self._read('/funding/payments', {
            'min_seq': min_seq, 'wallet': wallet, 'symbol': symbol, 'limit': limit, 'offset': offset,
        }, FundingPaymentsResponse)

    async def get_liquidations(self, *,
        min_seq: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
    ) -> LiquidationsResponse:
        """Positions that were closed, taken over or deleveraged, newest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/liquidations', {
            'min_seq': min_seq, 'limit': limit, 'offset': offset, 'from_ms': from_ms, 'to_ms': to_ms,
        }, LiquidationsResponse)

    async def get_settlements(self, *,
        min_seq: int | None = None,
        underlying: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> SettlementsResponse:
        """Settlement prices of expiries, newest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # underlying: Default: all.
        return await self._read('/settlements', {
            'min_seq': min_seq, 'underlying': underlying, 'limit': limit, 'offset': offset,
        }, SettlementsResponse)

    async def get_open_interest(self, *, min_seq: int | None = None, underlying: str | None = None) -> OpenInterestResponse:
        """Open contracts by underlying and expiry."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # underlying: Default: all.
        return await self._read('/open-interest', {'min_seq': min_seq, 'underlying': underlying}, OpenInterestResponse)

    async def get_insurance_fund(self, *, min_seq: int | None = None) -> InsuranceFundAnswer:
        """Balance and positions of the insurance fund."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/insurance-fund', {'min_seq': min_seq}, InsuranceFundAnswer)

    async def get_time(self) -> VenueTime:
        """Time of the venue."""
        return await self._read('/time', {}, VenueTime)

    async def get_portfolio_greeks(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        simulated_orders: str | None = None,
    ) -> PortfolioGreeksApiResponse:
        """Greeks of the positions of a wallet, as if the simulated orders had been filled."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # simulated_orders: A JSON array.
        return await self._read('/portfolio/greeks', {
            'min_seq': min_seq, 'wallet': wallet, 'simulated_orders': simulated_orders,
        }, PortfolioGreeksApiResponse)

    async def get_risk_grid(self, *, min_seq: int | None = None, wallet: str | None = None) -> RiskGridAnswer:
        """Profit or loss of a wallet in each risk scenario, and the margin this requires, with open orders at their worst case."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/risk/grid', {'min_seq': min_seq, 'wallet': wallet}, RiskGridAnswer)

    async def get_risk_inputs(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        symbols: str | None = None,
    ) -> RiskInputsAnswer:
        """All that margin and greeks of a wallet are computed from, at one moment, with the contracts asked for."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # symbols: At most 100 symbols, separated by commas.
        return await self._read('/risk/inputs', {'min_seq': min_seq, 'wallet': wallet, 'symbols': symbols}, RiskInputsAnswer)

    async def get_settlement_payouts(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        symbol: str | None = None,
        ledger_applied: bool | None = None,
    ) -> SettlementPayoutsResponse:
        """Settlement payouts of a wallet, newest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # ledger_applied: Payouts are booked immediately, so `false` finds none.
        return await self._read('/settlement-payouts', {
            'min_seq': min_seq, 'wallet': wallet, 'limit': limit, 'offset': offset, 'symbol': symbol, 'ledger_applied': ledger_applied,
        }, SettlementPayoutsResponse)

    async def get_ledger(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        kind: Literal['opening', 'trade', 'fee', 'funding', 'settlement', 'settlement_fee', 'liquidation_fee', 'takeover', 'deleveraging', 'credit'] | None = None,
        symbol: str | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> LedgerResponse:
        """Every movement of a wallet’s cash with the balance after it, newest first. The rows sum to the cash: one row `opening` carries the sum of rows that are no longer kept."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/ledger', {
            'min_seq': min_seq, 'wallet': wallet, 'kind': kind, 'symbol': symbol, 'from_ms': from_ms, 'to_ms': to_ms, 'limit': limit, 'offset': offset,
        }, LedgerResponse)

    async def get_historical_pnl(self, *,
        interval: HistoricalPnlInterval,
        min_seq: int | None = None,
        wallet: str | None = None,
        limit: int | None = None,
    ) -> HistoricalPnlApiResponse:
        """Equity of a wallet over time, oldest first."""
        # interval: One point per interval, at its end.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/historical-pnl', {
            'interval': interval, 'min_seq': min_seq, 'wallet': wallet, 'limit': limit,
        }, HistoricalPnlApiResponse)

    async def get_historical_theos(self, *,
        instrument_name: str,
        interval: HistoricalTheoInterval,
        min_seq: int | None = None,
        limit: int | None = None,
    ) -> HistoricalTheoApiResponse:
        """Theoretical prices of an instrument, oldest first."""
        # interval: One point per interval, at its end.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/historical-theos', {
            'instrument_name': instrument_name, 'interval': interval, 'min_seq': min_seq, 'limit': limit,
        }, HistoricalTheoApiResponse)

    async def get_historical_greeks(self, *,
        instrument_name: str,
        interval: HistoricalTheoInterval,
        min_seq: int | None = None,
        limit: int | None = None,
    ) -> HistoricalGreeksResponse:
        """Volatilities, greeks and open interest of an instrument, oldest first."""
        # interval: One point per interval, at its end.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/historical-greeks', {
            'instrument_name': instrument_name, 'interval': interval, 'min_seq': min_seq, 'limit': limit,
        }, HistoricalGreeksResponse)

    async def get_profile(self, *, min_seq: int | None = None, wallet: str | None = None) -> ProfileResponse:
        """Margin, profit and account age of a wallet."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/profile', {'min_seq': min_seq, 'wallet': wallet}, ProfileResponse)

    async def get_profile_trades(self, *,
        min_seq: int | None = None,
        wallet: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        symbol: str | None = None,
        competition_id: int | None = None,
        from_ts_ms: int | None = None,
        to_ts_ms: int | None = None,
    ) -> ProfileTradesResponse:
        """Fills of a wallet in a time range, newest first."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # competition_id: Only fills while this competition ran.
        # from_ts_ms: Start of the range, inclusive.
        # to_ts_ms: End of the range, inclusive.
        return await self._read('/profile/trades', {
            'min_seq': min_seq, 'wallet': wallet, 'limit': limit, 'offset': offset, 'symbol': symbol, 'competition_id': competition_id, 'from_ts_ms': from_ts_ms, 'to_ts_ms': to_ts_ms,
        }, ProfileTradesResponse)

    async def get_candles(self, *,
        resolution: CandleResolution,
        start_time_ms: int,
        end_time_ms: int,
        min_seq: int | None = None,
        underlying: str | None = None,
    ) -> CandlesApiResponse:
        """Candles of an underlying, oldest first. A period without index prices has no candle."""
        # start_time_ms: Earliest start of a candle, inclusive.
        # end_time_ms: Latest start of a candle, exclusive.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # underlying: Default: BTC.
        return await self._read('/candles', {
            'resolution': resolution, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms, 'min_seq': min_seq, 'underlying': underlying,
        }, CandlesApiResponse)

    async def get_instrument_candles(self, *,
        instrument_name: str,
        resolution: CandleResolution,
        start_time_ms: int,
        end_time_ms: int,
        min_seq: int | None = None,
        price: Literal['trade', 'mark'] | None = None,
    ) -> InstrumentCandlesResponse:
        """Candles of an instrument, of its trades or marks, oldest first. A period without one has no candle."""
        # start_time_ms: Earliest start of a candle, inclusive.
        # end_time_ms: Latest start of a candle, exclusive.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # price: Default: trade. Candles of marks are of 5m and longer.
        return await self._read('/instrument-candles', {
            'instrument_name': instrument_name, 'resolution': resolution, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms, 'min_seq': min_seq, 'price': price,
        }, InstrumentCandlesResponse)

    async def get_vol_index(self, *, underlying: str, min_seq: int | None = None) -> VolIndexResponse:
        """Volatility index of an underlying: what its options say of 30 days, as 100 times a volatility."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/vol-index', {'underlying': underlying, 'min_seq': min_seq}, VolIndexResponse)

    async def get_vol_index_candles(self, *,
        underlying: str,
        resolution: CandleResolution,
        start_time_ms: int,
        end_time_ms: int,
        min_seq: int | None = None,
    ) -> CandlesApiResponse:
        """Candles of a volatility index, oldest first. A period without a value has no candle."""
        # start_time_ms: Earliest start of a candle, inclusive.
        # end_time_ms: Latest start of a candle, exclusive.
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/vol-index/candles', {
            'underlying': underlying, 'resolution': resolution, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms, 'min_seq': min_seq,
        }, CandlesApiResponse)

    async def get_competitions_leaderboard(self, *,
        competition_id: int,
        min_seq: int | None = None,
        sort_by: CompetitionSortByValue | None = None,
        sort_order: CompetitionSortOrderValue | None = None,
        limit: int | None = None,
        offset: int | None = None,
        wallet: str | None = None,
    ) -> CompetitionLeaderboardResponse:
        """Ranking of a competition. The price of a fill counts only up to a limit away from the mark, and the total such difference between the same two wallets up to 1,000 USDC (unless the operator has set another amount). Fills between wallets for which the same agent has signed orders count at the mark, without volume."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        # sort_by: Default: the primary win condition.
        # wallet: A wallet whose own row is added.
        return await self._read('/competitions/leaderboard', {
            'competition_id': competition_id, 'min_seq': min_seq, 'sort_by': sort_by, 'sort_order': sort_order, 'limit': limit, 'offset': offset, 'wallet': wallet,
        }, CompetitionLeaderboardResponse)

    async def get_competitions_by_id(self, *, id: int, min_seq: int | None = None) -> CompetitionResponse:
        """One competition."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/competitions/{id}', {'id': id, 'min_seq': min_seq}, CompetitionResponse)

    async def get_gas_provider_by_chain_id(self, *, chain_id: int, min_seq: int | None = None) -> GasProviderResponse:
        """Fee estimates of the configured chain, in wei per gas."""
        # min_seq: The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.
        return await self._read('/gas-provider/{chain_id}', {'chain_id': chain_id, 'min_seq': min_seq}, GasProviderResponse)

    async def get_health(self) -> HealthResponse:
        """The process is up."""
        return await self._read('/health', {}, HealthResponse)

    async def get_ready(self, *, role: Literal['leader'] | None = None) -> ReadyResponse:
        """Whether all components are ready. `degraded`: a component has a problem but the venue keeps running."""
        # role: Also 503 if this node of a cluster does not lead: for a balancer.
        return await self._read('/ready', {'role': role}, ReadyResponse)

    async def get_cluster(self) -> ClusterResponse:
        """Nodes of the cluster as this one sees them. A process that is the venue itself is `alone`."""
        return await self._read('/cluster', {}, ClusterResponse)
