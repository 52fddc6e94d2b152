/** A response of the last moment is still sent and charged before its function ends. */
import { QUEUE_TIMEOUT_MS } from '../../../lambdas/access/charge/lane-message.ts';
import { createMeter } from '../../../lambdas/access/meter.ts';
import { type Store, StoreUnavailableError } from '../../../lambdas/access/store/store.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import { CHARGE_RESERVE_MS, deadlineOf } from '../../../lambdas/rpc/response/render-response.ts';
import { INTEGRATION_MARGIN_MS, LAST_ANSWER_MS } from '../../../lambdas/shared/runtime/integration-time.ts';
import { StillClock } from '../../access/metering-world.ts';
import { simulatedChain } from '../../simulation/simulated-chain.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { answeredCall } from '../../support/answered-call.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';

/** Time for one whole exchange with the store, in milliseconds. */
const STORE_TIMEOUT_MS = 1_000;
const UPSTREAM_TIMEOUT_MS = 20_000;
/** Fast brotli takes 2 to 5 ms a megabyte. */
const COMPRESSING_MS = 160;
const HOLDER = { keyId: 'k', account: 'a' };
const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');

test.each([
  ['its own time-out', 40_000, 20_000],
  ['what the charge leaves of a short time', 22_000, 22_000 - CHARGE_RESERVE_MS],
  ['no time', 1_000, 0],
])('the node has %s', (_, remainingMs, expected) => {
  expect(deadlineOf(7, remainingMs, UPSTREAM_TIMEOUT_MS)).toBe(7 + expected);
});

describe('store and queue let a charge wait as long as they may', () => {
  const clock = new StillClock();

  const storeHangs = async () => {
    clock.timeMs += STORE_TIMEOUT_MS;
    throw new StoreUnavailableError('timed out', true);
  };
  const meter = createMeter({
    store: {
      get: storeHangs,
      query: storeHangs,
      put: storeHangs,
      update: storeHangs,
      delete: storeHangs,
      transact: storeHangs,
    } as Store,
    queue: {
      send: async () => {
        clock.timeMs += QUEUE_TIMEOUT_MS;
        throw new Error('timed out');
      },
    },
    settings: { plans: {}, defaultPlan: 'none', metering: { storeBeforeAnswer: false, groupCommitCu: 0 } },
    clock,
    randomBytes: (count) => Buffer.alloc(count),
    telemetry: new RecordedTelemetry(),
    pause: async (durationMs) => {
      clock.timeMs += durationMs;
    },
  });
  const admitting = { ...admittingMeter(), charge: meter.charge };

  test('and a response of the last moment is still compressed, given and charged, before the function ends', async () => {
    const startedAt = clock.now();
    const remainingMs = UPSTREAM_TIMEOUT_MS + CHARGE_RESERVE_MS;
    const deadline = deadlineOf(startedAt, remainingMs, UPSTREAM_TIMEOUT_MS);
    const late = {
      answer: async () => {
        clock.timeMs = deadline;
        const response = { kind: 'result', result: Buffer.from('"0x1"') } as const;
        return { responses: [answeredCall(response)], share: async () => {} };
      },
    };
    const chain = simulatedChain('example_mainnet');
    const response = await handleRequest(
      { holder: HOLDER, chain, body: BODY, deadline, clock },
      admitting,
      late,
    );
    expect(response?.headers).toMatchObject({ 'X-CU-Cost': '1', 'X-CU-Billed': '1' });
    await response?.conclude?.();
    expect(clock.now()).toBeGreaterThan(deadline + 3_000);
    expect(clock.now() + COMPRESSING_MS).toBeLessThan(
      startedAt + remainingMs - (LAST_ANSWER_MS - INTEGRATION_MARGIN_MS),
    );
  });
});
