import type { Functions } from '../functions/functions.ts';
import type { InvokeFunction } from './event-sources.ts';

/** The function runs as often as it may at the same time. */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
}

/** Calls functions for an event source: anything but a success is an error. */
export function invokeOrFail(functions: Functions): InvokeFunction {
  return async (logicalId, event) => {
    const result = await functions.invoke(logicalId, event);
    if (result.kind === 'success') return JSON.parse(result.payload.toString('utf8'));
    if (result.kind === 'throttled') throw new ThrottledError(logicalId);
    throw new Error(
      result.kind === 'function-error' ? `${result.errorType}: ${result.errorMessage}` : result.kind,
    );
  };
}
