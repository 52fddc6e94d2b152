import type { Plan } from '../plan/plan.ts';
import type { ResponseMeta } from '../plan/response-meta.ts';

/** The last block of the snapshot that a response is of, which neither `meta` nor every row tells; nothing for other responses. */
export function snapshotHeader(
  { ofSnapshot }: Pick<Plan, 'ofSnapshot'>,
  { snapshot_block }: Pick<ResponseMeta, 'snapshot_block'>,
): Readonly<Record<string, string>> {
  return ofSnapshot === true && snapshot_block !== null ? { 'X-Snapshot-Block': String(snapshot_block) } : {};
}
