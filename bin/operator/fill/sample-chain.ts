import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import { type BlockSize, type ChainSample, meanSize, sizeOfBlock } from './chain-sample.ts';

/** Parts of equal length that a range is looked at in, each in one place: it is busier at one end than at the other. */
const PLACES = 48;
/** Step from a place to the next, without a common divisor with {@link PLACES}: few places are all over the range too. */
const PLACE_STEP = 19;
/** Blocks that are read in a place, one after the other. */
const BLOCKS_AT_A_PLACE = 4;
/** Time after which no further place is looked at, in milliseconds. */
const SAMPLE_MS = 60_000;
/** Time for all, in milliseconds; a place that takes longer fails the sample. */
const DEADLINE_MS = 120_000;

interface SampleParts {
  readonly reader: Pick<ChainReader, 'pages'>;
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Calls that the node was sent so far. */
  readonly callsSent: () => number;
}

/**
 * Reads some blocks of ranges, as a fill would.
 * @param ranges in ascending order, without overlaps; at least one block
 * @throws whatever the node fails with
 */
export async function sampleChain(parts: SampleParts, ranges: readonly BlockRange[]): Promise<ChainSample> {
  const { clock, reader } = parts;
  const startedMs = clock.now();
  const callsBefore = parts.callsSent();
  const sizes: BlockSize[] = [];
  let traced = true;
  for (const run of runsOf(ranges, parts.random)) {
    if (sizes.length > 0 && clock.now() - startedMs >= SAMPLE_MS) break;
    for await (const page of reader.pages(run.from, run.to, { deadline: startedMs + DEADLINE_MS })) {
      traced &&= page.every(({ traces }) => traces.kind === 'traced');
      sizes.push(...page.map(sizeOf));
    }
  }
  return {
    ...meanSize(sizes),
    blocks: sizes.length,
    nodeCalls: (parts.callsSent() - callsBefore) / sizes.length,
    readMs: (clock.now() - startedMs) / sizes.length,
    traced,
  };
}

function sizeOf(block: RawBlock): BlockSize {
  return sizeOfBlock(decodeBlock(block, { wrappedNative: new Set() }));
}

/** A short run of blocks for each place, at random within it; none twice. */
function runsOf(ranges: readonly BlockRange[], random: () => number): BlockRange[] {
  const blocks = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const places = Math.max(1, Math.min(PLACES, Math.floor(blocks / BLOCKS_AT_A_PLACE)));
  return Array.from({ length: places }, (_, index) => {
    const place = places === PLACES ? (index * PLACE_STEP) % places : index;
    const [first, end] = [place, place + 1].map((edge) => Math.floor((edge * blocks) / places)) as [
      number,
      number,
    ];
    const room = Math.max(0, end - first - BLOCKS_AT_A_PLACE);
    return runAt(ranges, first + Math.floor(random() * (room + 1)));
  });
}

/** The run that begins so many blocks behind the first; it ends with its range. */
function runAt(ranges: readonly BlockRange[], offset: number): BlockRange {
  let before = 0;
  for (const { from, to } of ranges) {
    const start = from + offset - before;
    if (start <= to) return { from: start, to: Math.min(to, start + BLOCKS_AT_A_PLACE - 1) };
    before += to - from + 1;
  }
  throw new RangeError('no block is there');
}
