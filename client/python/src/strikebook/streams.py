# Written by `npm run docs`; do not edit.
"""Subscribing, with the type of each channel's messages."""

from typing import Any, Literal, Unpack, overload

from . import messages
from .stream import Stream, SubscribeOptions


class Streams:
    @overload
    async def subscribe(self, channel: Literal['fills'], **options: Unpack[SubscribeOptions]) -> Stream[messages.Fill]: ...

    @overload
    async def subscribe(self, channel: Literal['order_updates'], **options: Unpack[SubscribeOptions]) -> Stream[messages.OrderUpdate]: ...

    @overload
    async def subscribe(
        self, channel: Literal['portfolio'], **options: Unpack[SubscribeOptions],
    ) -> Stream[
        messages.PortfolioUpdateInitial |
        messages.PortfolioUpdatePositionUpdate |
        messages.PortfolioUpdateBalanceUpdate |
        messages.PortfolioUpdateMarginUpdate |
        messages.PortfolioUpdateFundingUpdate |
        messages.PortfolioUpdateGreeksUpdate |
        messages.PositionExpired
    ]: ...

    @overload
    async def subscribe(self, channel: Literal['quotes'], **options: Unpack[SubscribeOptions]) -> Stream[messages.QuotesUpdate]: ...

    @overload
    async def subscribe(self, channel: Literal['ledger'], **options: Unpack[SubscribeOptions]) -> Stream[messages.LedgerUpdate]: ...

    @overload
    async def subscribe(
        self, channel: Literal['liquidation'], **options: Unpack[SubscribeOptions],
    ) -> Stream[
        messages.LiquidationStateChange
    ]: ...

    @overload
    async def subscribe(
        self, channel: Literal['competition'], **options: Unpack[SubscribeOptions],
    ) -> Stream[
        messages.CompetitionUpdate |
        messages.CompetitionRankChange |
        messages.CompetitionGapUpdate |
        messages.CompetitionPnlSummary |
        messages.CompetitionFinalStats |
        messages.CompetitionFinalStanding
    ]: ...

    @overload
    async def subscribe(self, channel: Literal['orderbook'], **options: Unpack[SubscribeOptions]) -> Stream[messages.OrderbookUpdate]: ...

    @overload
    async def subscribe(self, channel: Literal['book'], **options: Unpack[SubscribeOptions]) -> Stream[messages.BookUpdate]: ...

    @overload
    async def subscribe(self, channel: Literal['trades'], **options: Unpack[SubscribeOptions]) -> Stream[messages.Trade]: ...

    @overload
    async def subscribe(
        self, channel: Literal['index_prices'], **options: Unpack[SubscribeOptions],
    ) -> Stream[
        messages.IndexPriceUpdate
    ]: ...

    @overload
    async def subscribe(self, channel: Literal['funding'], **options: Unpack[SubscribeOptions]) -> Stream[messages.FundingUpdate]: ...

    @overload
    async def subscribe(
        self, channel: Literal['perp_ticker'], **options: Unpack[SubscribeOptions],
    ) -> Stream[
        messages.PerpTickerUpdate
    ]: ...

    @overload
    async def subscribe(
        self, channel: Literal['market_updates'], **options: Unpack[SubscribeOptions],
    ) -> Stream[
        messages.MarketUpdate |
        messages.MarketUpdateDeleted |
        messages.MarketUpdateTradingMode
    ]: ...

    @overload
    async def subscribe(
        self, channel: Literal['options_chain'], **options: Unpack[SubscribeOptions],
    ) -> Stream[
        messages.OptionsChainUpdateUpsert |
        messages.OptionsChainUpdateRemove
    ]: ...

    @overload
    async def subscribe(self, channel: Literal['vol_index'], **options: Unpack[SubscribeOptions]) -> Stream[messages.VolIndexUpdate]: ...

    @overload
    async def subscribe(self, channel: str, **options: Unpack[SubscribeOptions]) -> Stream[Any]: ...

    async def subscribe(self, channel: str, **options: Unpack[SubscribeOptions]) -> Stream[Any]:
        """Returns when subscribed. Throws `subscription_refused` if the venue refuses, for all symbols together."""
        return await self._subscribe(channel, options)

    async def _subscribe(self, name: str, options: SubscribeOptions) -> Stream[Any]:
        raise NotImplementedError
