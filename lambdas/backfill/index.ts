import type { Context } from 'aws-lambda';
import { connectObjects, connectQueue, readSecret } from 'gateway-access';
import { relaxedBy } from '../indexer/blocks/block-error.ts';
import { objectFiles, readObjectManifest } from '../indexer/files/object-files.ts';
import { withFiles } from '../indexer/files/with-files.ts';
import type { ChainReader } from '../indexer/follow/chain-reader.ts';
import { type Indexer, openIndexer } from '../indexer/open-indexer.ts';
import { createWorkQueue } from '../shared/aws/work-queue.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  BACKFILL_QUEUE_URL_VARIABLE,
  BLOCK_FILES_BUCKET_VARIABLE,
  IMPORT_BUCKET_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { log } from '../shared/runtime/log.ts';
import { chainNamed, loadStageSettings } from '../shared/runtime/settings.ts';
import { proofOf } from '../shared/verify/chain-proof.ts';
import { type BackfillEvent, runBackfill } from './handler.ts';

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const queue = createWorkQueue(connectQueue, requireVariable(BACKFILL_QUEUE_URL_VARIABLE));
/** A piece of a file has a few megabytes. */
const objects = connectObjects({
  bucket: requireVariable(BLOCK_FILES_BUCKET_VARIABLE),
  connectTimeoutMs: 1_000,
  timeoutMs: 30_000,
});
/** An object is tens of megabytes at most. */
const bucketName = requireVariable(IMPORT_BUCKET_VARIABLE);
const bucket = {
  objects: connectObjects({ bucket: bucketName, connectTimeoutMs: 1_000, timeoutMs: 60_000 }),
  name: bucketName,
  region: requireVariable('AWS_REGION'),
};
const parts = new Map<string, Indexer>();

function chainOf(name: string): Indexer {
  const known = parts.get(name);
  if (known !== undefined) return known;
  const opened = openIndexer(chainNamed(settings.chains, name), readSecret);
  parts.set(name, opened);
  return opened;
}

async function openFiles(chain: string, manifest: string, reader: ChainReader): Promise<ChainReader> {
  const chainSettings = chainNamed(settings.chains, chain);
  const { chainId, relaxedChecks } = chainSettings;
  return withFiles({
    ...{
      reader,
      chainId,
      proof: proofOf(chainSettings),
      isRelaxed: relaxedBy(relaxedChecks),
      random: Math.random,
    },
    files: objectFiles(objects, chain),
    manifest: await readObjectManifest(objects, chain, manifest),
  });
}

/** Stores the past of chains, range by range, as the queue hands them out. */
export const handler = (event: BackfillEvent, context: Context): Promise<void> =>
  runBackfill(
    {
      chainOf,
      openFiles,
      queue,
      bucket,
      clock: systemClock,
      log,
      remainingMs: () => context.getRemainingTimeInMillis(),
    },
    event,
  ).finally(() => {
    for (const { tellNodeCalls } of parts.values()) tellNodeCalls();
  });
