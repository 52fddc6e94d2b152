import { describeTokens, MAX_TOKENS } from '../../../lambdas/indexer/describe/describe-tokens.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import type { NodePost } from '../../../lambdas/indexer/fetch/send-batch.ts';
import { createIdleWork, createPacedDescriber } from '../../../lambdas/indexer/follow/idle-work.ts';
import type { ChainConnection } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import { word } from '../../chain-data/decode/raw-blocks.ts';
import { createFakeNode, type ReceivedCall } from '../fetch/fake-node.ts';

const SLOT_MS = 59_000;
const HANGING = '0x01';

/** New tokens, and a node of which each call takes so many milliseconds. */
function world(tokens: number, timeOf: (calls: readonly ReceivedCall[]) => number) {
  let now = 0;
  const attempts = new Map(Array.from({ length: tokens }, (_, index) => [`0x0${index + 1}`, 0]));
  const described = new Set<string>();
  const chain: ChainConnection = {
    name: 'one',
    transaction: (work) => work(chain),
    query: async (sql, parameters = {}) => {
      const address = `0x${parameters.address}`;
      if (sql.includes('SELECT')) {
        const pending = [...attempts].filter(([token, count]) => !described.has(token) && count < 5);
        pending.sort(([, a], [, b]) => a - b);
        const rows = pending
          .slice(0, Number(parameters.max))
          .map(([token]) => ({ address: token, standard: 20 }));
        return { rows, updated: 0 };
      }
      if (sql.includes('UPDATE') && attempts.has(address)) {
        attempts.set(address, (attempts.get(address) ?? 0) + 1);
        if (parameters.status === 'complete') described.add(address);
      }
      return { rows: [], updated: 1 };
    },
  };
  const fake = createFakeNode(() => ({ result: word(6) }));
  const post: NodePost['post'] = async (request) => {
    now += timeOf(JSON.parse(Buffer.from(request.body).toString()));
    if (now <= request.deadline) return fake.post(request);
    now = request.deadline;
    throw new UpstreamError('timeout', { sent: true, reusedSocket: false });
  };
  const clock = { now: () => now };
  const wait = async (ms: number) => {
    now += ms;
  };
  const node = createRetryingClient({ ...fake, post }, clock, wait);
  const describe = createPacedDescriber(clock, MAX_TOKENS, (atMost, options) =>
    describeTokens({ chain, node }, atMost, options),
  );
  const longest = { ms: 0 };
  return {
    attempts,
    described,
    longest,
    node: fake,
    run: async (durationMs: number) => {
      for (const end = now + durationMs; now < end; now += 250) {
        const startedAt = now;
        await describe({ deadline: now + SLOT_MS }).catch(() => undefined);
        longest.ms = Math.max(longest.ms, now - startedAt);
      }
    },
  };
}

test('new tokens are asked at once', async () => {
  const { described, run, attempts } = world(9, () => 10);
  await run(1);
  expect(described.size).toBe(9);
  expect(new Set(attempts.values())).toEqual(new Set([1]));
});

test('a node too slow for all of them is asked for fewer, and holds the head for 15 seconds at most', async () => {
  const { described, longest, run } = world(9, (calls) => 900 * calls.length);
  await run(40 * 60_000);
  expect(described.size).toBe(9);
  expect(longest.ms).toBeLessThanOrEqual(15_000);
});

test('a token that hangs keeps none of the others from being described', async () => {
  const hangs = ({ params }: ReceivedCall) => (params[0] as { to: string }).to === HANGING;
  const { attempts, described, longest, run } = world(9, (calls) =>
    calls.some(hangs) ? Number.POSITIVE_INFINITY : 10,
  );
  await run(40 * 60_000);
  expect([...described].sort()).toEqual([...attempts.keys()].slice(1));
  expect(attempts.get(HANGING)).toBe(5);
  expect(longest.ms).toBeLessThanOrEqual(15_000);
});

test('a node that answers 429 to every call holds the head for a fifth of the time at most', async () => {
  const parts = world(9, () => 0);
  parts.node.mishaps.push(
    ...Array.from({ length: 1_000 }, () => () => ({ status: 429, body: Buffer.from('') })),
  );
  await parts.run(60_000);
  expect(parts.longest.ms).toBeLessThanOrEqual(15_000);
  expect(parts.described.size).toBe(0);
});

test('what fails at once is not tried again before a second has passed', async () => {
  let [now, tries] = [0, 0];
  const times = { workMs: 1, pauseMs: (tookMs: number) => 4 * tookMs, completePauseMs: 10_000 };
  const work = createIdleWork({ now: () => now }, times, async () => {
    tries += 1;
    throw new Error('the database is gone');
  });
  for (; now < 3_000; now += 250) await work({ deadline: now + SLOT_MS }).catch(() => undefined);
  expect(tries).toBe(3);
});
