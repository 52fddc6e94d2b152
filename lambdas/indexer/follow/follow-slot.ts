import { OvertakenError } from '../../chain-data/store/cursor.ts';
import { isDatabaseAway } from '../../shared/chain-database/database-error.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField } from '../../shared/runtime/log.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import { type SlotEvent, slotEnd } from '../../shared/runtime/slot.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import { BlockError } from '../blocks/block-error.ts';
import type { ReadDeadline } from './chain-reader.ts';
import { type FollowParts, followStep, type StepOutcome } from './follow-step.ts';
import type { HeadPace } from './head-pace.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Pauses after failures in a row, in milliseconds: the first, and the longest. */
const FIRST_FAILURE_PAUSE_MS = 250;
const MAX_FAILURE_PAUSE_MS = 5_000;
/** Longest pause while the node is behind the index, in milliseconds: a chain may have become shorter. */
const BEHIND_PAUSE_MS = 1_000;
/** A step that gets no further than this many milliseconds is not begun: it could not end in time. */
const MIN_STEP_MS = 500;
/** Time that is kept for the transaction under way, in milliseconds. */
const RESERVE_MS = 20_000;

interface SlotParts extends FollowParts {
  readonly chain: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly pause: Sleep;
  readonly pace: HeadPace;
  /** What is worth doing while there is no block to store. That it fails is logged, and no more than that. */
  readonly whenIdle?: (options: ReadDeadline) => Promise<unknown>;
}

/** The chain is halted: an operator has to look. The message says at what. */
class HaltedIndexError extends Error {
  override readonly name = 'HaltedIndexError';
}

/**
 * Follows the head of a chain for one slot, whose length depends on when it was due. One that begins too late does
 * nothing.
 * @throws what the slot failed with
 */
export async function runSlot(
  parts: SlotParts & { readonly remainingMs: () => number },
  event: SlotEvent,
): Promise<void> {
  const { chain, clock, telemetry } = parts;
  const startedMs = clock.now();
  const until = slotEnd(event, startedMs, { remainingMs: parts.remainingMs(), reserveMs: RESERVE_MS });
  const count = await followSlot(parts, until);
  if (count === undefined) return telemetry.log('info', 'index_slot_missed', { chain });
  telemetry.log('info', 'index_slot', { chain, count, durationMs: clock.now() - startedMs });
}

/**
 * Follows the head of a chain until a time in milliseconds since the epoch. Failures are logged and tried again after
 * longer and longer pauses.
 * @returns how many blocks were stored; undefined if the slot was over before it began, which is not logged
 * @throws {HaltedIndexError} as soon as the chain is halted, or at the end of a slot in which a block failed its checks; else what the last step failed with, if none succeeded
 */
export async function followSlot(parts: SlotParts, until: number): Promise<number | undefined> {
  const { chain, clock, pace, pause, telemetry } = parts;
  let newest: number | undefined;
  const watched: FollowParts = {
    ...parts,
    async onStored(block, halted) {
      newest = block.timestamp;
      pace.observe(block);
      await parts.onStored?.(block, halted);
    },
  };
  const slot = { stored: 0, toHead: 0, rolledBack: 0, succeeded: false };
  /** What the last step failed with that did, and the last check of a block that failed. */
  let failure: unknown;
  let failedCheck: BlockError | undefined;
  let failures = 0;
  while (until - clock.now() >= MIN_STEP_MS) {
    const startedMs = clock.now();
    try {
      const outcome = await followStep(watched, { deadline: until, isReadNext: pace.isQuick() });
      failures = 0;
      slot.succeeded = true;
      logOutcome(telemetry, chain, outcome);
      if (outcome.kind === 'halted') throw halted(parts, outcome.reason);
      if (outcome.kind === 'appended') slot.stored += outcome.blocks;
      if (outcome.kind === 'rolled_back') slot.rolledBack += 1;
      slot.toHead = outcome.kind === 'appended' ? outcome.toHead : 0;
      if (isAtHead(outcome)) {
        await useIdleTime(parts, { deadline: until });
        const pauseMs = pace.pauseMs(clock.now() - startedMs);
        const longestMs = outcome.kind === 'behind' ? BEHIND_PAUSE_MS : until - clock.now();
        await pause(Math.max(0, Math.min(pauseMs, longestMs)));
      }
    } catch (error) {
      if (error instanceof HaltedIndexError) throw error;
      failures += 1;
      failure = error;
      if (error instanceof BlockError && error.isLasting) failedCheck = error;
      logFailure(telemetry, chain, error, failures);
      await pause(Math.min(MAX_FAILURE_PAUSE_MS, FIRST_FAILURE_PAUSE_MS * 2 ** (failures - 1)));
    }
  }
  if (!slot.succeeded) {
    if (failedCheck !== undefined) await haltAtCheck(parts, failedCheck);
    if (failure === undefined) return undefined;
    if (isDatabaseAway(failure)) telemetry.emit({ values: { SlotsWithoutDatabase: 1 } }, clock.now());
    throw failure;
  }
  const values = {
    IndexedBlocks: slot.stored,
    IndexerLagBlocks: slot.toHead + (parts.reader.blocksBehind?.() ?? 0),
    Reorganisations: slot.rolledBack,
    ...(newest !== undefined && { IndexedHeadAge: ageOf(newest, clock) }),
  };
  telemetry.emit({ values, dimensions: { Chain: chain } }, clock.now());
  return slot.stored;
}

/**
 * A block that failed a check for a whole slot, whichever upstream was read, stops the chain until an operator has looked. The
 * next slot tries again: it continues by itself once a node mends its answer, or the settings relax the check.
 * @throws {HaltedIndexError}
 */
async function haltAtCheck(parts: SlotParts, failed: BlockError): Promise<never> {
  const error = halted(parts, failed.message);
  const cursor = await parts.index.cursor().catch(() => undefined);
  if (cursor !== undefined) await parts.onStored?.(cursor, true);
  throw error;
}

/** Says that the chain is halted, in the log and for the alarm. */
function halted({ chain, clock, telemetry }: SlotParts, reason: string): HaltedIndexError {
  telemetry.log('error', 'index_halted', { chain, reason });
  telemetry.emit({ values: { IndexerHalted: 1 }, dimensions: { Chain: chain } }, clock.now());
  return new HaltedIndexError(reason);
}

/** Age of a block in seconds. The clock of the chain may be ahead of ours. */
function ageOf(timestamp: number, clock: Clock): number {
  return Math.max(0, Math.floor(clock.now() / MILLISECONDS_PER_SECOND) - timestamp);
}

async function useIdleTime({ chain, whenIdle, telemetry }: SlotParts, options: ReadDeadline): Promise<void> {
  try {
    await whenIdle?.(options);
  } catch (error) {
    telemetry.log('warn', 'index_idle_work_failed', { chain, error: errorField(error) });
  }
}

function isAtHead(outcome: StepOutcome): boolean {
  if (outcome.kind === 'appended') return outcome.toHead === 0;
  return outcome.kind === 'idle' || outcome.kind === 'behind';
}

/** Another indexer that was faster is no reason to look. */
function logFailure({ log }: Telemetry, chain: string, error: unknown, count: number): void {
  const fields = { chain, count, error: errorField(error) };
  if (error instanceof OvertakenError) log('info', 'index_overtaken', fields);
  else log('warn', 'index_step_failed', fields);
}

function logOutcome({ log }: Telemetry, chain: string, outcome: StepOutcome): void {
  if (outcome.kind === 'began') log('info', 'index_began', { chain, count: outcome.first });
  if (outcome.kind === 'rolled_back') log('warn', 'index_rolled_back', { chain, count: outcome.blocks });
}
