/** Times that a statement is sent as it is before it is prepared: one that is sent once would only take room. */
const PREPARE_AFTER = 5;
/** Statements that are counted at once; beyond it counting begins anew, and so do names. */
const MAX_COUNTED = 1_000;

interface Counted {
  uses: number;
  readonly name: string;
  /** Undefined until it has run. */
  hasColumns: boolean | undefined;
}

/**
 * Names for the statements that are sent again and again, each prepared under its name once in each session: PostgreSQL
 * then plans it a few times and not each time, as with the drivers that people use. A name stands for one text, always.
 */
export class PreparedStatements {
  readonly #known = new Map<string, Counted>();
  #names = 0;

  /** The name of a statement that is sent now by itself; undefined if it is not to be prepared. */
  nameFor(text: string): string | undefined {
    return this.#count(text)?.name;
  }

  /**
   * The same within a transaction. PostgreSQL refuses what selects other columns than when it was prepared, which would
   * end the transaction: only what has no columns is prepared there.
   */
  nameInTransaction(text: string): string | undefined {
    const known = this.#count(text);
    return known?.hasColumns === false ? known.name : undefined;
  }

  /** Notes whether a statement that was sent has columns. */
  note(text: string, hasColumns: boolean): void {
    const known = this.#known.get(text);
    if (known !== undefined) known.hasColumns = hasColumns;
  }

  /** Counts one more use; undefined for as long as there are few. */
  #count(text: string): Counted | undefined {
    const known = this.#known.get(text);
    if (known !== undefined) {
      known.uses += 1;
      return known.uses > PREPARE_AFTER ? known : undefined;
    }
    if (this.#known.size >= MAX_COUNTED) this.#known.clear();
    this.#names += 1;
    this.#known.set(text, { uses: 1, name: `statement_${this.#names}`, hasColumns: undefined });
    return undefined;
  }

  /** Has a statement counted, and later named, anew: what it selects from is not what it was. */
  forget(text: string): void {
    this.#known.delete(text);
  }
}
