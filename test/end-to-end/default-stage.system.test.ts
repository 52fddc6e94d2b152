/**
 * That the stage which `npm start` takes is, on an empty chain, what a client, a browser, an operator and a customer with a
 * bill are promised. One run for all of it; its clock is moved ahead, its state is damaged and mended, and it is stopped last.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeClients } from '../docs/clients.ts';
import { type MovableClock, openMovableClock } from './clock/movable-clock.ts';
import { describeDashboard, describeNextRun } from './default-stage/dashboard.ts';
import { describeLocalPorts } from './default-stage/local-ports.ts';
import { describeOneRequest } from './default-stage/one-request.ts';
import { describeProbe } from './default-stage/probe.ts';
import { describeTransparency } from './default-stage/transparency.ts';
import { describeUsage } from './default-stage/usage.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

const WINDOW_MS = 300_000;
const LAST_MINUTE_MS = 30_000;
const LOOK_INTERVAL_MS = 2_000;
/** The status reads its record once in half a minute, and a slot takes one; on a busy machine. */
const HISTORY_WITHIN_MS = 240_000;

let folder: string;
let clock: MovableClock;
let gateway: RunningGateway;
const running = () => gateway;

beforeAll(async () => {
  clock = openMovableClock();
  folder = mkdtempSync(join(tmpdir(), 'default-'));
  const dataDir = join(folder, 'data');
  gateway = await startGateway({ dataDir, prepared: 'plain', environment: clock.environment });
}, TWO_RUNS_MS);

afterAll(async () => {
  await stopGateways();
  clock.close();
  rmSync(folder, { recursive: true, force: true });
});

async function again(between: () => Promise<void>): Promise<RunningGateway> {
  await gateway.stop();
  await between();
  gateway = await startGateway({ dataDir: gateway.dataDir, environment: clock.environment });
  return gateway;
}

// First: it looks at figures of a run that has had no requests.
describe('the dashboard', () => describeDashboard(running));
describe('one request', () => describeOneRequest(running));
describe('a real node through the gateway', () => describeTransparency(running));
describe('ports', () => describeLocalPorts(running));
describe('clients', () => describeClients(running));
describe('usage', () => describeUsage(running));
describe('the next run', () => describeNextRun(running, again));

test(
  'the last day of a chain is in the status once five minutes are over',
  async () => {
    const untilNext = WINDOW_MS - ((Date.now() + clock.aheadMs) % WINDOW_MS);
    // Past the end of the slot that runs, and into the last minute of a window.
    await clock.advance(untilNext + WINDOW_MS - LAST_MINUTE_MS);
    const status = async () => {
      const response = await fetch(`${gateway.baseUrl}/v1/status?history=example_mainnet`);
      return ((await response.json()) as { chains: { history?: unknown[] }[] }).chains[0]?.history;
    };
    while (((await status()) ?? []).length === 0)
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
    expect((await status())?.at(-1)).toMatchObject({
      time: expect.stringMatching(/:[0-5][05]:00Z$/),
      block: expect.any(Number),
      lag_seconds: expect.any(Number),
      latency_ms: expect.any(Number),
    });
  },
  HISTORY_WITHIN_MS,
);

// Last: it stops the run.
describe('the probe', () => describeProbe(running));
