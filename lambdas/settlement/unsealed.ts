/** Partitions of the table of the work list that hold what no head has yet; no slots of it. */
export const UNSEALED_SLOTS: readonly string[] = Array.from(
  '0123456789abcdef',
  (digit) => `unsealed-${digit}`,
);
