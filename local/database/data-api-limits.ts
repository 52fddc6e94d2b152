/** The limits of the RDS Data API, so that what passes here passes on AWS. */
export interface DataApiLimits {
  /** Of a request's body. */
  readonly requestBytes: number;
  /** Of one SQL statement, in characters. */
  readonly statementLength: number;
  /** Of all rows of a result, as PostgreSQL sends them: two bytes a row, four and the value's text a column. */
  readonly resultBytes: number;
  /** Of one row's values. */
  readonly rowBytes: number;
  readonly statementTimeoutMs: number;
  /** Time after which a transaction is rolled back that no call has used. */
  readonly transactionIdleMs: number;
  readonly transactionMs: number;
  /** Time for which a secret that was read is used as it was. */
  readonly secretMemoryMs: number;
}

export const AWS_LIMITS: DataApiLimits = {
  requestBytes: 4 * 1024 * 1024,
  statementLength: 65_536,
  resultBytes: 1024 * 1024,
  rowBytes: 64 * 1024,
  statementTimeoutMs: 45_000,
  transactionIdleMs: 180_000,
  transactionMs: 86_400_000,
  secretMemoryMs: 120_000,
};
