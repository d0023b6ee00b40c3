// Rules of core/ and shell/ about access to the outside: the clock, the environment, the database, sockets, shared memory and the
// process have one home each (house.ts: HOMES); all other code gets them as arguments. bench, test and scripts are free, but properties
// of tests have one seed (house.ts: SEEDED).
import type { AnyNode } from 'acorn';
import { HOMES, SEEDED } from './house.ts';
import { dotted, isVariable, lineOf, walk, type Finding, type Module } from './syntax.ts';

export function checkWorld({ path, ast, imports }: Module): Finding[] {
  if (path.startsWith('test/') && path !== SEEDED.home) {
    return imports.filter(({ from }) => from === SEEDED.what)
      .map(({ line }) => ({ path, line, rule: 'world', message: `${SEEDED.what} belongs into ${SEEDED.home}, which sets its seed` }));
  }
  if (!/^(core|shell)\//.test(path)) return [];
  const foreign = HOMES.filter(({ home }) => !home.some(place => (place.endsWith('/') ? path.startsWith(place) : path === place)));
  const homeOf = new Map(foreign.flatMap(({ what, home }) => what.map(name => [name, home.join(', ')] as const)));
  const findings: Finding[] = [];
  const tell = (name: string, line: number): void => {
    if (homeOf.has(name)) findings.push({ path, line, rule: 'world', message: `${name} belongs into ${homeOf.get(name)!}` });
  };
  for (const { from, line } of imports) tell(from.startsWith('node:') || from.startsWith('.') ? from : packageOf(from), line);
  walk(ast, (node, parents, key) => {
    for (const name of namesOf(node, parents, key)) tell(name, lineOf(node));
  });
  return findings;
}

/** `@noble/curves` for `@noble/curves/secp256k1.js`. */
export function packageOf(from: string): string {
  return from.split('/').slice(0, from.startsWith('@') ? 2 : 1).join('/');
}

/** The table entry of a node; `process` passed on as a whole counts as all of its entries. */
function namesOf(node: AnyNode, parents: readonly AnyNode[], key: string): string[] {
  const parent = parents.at(-1);
  if (node.type === 'MemberExpression') return [dotted(node)];
  if (node.type === 'NewExpression') return dotted(node.callee) === 'Date' && node.arguments.length === 0 ? ['new Date()'] : [];
  if (node.type === 'CallExpression') return dotted(node.callee) === 'Date' ? ['Date()'] : [];
  if (node.type !== 'Identifier' || !isVariable(parent, key)) return [];
  const whole = parent?.type !== 'MemberExpression' && parent?.type !== 'UnaryExpression';
  return node.name === 'process' && whole ? ['process.env', 'process.exit'] : [node.name];
}
