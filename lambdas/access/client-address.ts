import { createHash, timingSafeEqual } from 'node:crypto';
import { headerOf } from '../shared/http/header-of.ts';
import type { ClientAddressSettings } from '../shared/runtime/settings.ts';

/** What of a request tells where it comes from. */
interface Origin {
  readonly headers: Readonly<Record<string, string | undefined>> | null;
  /** Address of the connection to API Gateway. */
  readonly sourceIp: string | undefined;
}

/**
 * The address that a request comes from: of the connection, or what the operator's own proxy says. The header is read only
 * beside the proxy's proof; a client that sends it without has gained nothing.
 * @param settings of the stage; absent: no proxy is trusted
 */
export function clientAddress(
  { headers, sourceIp }: Origin,
  settings?: ClientAddressSettings,
): string | undefined {
  if (settings === undefined) return sourceIp;
  const proof = headerOf(headers, settings.proofHeader);
  if (proof === undefined || !isProof(proof, settings.proofSha256)) return sourceIp;
  // A proxy that proves itself and names no address is not the client.
  return headerOf(headers, settings.header)?.trim();
}

/** Digests are compared, and each in the same time. */
function isProof(proof: string, accepted: readonly string[]): boolean {
  const digest = createHash('sha256').update(proof, 'latin1').digest();
  return accepted.filter((hex) => timingSafeEqual(digest, Buffer.from(hex, 'hex'))).length > 0;
}
