// Rules inside core/: `apply` must give the same bits in every engine at every time, so the core may use only what
// the language fixes to the last bit. Globals and the members of Math, Number and Object go by allow-list, syntax by ban.
import type { AnyNode, Program } from 'acorn';
import { CORE_BANNED_METHODS, CORE_BIGINT, CORE_CATCH, CORE_GLOBALS, CORE_KEEPS, CORE_MEMBERS } from './house.ts';
import { boundNames, isVariable, lineOf, memberName, walk, type Finding, type Module } from './syntax.ts';

/** Global names of any engine or of Node; the core may not redefine them, and may use only those on the allow-list. */
const GLOBALS = new Set(Object.getOwnPropertyNames(globalThis));

export function checkPurity(module: Module): Finding[] {
  if (!module.path.startsWith('core/')) return [];
  const { path, ast } = module;
  const own = ownNames(ast);
  const findings = CORE_KEEPS.has(path) ? [] : moduleState(module);
  walk(ast, (node, parents, key) => {
    const parent = parents.at(-1);
    const message = syntaxFault(path, node) || memberFault(node, parent) || globalFault(path, node, parent, key, own);
    if (message !== '') findings.push({ path, line: lineOf(node), rule: 'core', message });
  });
  return findings;
}

/** Finds state kept by a module between calls: mutable values belong in the state, or in the constant `scratch`. */
function moduleState({ path, ast }: Module): Finding[] {
  const findings: Finding[] = [];
  for (const statement of (ast as Program).body) {
    const isExported = statement.type === 'ExportNamedDeclaration';
    const declaration = isExported ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations) {
      const name = id.type === 'Identifier' ? id.name : '';
      const message = declaration.kind !== 'const' ? `${name}: a module keeps nothing between calls`
        : name === 'scratch' ? isExported ? 'scratch is of one file' : ''
          : mayChange(name, init) ? `${name}: room for one call is a field of the constant \`scratch\`` : '';
      if (message !== '') findings.push({ path, line: lineOf(statement), rule: 'core', message });
    }
  }
  return findings;
}

/** Constant tables have names in capitals; an object or array with another name counts as mutable. */
function mayChange(name: string, init: AnyNode | null | undefined): boolean {
  const isMade = init?.type === 'NewExpression' || init?.type === 'ObjectExpression' || init?.type === 'ArrayExpression';
  return isMade && name !== name.toUpperCase();
}

/** Every name that is bound anywhere in the file: the rest is global. */
function ownNames(ast: AnyNode): Set<string> {
  const own = new Set<string>();
  const add = (...patterns: (AnyNode | null | undefined)[]): void => {
    for (const name of patterns.flatMap(boundNames)) own.add(name);
  };
  walk(ast, node => {
    switch (node.type) {
      case 'VariableDeclarator': add(node.id); break;
      case 'FunctionDeclaration': case 'FunctionExpression': add(node.id, ...node.params); break;
      case 'ArrowFunctionExpression': add(...node.params); break;
      case 'ClassDeclaration': case 'ClassExpression': add(node.id); break;
      case 'ImportSpecifier': case 'ImportDefaultSpecifier': case 'ImportNamespaceSpecifier': add(node.local); break;
      case 'CatchClause': add(node.param); break;
    }
  });
  return own;
}

function syntaxFault(path: string, node: AnyNode): string {
  switch (node.type) {
    case 'BinaryExpression': return node.operator === '**' ? '** is not exact' : '';
    case 'AssignmentExpression': return node.operator === '**=' ? '** is not exact' : '';
    case 'AwaitExpression': return 'await: the core is synchronous';
    case 'ForOfStatement': return node.await ? 'await: the core is synchronous' : '';
    case 'FunctionDeclaration': case 'FunctionExpression': case 'ArrowFunctionExpression':
      return node.async ? 'async: the core is synchronous' : '';
    case 'ForInStatement': return 'for-in has no order of its own';
    case 'ImportExpression': return 'import(): the core is synchronous';
    case 'MetaProperty': return node.meta.name === 'import' ? 'import.meta: the core knows no place' : '';
    case 'Literal': return node.bigint && !CORE_BIGINT.has(path) ? 'BigInt outside of the exact paths' : '';
    case 'TryStatement': return CORE_CATCH.has(path) ? '' : 'try: a refusal is a code, a fault is not caught here';
    default: return '';
  }
}

function memberFault(node: AnyNode, parent: AnyNode | undefined): string {
  if (node.type !== 'MemberExpression') return '';
  const name = memberName(node);
  const allowed = node.object.type === 'Identifier' ? CORE_MEMBERS[node.object.name] : undefined;
  if (allowed && !allowed.has(name)) return `${(node.object as { name: string }).name}.${name || '[…]'} is not in the allow-list`;
  if (CORE_BANNED_METHODS.has(name)) return `${name}() is not allowed`;
  const called = parent?.type === 'CallExpression' && parent.callee === node;
  if (called && (name === 'sort' || name === 'toSorted') && parent.arguments.length === 0) return `${name}() without a comparator`;
  return '';
}

function globalFault(path: string, node: AnyNode, parent: AnyNode | undefined, key: string, own: ReadonlySet<string>): string {
  if (node.type !== 'Identifier' || !isVariable(parent, key)) return '';
  if (own.has(node.name)) return GLOBALS.has(node.name) ? `${node.name} hides a global of that name` : '';
  if (node.name === 'BigInt') return CORE_BIGINT.has(path) ? '' : 'BigInt outside of the exact paths';
  if (!CORE_GLOBALS.has(node.name)) return `${node.name} is not in the allow-list of globals`;
  const whole = CORE_MEMBERS[node.name] !== undefined && !(parent?.type === 'MemberExpression' && key === 'object');
  const called = (parent?.type === 'CallExpression' && key === 'callee') || parent?.type === 'BinaryExpression';
  return whole && !called ? `${node.name} may not be handed on` : '';
}
