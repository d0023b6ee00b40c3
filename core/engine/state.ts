// The whole state of a venue: every store at the capacities of `limits`, and its sections for hash and snapshot. Two states with equal
// sections behave alike for ever.

import { fixedSection, float64, type Section } from '../columns.ts';
import { FAIR_NONCE_RUNS, NONCES_PER_WALLET, type Limits } from '../limits.ts';
import { createSettings, settingsSections } from '../settings.ts';
import { createEvents, eventSections } from '../codec/events.ts';
import { accountCount, accountSections, createAccounts, rebuildAccounts } from '../accounts/accounts.ts';
import { closedSections, createClosed, rebuildClosed } from '../accounts/closed-accounts.ts';
import { agentSections, createAgents, rebuildAgents } from '../accounts/agents.ts';
import { createQuoteNonces, quoteNonceSections } from '../accounts/quote-nonces.ts';
import { createPending, pendingSections, rebuildPending } from '../accounts/pending-approvals.ts';
import { createRevocations, revocationSections } from '../accounts/revocations.ts';
import { createLedger, ledgerSections } from '../ledger/ledger.ts';
import { createUnderlyings, underlyingCount, underlyingSections } from '../instruments/underlyings.ts';
import { createInstruments, instrumentCount, instrumentSections, rebuildInstruments } from '../instruments/instruments.ts';
import { createFunding, fundingSections } from '../positions/funding.ts';
import { createPerpAccounts, perpAccountSections } from '../positions/perp-accounts.ts';
import { createHoldings, holdingRows, holdingSections, rebuildHoldings } from '../positions/holdings.ts';
import { createStreams, streamSections } from '../streams.ts';
import { createNonces, nonceSections, rebuildNonces } from '../nonces.ts';
import { bookSections, createBooks, rebuildBooks } from '../book/books.ts';
import { createOrders, orderSections, rebuildOrders } from '../orders/orders.ts';
import { createValuation, valuationSections } from '../valuation/valuation.ts';
import { createMarginCache } from '../margin/account-margin.ts';
import { createMmp, mmpSections, rebuildMmp } from '../mmp/mmp.ts';
import { windowRows } from '../mmp/windows.ts';
import { createItem, createResult, createDryRun, createTaker } from '../trading/context.ts';
import { createMmpCancels, mmpCancelSections } from '../trading/mmp-cancels.ts';
import { createCancelJobs, cancelJobSections } from '../trading/cancel-jobs.ts';
import { createSafety, rebuildSafety, safetySections } from '../safety/safety.ts';
import { createWorkQueue, workSections, WORK_ITEMS } from '../lifecycle/work-queue.ts';
import { createSchedule, scheduleSections, type Lifecycle } from '../lifecycle/lifecycle.ts';
import { createFiring, firingSections } from '../lifecycle/firing-state.ts';
import { createPerps, perpSections } from '../lifecycle/funding-rate.ts';
import { createReclaim, reclaimSections } from '../lifecycle/reclaim-state.ts';
import { createRisk, riskSections } from '../lifecycle/liquidation-state.ts';
import { competitionSections, createCompetitions, type Competitions } from '../registry/competitions.ts';
import { createCredits, creditSections, rebuildCredits } from '../registry/credits.ts';
import { createPayouts, payoutSections } from '../registry/payouts.ts';
import { createUsernames, rebuildUsernames, usernameSections } from '../registry/usernames.ts';
import { createSettlement, settlementSections } from '../lifecycle/settlement-price.ts';

/** `clock`: seq and time of the last command. */
export type State = Lifecycle & {
  readonly limits: Limits; readonly clock: Float64Array; readonly competitions: Competitions;
};

export const SEQ = 0;
export const TIME = 1;

export function createState(limits: Limits): State {
  const instruments = createInstruments(limits.instruments);
  const books = createBooks(limits);
  return {
    limits, clock: float64(2), settings: createSettings(), events: createEvents(),
    accounts: createAccounts(limits.accounts), closed: createClosed(limits.closedAccounts),
    agents: createAgents(limits.agents), pending: createPending(limits.pendingApprovals),
    revocations: createRevocations(limits.revocations, limits.accounts),
    ledger: createLedger(), underlyings: createUnderlyings(limits.underlyings), instruments,
    holdings: createHoldings(limits.holdings), funding: createFunding(limits.instruments),
    nonces: createNonces(limits, NONCES_PER_WALLET, FAIR_NONCE_RUNS), books,
    quoteNonces: createQuoteNonces(limits.accounts, limits.underlyings),
    perpAccounts: createPerpAccounts(limits.accounts, limits.underlyings),
    orders: createOrders(books), valuation: createValuation(limits.underlyings, instruments),
    mmp: createMmp(limits), mmpCancels: createMmpCancels(limits), cancelJobs: createCancelJobs(), dryRun: createDryRun(limits),
    cache: createMarginCache(limits), result: createResult(), safety: createSafety(limits.accounts),
    streams: createStreams(limits.accounts, limits.instruments, limits.underlyings),
    candidate: { account: 0, instrument: 0, row: -1, side: 0, price: 0, size: 0 }, taker: createTaker(),
    rest: { holding: 0, size: 0, tif: 0, flags: 0, time: 0, words: new Uint32Array(0), at: 0, length: 0 },
    item: createItem(),
    marks: createWorkQueue(limits.underlyings), work: createWorkQueue(WORK_ITEMS), schedule: createSchedule(limits.underlyings),
    settlement: createSettlement(limits.underlyings, limits.instruments), perps: createPerps(limits.underlyings),
    risk: createRisk(limits), reclaim: createReclaim(), firing: createFiring(limits.underlyings),
    payouts: createPayouts(limits.payouts), credits: createCredits(limits.credits),
    usernames: createUsernames(limits.accounts),
    competitions: createCompetitions(limits.competitions),
  };
}

/** All sections, in the order of loading: a section's length may depend on earlier ones. */
export function stateSections(state: State): readonly Section[] {
  return [
    fixedSection('clock', state.clock), ...settingsSections(state.settings), ...eventSections(state.events),
    ...accountSections(state.accounts), ...closedSections(state.closed), ...agentSections(state.agents), ...pendingSections(state.pending),
    ...revocationSections(state.revocations),
    ...ledgerSections(state.ledger), ...underlyingSections(state.underlyings), ...instrumentSections(state.instruments),
    ...holdingSections(state.holdings), ...fundingSections(state.funding, () => instrumentCount(state.instruments)),
    ...nonceSections(state.nonces),
    ...quoteNonceSections(state.quoteNonces, () => accountCount(state.accounts), () => underlyingCount(state.underlyings)),
    ...perpAccountSections(state.perpAccounts, () => accountCount(state.accounts), () => underlyingCount(state.underlyings)),
    ...bookSections(state.books), ...orderSections(state.orders),
    ...mmpSections(state.mmp), ...mmpCancelSections(state.mmpCancels, () => windowRows(state.mmp.windows)),
    ...cancelJobSections(state.cancelJobs), ...safetySections(state.safety, () => accountCount(state.accounts)),
    ...valuationSections(state.valuation), ...workSections('marks', state.marks), ...workSections('work', state.work),
    ...scheduleSections(state.schedule), ...perpSections(state.perps),
    ...settlementSections(state.settlement, () => instrumentCount(state.instruments)),
    ...riskSections(state.risk, () => accountCount(state.accounts), () => holdingRows(state.holdings)),
    ...reclaimSections(state.reclaim), ...firingSections(state.firing), ...payoutSections(state.payouts), ...creditSections(state.credits),
    ...usernameSections(state.usernames, () => accountCount(state.accounts)),
    ...competitionSections(state.competitions),
    ...streamSections(state.streams, () => accountCount(state.accounts), () => instrumentCount(state.instruments)),
  ];
}

export function rebuildState(state: State): void {
  rebuildAccounts(state.accounts);
  rebuildClosed(state.closed);
  rebuildAgents(state.agents, state.accounts);
  rebuildPending(state.pending);
  rebuildInstruments(state.instruments);
  rebuildHoldings(state.holdings, state.accounts);
  rebuildNonces(state.nonces);
  rebuildBooks(state.books);
  rebuildOrders(state.orders);
  rebuildMmp(state.mmp, state.accounts.tier);
  rebuildSafety(state.safety, accountCount(state.accounts));
  rebuildCredits(state.credits);
  rebuildUsernames(state.usernames, accountCount(state.accounts));
}
