/** That a demo chain which was played a month ago is of today: its newest candles are, and the examples of the README have data. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataFolder } from '../../../local/data-folder.ts';
import { prepareDemoChain } from '../../../local/demo-chain/prepare.ts';
import {
  type RunningGateway,
  startGateway,
  stopGateways,
  TWO_RUNS_MS,
} from '../../end-to-end/running-gateway.ts';
import { untilTrue } from '../../support/until-true.ts';

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
const WITHIN_MS = 300_000;
/** Examples of the README, with the host of this run. */
const EXAMPLE = /http:\/\/127\.0\.0\.1:8080(\/v1\/[^" ]+)"? -H/g;

interface Trade {
  readonly pool_id: string;
  readonly timestamp: string;
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'thirty-days-'));
});

afterAll(async () => {
  await stopGateways();
  rmSync(folder, { recursive: true });
});

async function rows<Row>({ baseUrl, apiKey }: RunningGateway, path: string): Promise<readonly Row[]> {
  const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': apiKey } });
  const { data = [] } = (await response.json()) as { readonly data?: Row | readonly Row[] };
  return Array.isArray(data) ? data : [data as Row];
}

test(
  'a month later candles of the last day are not empty, and each example of the README answers with data',
  async () => {
    const dataDir = join(folder, 'data');
    const { chains } = JSON.parse(readFileSync('config/local.json', 'utf8'));
    const data = await openDataFolder(dataDir, false);
    await prepareDemoChain({
      chainId: chains[0].chainId,
      folder: join(data.chains, chains[0].chain),
      clock: { now: () => Date.now() - MONTH_MS },
    });
    data.release();
    const startArguments = ['--block-time', '1'];
    const gateway = await startGateway({ dataDir, demoChain: true, startArguments });
    const since = new Date(Date.now() - DAY_MS).toISOString();
    let missing = '';
    const within = { withinMs: WITHIN_MS, everyMs: 1_000, failure: () => `${missing} has no data` };
    await untilTrue(async () => {
      missing = '/v1/dex/trades?finality=latest';
      const trades = await rows<Trade>(gateway, `${missing}&limit=50`);
      const newest = trades.find(({ timestamp }) => timestamp > since);
      if (newest === undefined) return false;
      missing = `/v1/dex/pools/${newest.pool_id}/candles?interval=1h&from_time=${since}`;
      return (await rows(gateway, missing)).length > 0;
    }, within);
    const examples = [...readFileSync('README.md', 'utf8').matchAll(EXAMPLE)].map(([, path = '']) => path);
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples.filter((path) => path !== '/v1/'))
      await untilTrue(async () => {
        missing = example;
        return (await rows(gateway, example)).length > 0;
      }, within);
  },
  TWO_RUNS_MS + 2 * WITHIN_MS,
);
