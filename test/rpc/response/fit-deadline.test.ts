/** A response that cannot be sent in time is not charged. */
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ResponseCache } from '../../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import {
  CHARGE_RESERVE_MS,
  fitDeadline,
  renderResponses,
  respond,
} from '../../../lambdas/rpc/response/render-response.ts';
import type { RpcRequest } from '../../../lambdas/rpc/rpc-request.ts';
import { bytesOfPieces, bytesWithin, streamMs } from '../../../lambdas/shared/http/body-pieces.ts';
import { StillClock } from '../../access/metering-world.ts';
import { simulatedChain } from '../../simulation/simulated-chain.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { answeredCall } from '../../support/answered-call.ts';

const MEGABYTE = 1_000_000;
/** Compresses to nearly nothing, or not at all. */
const PLAIN = Buffer.alloc(30 * MEGABYTE, '7');
const RANDOM = Buffer.concat([
  Buffer.from('"'),
  Buffer.from(randomBytes(15 * MEGABYTE).toString('hex')),
  Buffer.from('"'),
]);
const SMALL = Buffer.from('"0x1"');

test('the first 6 MB take no time, the others a second for 2 MB', () => {
  expect([0, 6, 8, 30].map((megabytes) => streamMs(megabytes * MEGABYTE))).toEqual([0, 0, 1_000, 12_000]);
  expect([-1, 0, 1_000, 12_000].map((ms) => bytesWithin(ms) / MEGABYTE)).toEqual([6, 6, 8, 30]);
});

/** Takes bytes at the rate of Lambda, on a clock of its own, until the function ends. */
class StreamedOut extends Writable {
  bytes = 0;
  readonly #clock: StillClock;
  readonly #since: number;
  readonly #endsAt: number;

  constructor(clock: StillClock, endsAt: number) {
    super();
    this.#clock = clock;
    this.#since = clock.timeMs;
    this.#endsAt = endsAt;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.bytes += chunk.length;
    const capped = Math.max(0, this.bytes - 6 * MEGABYTE);
    this.#clock.timeMs = Math.max(this.#clock.timeMs, this.#since + capped / 2_000);
    done(this.#clock.timeMs < this.#endsAt ? undefined : new Error('the function ended'));
  }
}

describe('a node that answers late', () => {
  let clock: StillClock;
  let charged: number[];

  beforeEach(() => {
    clock = new StillClock();
    charged = [];
  });

  /** Asks for as many traces as there are results, which come so long before the function ends. */
  async function ask(results: readonly Uint8Array[], leftMs: number, acceptEncoding?: string) {
    const endsAt = clock.now() + leftMs;
    const calls = results.map((_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'debug_traceTransaction',
      params: [],
    }));
    const request: RpcRequest = {
      holder: { keyId: 'k', account: 'a' },
      chain: simulatedChain('example_mainnet'),
      body: Buffer.from(JSON.stringify(calls)),
      deadline: clock.now(),
      endsAt,
      acceptEncoding,
      clock,
    };
    const meter = admittingMeter((cu) => {
      charged.push(cu);
      clock.timeMs += CHARGE_RESERVE_MS - 1_000;
    });
    const cache: Pick<ResponseCache, 'answer'> = {
      answer: async ({ calls }) => ({
        responses: calls.map((call, index) => {
          const result = results[index] ?? SMALL;
          return answeredCall({ kind: 'result', result }, call);
        }),
        share: async () => {},
      }),
    };
    const response = await handleRequest(request, meter, cache);
    if (response === undefined) throw new Error('no answer');
    const { body } = await respond(response, 'r', acceptEncoding);
    const out = new StreamedOut(clock, endsAt);
    await pipeline(body, out);
    await response.conclude?.();
    return { response, sentBytes: out.bytes };
  }

  test('is charged for a large response that arrives', async () => {
    const { sentBytes } = await ask([PLAIN], 18_000);
    expect(sentBytes).toBeGreaterThan(PLAIN.length);
    expect(charged).toEqual([200]);
  });

  test('is not charged for one that would break off, and the client is told', async () => {
    const { response, sentBytes } = await ask([PLAIN], 12_000);
    expect(charged).toEqual([]);
    expect(sentBytes).toBeLessThan(1_000);
    expect(response.headers).toMatchObject({ 'X-CU-Cost': '200', 'X-CU-Billed': '0' });
    expect(Buffer.concat(response.body).toString()).toContain('"upstream_response_too_large"');
  });

  test('is charged for one that arrives because it is compressed', async () => {
    const { response, sentBytes } = await ask([PLAIN], 6_000, 'br');
    expect(sentBytes).toBeLessThan(MEGABYTE);
    expect(bytesOfPieces(response.body)).toBeGreaterThan(PLAIN.length);
    expect(charged).toEqual([200]);
  });

  test('is not charged for one that does not even so', async () => {
    await ask([RANDOM], 6_000, 'gzip');
    expect(charged).toEqual([]);
  });

  test('is charged for those of a batch that arrive', async () => {
    const { response } = await ask([SMALL, PLAIN, SMALL], 6_000);
    expect(charged).toEqual([400]);
    expect(JSON.parse(Buffer.concat(response.body).toString())).toMatchObject([
      { id: 0, result: '0x1' },
      { id: 1, error: { code: -32000 } },
      { id: 2, result: '0x1' },
    ]);
  });
});

test('of a batch that is too long a refused call keeps its own error', async () => {
  const refused = { refused: { id: SMALL, error: { reason: 'method_not_allowed' } } } as const;
  const large = answeredCall({ kind: 'result', result: Buffer.alloc(2_000, '7') });
  const { outcomes } = await fitDeadline([refused, large], (all) => renderResponses(true, all), {
    bytes: 1_000,
  });
  expect(outcomes).toEqual([
    refused,
    answeredCall({ kind: 'failed', error: { reason: 'upstream_response_too_large' } }),
  ]);
});

test('a kept response that is left out is not billed as a kept one', async () => {
  const kept = answeredCall({ kind: 'result', result: SMALL }, { cached: true });
  const { outcomes } = await fitDeadline(
    [kept],
    (all) =>
      all.flatMap((one) =>
        'response' in one && one.response.kind === 'result' ? [one.response.result] : [],
      ),
    { bytes: SMALL.length - 1 },
  );
  expect(outcomes).toEqual([
    answeredCall({ kind: 'failed', error: { reason: 'upstream_response_too_large' } }),
  ]);
});
