import type { Call } from '../../shared/jsonrpc/calls.ts';
import { quantityJson } from '../../shared/jsonrpc/quantity.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { type CacheCondition, cacheCondition, type Spelling } from './cache-condition.ts';
import { cacheKey, sharingKey } from './cache-key.ts';
import type { FinalizedHead } from './finalized-head.ts';
import { decidingBlock, isAtOrBelow } from './is-final.ts';

/** A call, and where its response may be kept. */
export interface LookUp {
  readonly call: Call;
  /** Under which its response is kept. Undefined: it never is. */
  readonly key: string | undefined;
  /**
   * Under which an equal call may wait for it. Nodes differ in what spellings of a number they take. Undefined: the call
   * acts, so that no two are equal.
   */
  readonly sharingKey: string | undefined;
  /** Undefined: its response is never kept. */
  readonly condition: CacheCondition | undefined;
}

/** What is looked up for a call. `version`: of its chain's cache. */
export function lookUpOf(settings: ChainSettings, call: Call, version: string): LookUp {
  const condition = cacheCondition(call);
  const whole = sharingKey(settings, call, version);
  const { method, params } = call;
  if (whole === undefined || condition === undefined)
    return { call, key: undefined, sharingKey: whole, condition };
  const spellings = 'spellings' in condition ? condition.spellings : undefined;
  const isCanonical = params === undefined || spellings === undefined;
  const canonical = isCanonical ? call : { method, params: canonicalParams(params, spellings) };
  return { call, key: cacheKey(settings, canonical, version), sharingKey: whole, condition };
}

/** Whether a newer view could show the response to be final. */
export function needsView(condition: CacheCondition, view: FinalizedHead): boolean {
  if (condition.kind === 'shown') return true;
  const block = decidingBlock(condition);
  return block !== undefined && !isAtOrBelow(view.finalized, block);
}

/** Whether the response is about a block above all that is known to be final: then no instance is likely to have kept it. */
export function isTooNew(condition: CacheCondition, view: FinalizedHead): boolean {
  const block = decidingBlock(condition);
  return block !== undefined && view.finalized !== undefined && block > view.finalized;
}

/** Params with each number of a block written as nodes write it, so that one question has one key. */
export function canonicalParams(params: Uint8Array, spellings: readonly Spelling[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (const spelling of [...spellings].sort((one, other) => one.start - other.start)) {
    pieces.push(params.subarray(end, spelling.start), Buffer.from(quantityJson(spelling.number)));
    end = spelling.end;
  }
  return Buffer.concat([...pieces, params.subarray(end)]);
}
