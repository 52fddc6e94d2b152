import type { DecodeOptions } from '../chain-data/decode/decode-logs.ts';
import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { ChainSettings } from '../shared/runtime/settings.ts';

/**
 * What is believed of contracts because the stage file says so: that one is the wrapped native token, whose deposits and
 * withdrawals are transfers. Nothing is believed of a contract that only looks like it.
 */
export function decodeOptionsOf({ quotes }: Pick<ChainSettings, 'quotes'>): DecodeOptions {
  const wrapped = quotes?.wrappedNative?.toLowerCase() as Hex | undefined;
  return {
    wrappedNative: new Set(wrapped === undefined ? [] : [wrapped]),
  };
}
