import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A room is a folder. Above this it holds more than one subject. */
const MAX_FILES_IN_ROOM = 25;
/** Rooms at the top, and what they may use beside themselves. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  'lambdas/shared': [],
  'lambdas/access': ['lambdas/shared'],
  'lambdas/rpc': ['lambdas/access', 'lambdas/shared'],
  'lambdas/data': ['lambdas/access', 'lambdas/shared'],
  'lambdas/mcp': [
    // How a portfolio is summed up: agents and programs read the same totals.
    'clients/typescript/src',
    'lambdas/access',
    'lambdas/data',
    'lambdas/rpc',
    'lambdas/settlement',
    'lambdas/shared',
    'lambdas/status',
  ],
  'lambdas/charges': ['lambdas/access', 'lambdas/shared'],
  'lambdas/account-balances': ['lambdas/access', 'lambdas/shared'],
  'lambdas/settlement': ['lambdas/access', 'lambdas/shared'],
  'lambdas/seal': ['lambdas/access', 'lambdas/settlement', 'lambdas/shared'],
  'lambdas/accounts': ['lambdas/access', 'lambdas/audit', 'lambdas/settlement', 'lambdas/shared'],
  'lambdas/audit': ['lambdas/access', 'lambdas/settlement', 'lambdas/shared'],
  'lambdas/migrate': ['lambdas/access', 'lambdas/shared'],
  'lambdas/chain-data': ['lambdas/shared'],
  'lambdas/rollups': ['lambdas/access', 'lambdas/chain-data', 'lambdas/shared'],
  'lambdas/indexer': ['lambdas/access', 'lambdas/chain-data', 'lambdas/rollups', 'lambdas/shared'],
  'lambdas/probe': ['lambdas/access', 'lambdas/shared'],
  'lambdas/snapshots': ['lambdas/access', 'lambdas/chain-data', 'lambdas/indexer', 'lambdas/shared'],
  'lambdas/backfill': ['lambdas/access', 'lambdas/chain-data', 'lambdas/indexer', 'lambdas/shared'],
  'lambdas/status': [
    // Types of its responses, which clients read.
    'clients/typescript/src',
    'lambdas/access',
    'lambdas/data',
    'lambdas/indexer',
    'lambdas/settlement',
    'lambdas/shared',
  ],
};
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;
const EXPORT = /^export (?:async )?(?:interface|type|class|function\*?|const) (\w+)/gm;
/** What Lambda calls of each function. */
const HANDLER = 'handler';
const LAYER = 'gateway-access';

interface Arrow {
  readonly from: string;
  readonly to: string;
}

const files = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'lambdas', 'lib', 'local', 'bin'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file.endsWith('.ts'));

/** Each import of one file from another. */
const imports: readonly Arrow[] = files.flatMap((from) =>
  [...readFileSync(from, 'utf8').matchAll(IMPORT)].flatMap(([, name = '']) => {
    const to = name === LAYER ? 'lambdas/access/index.ts' : join(dirname(from), name);
    return name === LAYER || name.startsWith('.') ? [{ from, to }] : [];
  }),
);
/** Those from another room. */
const arrows = imports.filter(({ from, to }) => dirname(to) !== dirname(from));

/** Those that need themselves by way of others. */
function circlesOf(all: readonly Arrow[]): readonly string[] {
  const uses = new Map<string, Set<string>>();
  for (const { from, to } of all) uses.set(from, (uses.get(from) ?? new Set()).add(to));
  return [...uses.keys()].filter((one) => reachable(one, uses).has(one));
}

/** The rooms that can be reached from one by imports, itself only by a circle. */
function reachable(room: string, uses: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...(uses.get(room) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(uses.get(next) ?? []));
  }
  return seen;
}

test('there are files and imports to look at', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(arrows.length).toBeGreaterThan(1_000);
});

test('no file and no room needs itself by way of others', () => {
  expect(circlesOf(imports)).toEqual([]);
  expect(circlesOf(arrows.map(({ from, to }) => ({ from: dirname(from), to: dirname(to) })))).toEqual([]);
});

test.each(Object.entries(MAY_USE))('%s uses its own rooms and %j', (room, others) => {
  const strange = arrows.filter(
    ({ from, to }) =>
      from.startsWith(`${room}/`) && ![room, ...others].some((allowed) => to.startsWith(`${allowed}/`)),
  );
  expect(strange).toEqual([]);
});

test('no room of the table needs itself by way of others', () => {
  expect(
    circlesOf(Object.entries(MAY_USE).flatMap(([from, others]) => others.map((to) => ({ from, to })))),
  ).toEqual([]);
});

test('the table above names every room of lambdas', () => {
  const rooms = new Set(
    files.filter((file) => file.startsWith('lambdas/')).map((file) => file.split('/')[1]),
  );
  const named = Object.keys(MAY_USE).filter((room) => room.startsWith('lambdas/'));
  expect([...rooms].map((room) => `lambdas/${room}`).sort()).toEqual(named.sort());
});

test('nothing imports a command, and the stack does not know what runs it', () => {
  const strange = arrows.filter(
    ({ from, to }) =>
      (to.startsWith('bin/') && !from.startsWith('bin/')) ||
      (from.startsWith('lib/') && to.startsWith('local/')),
  );
  expect(strange).toEqual([]);
});

test('an exported name stands for one thing', () => {
  const named = new Map<string, string[]>();
  const others = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'clients/*.ts', 'docs/*.ts', 'api/*.ts'],
    {
      encoding: 'utf8',
    },
  );
  for (const file of [...files, ...others.trim().split('\n')])
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(EXPORT))
      if (name !== HANDLER) named.set(name, [...(named.get(name) ?? []), file]);
  expect([...named].filter(([, places]) => places.length > 1)).toEqual([]);
});

test('a room holds one subject, of tests, benchmarks and clients too', () => {
  const others = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'bench/*.ts', 'test/*.ts', 'clients/*.ts'],
    { encoding: 'utf8' },
  );
  const counts = new Map<string, number>();
  for (const file of [...files, ...others.trim().split('\n')])
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MAX_FILES_IN_ROOM)).toEqual([]);
});
