/** A text that instances share. */
export interface SharedText {
  /** Grows by one with each change. */
  readonly sequence: number;
  /** When it was shared, in milliseconds since the epoch by the clock of the instance that did. */
  readonly toldAt: number;
  readonly text: string;
}

/** Where instances share what they know of chains. Both methods reject when the store does not answer in its time. */
export interface SharedTextStore {
  /**
   * As it was a moment ago, or as it is now if that is asked for; undefined if no instance has shared one lately.
   * @param options `isNow` costs twice as much. @default false
   */
  read(name: string, options?: { readonly isNow?: boolean }): Promise<SharedText | undefined>;
  /** Stores a text in the place of just the one that was read; resolves to whether that was there. */
  write(name: string, text: SharedText, read: SharedText | undefined): Promise<boolean>;
}
