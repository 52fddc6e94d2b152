import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CommandResult,
  type RunningGateway,
  runScript,
  startGateway,
  stopGateways,
} from '../end-to-end/running-gateway.ts';
import { CLAUSES } from './run-conformance.ts';

/** The demo chain is indexed, and balances have their first snapshot, within this, in milliseconds. */
const INDEXED_WITHIN_MS = 180_000;
/** All clauses are checked within this, also where the bucket of the key must fill up again. */
const RUN_WITHIN_MS = 120_000;
const LOOK_INTERVAL_MS = 1_000;
/** Clauses that a client cannot bring about on a gateway that is well, and on a chain without gaps. */
const UNSEEN = [
  'service.7',
  'states.1',
  'events.1',
  'data.404',
  'data.422',
  'data.snapshot',
  'authentication.7',
  'errors.7',
  ...['11', '12', '13', '14', '16', '17', '18', '19'].map((number) => `errors.${number}`),
  'metering.2',
  'metering.3',
];

/** Ids of the clauses that came out so. */
function idsOf({ stdout }: CommandResult, outcome: string): string[] {
  return [...stdout.matchAll(new RegExp(`^${outcome} +(\\S+)`, 'gm'))].map(([, id = '']) => id);
}

afterAll(async () => {
  await stopGateways();
});

test('no two clauses have one id', () => {
  expect(new Set(CLAUSES.map(({ id }) => id)).size).toBe(CLAUSES.length);
});

test(
  'what npm start serves holds to every clause that can be seen',
  async () => {
    const gateway = await startGateway({ demoChain: true });
    await indexed(gateway);
    const result = await runScript(
      'conformance',
      ['--url', gateway.baseUrl, '--key', gateway.apiKey],
      RUN_WITHIN_MS,
    );
    expect(idsOf(result, 'differs')).toEqual([]);
    expect(idsOf(result, 'skipped').sort()).toEqual([...UNSEEN].sort());
    expect(result.stdout).toContain(`${CLAUSES.length - UNSEEN.length} hold, 0 differ`);
    expect(result.code).toBe(0);
  },
  INDEXED_WITHIN_MS + RUN_WITHIN_MS + 60_000,
);

test('what holds to nothing differs in every clause that can be seen', async () => {
  const server = createServer((_request, response) =>
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const result = await runScript('conformance', [
    ...['--url', `http://127.0.0.1:${port}`, '--key', `rgw_${'1'.repeat(64)}`, '--chain', 'a'],
  ]);
  server.close();
  // What it does not do wrong: it answers, and it says nothing of compute units.
  expect(idsOf(result, 'holds')).toEqual([
    'service.2',
    'endpoints.1',
    'endpoints.2',
    'authentication.3.3',
    'authentication.4',
  ]);
  expect(idsOf(result, 'differs').length).toBeGreaterThan(40);
  expect(result.code).toBe(1);
});

test('a command that names no gateway is explained', async () => {
  const { code, stdout } = await runScript('conformance', ['--url', 'http://127.0.0.1:1']);
  expect([code, stdout]).toEqual([2, expect.stringContaining('--key')]);
});

/** Waits until the demo chain is indexed and its balances are there. */
async function indexed({ baseUrl, apiKey }: RunningGateway): Promise<void> {
  const until = Date.now() + INDEXED_WITHIN_MS;
  const address = `0x${'00'.repeat(20)}`;
  for (;;) {
    const headers = { 'x-api-key': apiKey };
    const response = await fetch(`${baseUrl}/v1/data/example_mainnet/addresses/${address}/balances`, {
      headers,
    });
    if (response.status === 200) return;
    if (Date.now() > until) throw new Error(`no balances: ${await response.text()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
}
