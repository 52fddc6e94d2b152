import type { DecodeOptions } from './decode/decode-logs.ts';

/** What is believed of contracts without being told: neither a wrapped native token nor a factory of stocks is. */
export const DECODE_OPTIONS: DecodeOptions = { wrappedNative: new Set(), stockFactories: new Set() };
