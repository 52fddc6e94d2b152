import { MAX_CONSECUTIVE_ITEMS } from '../../chain-data/decode/decode-transfers.ts';
import type { Hex, RawBlock, RawCall, RawLog, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import { TOPICS } from '../../chain-data/decode/topics.ts';

/** A page ends with the block that makes it this long or this heavy: one heavy block is a page by itself. */
const MAX_PAGE_BLOCKS = 500;
const MAX_PAGE_WEIGHT = 20_000;
/** Hex digits of data that weigh as much as a row. */
const ROW_DATA_LENGTH = 1_024;

/** Gathers blocks to pages. Those that were read before one that cannot be are a page too. */
export async function* blockPages(
  blocks: AsyncIterable<RawBlock>,
): AsyncGenerator<readonly RawBlock[], void> {
  let page: RawBlock[] = [];
  let weight = 0;
  const failure: unknown[] = [];
  try {
    for await (const block of blocks) {
      page.push(block);
      weight += weightOf(block);
      if (page.length < MAX_PAGE_BLOCKS && weight < MAX_PAGE_WEIGHT) continue;
      yield page;
      page = [];
      weight = 0;
    }
  } catch (error) {
    failure.push(error);
  }
  if (page.length > 0) yield page;
  if (failure.length > 0) throw failure[0];
}

/** About as many rows as a block makes, where long data counts as several. */
function weightOf({ transactions, traces }: RawBlock): number {
  const calls = traces.kind === 'traced' ? traces.calls : [];
  return 1 + sum(transactions, weightOfTransaction) + sum(calls, weightOfCall);
}

function weightOfTransaction({ input, receipt }: RawTransaction): number {
  return weightOfData(input) + sum(receipt.logs, weightOfLog);
}

function weightOfLog({ topics, data }: RawLog): number {
  return topics[0] === TOPICS.consecutiveTransfer ? MAX_CONSECUTIVE_ITEMS : weightOfData(data);
}

function weightOfCall({ input, output, calls }: RawCall): number {
  return weightOfData(input) + weightOfData(output) - 1 + sum(calls, weightOfCall);
}

function weightOfData(data: Hex): number {
  return 1 + Math.floor(data.length / ROW_DATA_LENGTH);
}

function sum<T>(items: readonly T[], weight: (item: T) => number): number {
  return items.reduce((total, item) => total + weight(item), 0);
}
