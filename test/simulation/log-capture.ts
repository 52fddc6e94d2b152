/** A line that the code under test has logged. */
export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly account?: string;
  readonly hour?: string;
  readonly cu?: number;
  readonly reason?: string;
  readonly error?: string;
}

const LINE_START = '{"level":"';
const METRICS_START = '{"_aws":';
/** Warnings are what faults cause; they are not read. */
const ERROR_START = '{"level":"error"';

/** Takes log lines and metrics out of the standard output until the returned function is called. Errors are told. */
export function captureLog(onError: (line: LogLine) => void): () => void {
  const { write } = process.stdout;
  process.stdout.write = ((...args: Parameters<typeof write>) => {
    const [chunk] = args;
    if (typeof chunk !== 'string' || !(chunk.startsWith(LINE_START) || chunk.startsWith(METRICS_START))) {
      return write.apply(process.stdout, args);
    }
    if (chunk.startsWith(ERROR_START)) onError(JSON.parse(chunk) as LogLine);
    return true;
  }) as typeof write;
  return () => {
    process.stdout.write = write;
  };
}
