/** Interfaces that a key can be bound to. */
export const APIS = ['rpc', 'data', 'mcp'] as const;
export type BoundApi = (typeof APIS)[number];

/**
 * What a key may be used for, as it is stored, shown and sent. All kinds must hold; entries of a kind are alternatives;
 * an absent kind is no bound.
 */
export interface KeyBounds {
  readonly apis?: readonly BoundApi[];
  /** Methods of JSON-RPC, and patterns that end in `*`. */
  readonly methods?: readonly string[];
  /** Operations of the Data API, by the names in its description. */
  readonly operations?: readonly string[];
  /** Addresses that calls may ask of, in lower case. */
  readonly contracts?: readonly string[];
  readonly chains?: readonly string[];
  /** Addresses that requests may come from, as CIDR blocks. IPv4-mapped IPv6 is IPv4. */
  readonly ips?: readonly string[];
  /** Compute units a second, where the plan has more. */
  readonly cu_per_second?: number;
  /** Compute units that it may draw in a day of UTC. */
  readonly cu_per_day?: number;
  /** From when on the key is unknown, ISO 8601. */
  readonly expires_at?: string;
}

/** Where and when a request comes in. */
export interface Entry {
  /** Absent: an interface that every key may use. */
  readonly api: BoundApi | undefined;
  /** Address that the request comes from; absent: not known. */
  readonly address: string | undefined;
}
