/** Content codings that a response can have. */
export type ContentCoding = 'br' | 'gzip';

/** What a client's `accept-encoding` allows. */
interface CodingChoice {
  /** The coding that the client likes best, if any; the first one of `CODINGS` among equals. */
  readonly coding: ContentCoding | undefined;
  /** False if the client refuses a body without a coding. */
  readonly identityAllowed: boolean;
}

const CODINGS: readonly ContentCoding[] = ['br', 'gzip'];
const QVALUE = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** Chooses by the quality values of an `accept-encoding` header (RFC 9110, section 12.5.3). */
export function chooseCoding(acceptEncoding: string | undefined): CodingChoice {
  const qualities = readQualities(acceptEncoding ?? '');
  const others = qualities.get('*');
  const identity = qualities.get('identity');
  let coding: ContentCoding | undefined;
  let best = identity ?? 0;
  for (const candidate of CODINGS) {
    const quality = qualities.get(candidate) ?? others ?? 0;
    if (quality > best || (coding === undefined && quality > 0 && quality === best)) {
      coding = candidate;
      best = quality;
    }
  }
  return { coding, identityAllowed: (identity ?? others) !== 0 };
}

function readQualities(acceptEncoding: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
    if (coding !== '') qualities.set(coding, readQuality(parameters));
  }
  return qualities;
}

/** Quality of a coding: 1 if none is given, and 0, which refuses it, if it is no number that we understand. */
function readQuality(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (quality === undefined) return 1;
  return QVALUE.test(quality) ? Number(quality) : 0;
}
