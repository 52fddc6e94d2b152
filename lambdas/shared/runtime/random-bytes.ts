/** Source of random bytes, passed in so that a simulation can repeat itself. */
export type RandomBytes = (count: number) => Uint8Array;
