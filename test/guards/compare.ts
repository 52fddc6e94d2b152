/**
 * Compares a commit, BASE, with HEAD: titles of tests, templates of stage files, the schema, and what a gateway answers on one
 * and the same chain (`npm run compare -- BASE [PART...]`). Prints what differs and fails if anything does.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { prepareDemoChain } from '../../local/demo-chain/prepare.ts';
import { changedTests, declaredIn, git, isAccounted, vanished } from './promises.ts';
import { readSchema } from './schema.ts';

const PARTS = ['tests', 'templates', 'schema', 'transcript'] as const;
type Part = (typeof PARTS)[number];
/** The default chain of `npm start`. */
const DEMO_CHAIN = { chain: 'example_mainnet', chainId: 31_337 };
const MAX_OUTPUT_BYTES = 256 * 1024 ** 2;
const MAX_LINES = 200;
const MAX_VALUE_CHARACTERS = 160;
const FAILURE_EXIT_CODE = 1;
const USAGE_EXIT_CODE = 2;

/** Folders of the project at both commits, and one for what is made of them. */
interface Sides {
  readonly base: string;
  readonly head: string;
  readonly scratch: string;
}

const COMPARISONS: Readonly<Record<Part, (base: string, sides: Sides) => Promise<readonly string[]>>> = {
  tests: async (base) => missingTests(base),
  templates: async (_, sides) => differences(await onBoth(sides, templatesOf)),
  schema: async (_, sides) => differences(await onBoth(sides, schemaOf)),
  transcript: async (_, sides) => differences(await transcripts(sides)),
};

/** Tests that vanished or became deep ones, for which no message of a commit since `base` accounts. */
function missingTests(base: string): readonly string[] {
  const tests = changedTests(base, 'HEAD');
  const messages = git(['log', '--format=%B%x00', `${base}..HEAD`]).split('\0');
  const former = new Map(tests.before.map(({ title, project }) => [title, project]));
  const deep = tests.after.filter(
    ({ title, project }) => project === 'deep' && (former.get(title) ?? 'deep') !== 'deep',
  );
  // What was run with each commit is no less run by a test that is run at length alone.
  const isAs = (project: string) => (other: string) => project === 'deep' || other !== 'deep';
  const exists = (project: string) => (title: string) =>
    tests.after.some((test) => test.title === title && isAs(project)(test.project)) ||
    projectsOf(title).some(isAs(project));
  return [...vanished(tests), ...deep]
    .filter(
      ({ title, project }) =>
        !messages.some((message) => isAccounted(title, message, exists(former.get(title) ?? project))),
    )
    .map(({ title, file }) => `${file}: ${title}`);
}

/** Projects of the tests of a title in HEAD. */
function projectsOf(title: string): readonly string[] {
  const text = title.replaceAll("'", "\\'");
  try {
    const files = git(['grep', '-l', '-F', '-e', text, 'HEAD', '--', 'test/*.ts']).trim().split('\n');
    return files.flatMap((found) => {
      const file = found.replace(/^HEAD:/, '');
      return declaredIn(file, git(['show', found])).flatMap((one) =>
        one.title === title ? [one.project] : [],
      );
    });
  } catch {
    return [];
  }
}

async function onBoth<Read>(
  sides: Sides,
  read: (project: string, into: string) => Promise<Read>,
): Promise<readonly [Read, Read]> {
  const both: Read[] = [];
  for (const side of ['base', 'head'] as const) {
    const into = mkdtempSync(join(sides.scratch, `${side}-`));
    both.push(await read(sides[side], into));
  }
  return both as [Read, Read];
}

async function templatesOf(project: string, into: string): Promise<unknown> {
  return JSON.parse(run(project, resolve(import.meta.dirname, 'templates.ts'), into));
}

async function schemaOf(project: string, into: string): Promise<unknown> {
  run(project, 'test/support/make-cluster.ts', into);
  return readSchema(into);
}

/** What both answer, on a copy of the same chain, to all that either describes. */
async function transcripts(sides: Sides): Promise<readonly [unknown, unknown]> {
  const chains = join(sides.scratch, 'chains');
  await prepareDemoChain({ ...DEMO_CHAIN, folder: join(chains, DEMO_CHAIN.chain), clock: systemClock });
  const program = resolve(import.meta.dirname, 'transcript.ts');
  const { base, head } = sides;
  return onBoth(
    sides,
    async (project, into) => JSON.parse(run(project, program, into, chains, head, base)) as unknown,
  );
}

/** Output of a program in the folder of a project. */
function run(project: string, program: string, ...programArguments: readonly string[]): string {
  return execFileSync(process.execPath, [program, ...programArguments], {
    cwd: project,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CDK_VALIDATION: 'false' },
  });
}

/** Where two values differ, a line each: the path, and `-` and `+` with what is there. */
function differences([before, after]: readonly [unknown, unknown], path = ''): readonly string[] {
  if (Object.is(before, after)) return [];
  if (!isTree(before) || !isTree(after)) return [`${path}\n  - ${shown(before)}\n  + ${shown(after)}`];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differences([before[name], after[name]], `${path}/${name}`));
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, MAX_VALUE_CHARACTERS);
}

async function compare(base: string, parts: readonly Part[]): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'compare-'));
  const sides = { base: join(scratch, 'base'), head: process.cwd(), scratch };
  let isSame = true;
  try {
    git(['worktree', 'add', '--quiet', '--detach', sides.base, base]);
    symlinkSync(resolve('node_modules'), join(sides.base, 'node_modules'));
    for (const part of parts) {
      const lines = await COMPARISONS[part](base, sides);
      isSame &&= lines.length === 0;
      console.log(`${part}: ${lines.length === 0 ? 'no difference' : `${lines.length} differ`}`);
      for (const line of lines.slice(0, MAX_LINES)) console.log(`  ${line.replaceAll('\n', '\n  ')}`);
    }
  } finally {
    git(['worktree', 'remove', '--force', sides.base]);
    rmSync(scratch, { recursive: true, force: true });
  }
  return isSame;
}

const [base = '', ...named] = process.argv.slice(2);
const isKnown = named.every((part) => PARTS.some((known) => known === part));
if (base === '' || !isKnown || git(['status', '--porcelain']) !== '') {
  console.error(`usage, with nothing uncommitted: npm run compare -- BASE [${PARTS.join(' | ')}]...`);
  process.exitCode = USAGE_EXIT_CODE;
} else {
  const parts = PARTS.filter((part) => named.length === 0 || named.includes(part));
  if (!(await compare(base, parts))) process.exitCode = FAILURE_EXIT_CODE;
}
