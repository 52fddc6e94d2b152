import { FAILURE_EXIT_CODE, LocalRunError } from './processes/local-run-error.ts';

const MS_PER_SECOND = 1_000;
/** Time between two lines of a step that takes long, in milliseconds. */
const LINE_EVERY_MS = 8_000;
/** Errors whose messages are for people as they are. */
const PLAIN_ERRORS = ['StageConfigError', 'UnsupportedTemplateError'];

interface StepsOptions {
  /** Takes one line as a step begins, and one as it ends. */
  readonly tell: (line: string) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** What is wrong around a run so that any of its steps may fail, for people; undefined: nothing known. */
  readonly cause: () => Promise<string | undefined>;
  /** Keeps what only a developer can read. */
  readonly keep: (details: string) => void;
  /** Where that is kept. */
  readonly keptIn: string;
}

/** Runs a step of a start, and says so. */
export type Step = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * The steps of a start.
 * @returns runs one; if it fails, a LocalRunError says which one, why, and what to do
 */
export function createSteps({ tell, now, cause, keep, keptIn }: StepsOptions): Step {
  return async (name, work) => {
    const beganAt = now();
    const taken = () => `${((now() - beganAt) / MS_PER_SECOND).toFixed(1)} s`;
    tell(`${name} ...`);
    const lines = setInterval(() => tell(`${name}: ${taken()} ...`), LINE_EVERY_MS);
    try {
      const result = await work();
      tell(`${name}: done in ${taken()}`);
      return result;
    } catch (error) {
      tell(`${name}: failed after ${taken()}`);
      if (error instanceof Error && PLAIN_ERRORS.includes(error.name)) throw error;
      const known = await cause();
      if (!(error instanceof LocalRunError))
        keep(error instanceof Error ? String(error.stack) : String(error));
      throw failedStep(name, error, known ?? wayOut(error, keptIn));
    } finally {
      clearInterval(lines);
    }
  };
}

function failedStep(name: string, error: unknown, advice: string): LocalRunError {
  const reason = error instanceof Error ? error.message : String(error);
  const exitCode = error instanceof LocalRunError ? error.exitCode : FAILURE_EXIT_CODE;
  return new LocalRunError(`the start failed at "${name}": ${reason}${advice && `\n${advice}`}`, exitCode);
}

/** A LocalRunError says what to do by itself, if there is something. */
function wayOut(error: unknown, keptIn: string): string {
  if (error instanceof LocalRunError) return '';
  return `Start again; if it fails again, --fresh empties the data folder. Details are in ${keptIn}`;
}
