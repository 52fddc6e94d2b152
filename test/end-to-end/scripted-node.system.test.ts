/**
 * That clients and operators get what is promised from one run whose node does what a test tells it: whatever the node
 * answers, whatever bytes a client sends, while keys change and functions hang.
 */
import { result } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { describeDisabledKeys } from './nodes/disabled-keys.ts';
import { describeHttpEdge } from './nodes/http-edge.ts';
import { describeHungFunction } from './nodes/hung-function.ts';
import { describeMisbehavingNode, MAX_RESPONSE_BYTES } from './nodes/misbehaving-node.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

/** Far more than it takes to answer, however busy this machine is; two calls wait for it. */
const UPSTREAM_TIMEOUT_MS = 4_000;
/** Little more than a stage with such an answer of the node may have, since a test waits for each. */
const SECONDS = { rpc: 12, data: 6 };

let node: ScriptedNode;
let gateway: RunningGateway;
const running = () => gateway;
const scripted = () => node;

beforeAll(async () => {
  node = await startScriptedNode(result('"0x1"'));
  const { chains, ...stage } = nodeStage(node.url);
  gateway = await startGateway({
    config: {
      ...stage,
      chains: chains.map((chain) => ({ ...chain, maxResponseBytes: MAX_RESPONSE_BYTES })),
      upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
      functions: {
        rpc: { timeoutSeconds: SECONDS.rpc },
        data: { timeoutSeconds: SECONDS.data },
        status: { reservedConcurrency: 2 },
      },
    },
  });
}, TWO_RUNS_MS);

afterAll(async () => {
  await stopGateways();
  await node?.close();
});

// First, while functions have few processes: those that hang are stopped one by one.
describe('a hung function', () => describeHungFunction(running));
describe('a misbehaving node', () => describeMisbehavingNode(running, scripted));
describe('keys that change', () => describeDisabledKeys(running));
describe('HTTP at its edges', () => describeHttpEdge(running, scripted));
