import { hasFailedTrace, readFacts } from '../../shared/jsonrpc/response-facts.ts';
import type { CacheCondition } from './cache-condition.ts';

/** What is known of a chain when a response is judged. */
export interface KnownFinality {
  /** The newest block that was final before the node was asked: a block can be replaced while its response is under way. */
  readonly finalized: bigint | undefined;
  /** Whether a hash, in lower case, is of a final block or of a transaction in one. */
  isFinalHash(hash: string): boolean;
}

/**
 * A node that lags returns the logs that it has of a range, without saying that some are missing. This many blocks
 * below the finalized one, a node that lacks part of the range lags too far to be used at all.
 */
export const LOGS_MARGIN_BLOCKS = 1_024n;

const NULL = Buffer.from('null');
const EMPTY_LIST = Buffer.from('[]');

/** The block that must be final before the result can be, as far as the call itself shows. */
export function decidingBlock(condition: CacheCondition): bigint | undefined {
  switch (condition.kind) {
    case 'number':
      return condition.number;
    case 'range':
      return condition.to + LOGS_MARGIN_BLOCKS;
    default:
      return undefined;
  }
}

/** Whether a block is certainly final: not if either of the two is not known. */
export function isAtOrBelow(finalized: bigint | undefined, block: bigint | undefined): boolean {
  return finalized !== undefined && block !== undefined && block <= finalized;
}

/** Whether a result can never change. */
export function isFinalResult(
  condition: CacheCondition,
  result: Uint8Array,
  finality: KnownFinality,
): boolean {
  if (NULL.equals(result)) return false;
  const { finalized } = finality;
  switch (condition.kind) {
    case 'constant':
      return true;
    case 'range':
      return isAtOrBelow(finalized, decidingBlock(condition));
    case 'number':
      return (
        isAtOrBelow(finalized, condition.number) && isOfBlock(condition, result) && isWhole(condition, result)
      );
    case 'shown': {
      const { block, hashes } = readFacts(result, condition.shown);
      return hashes.includes(condition.hash) && isAtOrBelow(finalized, block);
    }
    case 'hash':
      return finality.isFinalHash(condition.hash) && isWhole(condition, result);
  }
}

/** A list can be empty; whatever else shows its block must show the one that was asked for. */
function isOfBlock(condition: Extract<CacheCondition, { kind: 'number' }>, result: Uint8Array): boolean {
  if (condition.shown === undefined || EMPTY_LIST.equals(result)) return true;
  return readFacts(result, condition.shown).block === condition.number;
}

/** Of a list of traces: whether the node has made all of them. */
function isWhole({ traces }: { readonly traces: boolean }, result: Uint8Array): boolean {
  return !traces || !hasFailedTrace(result);
}
