import { ERROR_CATALOGUE } from './error-catalogue.ts';

const NAME = Buffer.from('reason');
/** A name can be spelt with escapes. */
const ESCAPE = Buffer.from('\\u');
/** Reasons of the errors that the API in front of the functions makes. */
const FRONT_REASONS: readonly string[] = ['gateway_unreachable', 'gateway_unavailable', 'gateway_timed_out'];
const REASONS: ReadonlySet<unknown> = new Set([...Object.keys(ERROR_CATALOGUE), ...FRONT_REASONS]);

/**
 * A node's error, whose JSON has been checked, without a `data` that would make it look like one of the gateway's own:
 * clients tell them apart by `error.data.reason`. Any other error is returned as it is.
 */
export function withoutForgedReason(error: Uint8Array): Uint8Array {
  const bytes = Buffer.from(error.buffer, error.byteOffset, error.length);
  if (!bytes.includes(NAME) && !bytes.includes(ESCAPE)) return error;
  const { code, message, data }: { code: number; message: string; data?: unknown } = JSON.parse(
    bytes.toString(),
  );
  if (typeof data !== 'object' || data === null || !('reason' in data) || !REASONS.has(data.reason))
    return error;
  return Buffer.from(JSON.stringify({ code, message }));
}
