/** Exit code of a run that was asked for something wrong: an unknown flag, a bad stage file. */
export const USAGE_EXIT_CODE = 2;
/** Exit code of a run that could not start or go on. */
export const FAILURE_EXIT_CODE = 1;

/** A problem that the person who runs the gateway can mend; its message is one line that says how. */
export class LocalRunError extends Error {
  override readonly name = 'LocalRunError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = FAILURE_EXIT_CODE) {
    super(message);
    this.exitCode = exitCode;
  }
}
