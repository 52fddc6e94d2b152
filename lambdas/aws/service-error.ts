/** A service of AWS answered with an error. Its name is the service's own, such as `ThrottlingException`. */
export class ServiceError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** What the answer holds beside its message. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(name: string, message: string, status: number, fields: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = name;
    this.status = status;
    this.fields = fields;
  }
}

/** There is no whole answer of the service. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  /** False only if not one byte of the request can have left. */
  readonly sent: boolean;
  /** Whether its time ran out; else it failed while there was time left. */
  readonly timedOut: boolean;

  constructor(message: string, sent: boolean, timedOut = false) {
    super(message);
    this.sent = sent;
    this.timedOut = timedOut;
  }
}
