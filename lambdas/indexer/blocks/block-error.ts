import type { RelaxableCheck, RelaxedCheck } from '../../shared/runtime/settings.ts';

/**
 * Why a block could not be read:
 * - `missing`: the node does not have it, or not its receipts; its head may be older.
 * - `inconsistent`: parts that do not belong together.
 * - `malformed`: a part without the shape that it must have.
 * - `wrong_parent`: it does not follow the block before it.
 * - `too_large`: one block is more than the node or the gateway handles at once.
 * - `unavailable`: the node did not answer.
 * - `untraced`: it answered, but not for the traces.
 * - `wrong_answer`: a hash or a root does not come out of what the node sent, or another node has the block otherwise.
 * - `contradicted`: an independent node has another hash for a block below it, and nobody decides which is right.
 */
export type BlockErrorKind =
  | 'missing'
  | 'inconsistent'
  | 'malformed'
  | 'wrong_parent'
  | 'too_large'
  | 'unavailable'
  | 'untraced'
  | 'wrong_answer'
  | 'contradicted';

/** A block that could not be read. Nothing may go on past it. */
export class BlockError extends Error {
  readonly kind: BlockErrorKind;
  readonly blockNumber: number;
  /** The check that failed, where the settings of a chain can relax it; undefined for any other failure. */
  readonly check: RelaxableCheck | undefined;

  constructor(kind: BlockErrorKind, blockNumber: number, detail: string, check?: RelaxableCheck) {
    const advice =
      check === undefined
        ? ''
        : `; if blocks of this chain are so, relax the check ${check} in the stage file`;
    super(`block ${blockNumber}: ${kind} (${detail}${advice})`);
    this.name = 'BlockError';
    this.kind = kind;
    this.blockNumber = blockNumber;
    this.check = check;
  }

  /** Whether an operator has to look if it does not pass: no node mends it by waiting. */
  get isLasting(): boolean {
    return this.check !== undefined || this.kind === 'wrong_answer' || this.kind === 'contradicted';
  }
}

/** Whether a check need not be passed by the block of this number. */
export type IsRelaxed = (check: RelaxableCheck, number: number) => boolean;

/** Every block passes every check. */
export const ALL_STRICT: IsRelaxed = () => false;

/** The checks that a chain's settings relax, each for its blocks. */
export function relaxedBy(relaxed: readonly RelaxedCheck[] = []): IsRelaxed {
  return (check, number) =>
    relaxed.some(
      ({ check: one, from = 0, to = Infinity }) => one === check && number >= from && number <= to,
    );
}

/** The relaxed checks in words, for a line in the log. */
export function describeRelaxed(relaxed: readonly RelaxedCheck[]): string {
  const bound = (word: string, block?: number) => (block === undefined ? '' : ` ${word} ${block}`);
  return relaxed.map(({ check, from, to }) => check + bound('from', from) + bound('to', to)).join(', ');
}
