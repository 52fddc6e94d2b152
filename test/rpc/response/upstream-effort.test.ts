/** Headers say what a response took of upstreams where the operator wants that. */
import { UnbilledErrors } from '../../../lambdas/rpc/billing/call-usage.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import type { ChainSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { hex } from '../../nodes/simulated-chain.ts';
import { type Character, SimulatedGateway } from '../../nodes/simulated-gateway.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { CHAIN } from '../cache/cache-world.ts';
import { NO_CACHE } from '../cache/no-cache.ts';

const CALLS = [7, 8, 9].map((block) => ({ method: 'eth_getBlockByNumber', params: [hex(block), false] }));

/** Headers about upstreams of a response to a request with these calls. */
async function ask(
  characters: readonly Character[],
  upstreamHeaders: ChainSettings['upstreamHeaders'],
  calls = CALLS,
) {
  const gateway = new SimulatedGateway(characters);
  const { clock, node } = gateway;
  const settings = { ...CHAIN, upstreamHeaders };
  const chain = { settings, node, head: node.head, unbilledErrors: new UnbilledErrors(clock) };
  const body = Buffer.from(JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))));
  const request = {
    holder: { keyId: 'k', account: 'a' },
    chain,
    body,
    deadline: clock.now() + 20_000,
    clock,
  };
  const response = await clock.until(handleRequest(request, admittingMeter(), NO_CACHE));
  return Object.fromEntries(
    Object.entries(response?.headers ?? {}).filter(([name]) => name.startsWith('X-Upstream')),
  );
}

test('responses say what they took of upstreams, if the operator wants it, and which, if he wants that too', async () => {
  const slow: Character = { latencyMs: () => 40 };
  expect(await ask([slow], undefined)).toEqual({});
  expect(await ask([slow], 'figures')).toEqual({ 'X-Upstream-Attempts': '3', 'X-Upstream-Duration': '40' });
  expect(await ask([slow], 'names')).toMatchObject({ 'X-Upstream': 'upstream-1' });
});

test('attempts that failed are counted', async () => {
  const broken: Character = { fate: () => ({ kind: 'response', status: 500, body: 'no' }) };
  const headers = await ask([broken, { priority: 1 }], 'names');
  expect(headers).toMatchObject({ 'X-Upstream-Attempts': '6', 'X-Upstream': 'upstream-2' });
});
