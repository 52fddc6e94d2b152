/** The highest head of a chain that a key got. */
export interface GivenHead {
  /** How often the chain has gone back below a head that the key got. */
  readonly sequence: number;
  /** Number of the block. */
  readonly number: bigint;
  /** The highest block that a response showed something of. @default none lately */
  readonly shown?: bigint | undefined;
  /** Name of the upstream that stood by it. */
  readonly by: string;
  /** When the key got it, in milliseconds since the epoch by the clock of the instance that returned it. */
  readonly at: number;
}

/** The upstream that took a transaction. */
export interface Taker {
  /** Its name. */
  readonly by: string;
  /** When it took it, in milliseconds since the epoch by the clock of the instance that sent it. */
  readonly at: number;
}

/**
 * Heads that keys got, and what became of their transactions, as all instances share them. Each method rejects when the store
 * does not answer in its time.
 */
export interface GivenHeadStore {
  /** As it is now, not as it was a moment ago; undefined if the key got none lately. */
  read(keyId: string, chain: string): Promise<GivenHead | undefined>;
  /**
   * Stores a head in the place of a lower one of its sequence; the first of a sequence, or what was shown, in the place of just
   * the one that was read. Within a sequence what was shown only rises. Resolves to what is stored after that: another one if that
   * stood in the way.
   */
  raise(keyId: string, chain: string, given: GivenHead, read?: GivenHead): Promise<GivenHead>;
  /** Who took transactions of a chain lately, by their hashes or by keys that sent them; at most 100 by one request. */
  readTakers(chain: string, names: readonly string[]): Promise<ReadonlyMap<string, Taker>>;
  /** Keeps who took them for some minutes, in the place of what was kept. */
  keepTakers(chain: string, takers: ReadonlyMap<string, Taker>): Promise<void>;
}
