import { runProbe } from '../../lambdas/probe/handler.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

type ProbeParts = Parameters<typeof runProbe>[0];

const KEY = `rgw_${'a'.repeat(64)}`;
const URL_OF_STAGE = 'https://rpc.example.com';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const json = (body: unknown, status = 200) => Response.json(body, { status });
const head = async () => json({ jsonrpc: '2.0', id: 1, result: '0x10' });
const fresh = async () => json({ data: {} });

/** What a run tells, where the stage answers so. */
async function probe({
  rpc = head,
  data = fresh,
  ...parts
}: { rpc?: Fetch; data?: Fetch } & Partial<ProbeParts>) {
  const telemetry = new RecordedTelemetry();
  const asked: { readonly url: string; readonly key: string | null }[] = [];
  await runProbe({
    url: URL_OF_STAGE,
    dataChain: 'example_mainnet',
    readKey: async () => KEY,
    fetch: async (url, init = {}) => {
      asked.push({ url: String(url), key: new Headers(init.headers).get('x-api-key') });
      return init.method === 'POST' ? rpc(String(url), init) : data(String(url), init);
    },
    clock: { now: () => 0 },
    telemetry,
    ...parts,
  });
  return { asked, values: telemetry.emitted.map(({ values }) => values), logged: telemetry.logged };
}

test('both interfaces are asked by the public name, with the key in a header', async () => {
  const { asked, values, logged } = await probe({});
  expect(asked).toEqual([
    { url: `${URL_OF_STAGE}/v1/`, key: KEY },
    { url: `${URL_OF_STAGE}/v1/data/example_mainnet/status/freshness`, key: KEY },
  ]);
  expect(values).toEqual([{ RpcProbeFailures: 0, DataProbeFailures: 0 }]);
  expect(logged).toEqual([]);
});

test('a stage without a chain database is asked by JSON-RPC alone', async () => {
  const { asked, values } = await probe({ dataChain: undefined });
  expect(asked).toHaveLength(1);
  expect(values).toEqual([{ RpcProbeFailures: 0 }]);
});

test.each([
  [
    'an expired certificate',
    async () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'CERT_HAS_EXPIRED' } })),
    'CERT_HAS_EXPIRED',
  ],
  [
    'a name that leads nowhere',
    async () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })),
    'ENOTFOUND',
  ],
  ['a firewall', async () => json({}, 403), 'HTTP 403'],
  ['a key that is unknown', async () => new Response(null, { status: 404 }), 'HTTP 404'],
  ['a function that is gone', async () => json({}, 503), 'HTTP 503'],
  ['a node that is down', async () => json({ id: 1, error: { code: -32000 } }), 'no head: {"code":-32000}'],
  ['a page of another server', async () => new Response('<html>'), 'SyntaxError'],
  ['an answer that is no object', async () => json(null), 'no object'],
  ['an answer without end', async () => new Response(`"${'x'.repeat(200_000)}"`), 'too long'],
] as const)('%s fails JSON-RPC alone, and the log says why', async (_what, rpc, reason) => {
  const { values, logged } = await probe({ rpc });
  expect(values).toEqual([{ RpcProbeFailures: 1, DataProbeFailures: 0 }]);
  expect(logged).toEqual([expect.objectContaining({ event: 'probe_failed', method: 'rpc' })]);
  expect(logged[0]?.error).toContain(reason);
});

test('data that are not there fail the Data API alone', async () => {
  const { values } = await probe({ data: async () => json({ error: { code: 'data_unavailable' } }, 503) });
  expect(values).toEqual([{ RpcProbeFailures: 0, DataProbeFailures: 1 }]);
});

test('a key that cannot be read fails both, and no line ever holds the key', async () => {
  const unreadable = await probe({ readKey: async () => Promise.reject(new Error('no such secret')) });
  expect(unreadable.values).toEqual([{ RpcProbeFailures: 1, DataProbeFailures: 1 }]);
  const echoed = await probe({
    rpc: async (_url, init) => json({ echoed: init.headers, error: { message: 'x' } }),
  });
  expect(JSON.stringify([unreadable.logged, echoed.logged])).not.toContain(KEY);
});
