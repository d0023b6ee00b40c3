// Faults of one line that a competent engineer might make, each with the tests that must notice it. Planted by
// scripts/mutants.ts; a line that has changed is an error there, so the list follows the code. A fault that no test
// could notice, since nothing that can be asked differs, does not belong here.

import type { Mutant } from './fault.ts';
import { ACCOUNTING } from './accounting.ts';
import { AMENDS } from './amends.ts';
import { ANSWERS } from './answers.ts';
import { CLOCK_STEPS } from './clock-steps.ts';
import { COMPRESSION } from './compression.ts';
import { DURABILITY } from './durability.ts';
import { EDGE } from './edge.ts';
import { EXTENDED } from './extended.ts';
import { FUNDING } from './funding.ts';
import { HL_READS } from './hl-reads.ts';
import { MARKET_DATA } from './market-data.ts';
import { LEDGER } from './ledger.ts';
import { OPERATOR } from './operator.ts';
import { OUTSIDE } from './outside.ts';
import { BATCHES } from './batches.ts';
import { QUOTES } from './quotes.ts';
import { REPLICATION } from './replication.ts';
import { REGISTRY } from './registry.ts';
import { INTERFACE } from './interface.ts';
import { RISK } from './risk.ts';
import { SCENARIOS } from './scenarios.ts';
import { SOCKETS } from './sockets.ts';
import { TRADING } from './trading.ts';
import { TRIGGERS } from './triggers.ts';
import { WRITES } from './writes.ts';
import { VENUE_HEALTH } from './venue-health.ts';

export const MUTANTS: readonly Mutant[] = [
  ...TRADING,
  ...EXTENDED,
  ...TRIGGERS,
  ...AMENDS,
  ...OPERATOR,
  ...RISK,
  ...QUOTES, ...BATCHES,
  ...REGISTRY,
  ...REPLICATION,
  ...DURABILITY,
  ...INTERFACE,
  ...ANSWERS,
  ...EDGE,
  ...ACCOUNTING,
  ...FUNDING,
  ...MARKET_DATA,
  ...HL_READS,
  ...LEDGER,
  ...OUTSIDE,
  ...COMPRESSION,
  ...CLOCK_STEPS,
  ...SCENARIOS,
  ...SOCKETS,
  ...VENUE_HEALTH,
  ...WRITES,
];
