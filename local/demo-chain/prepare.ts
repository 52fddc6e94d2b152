import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { hasEmbeddedUpstream } from '../../lib/config/upstream-reference.ts';
import { STATE_BLOCKS } from '../processes/anvil.ts';
import { PROPER_END } from '../processes/embedded-process.ts';
import { readGenesisTime, writeGenesisTime } from '../processes/genesis.ts';
import { LocalRunError } from '../processes/local-run-error.ts';
import { startDemoNode } from './demo-node.ts';

/** The state file of an embedded chain. Where it is, the chain has begun and is left alone. */
const STATE_FILE = 'state.json';
/** Folder of a play that has not ended; what an interrupted one left is thrown away. */
const UNFINISHED = 'demo-chain';
/** A seed for which no swap leaves the word of its tick, where the pools round once more than the plan does. */
export const SEED = 20_261_120;

interface PrepareOptions {
  readonly chainId: number;
  /** Where the embedded node of the chain keeps its state. */
  readonly folder: string;
  readonly clock: Clock;
  /** As {@link playDemoChain} has it. */
  readonly hasRisks?: boolean;
}

/**
 * Gives an embedded chain that has no state yet the history of the demo chain, before its node starts for the first
 * time. All or nothing: the state appears in one step when the play is complete.
 * @throws LocalRunError when anvil is not installed, does not start or cannot write the state
 */
export async function prepareDemoChain({
  chainId,
  folder,
  clock,
  hasRisks = false,
}: PrepareOptions): Promise<void> {
  const stateFile = join(folder, STATE_FILE);
  if (existsSync(stateFile)) return;
  // Loaded here, with half of all modules of a run: one whose chain has begun need not wait for them.
  const [{ DEMO_SPAN_SECONDS }, { playDemoChain }] = await Promise.all([
    import('./plan.ts'),
    import('./play.ts'),
  ]);
  const workFolder = join(folder, UNFINISHED);
  await rm(workFolder, { recursive: true, force: true });
  await mkdir(workFolder, { recursive: true });
  const playedFile = join(workFolder, STATE_FILE);
  const genesisTime = Math.floor(clock.now() / 1_000) - DEMO_SPAN_SECONDS;
  const node = await startDemoNode({
    chainId,
    folder: workFolder,
    genesisTime,
    stateFile: playedFile,
    stateBlocks: STATE_BLOCKS,
  });
  try {
    await playDemoChain({ url: node.url, seed: SEED, now: clock.now, hasRisks });
  } finally {
    await node.stop();
  }
  const end = await node.ended;
  if (end !== PROPER_END) throw new LocalRunError(`the demo chain could not be written: ${end}`);
  await writeGenesisTime(folder, genesisTime);
  await rename(playedFile, stateFile);
  await rm(workFolder, { recursive: true, force: true });
}

/**
 * Prepares every embedded chain of a stage; those beside the default one have risks. All have the same times, also if a start
 * was interrupted between two of them: the evidence of a price is by slots of 20 seconds of the clock, so the same trades some seconds later may have other
 * prices.
 * @param folder with a folder for the state of each chain
 */
export async function prepareDemoChains(
  { chains }: StageConfig,
  folder: string,
  clock: Clock,
): Promise<void> {
  const embedded = chains.filter(hasEmbeddedUpstream);
  const startedMs = await begunAt(
    embedded.map(({ chain }) => join(folder, chain)),
    clock,
  );
  for (const one of embedded) {
    const { chain, chainId, default: isDefault } = one;
    await prepareDemoChain({
      chainId,
      folder: join(folder, chain),
      clock: { now: () => startedMs },
      hasRisks: !isDefault,
    });
  }
}

/** When the history of chains ends, in milliseconds: that of one which has begun, or now. */
async function begunAt(folders: readonly string[], clock: Clock): Promise<number> {
  const begun = folders.find((folder) => existsSync(join(folder, STATE_FILE)));
  const isWhole = folders.every((folder) => existsSync(join(folder, STATE_FILE)));
  const genesisTime = begun === undefined || isWhole ? undefined : await readGenesisTime(begun);
  if (genesisTime === undefined) return clock.now();
  const { DEMO_SPAN_SECONDS } = await import('./plan.ts');
  return (genesisTime + DEMO_SPAN_SECONDS) * 1_000;
}
