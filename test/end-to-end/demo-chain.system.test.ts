import { testAlterations, testConformance } from './demo-chain/conformance.ts';
import { describeIndexedChain } from './demo-chain/indexed-chain.ts';
import { describeSite } from './demo-chain/site.ts';
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts';

/** What only reads, on one run of the demo chain: each start of it loads a node with a quarter of a gigabyte. */
let gateway: RunningGateway;
const running = () => gateway;

beforeAll(async () => {
  gateway = await startGateway({ demoChain: true });
});

afterAll(stopGateways);

describe('the index of the demo chain', () => describeIndexedChain(running));
describe('conformance', () => {
  testConformance(running);
  testAlterations(running);
});
describe('the reference', () => describeSite(running));
