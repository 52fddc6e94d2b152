import { addressesOf, compareAddresses, compareBalances, compareInternalTransfers } from './address-rows.ts';
import { compareChainRows } from './chain-rows.ts';
import { Comparisons } from './comparisons.ts';
import { readNodeChain } from './node-chain.ts';
import { ask, rowsOf, type Sources } from './sources.ts';

/**
 * Compares what the Data API tells of a chain with what its node says, value by value: all blocks up to the finalized one,
 * their transactions, logs and transfers, and every address that they name.
 * @param sources an index that is complete, and a node that has the state of its snapshot of balances
 */
export async function compareChain(sources: Sources): Promise<Comparisons> {
  const comparisons = new Comparisons();
  const { meta } = await ask(sources, '/blocks?limit=1');
  const chain = await readNodeChain(sources, 0, meta.finalized_block);
  const addresses = addressesOf(chain);
  await compareChainRows(comparisons, sources, chain);
  await compareAddresses(comparisons, sources, chain, addresses);
  await compareBalances(comparisons, sources, addresses);
  await compareInternalTransfers(comparisons, sources, await tracedBlocks(sources, meta.finalized_block));
  return comparisons;
}

/** The last run of blocks up to the finalized one that are traced: older ones were traced only where they ran no code. */
async function tracedBlocks(sources: Sources, finalized: number): Promise<number[]> {
  const covered = (await rowsOf(sources, '/status/coverage/traces')).filter(
    ({ state, from_block }) => state === 'covered' && Number(from_block) <= finalized,
  );
  const first = Number(covered.at(-1)?.from_block ?? finalized);
  return Array.from({ length: finalized - first + 1 }, (_, index) => first + index);
}
