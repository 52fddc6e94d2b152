/** A request to the handler has its copies sent by what the stage file says of the chain, over real connections. */
import { UnbilledErrors } from '../../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import type { ChainSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { openCopies } from '../../../lambdas/shared/upstream/copies/open-copies.ts';
import { serveChain } from '../../../lambdas/shared/upstream/routing/serve-chain.ts';
import { shadowsApart } from '../../../lib/config/upstream-reference.ts';
import { answering } from '../../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../../nodes/scripted-node.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { CHAIN } from '../cache/cache-world.ts';
import { MemoryCacheStore } from '../cache/memory-cache-store.ts';
import { batched } from '../seen/absent-answers.ts';

const HEAD = 100_000;
const REQUEST_MS = 5_000;

/** A node of a still chain, whose old blocks have such a hash. */
function node(letter: string): Promise<ScriptedNode> {
  return startScriptedNode(
    answering(({ method, params = [] }) => {
      if (method === 'eth_chainId') return { result: '"0x1"' };
      if (method === 'eth_syncing') return { result: 'false' };
      if (method === 'eth_blockNumber') return { result: `"0x${HEAD.toString(16)}"` };
      if (method === 'eth_sendRawTransaction') return { result: `"0x${'7'.repeat(64)}"` };
      const number = params[0] === 'latest' ? `0x${HEAD.toString(16)}` : String(params[0]);
      const timestamp = `0x${Math.floor(Date.now() / 1_000).toString(16)}`;
      const hash = `0x${letter.repeat(64)}`;
      return { result: JSON.stringify({ number, hash, parentHash: hash, timestamp }) };
    }),
  );
}

test('a transaction goes to two nodes, and a final block to a shadow that is in disagreement; both after the response', async () => {
  const nodes = await Promise.all([node('a'), node('a'), node('b')]);
  const [first, second, shadow] = nodes.map(({ url }) => ({ url }));
  const settings = shadowsApart({
    ...CHAIN,
    privateUpstreams: true,
    broadcast: 2,
    upstreams: [{ ...shadow, shadow: 100 }, { ...first }, { ...second }],
  } satisfies ChainSettings);
  const telemetry = new RecordedTelemetry();
  const observer = { clock: systemClock, telemetry };
  const readSecret = async () => '';
  const client = serveChain(settings, observer, readSecret);
  const copies = openCopies(settings, client, observer, readSecret);
  const cache = new ResponseCache({ clock: systemClock, store: new MemoryCacheStore() });
  const asked = (words: string) =>
    nodes.map(({ requests }) => requests.filter(({ body }) => body.toString().includes(words)).length);
  try {
    for (const [method, params] of [
      ['eth_getBlockByNumber', ['0x64', false]],
      ['eth_sendRawTransaction', ['0x02c0']],
    ] as const) {
      const response = await handleRequest(
        {
          holder: { keyId: 'key', account: 'account' },
          chain: {
            settings,
            node: client,
            head: client.head,
            unbilledErrors: new UnbilledErrors(systemClock),
            copies,
          },
          body: Buffer.from(JSON.stringify(batched(method, params, 1))),
          deadline: systemClock.now() + REQUEST_MS,
          clock: systemClock,
        },
        admittingMeter(),
        cache,
      );
      await response?.conclude?.();
      expect(asked(`"${params[0]}"`).reduce((sum, count) => sum + count)).toBe(1);
      await response?.copy?.();
    }
    expect(asked('"0x02c0"')).toEqual([1, 1, 0]);
    expect(asked('"0x64"')[2]).toBe(1);
    expect(telemetry.metrics()).toContainEqual({ Chain: CHAIN.chain, ShadowCalls: 1, ShadowDifferences: 1 });
    expect(telemetry.logged).toContainEqual(
      expect.objectContaining({ event: 'shadow_differs', upstream: 'shadow-1' }),
    );
    expect(client.upstreams.map(({ name }) => name)).toEqual(['upstream-1', 'upstream-2']);
  } finally {
    client.close();
    await Promise.all(nodes.map((one) => one.close()));
  }
});
