// How tidy sees a file: the text as written, a syntax tree of it, what it imports and what it exports.
// The tree is acorn's, over the text with its types blanked out by Node's own stripper, which keeps every position. Files with JSX are
// translated by esbuild, and their lines mapped back.
// Type-only imports and exports would vanish with the types, so their `type` keyword is blanked first: to tidy they
// are imports and exports like any other. It must never read a disk: files are handed in.
import { SourceMap, stripTypeScriptTypes } from 'node:module';
import { posix } from 'node:path';
import { transformSync } from 'esbuild';
import { parse, type AnyNode, type ExportNamedDeclaration, type Identifier, type Literal, type Position, type Program } from 'acorn';

/** A file as it lies in the tree; `path` is relative to the root, with forward slashes. */
export type File = { readonly path: string; readonly text: string };

/** One thing wrong; `line` counts from 1. */
export type Finding = { readonly path: string; readonly line: number; readonly rule: string; readonly message: string };

/** `target` is the path of the imported file, or '' for a package; `names` is null when all names may be used. */
type Import = { readonly from: string; readonly target: string; readonly names: readonly string[] | null; readonly line: number };

export type Export = { readonly name: string; readonly line: number };

export type Module = File & {
  readonly ast: Program;
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  /** String literals of the file: a path among them names a worker or a child process. */
  readonly strings: readonly string[];
};

/** Called for every node, parents first; `key` is the parent's field the node stands in. */
type Visit = (node: AnyNode, parents: readonly AnyNode[], key: string) => void;

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Blanks the word `type` in `import type …`, `export type { … }` and in the braces of an import or export. */
function unveil(text: string): string {
  return text
    .replace(/^((?:import|export)\s+)(type)(?=\s*[{*]|\s+[\w$]+\s+from\b)/gm, (_, lead: string, word: string) => lead + blank(word))
    .replace(/^(?:import|export)\s[^;'"`{]*\{[^}]*\}/gm, clause => clause.replace(/([{,]\s*)type(?=\s+[\w$])/g, '$1    '));
}

/** Throws a SyntaxError for a text that does not parse. */
export function parseModule({ path, text }: File): Module {
  const isJsx = path.endsWith('.tsx');
  const source = path.endsWith('.ts') || isJsx ? unveil(text) : text;
  const code = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
  if (code.length !== source.length) throw new SyntaxError('positions moved when the types were stripped');
  const ast = isJsx ? parseJsx(source) : parseCode(code);
  const strings: string[] = [];
  walk(ast, node => {
    if (node.type === 'Literal' && typeof node.value === 'string') strings.push(node.value);
    if (node.type === 'TemplateLiteral' && node.expressions.length === 0) strings.push(node.quasis[0]!.value.cooked ?? '');
  });
  const exports = isJsx ? jsxExports(source) : [...valueExports(ast), ...typeExports(source, code)];
  return { path, text, ast, imports: importsOf(path, text, ast), exports, strings };
}

function parseCode(code: string): Program {
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true });
}

/** The lines of the nodes are those of the source. */
function parseJsx(source: string): Program {
  const { code, map } = transformSync(source, {
    loader: 'tsx', format: 'esm', jsx: 'transform', sourcemap: 'external', tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const ast = parseCode(code);
  const mapped = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
  const lineIn = ({ line, column }: Position): number => {
    const entry = mapped.findEntry(line - 1, column);
    return 'originalLine' in entry ? entry.originalLine + 1 : line;
  };
  const seen = new Set<Position>();
  walk(ast, ({ loc }) => {
    for (const position of [loc!.start, loc!.end]) {
      if (seen.has(position)) continue;
      seen.add(position);
      position.line = lineIn(position);
    }
  });
  return ast;
}

export function lineOf(node: AnyNode): number {
  return node.loc?.start.line ?? 1;
}

export function walk(root: AnyNode, visit: Visit): void {
  const parents: AnyNode[] = [];
  const go = (node: AnyNode, key: string): void => {
    visit(node, parents, key);
    parents.push(node);
    for (const field in node) {
      const value: unknown = node[field as keyof AnyNode];
      if (Array.isArray(value)) for (const child of value) enter(child, field);
      else enter(value, field);
    }
    parents.pop();
  };
  const enter = (child: unknown, field: string): void => {
    if (isNode(child)) go(child, field);
  };
  go(root, '');
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** `process.env` for that expression, also behind `globalThis`; '' for what is not a plain chain of names. */
export function dotted(node: AnyNode): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'ChainExpression') return dotted(node.expression);
  if (node.type !== 'MemberExpression') return '';
  const object = dotted(node.object);
  const name = memberName(node);
  if (object === '' || name === '') return '';
  return object === 'globalThis' ? name : `${object}.${name}`;
}

/** The name of a member, written with a dot or as a string in brackets; '' for a computed one. */
export function memberName(node: AnyNode): string {
  if (node.type !== 'MemberExpression') return '';
  if (!node.computed && node.property.type === 'Identifier') return node.property.name;
  return node.computed && node.property.type === 'Literal' && typeof node.property.value === 'string' ? node.property.value : '';
}

/** Whether an identifier stands for a variable (not for a property, a label or a specifier). */
export function isVariable(parent: AnyNode | undefined, key: string): boolean {
  switch (parent?.type) {
    case 'MemberExpression': return key === 'object' || parent.computed;
    case 'Property': case 'PropertyDefinition': case 'MethodDefinition': return key === 'value' || parent.computed;
    case 'LabeledStatement': return key !== 'label';
    case 'BreakStatement': case 'ContinueStatement': case 'MetaProperty': return false;
    case 'ImportSpecifier': case 'ExportSpecifier': case 'ExportAllDeclaration': return false;
    default: return true;
  }
}

/** The names a declaration, a parameter list or a catch clause binds. */
export function boundNames(pattern: AnyNode | null | undefined): string[] {
  switch (pattern?.type) {
    case 'Identifier': return [pattern.name];
    case 'ObjectPattern': return pattern.properties.flatMap(p => boundNames(p.type === 'Property' ? p.value : p.argument));
    case 'ArrayPattern': return pattern.elements.flatMap(boundNames);
    case 'AssignmentPattern': return boundNames(pattern.left);
    case 'RestElement': return boundNames(pattern.argument);
    default: return [];
  }
}

const nameOf = (node: Identifier | Literal): string => (node.type === 'Identifier' ? node.name : String(node.value));

function importsOf(path: string, text: string, ast: Program): Import[] {
  const imports: Import[] = [];
  const add = (from: unknown, names: readonly string[] | null, node: AnyNode): void => {
    if (typeof from !== 'string') return;
    const target = from.startsWith('.') ? posix.join(posix.dirname(path), from) : '';
    imports.push({ from, target, names, line: lineOf(node) });
  };
  const loaders = loadersOf(ast);
  walk(ast, node => {
    if (node.type === 'CallExpression' && loaders.has(dotted(node.callee)) && node.arguments[0]?.type === 'Literal') {
      add(node.arguments[0].value, null, node);
    }
    if (node.type === 'ImportExpression') add(node.source.type === 'Literal' ? node.source.value : null, null, node);
    if (node.type === 'ExportAllDeclaration') add(node.source.value, null, node);
    if (node.type === 'ExportNamedDeclaration' && node.source) add(node.source.value, node.specifiers.map(s => nameOf(s.local)), node);
    if (node.type === 'ImportDeclaration') {
      const names = node.specifiers.flatMap(specifier => {
        if (specifier.type === 'ImportSpecifier') return [nameOf(specifier.imported)];
        return specifier.type === 'ImportDefaultSpecifier' ? ['default'] : membersUsed(text, specifier.local.name);
      });
      add(node.source.value, names.includes('*') ? null : names, node);
    }
  });
  return imports;
}

/** Variables that hold what `createRequire` gave: a call of them is an import. */
function loadersOf(ast: Program): Set<string> {
  const loaders = new Set<string>();
  walk(ast, node => {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || node.init?.type !== 'CallExpression') return;
    if (dotted(node.init.callee) === 'createRequire') loaders.add(node.id.name);
  });
  return loaders;
}

/** The names used of `import * as space`; '*' among them when the namespace is also used whole. */
function membersUsed(text: string, space: string): string[] {
  const uses = [...text.matchAll(new RegExp(`(?<!\\* as )(?<![\\w$.])${space}(?:\\s*\\??\\.\\s*([\\w$]+))?(?![\\w$])`, 'g'))];
  return uses.map(use => use[1] ?? '*');
}

function valueExports(ast: Program): Export[] {
  return ast.body.flatMap(node => {
    if (node.type === 'ExportDefaultDeclaration') return [{ name: 'default', line: lineOf(node) }];
    return node.type === 'ExportNamedDeclaration' ? exportedNames(node).map(name => ({ name, line: lineOf(node) })) : [];
  });
}

function exportedNames({ declaration, specifiers }: ExportNamedDeclaration): string[] {
  if (declaration?.type === 'VariableDeclaration') return declaration.declarations.flatMap(d => boundNames(d.id));
  return declaration ? boundNames(declaration.id) : specifiers.map(s => nameOf(s.exported));
}

/** By the text: the translation names all exports at its end. */
function jsxExports(source: string): Export[] {
  const declarations = source.matchAll(/^export\s+(?:async\s+)?(?:type|interface|const|let|function|class|(?=default))\s*([\w$]+)/gm);
  return [...declarations].map(({ index, 1: name }) => ({ name: name!, line: source.slice(0, index).split('\n').length }));
}

/** Exports that are types alone: the stripper left blanks where they stood. */
function typeExports(source: string, code: string): Export[] {
  const declarations = source.matchAll(/^export\s+(?:declare\s+)?(?:abstract\s+)?(?:type|interface|const|let|function|class)\s+([\w$]+)/gm);
  return [...declarations].flatMap(({ index, 1: name }) => {
    if (code.slice(index, index + 'export'.length).trim() !== '') return [];
    return [{ name: name!, line: source.slice(0, index).split('\n').length }];
  });
}
