/**
 * A release that answers otherwise than the version before it is stopped before any customer, whatever it bills: rows of
 * docs/metering.md that no bill tells of.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeenResponse } from '../../lambdas/probe/compare-responses.ts';
import { judgeRelease } from '../../lambdas/probe/judge-release.ts';
import type { ReleaseRequest } from '../../lambdas/probe/release-request.ts';
import { parseStageConfig } from '../../lib/config/config.ts';
import { releaseFile } from '../../lib/monitoring/release-file.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STAGE_FILE = join(ROOT, 'config', 'local.json');
const config = parseStageConfig(JSON.parse(readFileSync(STAGE_FILE, 'utf8')), STAGE_FILE);
const file = releaseFile(config);
const clock = { now: () => 0 };

/** A page with a next one, as any list answers. */
function answer({ of }: ReleaseRequest): SeenResponse {
  const body = { data: [{ number: 704, of }], meta: { query_ms: 1 }, next_cursor: 'abc' };
  return { status: 200, headers: { 'x-cu-billed': '10' }, body: JSON.stringify(body) };
}

const without = (seen: SeenResponse): SeenResponse => ({
  ...seen,
  body: seen.body.replace(',"next_cursor":"abc"', ''),
});

const WRONG: Readonly<Record<string, (of: string, seen: SeenResponse) => SeenResponse>> = {
  'loses `next_cursor` of one list': (of, seen) => (of === 'listTransfers' ? without(seen) : seen),
  'leaks a header': (of, seen) =>
    of === 'getBlock' ? { ...seen, headers: { ...seen.headers, 'x-holder': 'acme' } } : seen,
};

async function judged(alter: (of: string, seen: SeenResponse) => SeenResponse): Promise<boolean> {
  return judgeRelease({
    ...file,
    target: 'data',
    requests: file.requests.data ?? [],
    ask: async (version, request) => {
      const seen = answer(request);
      return version === 'old' ? seen : alter(request.of, seen);
    },
    pause: async () => {},
    endsAt: 1,
    clock,
    telemetry: new RecordedTelemetry(),
  });
}

test.each(Object.entries(WRONG))('a release that %s is stopped', async (name, alter) => {
  expect(await judged(alter)).toBe(false);
  const table = readFileSync(join(ROOT, 'docs', 'metering.md'), 'utf8');
  const row = table.split('\n').find((line) => line.startsWith(`| ${name} |`));
  expect(row).toMatch(/\| (?:\[the probe\]|the same)/);
});

test('a release that is well is let through', async () => {
  expect(await judged((_, seen) => seen)).toBe(true);
});

test('what a release is compared by is every method and operation that is described, and no operation twice', () => {
  const { rpc = [], data = [], status = [], mcp = [] } = file.requests;
  expect([rpc.length, data.length, status.length, mcp.length]).toEqual([41, 68, 12, 8]);
  expect(new Set(data.map(({ of }) => of)).size).toBe(data.length);
  // Places are of values, which are all there.
  const places = [...JSON.stringify(file.requests).matchAll(/[^v]\{(\w+)\}/g)].map(([, place = '']) => place);
  expect(places.filter((place) => file.values[place] === undefined && place !== 'chain')).toEqual([]);
  expect(file.declared).toEqual([]);
});

test('a stage without a chain database is asked for no rows', () => {
  const { requests } = releaseFile({ ...config, database: { ...config.database, enabled: false } });
  expect(requests.data?.map(({ of }) => of)).toEqual(['listChains']);
});
