import { quantityJson } from '../../shared/jsonrpc/quantity.ts';
import type { Spelling } from './cache-condition.ts';

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
