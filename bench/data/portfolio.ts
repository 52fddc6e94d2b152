/**
 * What an address has on 1, 10 and 50 chains, through the typed client and as the tool of MCP, over a local run with as many chains.
 * `npm run bench -- portfolio [--rounds N]`
 */
import { join } from 'node:path';
import pg from 'pg';
import { createClient, type DataClient } from '../../clients/typescript/src/client.ts';
import { fillRows, type Samples } from '../../test/data/plan/seeded-rows.ts';
import { MESSAGE_HEADERS, mcpMessage } from '../../test/end-to-end/clients/mcp-client.ts';
import type { RunningGateway } from '../../test/end-to-end/running-gateway.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, median } from '../figures.ts';
import { chainsAt, withGateway } from '../stage.ts';
import { type ProcessState, startWorker } from '../worker.ts';

/** Numbers of chains; a stage has at most the last. */
const COUNTS = [1, 10, 50] as const;
const NAMES = Array.from({ length: COUNTS[2] }, (_, at) => `chain${at}x`);
/** Transfers of each chain: what a chain is asked for is the balances of one address. */
const TRANSFERS = 1_000;
/** How often each is read, in turns with the others; the median counts. */
const DEFAULT_ROUNDS = 15;
const WARM_UP_ROUNDS = 5;
/** Chains take as long as each alone, one after the other; four at once wait for each other's processors where these are busy. */
const MOST_RATIO = 1.3;

/** Reads a portfolio of some chains; throws if any of them is not whole. */
type Read = (chains: readonly string[]) => Promise<void>;

function byClient(client: DataClient, { busy }: Samples): Read {
  return async (chains) => {
    const read = await client.portfolio(busy, { chains });
    if (!read.complete)
      throw new Error(`not whole: ${read.chains.find(({ error }) => error)?.error?.message}`);
  };
}

function byTool(gateway: RunningGateway, { busy }: Samples): Read {
  return async (chains) => {
    const response = await fetch(`${gateway.baseUrl}/v1/mcp`, {
      method: 'POST',
      headers: { ...MESSAGE_HEADERS, 'x-api-key': gateway.apiKey },
      body: mcpMessage('tools/call', { name: 'getPortfolio', arguments: { address: busy, chains } }),
    });
    const { result } = (await response.json()) as {
      readonly result: {
        readonly structuredContent: { readonly data: readonly { readonly error: string | null }[] };
      };
    };
    const failed = result.structuredContent.data.find(({ error }) => error !== null);
    if (failed !== undefined) throw new Error(`a chain failed: ${failed.error}`);
  };
}

/** Milliseconds of a portfolio of each number of chains, in the order of these. */
async function measure(read: Read, rounds: number): Promise<readonly number[]> {
  const taken = COUNTS.map((): number[] => []);
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1)
    for (const [at, count] of COUNTS.entries()) {
      const startedAt = performance.now();
      await read(NAMES.slice(0, count));
      if (round >= WARM_UP_ROUNDS) taken[at]?.push(performance.now() - startedAt);
    }
  return taken.map(median);
}

/** Each number of chains beside as many portfolios of one chain. */
function figuresOf(times: readonly number[]): Figure[] {
  return COUNTS.map((count, at) => ({
    name: count === 1 ? '1 chain' : `${count} chains`,
    value: times[at] ?? 0,
    unit: 'ms',
    ...(count > 1 && {
      baseline: { name: `${count} times one chain`, value: count * (times[0] ?? 0) },
      mostRatio: MOST_RATIO,
    }),
  }));
}

await runBenchmark({ rounds: DEFAULT_ROUNDS }, async (show, { rounds }) => {
  const node = startWorker<object, ProcessState>(join(import.meta.dirname, '..', 'rpc', 'stub-node.ts'));
  try {
    const { url } = await node.ask({});
    const chains = chainsAt(Object.fromEntries(NAMES.map((name) => [name, url])));
    await withGateway({ chains }, async (gateway) => {
      const database = new pg.Client({ connectionString: gateway.endpoints.database });
      await database.connect();
      const samples: Samples[] = [];
      for (const name of NAMES)
        samples.push(
          await fillRows((sql) => database.query(sql), { schema: `"${name}"`, transfers: TRANSFERS }),
        );
      await database.end();
      const [of] = samples;
      if (of === undefined) throw new Error('no chain');
      const client = createClient({ baseUrl: gateway.baseUrl, apiKey: gateway.apiKey });
      show('Through the client, four chains at once', figuresOf(await measure(byClient(client, of), rounds)));
      show('As the tool, one chain after the other', figuresOf(await measure(byTool(gateway, of), rounds)));
    });
  } finally {
    await node.close();
  }
});
