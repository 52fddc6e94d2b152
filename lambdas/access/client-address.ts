import { headerOf } from '../shared/http/header-of.ts';
import { isOneOf } from '../shared/runtime/is-one-of.ts';
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
  const accepted = settings.proofSha256.map((hex) => Buffer.from(hex, 'hex'));
  if (proof === undefined || !isOneOf(proof, accepted)) return sourceIp;
  // A proxy that proves itself and names no address is not the client.
  return headerOf(headers, settings.header)?.trim();
}
