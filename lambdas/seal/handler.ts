import { followHeads } from '../settlement/heads.ts';
import { type SealBooks, type Sealed, sealHead } from './seal-head.ts';

/** One hourly run: seals what was settled, and says so. Rejects as {@link sealHead} does, so that the event is retried. */
export async function runSeal(books: SealBooks): Promise<Sealed> {
  const startedMs = books.clock.now();
  const sealed = await sealHead(books);
  const endedMs = books.clock.now();
  books.telemetry.log('info', 'seal_run', { count: sealed.records, durationMs: endedMs - startedMs });
  books.telemetry.emit({ values: { SealedRecords: sealed.records } }, endedMs);
  // Looked for here, in this function's own time: settlement finds nothing left to look for.
  await followHeads({ ...books, sealed: books });
  return sealed;
}
