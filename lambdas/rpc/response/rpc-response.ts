import type { BodyPieces } from '../../shared/http/body-pieces.ts';
import type { Reason } from '../../shared/jsonrpc/error-catalogue.ts';
import type { CallFigures } from './call-figures.ts';

/** What a request is answered, before it is encoded. */
export interface RpcResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyPieces;
  /** Absent if the request was refused as a whole. */
  readonly figures?: CallFigures;
  /** Why it was refused as a whole. */
  readonly refused?: Reason;
  /** Compute units that are charged. @default none */
  readonly billedCu?: number;
  /** Where its time went. Absent if nothing was sent. */
  readonly times?: RequestTimes;
  /** What is left to do once the response is sent: charge it, and share it with other instances. Never rejects. */
  readonly conclude?: () => Promise<void>;
  /** Sends further upstreams what they get of the request: never before the response is sent. Rejects only for a defect. */
  readonly copy?: () => Promise<void>;
  /** Whether its key was found active by the draw from the bucket. @default false */
  readonly admitted?: boolean;
}

/** Times of a request, in milliseconds. */
interface RequestTimes {
  /** Until it was admitted. */
  readonly admissionMs: number;
  /** For the cache and the node, from then on. */
  readonly upstreamMs: number;
}
