// Rules about the text: lengths, the head comment, marks of unfinished work, tests switched off, paths of one machine.
import type { AnyNode } from 'acorn';
import { COLUMNS, FILE_LINES, FUNCTION_LINES, HEAD_CHARS } from './house.ts';
import { dotted, lineOf, memberName, walk, type File, type Finding, type Module } from './syntax.ts';

const UNFINISHED = /\b(?:T[O]DO|F[I]XME|X[X]X|H[A]CK)\b/;
const MACHINE = /(?:^|[\s'"`(=:,<])\/(?:work|tmp|root|home)(?:\/|[\s'"`),>]|$)/;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const SWITCHES = new Set(['only', 'skip', 'todo']);

/** Checks any text file of the tree; the lockfile is generated and holds hashes, the license is not ours. */
export function checkText({ path, text }: File): Finding[] {
  if (path === 'package-lock.json' || path === 'LICENSE') return [];
  return text.split('\n').flatMap((content, at) => {
    const findings: Finding[] = [];
    const tell = (rule: string, message: string): number => findings.push({ path, line: at + 1, rule, message });
    if (UNFINISHED.test(content)) tell('unfinished', `mark of unfinished work: ${UNFINISHED.exec(content)![0]}`);
    if (MACHINE.test(content)) tell('machine', `path of one machine: ${MACHINE.exec(content)![0].trim()}`);
    return findings;
  });
}

/** Checks a file of code. */
export function checkCode(module: Module): Finding[] {
  return [...checkSize(module), ...checkHead(module), ...(module.path.startsWith('test/') ? checkSwitches(module) : [])];
}

function checkSize({ path, text, ast }: Module): Finding[] {
  const findings: Finding[] = [];
  const tell = (line: number, message: string): number => findings.push({ path, line, rule: 'size', message });
  const lines = text.replace(/\n$/, '').split('\n');
  const table = headOf(text).some(line => line.startsWith('table:'));
  if (lines.length > FILE_LINES && !table) tell(1, `file of ${lines.length} lines, ${FILE_LINES} allowed`);
  lines.forEach((line, at) => {
    if (line.length > COLUMNS) tell(at + 1, `line of ${line.length} columns, ${COLUMNS} allowed`);
  });
  walk(ast, node => {
    if (!FUNCTIONS.has(node.type)) return;
    const length = node.loc!.end.line - node.loc!.start.line + 1;
    if (length > FUNCTION_LINES) tell(lineOf(node), `function of ${length} lines, ${FUNCTION_LINES} allowed`);
    if (table) tell(lineOf(node), 'function in a file marked as a table');
  });
  return findings;
}

function checkHead({ path, text }: Module): Finding[] {
  const head = headOf(text);
  if (head.length >= 2 || head.join(' ').length >= HEAD_CHARS) return [];
  return [{ path, line: 1, rule: 'head', message: 'the file does not open with a comment that says what it is for' }];
}

/** The lines of prose of the comment a file opens with. */
function headOf(text: string): string[] {
  const body = text.replace(/^#!.*\n/, '').replace(/^\s+/, '');
  const comment = /^\/\*[^]*?\*\//.exec(body)?.[0] ?? /^(?:\/\/.*(?:\n|$))+/.exec(body)?.[0] ?? '';
  return comment.split('\n').map(line => line.replace(/^\s*(?:\/\*+|\*\/|\*|\/\/)\s?/, '').replace(/\*\/$/, '').trim()).filter(Boolean);
}

/** A test may be skipped under a condition and with a reason, never for good. */
function checkSwitches({ path, ast }: Module): Finding[] {
  const findings: Finding[] = [];
  walk(ast, (node, parents) => {
    const name = switchOf(node, parents);
    if (name !== '') findings.push({ path, line: lineOf(node), rule: 'switched-off', message: `${name} without a condition and a reason` });
  });
  return findings;
}

function switchOf(node: AnyNode, parents: readonly AnyNode[]): string {
  if (node.type === 'CallExpression') {
    const name = memberName(node.callee);
    if (!SWITCHES.has(name)) return '';
    const guarded = parents.some(parent => parent.type === 'IfStatement') && node.arguments.length === 1 && hasReason(node.arguments[0]!);
    return name === 'skip' && guarded ? '' : `.${name}()`;
  }
  if (node.type !== 'Property' || node.key.type !== 'Identifier' || !SWITCHES.has(node.key.name) || !isTestOption(parents)) return '';
  return node.key.name === 'skip' && outcomesOf(node.value).some(hasReason) ? '' : `${node.key.name}: …`;
}

/** Whether the innermost object is an argument of test(), t.test(), it(), describe() or suite(). */
function isTestOption(parents: readonly AnyNode[]): boolean {
  const call = parents.at(-2);
  return call?.type === 'CallExpression' && /^(?:.+\.)?(?:test|it|describe|suite)$/.test(dotted(call.callee));
}

/** The possible values of a conditional expression; none for another one. */
function outcomesOf(node: AnyNode): AnyNode[] {
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate];
  return node.type === 'LogicalExpression' ? [node.right] : [];
}

function hasReason(node: AnyNode): boolean {
  return (node.type === 'Literal' && typeof node.value === 'string' && node.value !== '') || node.type === 'TemplateLiteral';
}
