/** The node is asked beside the admission where that is certain, and nothing leaves before it. */
import type { Admission, KeyHolder } from '../../lambdas/access/contract/metering.ts';
import type { CachedRequest } from '../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest, type RequestMeter } from '../../lambdas/rpc/handle-request.ts';
import { simulatedChain } from '../simulation/simulated-chain.ts';

const HOLDER: KeyHolder = { keyId: 'k', account: 'a' };
const ADMITTED: Admission = { admitted: true, balanceCu: 1_000n, limits: [] };
const REFUSED: Admission = {
  admitted: false,
  refusal: { reason: 'rate_limited', limit: 'cu', retryAfterMs: 200, limits: [] },
};

/** Events in their order. */
let events: string[];
let expected: boolean;
let admission: Admission;
let admit: () => void;
let answer: () => void;

beforeEach(() => {
  events = [];
  expected = true;
  admission = ADMITTED;
});

const meter: RequestMeter = {
  expectsAdmission: () => expected,
  noteRefusal: () => {},
  usedUpBalance: async () => undefined,
  admit: () =>
    new Promise((resolve) => {
      events.push('admission asked');
      admit = () => resolve(admission);
    }),
  charge: (_, cu) => ({
    lane: undefined,
    store: async () => {
      events.push(`charged ${cu}`);
      return 'stored';
    },
  }),
};
const cache = {
  answer: ({ calls }: CachedRequest) =>
    new Promise<Awaited<ReturnType<CachedRequestAnswerer>>>((resolve) => {
      events.push('node asked');
      const responses = calls.map((call) => ({
        call,
        response: { kind: 'result', result: Buffer.from('"0x1"') } as const,
        cached: false,
      }));
      answer = () =>
        resolve({
          responses,
          share: async () => {
            events.push('shared');
          },
        });
    }),
};
type CachedRequestAnswerer = NonNullable<Parameters<typeof handleRequest>[2]>['answer'];

function ask(...methods: readonly string[]) {
  const calls = methods.map((method, id) => ({ jsonrpc: '2.0', id, method, params: [] }));
  return handleRequest(
    {
      holder: HOLDER,
      chain: simulatedChain('example_mainnet'),
      body: Buffer.from(JSON.stringify(calls.length === 1 ? calls[0] : calls)),
      deadline: 20_000,
    },
    meter,
    cache,
  );
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the node is asked while admission is under way; the charge comes when the response is sent', async () => {
  const answering = ask('eth_chainId');
  await settled();
  expect(events).toEqual(['node asked', 'admission asked']);
  answer();
  await settled();
  admit();
  const answered = await answering;
  expect(answered?.headers).toMatchObject({ 'X-CU-Billed': '1', 'X-CU-Balance': '999' });
  expect(events).toHaveLength(2);
  await answered?.conclude?.();
  expect(events.slice(2).sort()).toEqual(['charged 1', 'shared']);
});

test('nothing of a response is given, charged or shared before its request is admitted', async () => {
  admission = REFUSED;
  const answering = ask('eth_chainId');
  await settled();
  answer();
  admit();
  const refused = await answering;
  expect(refused).toMatchObject({ status: 429, refused: 'rate_limited' });
  expect(Buffer.concat(refused?.body ?? []).toString()).not.toContain('0x1');
  await refused?.conclude?.();
  expect(events).toEqual(['node asked', 'admission asked']);
});

test('a refused request does not wait for the node, and the invocation does', async () => {
  admission = REFUSED;
  const answering = ask('eth_chainId');
  await settled();
  admit();
  const refused = await answering;
  let concluded = false;
  const concluding = refused?.conclude?.().then(() => {
    concluded = true;
  });
  await settled();
  expect(concluded).toBe(false);
  answer();
  await concluding;
});

test('where admission is not expected, it comes first', async () => {
  expected = false;
  const answering = ask('eth_chainId');
  await settled();
  expect(events).toEqual(['admission asked']);
  admit();
  await settled();
  expect(events).toEqual(['admission asked', 'node asked']);
  answer();
  await answering;
});

test.each([
  [['eth_sendRawTransaction']],
  [['debug_traceTransaction']],
  [['eth_chainId', 'eth_sendRawTransaction']],
  [['eth_chainId', 'debug_traceBlockByNumber']],
])('%p is sent only when it is admitted', async (methods) => {
  const answering = ask(...methods);
  await settled();
  expect(events).toEqual(['admission asked']);
  admit();
  await settled();
  answer();
  await answering;
});
