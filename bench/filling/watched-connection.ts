import type { ChainConnection } from '../../lambdas/shared/chain-database/chain-queries.ts';

/** The same connection, whose imports are left for later. */
export function withoutImports(connection: ChainConnection): ChainConnection {
  return {
    ...connection,
    query: async (statement, ...more) =>
      statement.includes('bulk_import(')
        ? { rows: [{ said: 'running' }], updated: 0 }
        : connection.query(statement, ...more),
  };
}

/** Time that statements took by kind, in milliseconds: those of a kind that run together count once. */
export class StatementTimes {
  readonly #kindOf: (statement: string) => string;
  readonly #open = new Map<string, { count: number; sinceMs: number }>();
  readonly #took = new Map<string, number>();

  constructor(kindOf: (statement: string) => string) {
    this.#kindOf = kindOf;
  }

  get took(): ReadonlyMap<string, number> {
    return this.#took;
  }

  watch(connection: ChainConnection): ChainConnection {
    return {
      ...connection,
      query: (statement, ...more) =>
        this.#during(this.#kindOf(statement), () => connection.query(statement, ...more)),
      transaction: (work) => this.#during(this.#kindOf('BEGIN'), () => connection.transaction(work)),
    };
  }

  async #during<Result>(kind: string, work: () => Promise<Result>): Promise<Result> {
    const open = this.#open.get(kind) ?? { count: 0, sinceMs: performance.now() };
    if (open.count === 0) open.sinceMs = performance.now();
    open.count += 1;
    this.#open.set(kind, open);
    try {
      return await work();
    } finally {
      open.count -= 1;
      if (open.count === 0)
        this.#took.set(kind, (this.#took.get(kind) ?? 0) + performance.now() - open.sinceMs);
    }
  }
}
