import type { ReadSecret } from '../shared/aws/cached-secrets.ts';
import { isOneOf, secretDigest } from '../shared/runtime/is-one-of.ts';

/** Shorter values are none: a field that is not in use yet is empty. */
const LEAST_SECRET_CHARACTERS = 32;

/** Whether a request has one of the secrets. Rejects if these cannot be read and never could. */
export type IsFromFront = (presented: string) => Promise<boolean>;

/**
 * Checks the secret that API Gateway sends. Each field of the secret's JSON is valid, so that one can be renewed while the
 * other is sent.
 * @param arn of the secret
 */
export function checkFrontSecret(arn: string, readSecret: ReadSecret): IsFromFront {
  let text: string | undefined;
  let accepted: readonly Uint8Array[] = [];
  return async (presented) => {
    const known = await readSecret(arn);
    if (known !== text) {
      accepted = secretsIn(known).map(secretDigest);
      text = known;
    }
    return isOneOf(presented, accepted);
  };
}

function secretsIn(text: string): string[] {
  const fields: unknown = JSON.parse(text);
  const values: unknown[] = typeof fields === 'object' && fields !== null ? Object.values(fields) : [];
  return values.filter(
    (value): value is string => typeof value === 'string' && value.length >= LEAST_SECRET_CHARACTERS,
  );
}
