// Every endpoint: a good request is answered 200 with exactly the fields of the law. Each wrong or missing parameter or body field is
// refused as the law says.

import { goodRequests } from './good.ts';
import { misfits } from './fits.ts';
import { ENDPOINTS, type Endpoint, type Parameter } from './law/endpoints.ts';
import { REQUESTS } from './law/requests.ts';
import { shown, type Answer, type Checks, type Target } from './checks.ts';
import type { World } from './world.ts';

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

export async function checkEndpoints(checks: Checks, target: Target, world: World): Promise<void> {
  const good = goodRequests(world, target);
  for (const endpoint of ENDPOINTS) {
    const name = nameOf(endpoint);
    const answer = await good[name]?.();
    if (answer === undefined) {
      if (endpoint.method === 'GET' && endpoint.shown === undefined) await checkRead(checks, target, world, endpoint);
      else checks.skip(name, endpoint.auth === 'admin' ? 'needs --token' : `needs ${endpoint.shown?.double}`);
    } else checkAnswer(checks, endpoint, answer);
    if (endpoint.method !== 'GET') await checkBody(checks, target, endpoint);
  }
}

async function checkRead(checks: Checks, target: Target, world: World, endpoint: Endpoint): Promise<void> {
  const path = world.pathOf(endpoint.path);
  if (path === null) return checks.skip(nameOf(endpoint), 'there is nothing yet that it could show');
  const good = goodQuery(world, endpoint);
  if (good === null) return checks.skip(nameOf(endpoint), 'there is nothing yet that it could show');
  checkAnswer(checks, endpoint, await target.get(`${path}?${new URLSearchParams(good)}`));
  for (const [name, parameter] of Object.entries(endpoint.query)) {
    const { [name]: _, ...without } = good;
    const ask = (value: string): Promise<Answer> => target.get(`${path}?${new URLSearchParams({ ...without, [name]: value })}`);
    await checkParameter(checks, endpoint, { name, parameter, ask, bare: () => target.get(`${path}?${new URLSearchParams(without)}`) });
  }
}

function checkAnswer(checks: Checks, endpoint: Endpoint, answer: Answer): void {
  const name = nameOf(endpoint);
  if (answer.status !== 200) return checks.note(name, [shown(answer)]);
  if (endpoint.shape === '') return checks.equal(`${name}: no body`, answer.text, '');
  const isJson = answer.type.startsWith('application/json');
  checks.note(name, [...isJson ? [] : [`content-type ${answer.type}`], ...misfits(endpoint.shape, answer.body).slice(0, 5)]);
}

type Asked = {
  readonly name: string; readonly parameter: Parameter;
  readonly ask: (value: string) => Promise<Answer>; readonly bare: () => Promise<Answer>;
};

async function checkParameter(checks: Checks, endpoint: Endpoint, { ask, bare, name, parameter }: Asked): Promise<void> {
  const place = `${nameOf(endpoint)}: ${name}`;
  const refused = (answer: Answer, code: string): void => checks.equal(place, [answer.status, answer.body?.error], [400, code]);
  if (parameter.required) {
    const { body, status } = await bare();
    checks.equal(`${place} is required`, [status, body?.error, body?.message], [400, 'missing_field', `Missing required field: ${name}`]);
  }
  if (parameter.values !== undefined) refused(await ask('none of them'), 'invalid_parameter');
  if (name === 'wallet') refused(await ask('0x12'), 'invalid_wallet');
  if (name === 'limit' || name === 'offset') refused(await ask('-1'), 'invalid_parameter');
  const isPaged = typeof endpoint.shape === 'object' && 'pagination' in endpoint.shape;
  if (name !== 'limit' || !isPaged) return;
  const none = await ask('0');
  checks.equal(`${place} 0`, [none.status, none.body?.data], [200, []]);
  if (parameter.max === undefined) return;
  const beyond = await ask(String(parameter.max + 1));
  checks.equal(`${place} above its maximum`, beyond.body?.pagination?.limit, parameter.max);
}

async function checkBody(checks: Checks, target: Target, endpoint: Endpoint): Promise<void> {
  const whole = REQUESTS[nameOf(endpoint)] ?? {};
  const isAdmin = endpoint.auth === 'admin';
  if (isAdmin && !target.hasToken) return checks.skip(`${nameOf(endpoint)}: its body`, 'needs --token');
  for (const field of Object.keys(whole)) {
    const { [field]: _, ...rest } = whole;
    const { method, path } = endpoint;
    const { body, status } = isAdmin ? await target.operate(method, path, rest) : await target.send(method, path, rest);
    const wanted = [400, 'missing_field', `Missing required field: ${field}`];
    checks.equal(`${nameOf(endpoint)}: without ${field}`, [status, body?.error, body?.message], wanted);
  }
}

/** Values with which the endpoint answers 200; null if there are none. */
function goodQuery(world: World, { path, query }: Endpoint): Record<string, string> | null {
  const names = Object.keys(query).filter((name) => query[name]!.required || NEEDED[path] === name);
  const known = names.map((name) => [name, world.values[name]] as const);
  return known.some(([, value]) => value === undefined) ? null : Object.fromEntries(known) as Record<string, string>;
}

/** One of two that must be there. */
const NEEDED: Readonly<Record<string, string>> = { '/orderbook': 'instrument_name', '/username': 'username' };
