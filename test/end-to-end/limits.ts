import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_BODY_BYTES } from '../../lambdas/shared/jsonrpc/calls.ts';
import { untilTrue } from '../support/until-true.ts';
import { openAccount } from './operator/account.ts';
import { chargedSoFar } from './operator/charged-cu.ts';
import type { RunningGateway } from './running-gateway.ts';

/** A plan whose bucket takes 20 calls of 10 CU, and next to nothing more while they are sent. */
export const TRICKLE = { bucketCapacity: 200, refillPerSecond: 1 };
/** Longer than any charge is held back, and than an instance trusts what it has read of a balance. */
const COUNTED_WITHIN_MS = 15_000;
const LOOK_INTERVAL_MS = 200;

/**
 * What a key may do by its balance, its bucket and the limit of what is free, however the function is hosted.
 * @param running a stage with the plan `trickle`, whose node answers every call
 */
export function describeLimits(running: () => RunningGateway): void {
  let gateway: RunningGateway;
  beforeAll(() => {
    gateway = running();
  });

  const send = (key: string, body: string) =>
    fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body,
    });
  const call = (method: string, params: readonly unknown[] = [], id = 9) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const untilCharged = (account: string, cu: number) => {
    let charged = 0;
    const isCharged = async () => {
      charged = await chargedSoFar(gateway, account);
      return charged === cu;
    };
    const failure = () => `${account} is charged ${charged} CU, not ${cu}`;
    return untilTrue(isCharged, { withinMs: COUNTED_WITHIN_MS, everyMs: LOOK_INTERVAL_MS, failure });
  };
  /** The first response to a free or cheap call that has another status. */
  const askWhile = async (status: number, key: string) => {
    const deadline = Date.now() + COUNTED_WITHIN_MS;
    let response = await send(key, call('eth_chainId'));
    while (response.status === status && Date.now() < deadline) {
      await sleep(LOOK_INTERVAL_MS);
      response = await send(key, call('eth_chainId'));
    }
    return response;
  };

  test('answers 402 once the balance is used up', async () => {
    const { account, apiKey: key } = await openAccount(gateway, { credit: 9 });
    expect((await send(key, call('eth_gasPrice'))).status).toBe(200);
    await untilCharged(account, 10);
    const refused = await askWhile(200, key);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 9,
      error: { code: -32020, message: 'insufficient balance', data: { reason: 'insufficient_balance' } },
    });
    expect(refused.headers.get('retry-after')).toBeNull();
  });

  test('admits exactly the capacity of a bucket, then 429 with Retry-After', async () => {
    const { account, apiKey: key } = await openAccount(gateway, { plan: 'trickle' });
    const balance = (id: number) => call('eth_getBalance', [`0x${'00'.repeat(20)}`, 'latest'], id);
    const responses = await Promise.all(Array.from({ length: 30 }, (_, id) => send(key, balance(id))));
    const admitted = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status === 429);
    expect([admitted.length, refused.length]).toEqual([20, 10]);
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await response.json()).toMatchObject({
        error: {
          code: -32005,
          message: 'rate limit exceeded',
          data: { reason: 'rate_limited', limit: 'cu' },
        },
      });
    }
    const billed = admitted.map(({ headers }) => Number(headers.get('x-cu-billed')));
    await untilCharged(
      account,
      billed.reduce((sum, cu) => sum + cu, 0),
    );
  });

  test('a key that sends large requests for nothing has to wait for a moment, and then gets what its balance says', async () => {
    const { apiKey: key } = await openAccount(gateway, { credit: 0 });
    const garbage = `{"jsonrpc":"2.0","id":"${'x'.repeat(MAX_BODY_BYTES - 1_024)}"`;
    let refused: Response | undefined;
    // Each process has a limit of its own.
    for (let sent = 0; sent < 100 && refused?.status !== 429; sent++) {
      refused = await send(key, garbage);
      expect([200, 429]).toContain(refused.status);
    }
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused?.headers.get('x-cu-billed')).toBe('0');
    expect(await refused?.json()).toMatchObject({
      id: null,
      error: {
        code: -32005,
        message: 'rate limit exceeded',
        data: { reason: 'rate_limited', retryable: true, limit: 'unmetered' },
      },
    });
    expect((await send((await openAccount(gateway)).apiKey, call('eth_chainId'))).status).toBe(200);
    expect((await askWhile(429, key)).status).toBe(402);
  });
}
