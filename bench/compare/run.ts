/** Compares what the Data API tells of the demo chain with what its node says, value by value, and counts. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startGateway } from '../../test/end-to-end/running-gateway.ts';
import { addressesOf, compareAddresses, compareBalances, compareInternalTransfers } from './address-rows.ts';
import { compareChainRows } from './chain-rows.ts';
import { Comparisons } from './comparisons.ts';
import { readNodeChain } from './node-chain.ts';
import { ask, type Row, resultsOf, rowsOf, type Sources } from './sources.ts';

/** Comparisons that a run has to make. */
const TARGET = 50_000;
const READY_WITHIN_MS = 300_000;
const LOOK_INTERVAL_MS = 1_000;
/** Differences of one cause that are printed. */
const MAX_PRINTED = 20;
/** A plan that lets all of it pass. */
const WIDE_PLAN = { bucketCapacity: 100_000_000, refillPerSecond: 10_000_000 };

async function main(): Promise<number> {
  const stage = JSON.parse(readFileSync('config/local.json', 'utf8'));
  const gateway = await startGateway({
    config: { ...stage, plans: { ...stage.plans, standard: WIDE_PLAN } },
  });
  try {
    const { baseUrl, apiKey, endpoints } = gateway;
    const sources = { baseUrl, apiKey, node: endpoints.upstream };
    return report(await compareAll(sources, endpoints.database));
  } finally {
    await gateway.stop();
  }
}

async function compareAll(sources: Sources, database: string | undefined): Promise<Comparisons> {
  const finalized = await untilIndexed(sources);
  await untilBalances(sources, database, finalized);
  const comparisons = new Comparisons();
  const chain = await readNodeChain(sources, 0, finalized);
  const addresses = addressesOf(chain);
  await compareChainRows(comparisons, sources, chain);
  await compareAddresses(comparisons, sources, chain, addresses);
  await compareBalances(comparisons, sources, addresses);
  await compareInternalTransfers(comparisons, sources, await tracedBlocks(sources, finalized));
  return comparisons;
}

/** The finalized block, once everything up to the node's head is indexed. */
async function untilIndexed(sources: Sources): Promise<number> {
  const [head] = await resultsOf(sources, [{ method: 'eth_blockNumber', params: [] }]);
  let finalized = 0;
  await until(async () => {
    const { meta } = await ask(sources, '/status/coverage/blocks');
    finalized = meta.finalized_block;
    const ranges = await rowsOf(sources, '/status/coverage/blocks');
    return meta.as_of_block === Number(head) && ranges.every(({ state }) => state === 'covered');
  });
  return finalized;
}

/**
 * Waits for balances of the finalized block. A first snapshot that was taken while the chain was still being indexed is of a
 * block whose state the node has dropped: it is made out to be old, so that the next one is due.
 */
async function untilBalances(
  sources: Sources,
  database: string | undefined,
  finalized: number,
): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    await until(async () => {
      await client.query(
        `UPDATE example_mainnet.balance_snapshots SET started_at = started_at - interval '1 day'
         WHERE completed_at IS NOT NULL AND block_number < $1 AND started_at > now() - interval '1 day'`,
        [finalized],
      );
      const covered = await rowsOf(sources, '/status/coverage/balances');
      return covered.some(({ state, to_block }) => state === 'covered' && Number(to_block) >= finalized);
    });
  } finally {
    await client.end();
  }
}

/** @throws Error when it is not so in time */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('the demo chain is not complete in time');
    await sleep(LOOK_INTERVAL_MS);
  }
}

/** The last run of blocks up to the finalized one that are traced: older ones were traced only where they ran no code. */
async function tracedBlocks(sources: Sources, finalized: number): Promise<number[]> {
  const covered = (await rowsOf(sources, '/status/coverage/traces')).filter(
    ({ state, from_block }: Row) => state === 'covered' && Number(from_block) <= finalized,
  );
  const first = Number(covered.at(-1)?.from_block ?? finalized);
  return Array.from({ length: finalized - first + 1 }, (_, index) => first + index);
}

function report(comparisons: Comparisons): number {
  for (const [kind, count] of comparisons.counts) print(`${kind.padEnd(24)}${grouped(count).padStart(10)}`);
  print(`${'comparisons'.padEnd(24)}${grouped(comparisons.total).padStart(10)}`);
  for (const [cause, differences] of comparisons.differences) {
    print(`\n${cause}: ${grouped(differences.length)}`);
    for (const { kind, place, told, said } of differences.slice(0, MAX_PRINTED))
      print(`  ${kind} ${place}: told ${told}, the node says ${said}`);
  }
  const isMet = comparisons.total >= TARGET && comparisons.unexplained.length === 0;
  print(`\nat least ${grouped(TARGET)} comparisons, no difference unexplained: ${isMet ? 'met' : 'MISSED'}`);
  return isMet ? 0 : 1;
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main();
