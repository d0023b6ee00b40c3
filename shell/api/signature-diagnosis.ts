// Why a signature does not fit (decision 6.3), by trying common mistakes: other notations of price and size, `route`
// added or missing, another domain. At most 8 recoveries, each queued as a check and charged to the source's failed
// signatures. Reveals nothing that the client has not sent.

import { SET_TIER } from '../../core/codec/commands.ts';
import { createHasher, type Hasher } from './auth/eip712.ts';
import { toHex } from '../http/hex.ts';
import { perpSources } from './auth/perp-action.ts';
import { DEFAULT_SERVICE_NAME } from '../ipc/enum-names.ts';
import { attempt } from './action.ts';
import type { Command } from './command.ts';
import type { ApiContext } from './context.ts';
import { extensionOf } from './extended-order.ts';
import type { StructureName } from '../../core/codec/signed-commands.ts';
import type { AnyValues } from './proof-texts.ts';
import { bodyJson } from './reader-client.ts';
import {
  isPerpForm, recoverAs, recoverTyped, type PerpForm, type RecoveredSignature, type SignedForm, type TypedForm,
} from './signature.ts';

const MOST_RECOVERIES = 8;
const NAMES = [DEFAULT_SERVICE_NAME, 'Hypercall', 'Hypertheta'];
const CHAINS = [1, 998, 999, 1337];
const SOURCES = ['b', 'a', DEFAULT_SERVICE_NAME];
const PLAIN: AnyValues = { reduceOnly: false, ...extensionOf({}) };
const EXTENDED_FORMS: ReadonlyMap<StructureName, StructureName> = new Map([
  ['PlaceOrder', 'PlaceOrderExtended'], ['PlaceOrderRouted', 'PlaceOrderExtended'], ['PlaceOrderReduceOnly', 'PlaceOrderExtended'],
  ['ReplaceOrder', 'ReplaceOrderExtended'], ['ReplaceOrderReduceOnly', 'ReplaceOrderExtended'],
]);
const PLAIN_FORMS: ReadonlyMap<StructureName, StructureName> = new Map([
  ['PlaceOrderExtended', 'PlaceOrder'], ['ReplaceOrderExtended', 'ReplaceOrder'],
]);
const ROUTES = ['book_only', 'best_execution'];

type Trial = { readonly name: string; readonly recover: () => RecoveredSignature };
type Match = { readonly name: string; readonly signer: string };

/** `take` gets the name of the form that the wallet or its agent signed, or null. */
export function diagnoseSignature(api: ApiContext, form: SignedForm, command: Command, take: (found: string | null) => void): void {
  const trials = trialsOf(api, form, command.signed!.signature).slice(0, MOST_RECOVERIES);
  const owners = command.kind === SET_TIER ? api.config.adminWallets : [toHex(command.wallet)];
  const matches: Match[] = [];
  const next = (): void => {
    const trial = trials.shift();
    if (trial === undefined || !api.sources.mayDiagnose(command.source)) return resolveMatch(api, owners, matches, take);
    const refusal = api.checks.run(command.source, () => {
      const signer = signerOf(api, trial);
      api.sources.countFailure(command.source);
      if (signer !== null) matches.push({ name: trial.name, signer });
      if (signer !== null && owners.includes(signer)) resolveMatch(api, owners, matches, take);
      else next();
    });
    if (refusal !== null) resolveMatch(api, owners, matches, take);
  };
  next();
}

function signerOf(api: ApiContext, { recover }: Trial): string | null {
  const checked = attempt(api, 'diagnosis', recover);
  return 'signer' in checked && checked.signer !== null ? toHex(checked.signer) : null;
}

function resolveMatch(api: ApiContext, owners: readonly string[], matches: readonly Match[], take: (found: string | null) => void): void {
  const named = (signers: readonly string[]): string | null => matches.find(({ signer }) => signers.includes(signer))?.name ?? null;
  const own = named(owners);
  if (own !== null || owners.length !== 1 || matches.length === 0) return take(own);
  const asked = api.reads.ask('agents', { wallet: owners[0]! }, ({ body }) => {
    const found = attempt(api, 'diagnosis', () => named((bodyJson(body) as { agents: string[] }).agents));
    take(typeof found === 'string' ? found : null);
  }, () => take(null));
  if (!asked) take(null);
}

function trialsOf(api: ApiContext, form: SignedForm, signature: Uint8Array): Trial[] {
  return isPerpForm(form) ? perpTrials(api, form, signature) : typedTrials(api, form, signature);
}

function typedTrials(api: ApiContext, form: TypedForm, signature: Uint8Array): Trial[] {
  const { name: ownName, chainId: ownChain } = api.hasher.domain;
  const as = (name: string, hasher: Hasher, other: TypedForm = form): Trial => (
    { name, recover: () => recoverTyped(api, hasher, other, signature) }
  );
  const canonical = canonicalTexts(form.values);
  return [
    ...(canonical === null ? [] : [as(canonical.name, api.hasher, { ...form, values: { ...form.values, ...canonical.texts } })]),
    ...routeForms(form).map(({ name, other }) => as(name, api.hasher, other)),
    ...NAMES.filter((name) => name !== ownName).map((name) => as(`the domain name ${name}`, createHasher(name, ownChain))),
    ...CHAINS.filter((chain) => chain !== ownChain).map((chain) => as(`the chain id ${chain}`, createHasher(ownName, chain))),
    ...extendedForms(form).map(({ name, other }) => as(name, api.hasher, other)),
  ];
}

function extendedForms({ structure, values }: TypedForm) {
  const extended = EXTENDED_FORMS.get(structure);
  if (extended === undefined) return [];
  const other: TypedForm = { structure: extended, values: { ...PLAIN, ...values } };
  return [{ name: 'an extended order, whose body has none of its fields', other }];
}

function routeForms({ structure, values }: TypedForm) {
  if (structure === 'PlaceOrderRouted') return [{ name: 'an order without route', other: { structure: 'PlaceOrder' as const, values } }];
  const plain = PLAIN_FORMS.get(structure);
  if (plain !== undefined) return [{ name: 'an order without the fields of an extended one', other: { structure: plain, values } }];
  if (structure !== 'PlaceOrder') return [];
  return ROUTES.map((route) => (
    { name: `the route ${route}`, other: { structure: 'PlaceOrderRouted' as const, values: { ...values, route } } }
  ));
}

/** All venues share the domain, so only source and texts can differ. */
function perpTrials(api: ApiContext, { order, nonce, wallet, values }: PerpForm, signature: Uint8Array): Trial[] {
  const canonical = canonicalTexts(values);
  const taken = perpSources(api.hasher.domain);
  const as = (name: string, source: string, other = order): Trial[] => [null, wallet].map((agentFor) => (
    { name, recover: () => recoverAs(api, { order: other, nonce }, source, agentFor, signature) }
  ));
  return [
    ...(canonical === null ? [] : taken.flatMap((source) => as(canonical.name, source, { ...order, ...canonical.texts }))),
    ...SOURCES.filter((source) => !taken.includes(source)).flatMap((source) => as(`the source ${source}`, source)),
  ];
}

function canonicalTexts(values: AnyValues): { readonly name: string; readonly texts: AnyValues } | null {
  const texts: Record<string, string> = {};
  for (const name of ['price', 'size']) {
    const sent = values[name];
    if (typeof sent !== 'string' || !/^[0-9]{1,20}(\.[0-9]{1,18})?$/.test(sent)) continue;
    const plain = sent.replace(/^0+(?=[0-9])/, '').replace(/(\.[0-9]*?)0+$/, '$1').replace(/\.$/, '');
    if (plain !== sent) texts[name] = plain;
  }
  const changed = Object.entries(texts);
  return changed.length === 0 ? null : { name: changed.map(([name, text]) => `${name} ${text}`).join(' and '), texts };
}
