/** Answer of `GET /v1/account`. Amounts are compute units. */
export interface Account {
  readonly account: string;
  readonly plan: string;
  readonly balance_cu: number;
  readonly limits: {
    readonly bucket_capacity_cu: number;
    readonly refill_cu_per_second: number;
    /** Absent if the plan does not limit calls. */
    readonly requests_per_second?: number;
  };
  /** The key that asks. */
  readonly key: {
    /** What it may be used for: all kinds must hold, and an absent one is no bound. */
    readonly bounds: {
      readonly apis?: readonly ('rpc' | 'data' | 'mcp')[];
      /** Methods of JSON-RPC, and patterns that end in `*`. */
      readonly methods?: readonly string[];
      readonly operations?: readonly string[];
      /** Addresses that calls of JSON-RPC may ask of. */
      readonly contracts?: readonly string[];
      readonly chains?: readonly string[];
      /** CIDR blocks that requests may come from. */
      readonly ips?: readonly string[];
      readonly cu_per_second?: number;
      readonly cu_per_day?: number;
      /** ISO 8601. */
      readonly expires_at?: string;
    };
  };
  readonly usage: {
    readonly charged_cu: number;
    /** Charged and not yet settled, by hour (`2026-11-20T23`, UTC). */
    readonly pending_cu: Readonly<Record<string, number>>;
  };
}

/** Answer of `GET /v1/status`. Times are ISO 8601. */
export interface Status {
  readonly checked_at: string;
  readonly gateway: { readonly status: 'ok' | 'degraded' | 'down' };
  readonly chains: readonly {
    readonly chain: string;
    readonly chain_id: number;
    readonly head: { readonly block: number; readonly time: string; readonly lag_seconds: number };
  }[];
}

/** Answer of `GET /v1/chains`: what each public chain offers. */
export interface Chains {
  readonly chains: readonly {
    readonly chain: string;
    readonly name: string;
    readonly chain_id: number;
    readonly jsonrpc: boolean;
    readonly data: boolean;
    /** Methods and patterns. A denial wins. */
    readonly methods: { readonly allow: readonly string[]; readonly deny: readonly string[] };
    readonly max_logs_block_range: number;
    readonly state_window_blocks: number;
    /** Newest blocks of which nodes prove the state; null where they refused none lately. */
    readonly proof_window_blocks: number | null;
    /** Checks that stored blocks of the chain need not have passed; with `from` and `to` for those of a range. */
    readonly relaxed_checks: readonly {
      readonly check: string;
      readonly from?: number | undefined;
      readonly to?: number | undefined;
    }[];
  }[];
}
