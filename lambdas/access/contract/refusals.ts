/** What a key's bounds refuse a request or a call for. */
export const REFUSAL_REASONS = [
  'api',
  'address',
  'expired',
  'chain',
  'method',
  'operation',
  'contract',
  'day',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** What the bounds of a key have refused in some time. */
export interface BoundRefusals {
  /** Requests, or calls of JSON-RPC, by what they were refused for; reasons without any are left out. */
  readonly counts: Partial<Readonly<Record<RefusalReason, number>>>;
  /** The last of them; absent: there was none. */
  readonly last?: {
    readonly reason: RefusalReason;
    /** Block of addresses that it came from: of IPv4 /24, of IPv6 /48. `unknown` without an address. */
    readonly address: string;
    /** Milliseconds since the epoch. */
    readonly at: number;
  };
}

/** Where the refusals of keys are kept for a day, by the hour. Methods reject with `StoreUnavailableError`. */
export interface RefusalStore {
  /** Adds what was refused to the hour of its last. */
  add(keyId: string, refused: Required<BoundRefusals>): Promise<void>;
  /** What was refused in the hour of a time (milliseconds since the epoch) and the 23 before it. */
  read(keyId: string, nowMs: number): Promise<BoundRefusals>;
}

/** What a key's owner learns of refusals. */
export interface RefusalsDescription {
  /** Since when they are counted, ISO 8601. */
  readonly since: string;
  readonly counts: BoundRefusals['counts'];
  /** Absent: there was none. */
  readonly last?: { readonly reason: RefusalReason; readonly address: string; readonly at: string };
}
