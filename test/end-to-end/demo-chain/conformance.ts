import { idsOf } from '../../conformance/outcomes.ts';
import { CLAUSES } from '../../conformance/run-conformance.ts';
import { type RunningGateway, runScript } from '../running-gateway.ts';

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

/** Tests that a run on the demo chain is what the specification says. */
export function describeConformance(running: () => RunningGateway): void {
  test(
    'what npm start serves holds to every clause that can be seen',
    async () => {
      const gateway = running();
      await indexed(gateway);
      const result = await runScript(
        'conformance',
        ['--url', gateway.baseUrl, '--key', await newKey(gateway)],
        RUN_WITHIN_MS,
      );
      expect(idsOf(result, 'differs')).toEqual([]);
      expect(idsOf(result, 'skipped').sort()).toEqual([...UNSEEN].sort());
      expect(result.stdout).toContain(`${CLAUSES.length - UNSEEN.length} hold, 0 differ`);
      expect(result.code).toBe(0);
    },
    INDEXED_WITHIN_MS + RUN_WITHIN_MS + 60_000,
  );
}

/** Key of an account of its own: what is spent here is not missed by others. */
async function newKey(gateway: RunningGateway): Promise<string> {
  const account = 'conforming';
  await gateway.operator(['account', 'create', account, '--credit', '1000000']);
  const { stdout } = await gateway.operator(['key', 'create', account, '--json']);
  return (JSON.parse(stdout) as { readonly api_key: string }).api_key;
}

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
