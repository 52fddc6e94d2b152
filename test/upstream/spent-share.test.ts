/**
 * A key that has used up its share of further questions is answered by another node where a node fails by no doing of a
 * client, and first asks a node that is as far.
 */
import { failed } from '../../lambdas/shared/jsonrpc/match-responses.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { dispatch } from '../../lambdas/shared/upstream/asking/dispatch.ts';
import { openChainUpstreams, type UpstreamOptions } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { connectNode } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { askHead } from '../../lambdas/shared/upstream/routing/ask-head.ts';
import { createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { closing, result } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { transactionOf } from '../nodes/simulated-chain.ts';
import { call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';

const MAX_RESPONSE_BYTES = 1_024;
const REQUEST_MS = 10_000;
const KEY = 'key';

let nodes: readonly [ScriptedNode, ScriptedNode];

beforeEach(async () => {
  nodes = await Promise.all([startScriptedNode(result('"first"')), startScriptedNode(result('"second"'))]);
});

afterEach(() => Promise.all(nodes.map((node) => node.close())));

/** Two upstreams, the first of which is preferred, as a key finds them that has nothing left. */
function askWith(pace?: UpstreamOptions['pace']): () => Promise<string> {
  const [first, second] = nodes.map(({ url }, priority) => ({
    name: `upstream-${priority + 1}`,
    priority,
    connection: connectNode({ url, maxResponseBytes: MAX_RESPONSE_BYTES, clock: systemClock }),
  })) as [UpstreamOptions, UpstreamOptions];
  const upstreams = openChainUpstreams([{ ...first, pace }, second], {
    clock: systemClock,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  const node = createChainClient(upstreams);
  node.refusedWords.shareOf(KEY).owe(1_000);
  return async () => {
    const [answer = failed('upstream_unavailable')] = await dispatch(
      [call('eth_chainId')],
      node,
      systemClock.now() + REQUEST_MS,
      { keyId: KEY },
    );
    return told(answer);
  };
}

test('a node that closes the connection that it kept, and the next', async () => {
  const ask = askWith();
  expect(await ask()).toBe('"first"');
  nodes[0].script(closing, closing);
  expect(await ask()).toBe('"second"');
});

test('a node that may be sent no more calls by the stage file, as the draw of this very call finds', async () => {
  const ask = askWith({ pausedUntil: undefined, admits: async () => false });
  expect(await ask()).toBe('"second"');
  expect(nodes[0].requests).toEqual([]);
});

test('what is in the newest block is found, though one of two nodes has it a block later', async () => {
  const gateway = new SimulatedGateway([{}, { lag: 1 }]);
  const { node, chain, clock } = gateway;
  node.refusedWords.shareOf(KEY).owe(1_000);
  for (let block = 0; block < 20; block++) {
    await clock.pass(1_000);
    await clock.until(Promise.all(node.upstreams.map((upstream) => askHead(node, upstream))));
    const hash = transactionOf(chain.head);
    const [answer] = await gateway.ask([call('eth_getTransactionReceipt', [hash])], { keyId: KEY });
    expect(answer && told(answer)).toContain(hash);
  }
});
