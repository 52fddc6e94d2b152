import type { Context } from 'aws-lambda';
import { connectRdsData, readSecret } from 'gateway-access';
import { openNode } from '../indexer/open-indexer.ts';
import { connectionTo } from '../shared/chain-database/chain-queries.ts';
import { openChainDatabase } from '../shared/chain-database/open-chain-database.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { chainNamed, loadStageSettings } from '../shared/runtime/settings.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { runSnapshot, type SnapshotEvent } from './handler.ts';
import type { SnapshotParts } from './take-snapshot.ts';

/** Longest time that a database which wakes from its pause is waited for, in milliseconds. */
const RESUME_WAIT_MS = 40_000;

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const database = openChainDatabase({ connect: connectRdsData, resumeWaitMs: RESUME_WAIT_MS });
const opened = new Map<string, OpenedChain>();

interface OpenedChain extends SnapshotParts {
  readonly tellNodeCalls: () => void;
}

function partsOf(name: string): OpenedChain {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const chain = chainNamed(settings.chains, name);
  const { patient, tellNodeCalls } = openNode(chain, readSecret);
  const parts = {
    connection: connectionTo(database, name),
    node: patient,
    clock: systemClock,
    tellNodeCalls,
  };
  opened.set(name, parts);
  return parts;
}

/** Takes the balances snapshots, of the chain that the event names. */
export const handler = (event: SnapshotEvent, context: Context): Promise<void> => {
  const { tellNodeCalls, ...parts } = partsOf(event.chain);
  return runSnapshot(
    { ...parts, pause: sleep, telemetry: systemTelemetry },
    event,
    context.getRemainingTimeInMillis(),
  ).finally(tellNodeCalls);
};
