const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2})\/([A-Za-z0-9_-]{1,64});n=([1-9]\d{0,14});total=([1-9]\d{0,14})$/;

/** What a response told of its lane. */
export interface LanePosition {
  readonly hour: string;
  readonly lane: string;
  /** Charges in it. */
  readonly n: number;
  /** Compute units of them. */
  readonly total: number;
}

/** Reads an `X-CU-Lane`; undefined: it is none. */
export function parsePosition(text: string): LanePosition | undefined {
  const [, hour, lane = '', n, total] = POSITION.exec(text) ?? [];
  return hour === undefined ? undefined : { hour, lane, n: Number(n), total: Number(total) };
}
