import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Clause } from '../../../api/contract.ts';
import { parse } from '../../guards/source-tree.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const THROWS = /\bthrow\b/;

/** A change that is written down: of a table or of a function. */
export type WrittenChange = Pick<Extract<Clause, { file: string }>, 'kind' | 'file' | 'in' | 'text' | 'to'>;

/** A file with a change. */
export interface Altered {
  readonly file: string;
  readonly text: string;
}

/** Whether a clause is broken by a change that is written down. */
export function isWritten(clause: Clause): clause is Extract<Clause, { file: string }> {
  return clause.kind === 'table' || clause.kind === 'change';
}

/**
 * Applies a change. Throws an Error that says what is wrong with one that does not apply: its declaration is not there once,
 * or its text not once in that, or it throws, or the file is TypeScript no longer.
 */
export function applyChange(change: WrittenChange): Altered {
  const { file, text: from, to } = change;
  const text = readFileSync(join(PROJECT, file), 'utf8');
  const [start, end] = declarationOf(change, text);
  const declared = text.slice(start, end);
  const places = declared.split(from).length - 1;
  if (places !== 1) throw new Error(`${change.in} in ${file} has ${places} times: ${from}`);
  if (to === from || THROWS.test(to)) throw new Error(`${to} is no change, or throws`);
  const altered = text.slice(0, start) + declared.replace(from, () => to) + text.slice(end);
  if (isTypeScript(file)) expectToParse(file, altered);
  return { file, text: altered };
}

function isTypeScript(file: string): boolean {
  return file.endsWith('.ts');
}

function expectToParse(file: string, text: string): void {
  const { diagnostics = [] } = ts.transpileModule(text, { fileName: file, reportDiagnostics: true });
  for (const { messageText } of diagnostics)
    throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

/** Where a declaration is in a text; in YAML a member with what is indented below it. */
function declarationOf({ file, in: name }: WrittenChange, text: string): readonly [number, number] {
  const found = isTypeScript(file) ? declarationsOf(file, text, name) : membersOf(text, name);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0)
    throw new Error(`${file} has ${found.length} declarations of ${name}`);
  return only;
}

function declarationsOf(file: string, text: string, name: string): (readonly [number, number])[] {
  const source = parse(file, text);
  const found: (readonly [number, number])[] = [];
  const visit = (node: ts.Node): void => {
    if (isDeclaration(node) && node.name?.getText(source) === name)
      found.push([node.getStart(source), node.end]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Of values: a function, a class, a constant, or an entry of a table. */
function isDeclaration(
  node: ts.Node,
): node is
  | ts.FunctionDeclaration
  | ts.MethodDeclaration
  | ts.ClassDeclaration
  | ts.VariableDeclaration
  | ts.PropertyAssignment {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isPropertyAssignment(node)
  );
}

function membersOf(text: string, name: string): (readonly [number, number])[] {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return [...text.matchAll(new RegExp(`^( *)'?${escaped}'?:.*\\n(?:\\1 .*\\n|\\n)*`, 'gm'))].map(
    ({ index, 0: member }) => [index, index + member.length] as const,
  );
}
