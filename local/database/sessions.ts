import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ServiceError } from '../processes/json-endpoint.ts';
import type { DataApiLimits } from './data-api-limits.ts';
import type { PostgresLogin } from './postgres.ts';
import { PreparedStatements } from './prepared-statements.ts';
import {
  type RunningStatement,
  runStatement,
  type Statement,
  type StatementResult,
  toServiceError,
} from './run-statement.ts';

/** Sessions of one role at most; more calls wait for one. */
const MAX_SESSIONS_PER_ROLE = 40;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_SESSION_MS = 30_000;
/** Time after which a session that is in use all the time is renewed, in seconds: what it has prepared takes room. */
const MAX_SESSION_SECONDS = 600;
const TRANSACTION_ID_BYTES = 48;

/** All that `DISCARD ALL` does but to forget prepared statements and their plans, which calls do not see. */
const RESET = `CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all();
  DISCARD TEMP; DISCARD SEQUENCES`;
/** Statements that a client prepares itself end with their session. */
const PREPARES = /\bPREPARE\b/i;
/** How PostgreSQL refuses a prepared statement whose table has other columns since. */
const STALE = /cached plan must not change result type/;

interface StatementOptions {
  readonly continueAfterTimeout: boolean;
}

/** A transaction that calls share by its id. */
interface Transaction {
  readonly client: pg.PoolClient;
  readonly owner: string;
  readonly lifetime: NodeJS.Timeout;
  idle: NodeJS.Timeout;
  busy: boolean;
}

/** The sessions of the RDS Data API with PostgreSQL: a fresh one for each call, and one for each transaction. */
export class Sessions {
  readonly #limits: DataApiLimits;
  readonly #superusers: pg.Pool;
  readonly #pools = new Map<string, pg.Pool>();
  readonly #prepared = new PreparedStatements();
  /** Those that end with their call or transaction. */
  readonly #spent = new WeakSet<pg.PoolClient>();
  readonly #transactions = new Map<string, Transaction>();

  /** @param superuser cancels what others run too long */
  constructor(superuser: PostgresLogin, limits: DataApiLimits) {
    this.#limits = limits;
    this.#superusers = openPool(superuser);
  }

  /** Runs a statement that is committed by itself, in a session without a past. */
  async run(login: PostgresLogin, statement: Statement, options: StatementOptions): Promise<StatementResult> {
    const client = await this.#connect(login);
    const name = this.#prepared.nameFor(statement.text);
    const running = this.#start(client, { ...statement, name }, options);
    void running.finished.then((usable) => this.#release(client, usable));
    return running.result.catch((error: unknown) => {
      if (name === undefined || !(error instanceof ServiceError) || !STALE.test(error.message)) throw error;
      // It was refused before it ran.
      this.#prepared.forget(statement.text);
      return this.run(login, statement, options);
    });
  }

  /** Begins a transaction and returns its id. */
  async begin(login: PostgresLogin): Promise<string> {
    const client = await this.#connect(login);
    await client.query('BEGIN').catch((error) => {
      client.release(true);
      throw toServiceError(error);
    });
    const id = randomBytes(TRANSACTION_ID_BYTES).toString('base64');
    this.#transactions.set(id, {
      client,
      owner: ownerOf(login),
      lifetime: this.#endLater(id, this.#limits.transactionMs),
      idle: this.#endLater(id, this.#limits.transactionIdleMs),
      busy: false,
    });
    return id;
  }

  /** Runs a statement within a transaction. What is cut off for its size or its time ends the transaction. */
  async runIn(
    id: string,
    login: PostgresLogin,
    statement: Statement,
    options: StatementOptions,
  ): Promise<StatementResult> {
    const transaction = this.#take(id, login);
    const { text } = statement;
    const name = this.#prepared.nameInTransaction(text);
    const running = this.#start(transaction.client, { ...statement, name }, options);
    void running.finished.then((usable) => {
      transaction.busy = false;
      if (usable) transaction.idle = this.#endLater(id, this.#limits.transactionIdleMs);
      else this.#end(id);
    });
    return running.result.then((result) => {
      this.#prepared.note(text, result.columns.length > 0);
      return result;
    });
  }

  /** Ends a transaction one way or the other. One that has failed cannot be committed: it is rolled back. */
  async finish(id: string, login: PostgresLogin, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const { client, lifetime } = this.#take(id, login);
    this.#transactions.delete(id);
    clearTimeout(lifetime);
    const { command } = await client.query(how).catch((error) => {
      client.release(true);
      throw toServiceError(error);
    });
    this.#release(client, true);
    if (command !== how)
      throw new ServiceError('DatabaseErrorException', 'Transaction had failed and was rolled back');
  }

  /** Name of a type. */
  async typeName(oid: number): Promise<string> {
    const { rows } = await this.#superusers.query<{ name: string }>('SELECT format_type($1, NULL) AS name', [
      oid,
    ]);
    return rows[0]?.name ?? String(oid);
  }

  /** Ends every session; open transactions are rolled back. */
  async close(): Promise<void> {
    for (const id of [...this.#transactions.keys()]) this.#end(id);
    await Promise.all([...this.#pools.values(), this.#superusers].map((pool) => pool.end()));
  }

  async #connect(login: PostgresLogin): Promise<pg.PoolClient> {
    const key = keyOf(login);
    const pool = this.#pools.get(key) ?? openPool(login);
    this.#pools.set(key, pool);
    return pool.connect().catch((error) => {
      throw toServiceError(error);
    });
  }

  #start(client: pg.PoolClient, statement: Statement, options: StatementOptions): RunningStatement {
    if (PREPARES.test(statement.text)) this.#spent.add(client);
    const cancel = async (target: pg.ClientBase) => {
      const { processID } = target as pg.ClientBase & { readonly processID: number };
      await this.#superusers.query('SELECT pg_cancel_backend($1)', [processID]);
    };
    return runStatement({ client, statement, limits: this.#limits, ...options, cancel });
  }

  /** Gives a session back with nothing left of what was set in it. */
  #release(client: pg.PoolClient, usable: boolean): void {
    if (!usable || this.#spent.has(client)) {
      client.release(true);
      return;
    }
    client.query(RESET).then(
      () => client.release(),
      () => client.release(true),
    );
  }

  /** A transaction for one call: there is no second at the same time. */
  #take(id: string, login: PostgresLogin): Transaction {
    const transaction = this.#transactions.get(id);
    if (transaction === undefined || transaction.owner !== ownerOf(login))
      throw new ServiceError('TransactionNotFoundException', `Transaction ${id} is not found`, 404);
    if (transaction.busy)
      throw new ServiceError('DatabaseErrorException', 'Transaction is still running a query');
    transaction.busy = true;
    clearTimeout(transaction.idle);
    return transaction;
  }

  #endLater(id: string, milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#end(id), milliseconds).unref();
  }

  /** Closing its session rolls a transaction back. */
  #end(id: string): void {
    const transaction = this.#transactions.get(id);
    if (transaction === undefined) return;
    this.#transactions.delete(id);
    clearTimeout(transaction.idle);
    clearTimeout(transaction.lifetime);
    transaction.client.release(true);
  }
}

function keyOf({ user, password, database }: PostgresLogin): string {
  return JSON.stringify([user, password, database]);
}

/** Whose a transaction is; calls that go on with it need not name its database again. */
function ownerOf({ user, password }: PostgresLogin): string {
  return JSON.stringify([user, password]);
}

function openPool(login: PostgresLogin): pg.Pool {
  const pool = new pg.Pool({
    ...login,
    max: MAX_SESSIONS_PER_ROLE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_SESSION_MS,
    maxLifetimeSeconds: MAX_SESSION_SECONDS,
  });
  // A session that ends while it is not used is replaced at its next use.
  pool.on('error', () => undefined);
  // If it ends within a transaction, the transaction's next call reports it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
