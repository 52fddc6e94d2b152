import { execFileSync } from 'node:child_process';
import ts from 'typescript';
import { parse } from './source-tree.ts';

const MAX_OUTPUT_BYTES = 256 * 1024 ** 2;
/** What declares a test: `test`, `it`, and what tests name like them, such as `testHere` and `pageTest`. */
const DECLARES = /(?:^|\.)(?:it|run)$|^test\w*$|^\w+Test$/;
const MARK = /\.(skip|only|todo|failing)\b/;
/** By the name of its file a test is run with all others that are quick, with those of the system, or deep. */
const PROJECT = /\.(system|deep)\.test\.ts$/;
/** What declares deep tests, and what is around them, in a file of any name (test/support/at-length-tests.ts). */
const AT_LENGTH = /^(?:test|describe)AtLength\b/;

/** A test as it is written: what it promises, where, and whether it is run. */
export interface Declared {
  readonly title: string;
  readonly file: string;
  /** `skip`, `only`, `todo` or `failing`; the empty text for one that is run like all others. */
  readonly mark: string;
  readonly project: string;
}

/** Tests of two commits in files that differ between them. */
export interface ChangedTests {
  readonly before: readonly Declared[];
  readonly after: readonly Declared[];
}

/** Tests that a file declares. */
export function declaredIn(file: string, text: string): readonly Declared[] {
  const declared: Declared[] = [];
  const source = parse(file, text);
  const visit = (node: ts.Node, outer: Pick<Declared, 'mark' | 'project'>): void => {
    let { mark, project } = outer;
    if (ts.isCallExpression(node)) {
      const callee = calleeOf(node.expression, source);
      const [title] = node.arguments;
      const isTest = DECLARES.test(callee.replace(MARK, ''));
      if (isTest || callee.startsWith('describe')) mark = MARK.exec(callee)?.[1] ?? mark;
      if (AT_LENGTH.test(callee)) project = 'deep';
      if (isTest && title !== undefined && node.arguments.some(isFunction))
        declared.push({ title: titleOf(title, source), file, mark, project });
    }
    ts.forEachChild(node, (child) => visit(child, { mark, project }));
  };
  visit(source, { mark: '', project: PROJECT.exec(file)?.[1] ?? 'unit' });
  return declared;
}

/** Tests of both commits, of the files under `test` that differ. */
export function changedTests(base: string, head: string): ChangedTests {
  const at = (commit: string, filter: string) =>
    git(['diff', '--name-only', '--no-renames', `--diff-filter=${filter}`, base, head, '--', 'test/*.ts'])
      .split('\n')
      .filter(Boolean)
      .flatMap((file) => declaredIn(file, git(['show', `${commit}:${file}`])));
  return { before: at(base, 'MD'), after: at(head, 'MA') };
}

/** Of `before`, those whose title `after` has less often. */
export function vanished({ before, after }: ChangedTests): readonly Declared[] {
  const left = new Map<string, number>();
  for (const { title } of after) left.set(title, (left.get(title) ?? 0) + 1);
  return before.filter(({ title }) => {
    const count = left.get(title) ?? 0;
    left.set(title, count - 1);
    return count <= 0;
  });
}

/**
 * Whether a message of a commit accounts for a test that vanished or became a deep one: by a paragraph, or an item of a
 * list with dashes, that is `promise dropped in PAGE.md: TITLE`, `same as OTHER TITLE: TITLE` or `deep: TITLE`.
 * @param exists whether a test of this title is there
 */
export function isAccounted(title: string, message: string, exists: (title: string) => boolean): boolean {
  const ending = `: ${oneLine(title)}`;
  return message.split(/\n\s*\n|\n(?=\s*- )/).some((paragraph) => {
    const text = oneLine(paragraph).replace(/^- /, '');
    if (!text.endsWith(ending)) return false;
    const said = text.slice(0, -ending.length);
    const other = /^same as (.+)$/.exec(said)?.[1];
    return other === undefined ? /^(?:promise dropped in \S+\.md|deep)$/.test(said) : exists(other);
  });
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** Output of a command of git. */
export function git(commandArguments: readonly string[]): string {
  return execFileSync('git', commandArguments, { encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES });
}

/** Name of what is called, without the tables of `each` and type arguments: `test.each`. */
function calleeOf(callee: ts.Expression, source: ts.SourceFile): string {
  if (ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee))
    return calleeOf(ts.isCallExpression(callee) ? callee.expression : callee.tag, source).replace(
      /\.each$/,
      '',
    );
  if (ts.isPropertyAccessExpression(callee))
    return `${calleeOf(callee.expression, source)}.${callee.name.text}`;
  return ts.isIdentifier(callee) ? callee.text : '';
}

function titleOf(title: ts.Expression, source: ts.SourceFile): string {
  return ts.isStringLiteralLike(title) ? title.text : title.getText(source).replaceAll(/^`|`$/g, '');
}

function isFunction(node: ts.Node): boolean {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}
