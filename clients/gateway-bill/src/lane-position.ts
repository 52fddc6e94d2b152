const POSITION =
  /^(\d{4}-\d{2}-\d{2}T\d{2})\/([A-Za-z0-9_-]{1,64});n=([1-9]\d{0,14});total=([1-9]\d{0,14})(?: ([1-9]\d{0,14}))?$/;

/** What a response stated of its lane. */
export interface LanePosition {
  readonly hour: string;
  readonly lane: string;
  /** Charges in it. */
  readonly n: number;
  /** Compute units of them. */
  readonly total: number;
  /** `X-CU-Billed` of the same response. Absent: it was not kept. */
  readonly billed?: number;
}

/** Reads an `X-CU-Lane`, with an `X-CU-Billed` behind it if there is one; undefined: invalid. */
export function parsePosition(text: string): LanePosition | undefined {
  const [, hour, lane = '', n, total, billed] = POSITION.exec(text) ?? [];
  if (hour === undefined) return undefined;
  return {
    hour,
    lane,
    n: Number(n),
    total: Number(total),
    ...(billed !== undefined && { billed: Number(billed) }),
  };
}
