"""The subscriptions of one socket, asked for again after each connect.

Temporary refusals are retried; permanent ones end the subscription. Never unsubscribes from what another subscription still wants.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .connection import Answered, Connection, Frame
from .errors import StrikebookError
from .stream import Stream
from .tables import SYMBOLS_A_SUBSCRIPTION

# The venue starts or stops, or the source has used up its rate limit.
_UNAVAILABLE = ('rate_limit_exceeded', 'not_ready')
# No room or no price at the moment, or a failure.
_TEMPORARY = (*_UNAVAILABLE, 'engine_busy', 'internal_error', 'margin_unavailable')
_UNRESUMABLE = re.compile(r'Cannot resume .*: (?:oldest kept is ([0-9]+)|newest is [0-9]+)')


class Gap(NamedTuple):
    """Missing messages. If `last` is below `first`, the venue started a new count."""

    channel: str
    key: str
    first: int
    last: int


@dataclass(eq=False, slots=True)
class Subscription:
    channel: dict[str, Any]
    # The part of the channel name after the colon.
    rest: str
    symbols: frozenset[str] | None
    ask: Frame
    stream: Stream[Any]
    listener: Callable[[Any], None] | None
    on_down: Callable[[], None] | None
    # Resolves once the venue has accepted it; later errors go to `on_error` and the stream.
    accepted: asyncio.Future[None]
    # The last `seq` of each stream, and the streams heard since the last connect.
    seqs: dict[str, int] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)
    # By the venue, on this connection.
    is_confirmed: bool = False
    # The stream continues after `seqs`: older messages are repeats for another subscription.
    is_resumed: bool = False

    @property
    def keys(self) -> set[str]:
        return {''} if self.symbols is None else set(self.symbols)


class Subscriptions:
    def __init__(self, link: Connection, wallet: str, ended: Callable[[Subscription, StrikebookError], None],
                 missed: Callable[[Gap], None]) -> None:
        self._link = link
        self._wallet = wallet
        self._ended = ended
        self._missed = missed
        # In the order of subscribing; the values are not used.
        self._all: dict[Subscription, None] = {}
        self._entering: dict[Subscription, None] = {}
        # Ended here, not yet at the venue.
        self._leaving: dict[Subscription, None] = {}
        self._postponed: list[Callable[[], None]] = []
        self._timer: asyncio.TimerHandle | None = None

    def __iter__(self) -> Iterator[Subscription]:
        return iter(list(self._all))

    def add(self, subscription: Subscription) -> None:
        self._all[subscription] = None
        if self._link.is_open:
            self._enter(subscription)

    def leave(self, subscription: Subscription) -> None:
        """Also at the venue, unless another subscription wants the same messages."""
        if subscription not in self._all:
            return
        del self._all[subscription]
        self._entering.pop(subscription, None)
        self._leave(subscription)

    def forget(self, subscription: Subscription) -> None:
        """For when the connection is closing anyway."""
        self._all.pop(subscription, None)

    def up(self) -> None:
        for subscription in self._all:
            subscription.heard.clear()
            self._enter(subscription)

    def down(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._postponed.clear()
        self._entering.clear()
        self._leaving.clear()
        for subscription in self._all:
            subscription.is_confirmed = subscription.is_resumed = False

    def renew(self, symbol: str) -> None:
        """A new snapshot of a book for all its subscribers here."""
        def readers() -> list[Subscription]:
            return [one for one in self._all if one.channel['name'] == 'book' and one.symbols is not None and symbol in one.symbols]

        async def work() -> None:
            reader = next((one for one in readers() if one.symbols is not None and len(one.symbols) == 1), None)
            if reader is None:
                return
            await self._refusal_of({'type': 'Unsubscribe', 'channel': 'book', 'symbols': [symbol]})
            for one in readers():
                one.heard.discard(symbol)
            await self._ask_for([reader])

        self._link.turn(work)

    def _enter(self, subscription: Subscription) -> None:
        if subscription not in self._all:
            return
        self._entering[subscription] = None
        self._link.turn(lambda: self._ask_for(_take_together(self._entering, _is_alike)))

    def _enter_all(self, subscriptions: Iterable[Subscription]) -> None:
        for one in subscriptions:
            self._enter(one)

    def _leave_all(self, subscriptions: Iterable[Subscription]) -> None:
        for one in subscriptions:
            self._leave(one)

    def _leave(self, subscription: Subscription) -> None:
        self._leaving[subscription] = None

        async def work() -> None:
            # Unless it was never confirmed.
            await self._dismiss([one for one in _take_together(self._leaving, _is_of_one_end) if one.is_confirmed])

        self._link.turn(work)

    async def _ask_for(self, together: list[Subscription], is_anew: bool = False) -> None:
        """`is_anew`: do not resume. The next message shows what was missed."""
        if not together:
            return
        first = together[0]
        last = first.seqs.get(self._wallet) if first.channel['resume'] and not is_anew else None
        ask = dict(first.ask)
        if len(together) > 1:
            ask['symbols'] = sorted(set().union(*(one.keys for one in together)))
        if last is not None:
            ask['from_seq'] = last

        def begin(answer: Frame) -> None:
            for one in together:
                self._begin(one, answer, is_anew)

        refusal = await self._refusal_of(ask, begin)
        if refusal is None:
            return
        code = refusal.details.get('code')
        if code in _UNAVAILABLE:
            return self._postpone(lambda: self._enter_all(together))
        found = None if last is None else _UNRESUMABLE.fullmatch(refusal.message)
        if found is not None:
            oldest = None if found[1] is None else int(found[1])
            return await self._ask_for(together, not self._skip(first, oldest))
        if len(together) == 1 and code not in _TEMPORARY:
            return await self._refused(first, refusal)
        if code in _TEMPORARY:
            return self._postpone(lambda: self._again(together))
        # The Error does not name the subscription, so ask for each half separately.
        middle = len(together) // 2
        await self._ask_for(together[:middle])
        await self._ask_for(together[middle:])

    def _skip(self, subscription: Subscription, oldest: int | None) -> bool:
        """Reports what the venue no longer keeps as missed. False if the numbers cannot tell."""
        first = subscription.seqs[self._wallet] + 1
        if oldest is None or oldest <= first:
            return False
        subscription.seqs[self._wallet] = oldest - 1
        self._missed(Gap(subscription.channel['name'], self._wallet, first, oldest - 1))
        return True

    async def _refusal_of(self, ask: Frame, answered: Answered = lambda _: None) -> StrikebookError | None:
        """None if accepted, or if the connection was lost: the next connect asks again."""
        try:
            await self._link.ask(ask, answered)
            return None
        except StrikebookError as error:
            return error if error.code == 'subscription_refused' else None

    def _begin(self, subscription: Subscription, answer: Frame, is_anew: bool) -> None:
        subscription.is_confirmed = True
        seqs, seq = subscription.seqs, answer.get('seq')
        if subscription.channel['resume']:
            last = seqs.get(self._wallet)
            # Remembered even if the connection is lost before the next message.
            if last is None and isinstance(seq, int):
                seqs[self._wallet] = seq
            # An answer below the requested number means a new count.
            is_less = last is not None and isinstance(seq, int) and seq < last
            subscription.is_resumed = not is_anew and self._wallet in seqs and not is_less
            if isinstance(seq, int):
                self._resume_behind(subscription, seq)
        if not subscription.accepted.done():
            subscription.accepted.set_result(None)

    def _resume_behind(self, subscription: Subscription, begins: int) -> None:
        """The venue resumes a stream for one reader at a time: subscriptions that were further behind are resumed again."""
        for one in self:
            is_other = one is not subscription and one.channel is subscription.channel
            if is_other and one.is_confirmed and one.is_resumed and one.seqs[self._wallet] < begins:
                one.is_confirmed = False
                self._enter(one)

    async def _refused(self, subscription: Subscription, refusal: StrikebookError) -> None:
        self._all.pop(subscription, None)
        self._ended(subscription, refusal)
        # Some of several symbols may have been accepted. Ending anything else could itself be refused.
        if subscription.channel['key'] == 'symbol' and subscription.symbols is not None and len(subscription.symbols) > 1:
            await self._dismiss([subscription])

    async def _dismiss(self, over: list[Subscription]) -> None:
        """Unsubscribes from what no other subscription wants."""
        ask = self._unwanted(over) if over else None
        if ask is not None and await self._refusal_of(ask) is not None:
            self._postpone(lambda: self._leave_all(over))

    def _again(self, together: list[Subscription]) -> None:
        """A stream that could not be resumed has ended for all subscriptions of the wallet."""
        channel = together[0].channel
        self._enter_all(one for one in (self if channel['resume'] else together) if one.channel is channel)

    def _postpone(self, work: Callable[[], None]) -> None:
        """Does nothing while disconnected: the next connect asks for everything."""
        if not self._link.is_open:
            return
        self._postponed.append(work)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._link.longest_wait, self._resume_work)

    def _resume_work(self) -> None:
        self._timer = None
        works, self._postponed = self._postponed, []
        for work in works:
            work()

    def _unwanted(self, over: list[Subscription]) -> Frame | None:
        first = over[0]
        others = [one for one in self._all if one.channel is first.channel and one.rest == first.rest]
        key, name = first.channel['key'], first.ask['channel']
        if key == 'filter':
            is_shared = any(_filter_of(one) == _filter_of(first) for one in others)
            return None if is_shared else {**first.ask, 'type': 'Unsubscribe'}
        if key != 'symbol':
            return None if others else {'type': 'Unsubscribe', 'channel': name}
        free = set().union(*(one.keys for one in over)) - set().union(*(one.keys for one in others))
        return {'type': 'Unsubscribe', 'channel': name, 'symbols': sorted(free)} if free else None


def _take_together(waiting: dict[Subscription, None], is_together: Callable[[Subscription, Subscription], bool]) -> list[Subscription]:
    """The first subscription, and those that fit into the same message."""
    together: list[Subscription] = []
    count = 0
    for one in list(waiting):
        size = len(one.keys)
        if together and (count + size > SYMBOLS_A_SUBSCRIPTION or not is_together(together[0], one)):
            continue
        del waiting[one]
        together.append(one)
        count += size
    return together


def _is_alike(one: Subscription, other: Subscription) -> bool:
    return one.channel is other.channel and one.channel['key'] == 'symbol' and one.symbols is not None and other.symbols is not None


def _is_of_one_end(one: Subscription, other: Subscription) -> bool:
    if one.channel is not other.channel or one.rest != other.rest:
        return False
    return one.channel['key'] != 'filter' or _filter_of(one) == _filter_of(other)


def _filter_of(subscription: Subscription) -> str:
    """Equal for filters that the caller wrote alike."""
    ask = {**subscription.ask, 'symbols': sorted(subscription.ask.get('symbols', ()))}
    return json.dumps(ask, sort_keys=True)
