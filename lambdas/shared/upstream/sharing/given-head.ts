/** The highest head of a chain that a key got. */
export interface GivenHead {
  /** How often the chain has gone back below a head that the key got. */
  readonly sequence: number;
  /** Number of the block. */
  readonly number: bigint;
  /** Name of the upstream that stood by it. */
  readonly by: string;
  /** When it was given, in milliseconds since the epoch by the clock of the instance that gave it. */
  readonly at: number;
}

/** Heads that keys got, as all instances share them. Both methods reject when the store does not answer in its time. */
export interface GivenHeadStore {
  /** As it is now, not as it was a moment ago; undefined if the key got none lately. */
  read(keyId: string, chain: string): Promise<GivenHead | undefined>;
  /**
   * Stores a head in the place of a lower one of its sequence; the first of a sequence in the place of just the one that
   * was read. Resolves to what is stored after that: another one if that stood in the way.
   */
  raise(keyId: string, chain: string, given: GivenHead, read?: GivenHead): Promise<GivenHead>;
}
