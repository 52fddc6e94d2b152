/**
 * That one run of the demo chain is what the specification, its descriptions, its node and its reference say: index,
 * interfaces, pages and metrics. One run for all of it: each start loads a node with a quarter of a gigabyte.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { testCommand } from '../conformance/command.ts';
import { isAtLength } from '../support/at-length.ts';
import { describeAtLength } from '../support/at-length-tests.ts';
import { untilComplete } from '../support/prepared/complete-index.ts';
import { testAlterations, testConformance } from './demo-chain/conformance.ts';
import { DATA_PLANS, describeDataApi } from './demo-chain/data-api.ts';
import { describeIndexedChain } from './demo-chain/indexed-chain.ts';
import { describeMetrics } from './demo-chain/metrics.ts';
import { testRelease } from './demo-chain/release.ts';
import { describeSite } from './demo-chain/site.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

const STAGE_FILE = join(import.meta.dirname, '..', '..', 'config', 'local.json');
const STAGE = JSON.parse(readFileSync(STAGE_FILE, 'utf8')) as StageConfigInput;

let gateway: RunningGateway;
const running = () => gateway;

beforeAll(async () => {
  // What `npm start` serves, and plans beside its own.
  const plans = { ...STAGE.plans, ...DATA_PLANS };
  const config = { ...STAGE, plans };
  // One that is prepared pays where other files, which are deep, start with it too.
  gateway = await startGateway({ config, ...(isAtLength && { prepared: 'demo' as const }) });
  await untilComplete(gateway);
}, TWO_RUNS_MS);

afterAll(stopGateways);

describe('the index of the demo chain', () => describeIndexedChain(running));
describe('conformance', () => {
  testCommand();
  testConformance(running);
  testAlterations(running);
});
describeAtLength('releases', () => testRelease(running));
describe('the reference', () => describeSite(running));
describe('the Data API', () => describeDataApi(running));
// Last: it halts the index.
describe('metrics', () => describeMetrics(running));
