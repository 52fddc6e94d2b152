/** The only fields that may be logged. No key, no path, no header and no body is among them. */
export interface LogFields {
  readonly requestId?: string;
  readonly chain?: string;
  readonly method?: string;
  readonly reason?: string;
  readonly upstream?: string;
  /** Of several upstreams the one that all others contradict. */
  readonly alone?: string;
  readonly status?: number;
  readonly calls?: number;
  readonly cu?: number;
  readonly durationMs?: number;
  /** Time of a request until it was admitted, and for its charge. */
  readonly admissionMs?: number;
  readonly chargeMs?: number;
  /** Time from the start of a process until it could serve, in milliseconds: in the line of its first run only. */
  readonly startMs?: number;
  readonly account?: string;
  /** Id of a key, which is its hash: no request can be made with it. */
  readonly keyId?: string;
  /** A lane and what it has come to, as `X-CU-Lane` has it. */
  readonly lane?: string;
  readonly hour?: string;
  readonly count?: number;
  /** Bytes of large results in use. */
  readonly bytes?: number;
  /** Numbers of a settlement record of the account, and of a signed head. */
  readonly record?: number;
  readonly head?: number;
  /** Part of a block that is wrong. */
  readonly kind?: string;
  /** First words of a node's refusal, without URLs, keys and what a client sent. */
  readonly words?: string;
  /** Name and message of an error that our own code or a library raised. */
  readonly error?: string;
}

/** Writes one structured log line. */
export function log(level: 'info' | 'warn' | 'error', event: string, fields: LogFields = {}): void {
  process.stdout.write(`${JSON.stringify({ level, event, time: new Date().toISOString(), ...fields })}\n`);
}

/** An error as a log field: its name and message, never its properties (they can hold a URL). */
export function errorField(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
