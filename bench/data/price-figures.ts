/** What one request of an operation took. */
export interface PricedRequest {
  /** Operation and, where it is not the default, the size of the page. */
  readonly name: string;
  /** Price that it was billed at, in CU. */
  readonly cu: number;
  /** Processor time of the database, in milliseconds. */
  readonly databaseMs: number;
  /** Bytes of the response, before compression. */
  readonly bytes: number;
}

/** A request beside the others. */
interface JudgedRequest extends PricedRequest {
  /** What one CU of it costs the operator, as milliseconds of the database. */
  readonly msPerCu: number;
  /** The same in parts of the median of all requests. */
  readonly ratio: number;
}

/** Most times the median that a CU of any request may cost. */
export const MAX_RATIO = 3;
/** What a mebibyte takes beside the query: to render, seal, compress and send it. Milliseconds of the database. */
const MS_PER_MIB = 20;
const MIB = 1_048_576;

/** Puts each request beside the median, the dearest for the operator first. */
export function judgePrices(requests: readonly PricedRequest[]): readonly JudgedRequest[] {
  const costs = requests.map((request) => ({ ...request, msPerCu: costOf(request) / request.cu }));
  const sorted = costs.map(({ msPerCu }) => msPerCu).sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return costs
    .map((request) => ({ ...request, ratio: median === 0 ? 1 : request.msPerCu / median }))
    .sort((one, other) => other.ratio - one.ratio);
}

function costOf({ databaseMs, bytes }: PricedRequest): number {
  return databaseMs + (bytes / MIB) * MS_PER_MIB;
}
