/**
 * Before a new version gets a request of a customer, it is asked what the old one is asked: whatever differs stops it, unless the
 * release declares it, the old version does not answer alike twice, or fails.
 */
import type { SeenResponse } from '../../lambdas/probe/compare-responses.ts';
import { judgeRelease } from '../../lambdas/probe/judge-release.ts';
import { proxyEvent, type ReleaseRequest } from '../../lambdas/probe/release-request.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const get = (of: string, more: Partial<ReleaseRequest> = {}): ReleaseRequest => ({
  of,
  resource: '/v1/data/{chain}/{proxy+}',
  method: 'GET',
  pathParameters: { chain: '{chain}', proxy: of },
  ...more,
});
const ok = (body: string, headers: SeenResponse['headers'] = {}, status = 200): SeenResponse => ({
  status,
  headers,
  body,
});

type JudgeParts = Parameters<typeof judgeRelease>[0];

interface Judged extends Partial<JudgeParts> {
  /** By version, what it answers to an operation the n-th time. */
  readonly old?: (of: string, count: number) => SeenResponse;
  readonly fresh?: (of: string, count: number) => SeenResponse;
}

async function judged({ old = (of) => ok(of), fresh = old, ...parts }: Judged = {}) {
  const telemetry = new RecordedTelemetry();
  const clock = { time: 0, now: () => clock.time };
  const asked: string[] = [];
  const counts = new Map<string, number>();
  const isWell = await judgeRelease({
    target: 'data',
    requests: [get('listBlocks'), get('getBlock')],
    values: { chain: 'example' },
    declared: [],
    ask: async (version, request, values) => {
      const event = proxyEvent(request, values, { key: 'k', requestId: 'r' }) as {
        path: string;
        queryStringParameters: unknown;
      };
      asked.push(`${version} ${event.path} ${JSON.stringify(event.queryStringParameters)}`);
      const count = (counts.get(`${version} ${request.of}`) ?? 0) + 1;
      counts.set(`${version} ${request.of}`, count);
      return (version === 'old' ? old : fresh)(request.of, count);
    },
    pause: async (ms) => {
      clock.time += ms;
    },
    endsAt: 60_000,
    clock,
    telemetry,
    ...parts,
  });
  const differences = telemetry.logged.flatMap(({ event, reason }) =>
    event === 'release_differs' ? [reason] : [],
  );
  return { isWell, differences, asked, compared: telemetry.logged.at(-1) };
}

test('a version that answers alike is asked once each, and may have requests', async () => {
  const { isWell, differences, asked, compared } = await judged();
  expect([isWell, differences]).toEqual([true, []]);
  expect(asked).toHaveLength(4);
  expect(compared).toMatchObject({ event: 'release_compared', method: 'data', count: 2 });
});

test('a difference stops it, and is named as it would be declared', async () => {
  const fresh = (of: string) => (of === 'getBlock' ? ok('other', { 'x-new': '1' }) : ok(of));
  expect(await judged({ fresh })).toMatchObject({
    isWell: false,
    differences: ['getBlock: x-new', 'getBlock: body'],
  });
});

test('a declared difference stops nothing, and no other hides behind it', async () => {
  const fresh = (of: string) => ok(of === 'getBlock' ? 'other' : of, { 'x-new': '1' });
  const declared = ['getBlock: body', '*: x-new'];
  expect(await judged({ fresh, declared })).toMatchObject({ isWell: true, differences: [] });
  expect(await judged({ fresh, declared: ['getBlock: body'] })).toMatchObject({
    isWell: false,
    differences: ['listBlocks: x-new', 'getBlock: x-new'],
  });
});

test('what moves with the chain is no difference, but what stands still beside it is', async () => {
  let head = 0;
  const moving = () => ok(String(head++), { 'x-cu-billed': '10' });
  expect(await judged({ old: moving })).toMatchObject({ isWell: true });
  const fresh = () => ok(String(head++), { 'x-cu-billed': '20' });
  expect(await judged({ old: moving, fresh })).toMatchObject({
    isWell: false,
    differences: ['listBlocks: x-cu-billed', 'getBlock: x-cu-billed'],
  });
});

test('a cache that warms up meanwhile is no difference', async () => {
  const cached = (of: string, count: number) => ok(of, { 'x-cache': count === 1 ? 'miss' : 'hit' });
  expect(
    await judged({ old: () => ok('x', { 'x-cache': 'hit' }), fresh: (_, count) => cached('x', count) }),
  ).toMatchObject({
    isWell: true,
  });
});

test('a fix is let through: what the old version fails at, the new one may answer', async () => {
  const old = (of: string) => (of === 'getBlock' ? ok('', {}, 502) : ok(of));
  expect(await judged({ old, fresh: (of) => ok(of) })).toMatchObject({ isWell: true });
  expect(await judged({ old: (of) => ok(of), fresh: old })).toMatchObject({ isWell: false });
});

test('later requests ask for what the old version told, and two lists are followed by its cursors', async () => {
  const requests = [
    get('listBlocks', { query: { limit: '2' }, learns: { number: 'data.0.number' } }),
    get('getBlock', { pathParameters: { chain: '{chain}', proxy: 'blocks/{number}' } }),
    get('listLogs', { query: { to_block: '{number}' } }),
    get('listTransfers', { query: {} }),
  ];
  const old = (of: string) => ok(of === 'getBlock' ? '{}' : '{"data":[{"number":704}],"next_cursor":"c"}');
  const { asked } = await judged({ requests, old, values: { chain: 'example', number: '1' } });
  expect(asked.filter((line) => line.startsWith('new'))).toEqual([
    'new /v1/data/example/listBlocks {"limit":"2"}',
    'new /v1/data/example/listBlocks {"limit":"2","cursor":"c"}',
    'new /v1/data/example/blocks/704 null',
    'new /v1/data/example/listLogs {"to_block":"704"}',
    'new /v1/data/example/listLogs {"to_block":"704","cursor":"c"}',
    'new /v1/data/example/listTransfers {}',
  ]);
});

test('the limits of the key are waited for', async () => {
  const limited = (of: string, count: number) => (count === 1 ? ok('', { 'retry-after': '2' }, 429) : ok(of));
  const { isWell, asked } = await judged({ old: limited });
  expect(isWell).toBe(true);
  expect(asked).toHaveLength(8);
});

test.each<[string, Judged]>([
  ['a key without a balance', { old: () => ok('{}', {}, 402) }],
  ['a key that is unknown', { old: () => ok('', {}, 404) }],
  ['too little time', { endsAt: 0 }],
])('nothing is let through that was not compared: %s', async (_, parts) => {
  expect(await judged(parts)).toMatchObject({ isWell: false, differences: [], compared: { level: 'error' } });
});

test('a version that cannot be called is not let through', async () => {
  await expect(judged({ ask: async () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
});
