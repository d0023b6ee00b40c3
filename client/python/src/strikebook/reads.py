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

    async def get_mmp_config(self, *, wallet: str | None = None, currency: str | None = None) -> MmpConfigResponse:
        """Market-maker protections of a wallet."""
        return await self._read('/mmp/config', {'wallet': wallet, 'currency': currency}, MmpConfigResponse)

    async def get_cancel_after(self, *, wallet: str | None = None) -> CancelAfterAnswer:
        """When the dead man's switch of a wallet will cancel its orders."""
        return await self._read('/cancel-after', {'wallet': wallet}, CancelAfterAnswer)

    async def get_cancel_on_disconnect(self, *, wallet: str | None = None) -> CancelOnDisconnectAnswer:
        """The cancel-on-disconnect setting of a wallet."""
        return await self._read('/cancel-on-disconnect', {'wallet': wallet}, CancelOnDisconnectAnswer)

    async def get_username(self, *, wallet: str | None = None, username: str | None = None) -> UsernameResponse:
        """The username of a wallet, or the wallet of a username."""
        return await self._read('/username', {'wallet': wallet, 'username': username}, UsernameResponse)

    async def get_user_tier(self, *, wallet: str | None = None) -> UserTierAnswer:
        """Tier of a wallet."""
        return await self._read('/user-tier', {'wallet': wallet}, UserTierAnswer)

    async def get_markets(self, *, include_instruments: bool | None = None) -> MarketsResponse:
        """Underlyings and expiries with their instruments."""
        return await self._read('/markets', {'include_instruments': include_instruments}, MarketsResponse)

    async def get_competitions(self, *,
        state: CompetitionStateValue | None = None,
        from_ts_ms: int | None = None,
        to_ts_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> CompetitionsResponse:
        """Competitions, newest first."""
        # from_ts_ms: Leaves out competitions that ended earlier.
        # to_ts_ms: Leaves out competitions that start later.
        return await self._read('/competitions', {
            'state': state, 'from_ts_ms': from_ts_ms, 'to_ts_ms': to_ts_ms, 'limit': limit, 'offset': offset,
        }, CompetitionsResponse)

    async def get_authorized_agents(self, *, wallet: str | None = None) -> AuthorizedAgentsResponse:
        """Active agents of a wallet."""
        return await self._read('/authorized-agents', {'wallet': wallet}, AuthorizedAgentsResponse)

    async def get_orders(self, *,
        wallet: str | None = None,
        status: str | tuple[str, ...] | None = None,
        client_id: str | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> OrdersResponse:
        """Orders of a wallet: open ones, newest first, then ended ones, latest first."""
        # status: Comma-separated list. Default: all orders. `open`: every order in the book, including partly filled ones. `working`: these
        # and orders that wait for a trigger. The other values match exactly.
        # client_id: Only orders with this client id.
        # from_ms: Bound of the last change (`updated_at`), inclusive.
        # to_ms: Bound of the last change (`updated_at`), inclusive.
        return await self._read('/orders', {
            'wallet': wallet, 'status': status, 'client_id': client_id, 'from_ms': from_ms, 'to_ms': to_ms, 'limit': limit, 'offset': offset,
        }, OrdersResponse)

    async def get_orders_status(self, *, order_id: str, wallet: str | None = None) -> OrdersStatusAnswer:
        """Current or final state of one order of a wallet. Null if unknown."""
        # order_id: An order id or a client id.
        return await self._read('/orders/status', {'order_id': order_id, 'wallet': wallet}, OrdersStatusAnswer)

    async def get_fills(self, *,
        wallet: str | None = None,
        kind: Literal['trade', 'all'] | None = None,
        order_id: int | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> FillsResponse:
        """Fills of a wallet, newest first."""
        # kind: `all` also returns positions that moved without a trade: to the insurance fund (`takeover`), or to a holder of the opposite
        # side (`deleveraging`). Their `trade_id` and `order_id` are null.
        # order_id: Only fills of this order.
        return await self._read('/fills', {
            'wallet': wallet, 'kind': kind, 'order_id': order_id, 'from_ms': from_ms, 'to_ms': to_ms, 'limit': limit, 'offset': offset,
        }, FillsResponse)

    async def get_portfolio(self, *, wallet: str | None = None) -> Portfolio:
        """Positions and margin of a wallet."""
        return await self._read('/portfolio', {'wallet': wallet}, Portfolio)

    async def get_trades(self, *,
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
        # account: Maker or taker.
        # after_trade_id: Cannot be combined with offset and filters.
        return await self._read('/trades', {
            'limit': limit, 'offset': offset, 'symbol': symbol, 'underlying': underlying, 'account': account, 'from_ms': from_ms, 'to_ms': to_ms, 'after_trade_id': after_trade_id,
        }, TradesResponse)

    async def get_trades_by_trade_id(self, *, trade_id: int) -> TradesTradeIdAnswer:
        """One trade."""
        return await self._read('/trades/{trade_id}', {'trade_id': trade_id}, TradesTradeIdAnswer)

    async def get_instruments(self, *,
        currency: str | None = None,
        status: str | tuple[str, ...] | None = None,
    ) -> tuple[InstrumentResponse, ...]:
        """Instruments of an underlying."""
        # status: Comma-separated list.
        return await self._read('/instruments', {'currency': currency, 'status': status}, tuple[InstrumentResponse, ...])

    async def get_exchange_info(self) -> ExchangeInfoAnswer:
        """Signing domain, venue id and last journal entry."""
        return await self._read('/exchange-info', {}, ExchangeInfoAnswer)

    async def get_orderbook(self, *,
        instrument_id: str | None = None,
        instrument_name: str | None = None,
        depth: int | None = None,
    ) -> OrderBookResponse:
        """Order book of one instrument, with marks, greeks and daily statistics."""
        # instrument_id: An integer. A name is accepted too.
        return await self._read('/orderbook', {
            'instrument_id': instrument_id, 'instrument_name': instrument_name, 'depth': depth,
        }, OrderBookResponse)

    async def get_expiry_summary(self, *, currency: str, expiry: str, depth: int | None = None) -> tuple[InstrumentWithOrderbook, ...]:
        """Every active instrument of an expiry with its book."""
        # expiry: An ISO date such as 2026-01-30, or 30JAN26.
        return await self._read('/expiry-summary', {
            'currency': currency, 'expiry': expiry, 'depth': depth,
        }, tuple[InstrumentWithOrderbook, ...])

    async def get_options_chain(self, *,
        currency: str,
        expiry: str,
        option_type: Literal['call', 'put', 'both'] | None = None,
        side: Literal['buy', 'sell', 'both'] | None = None,
    ) -> OptionsChainSnapshotResponse:
        """Best quotes and greeks of an expiry, one row per strike. `option_type` leaves out the other type; `side` leaves the quotes of the other side null."""
        # expiry: An ISO date such as 2026-01-30, or 30JAN26.
        return await self._read('/options-chain', {
            'currency': currency, 'expiry': expiry, 'option_type': option_type, 'side': side,
        }, OptionsChainSnapshotResponse)

    async def get_options_summary(self, *,
        currency: str | None = None,
        kind: str | None = None,
        expiry: str | int | None = None,
    ) -> tuple[OptionSummary, ...]:
        """Quotes, marks, greeks and statistics of every active option."""
        # currency: Comma-separated list or ALL. Default: all.
        # kind: `option`; any other value returns no rows.
        return await self._read('/options-summary', {'currency': currency, 'kind': kind, 'expiry': expiry}, tuple[OptionSummary, ...])

    async def get_greeks(self, *, symbol: str) -> GreeksApiResponse:
        """Greeks of one contract: theta per day, vega per vol point, rho per per cent."""
        return await self._read('/greeks', {'symbol': symbol}, GreeksApiResponse)

    async def get_perps(self, *, underlying: str | None = None) -> PerpsResponse:
        """The listed perps."""
        # underlying: Default: all.
        return await self._read('/perps', {'underlying': underlying}, PerpsResponse)

    async def get_funding(self, *, symbol: str) -> Funding:
        """Funding of a perp: rates an hour, and the premium that they come from."""
        # symbol: A perp.
        return await self._read('/funding', {'symbol': symbol}, Funding)

    async def get_funding_history(self, *,
        symbol: str,
        start_time_ms: int | None = None,
        end_time_ms: int | None = None,
        limit: int | None = None,
    ) -> FundingHistoryResponse:
        """Hours of funding that were charged, newest first."""
        # symbol: A perp.
        # start_time_ms: Earliest end of an hour, inclusive.
        # end_time_ms: Latest end of an hour, inclusive.
        return await self._read('/funding/history', {
            'symbol': symbol, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms, 'limit': limit,
        }, FundingHistoryResponse)

    async def get_funding_payments(self, *,
        wallet: str | None = None,
        symbol: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> FundingPaymentsResponse:
        """Funding that was booked on a wallet, newest first, and what is not booked yet."""
        # symbol: A perp.
        return await self._read('/funding/payments', {
            'wallet': wallet, 'symbol': symbol, 'limit': limit, 'offset': offset,
        }, FundingPaymentsResponse)

    async def get_liquidations(self, *,
        limit: int | None = None,
        offset: int | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
    ) -> LiquidationsResponse:
        """Positions that were closed, taken over or deleveraged, newest first."""
        return await self._read('/liquidations', {
            'limit': limit, 'offset': offset, 'from_ms': from_ms, 'to_ms': to_ms,
        }, LiquidationsResponse)

    async def get_settlements(self, *,
        underlying: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> SettlementsResponse:
        """Settlement prices of expiries, newest first."""
        # underlying: Default: all.
        return await self._read('/settlements', {'underlying': underlying, 'limit': limit, 'offset': offset}, SettlementsResponse)

    async def get_open_interest(self, *, underlying: str | None = None) -> OpenInterestResponse:
        """Open contracts by underlying and expiry."""
        # underlying: Default: all.
        return await self._read('/open-interest', {'underlying': underlying}, OpenInterestResponse)

    async def get_insurance_fund(self) -> InsuranceFundAnswer:
        """Balance and positions of the insurance fund."""
        return await self._read('/insurance-fund', {}, InsuranceFundAnswer)

    async def get_time(self) -> VenueTime:
        """Time of the venue."""
        return await self._read('/time', {}, VenueTime)

    async def get_portfolio_greeks(self, *, wallet: str | None = None, simulated_orders: str | None = None) -> PortfolioGreeksApiResponse:
        """Greeks of the positions of a wallet, as if the simulated orders had been filled."""
        # simulated_orders: A JSON array.
        return await self._read('/portfolio/greeks', {'wallet': wallet, 'simulated_orders': simulated_orders}, PortfolioGreeksApiResponse)

    async def get_risk_grid(self, *, wallet: str | None = None) -> RiskGridAnswer:
        """Profit or loss of a wallet in each risk scenario, and the margin this requires, with open orders at their worst case."""
        return await self._read('/risk/grid', {'wallet': wallet}, RiskGridAnswer)

    async def get_risk_inputs(self, *, wallet: str | None = None, symbols: str | None = None) -> RiskInputsAnswer:
        """All that margin and greeks of a wallet are computed from, at one moment, with the contracts asked for."""
        # symbols: At most 100 symbols, separated by commas.
        return await self._read('/risk/inputs', {'wallet': wallet, 'symbols': symbols}, RiskInputsAnswer)

    async def get_settlement_payouts(self, *,
        wallet: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        symbol: str | None = None,
        ledger_applied: bool | None = None,
    ) -> SettlementPayoutsResponse:
        """Settlement payouts of a wallet, newest first."""
        # ledger_applied: Payouts are booked immediately, so `false` finds none.
        return await self._read('/settlement-payouts', {
            'wallet': wallet, 'limit': limit, 'offset': offset, 'symbol': symbol, 'ledger_applied': ledger_applied,
        }, SettlementPayoutsResponse)

    async def get_ledger(self, *,
        wallet: str | None = None,
        kind: Literal['opening', 'trade', 'fee', 'funding', 'settlement', 'settlement_fee', 'liquidation_fee', 'takeover', 'deleveraging', 'credit'] | None = None,
        symbol: str | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> LedgerResponse:
        """Every movement of a wallet’s cash with the balance after it, newest first. The rows sum to the cash: one row `opening` carries the sum of rows that are no longer kept."""
        return await self._read('/ledger', {
            'wallet': wallet, 'kind': kind, 'symbol': symbol, 'from_ms': from_ms, 'to_ms': to_ms, 'limit': limit, 'offset': offset,
        }, LedgerResponse)

    async def get_historical_pnl(self, *,
        interval: HistoricalPnlInterval,
        wallet: str | None = None,
        limit: int | None = None,
    ) -> HistoricalPnlApiResponse:
        """Equity of a wallet over time, oldest first."""
        # interval: One point per interval, at its end.
        return await self._read('/historical-pnl', {'interval': interval, 'wallet': wallet, 'limit': limit}, HistoricalPnlApiResponse)

    async def get_historical_theos(self, *,
        instrument_name: str,
        interval: HistoricalTheoInterval,
        limit: int | None = None,
    ) -> HistoricalTheoApiResponse:
        """Theoretical prices of an instrument, oldest first."""
        # interval: One point per interval, at its end.
        return await self._read('/historical-theos', {
            'instrument_name': instrument_name, 'interval': interval, 'limit': limit,
        }, HistoricalTheoApiResponse)

    async def get_historical_greeks(self, *,
        instrument_name: str,
        interval: HistoricalTheoInterval,
        limit: int | None = None,
    ) -> HistoricalGreeksResponse:
        """Volatilities, greeks and open interest of an instrument, oldest first."""
        # interval: One point per interval, at its end.
        return await self._read('/historical-greeks', {
            'instrument_name': instrument_name, 'interval': interval, 'limit': limit,
        }, HistoricalGreeksResponse)

    async def get_profile(self, *, wallet: str | None = None) -> ProfileResponse:
        """Margin, profit and account age of a wallet."""
        return await self._read('/profile', {'wallet': wallet}, ProfileResponse)

    async def get_profile_trades(self, *,
        wallet: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        symbol: str | None = None,
        competition_id: int | None = None,
        from_ts_ms: int | None = None,
        to_ts_ms: int | None = None,
    ) -> ProfileTradesResponse:
        """Fills of a wallet in a time range, newest first."""
        # competition_id: Only fills while this competition ran.
        # from_ts_ms: Start of the range, inclusive.
        # to_ts_ms: End of the range, inclusive.
        return await self._read('/profile/trades', {
            'wallet': wallet, 'limit': limit, 'offset': offset, 'symbol': symbol, 'competition_id': competition_id, 'from_ts_ms': from_ts_ms, 'to_ts_ms': to_ts_ms,
        }, ProfileTradesResponse)

    async def get_candles(self, *,
        resolution: CandleResolution,
        start_time_ms: int,
        end_time_ms: int,
        underlying: str | None = None,
    ) -> CandlesApiResponse:
        """Candles of an underlying, oldest first. A period without index prices has no candle."""
        # start_time_ms: Earliest start of a candle, inclusive.
        # end_time_ms: Latest start of a candle, exclusive.
        # underlying: Default: BTC.
        return await self._read('/candles', {
            'resolution': resolution, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms, 'underlying': underlying,
        }, CandlesApiResponse)

    async def get_instrument_candles(self, *,
        instrument_name: str,
        resolution: CandleResolution,
        start_time_ms: int,
        end_time_ms: int,
        price: Literal['trade', 'mark'] | None = None,
    ) -> InstrumentCandlesResponse:
        """Candles of an instrument, of its trades or marks, oldest first. A period without one has no candle."""
        # start_time_ms: Earliest start of a candle, inclusive.
        # end_time_ms: Latest start of a candle, exclusive.
        # price: Default: trade. Candles of marks are of 5m and longer.
        return await self._read('/instrument-candles', {
            'instrument_name': instrument_name, 'resolution': resolution, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms, 'price': price,
        }, InstrumentCandlesResponse)

    async def get_vol_index(self, *, underlying: str) -> VolIndexResponse:
        """Volatility index of an underlying: what its options say of 30 days, as 100 times a volatility."""
        return await self._read('/vol-index', {'underlying': underlying}, VolIndexResponse)

    async def get_vol_index_candles(self, *,
        underlying: str,
        resolution: CandleResolution,
        start_time_ms: int,
        end_time_ms: int,
    ) -> CandlesApiResponse:
        """Candles of a volatility index, oldest first. A period without a value has no candle."""
        # start_time_ms: Earliest start of a candle, inclusive.
        # end_time_ms: Latest start of a candle, exclusive.
        return await self._read('/vol-index/candles', {
            'underlying': underlying, 'resolution': resolution, 'start_time_ms': start_time_ms, 'end_time_ms': end_time_ms,
        }, CandlesApiResponse)

    async def get_competitions_leaderboard(self, *,
        competition_id: int,
        sort_by: CompetitionSortByValue | None = None,
        sort_order: CompetitionSortOrderValue | None = None,
        limit: int | None = None,
        offset: int | None = None,
        wallet: str | None = None,
    ) -> CompetitionLeaderboardResponse:
        """Ranking of a competition. The price of a fill counts only up to a limit away from the mark, and the total such difference between the same two wallets up to 1,000 USDC (unless the operator has set another amount). Fills between wallets for which the same agent has signed orders count at the mark, without volume."""
        # sort_by: Default: the primary win condition.
        # wallet: A wallet whose own row is added.
        return await self._read('/competitions/leaderboard', {
            'competition_id': competition_id, 'sort_by': sort_by, 'sort_order': sort_order, 'limit': limit, 'offset': offset, 'wallet': wallet,
        }, CompetitionLeaderboardResponse)

    async def get_competitions_by_id(self, *, id: int) -> CompetitionResponse:
        """One competition."""
        return await self._read('/competitions/{id}', {'id': id}, CompetitionResponse)

    async def get_gas_provider_by_chain_id(self, *, chain_id: int) -> GasProviderResponse:
        """Fee estimates of the configured chain, in wei per gas."""
        return await self._read('/gas-provider/{chain_id}', {'chain_id': chain_id}, GasProviderResponse)

    async def get_health(self) -> HealthResponse:
        """The process is up."""
        return await self._read('/health', {}, HealthResponse)

    async def get_ready(self) -> ReadyResponse:
        """Whether all components are ready. `degraded`: a component has a problem but the venue keeps running."""
        return await self._read('/ready', {}, ReadyResponse)
