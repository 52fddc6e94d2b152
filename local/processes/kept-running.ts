import { type Sleep, sleep } from '../../lambdas/shared/runtime/sleep.ts';
import type { Address, EmbeddedProcess } from './embedded-process.ts';

/** Time between the end of a part and its next start: twice the one before, until the part has run for the longest. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

interface KeptOptions {
  /** Starts the part; again at the address that it had, which others know. */
  readonly start: (address?: Address) => Promise<EmbeddedProcess>;
  /** Takes a line for people when the part ends or does not start, and when it runs again. */
  readonly tell: (line: string) => void;
  /** @default by the timers of this process */
  readonly pause?: Sleep | undefined;
}

/**
 * Starts a part, and starts it again at the same address whenever it ends by itself, until it is stopped or killed: only
 * then `ended` resolves.
 * @throws the error of the first start
 */
export async function keptRunning({ start, tell, pause = sleep }: KeptOptions): Promise<EmbeddedProcess> {
  let part = await start();
  const { name, host, port, url } = part;
  const ending = new AbortController();
  const { signal } = ending;
  /** @returns why the part has to be started once more */
  const startAgain = async (): Promise<string> => {
    try {
      part = await start({ host, port, url });
    } catch (error) {
      return `does not start (${error instanceof Error ? error.message : String(error)})`;
    }
    if (signal.aborted) await part.stop();
    else tell(`${name} runs again`);
    return `stopped: ${await part.ended}`;
  };
  const keep = async (): Promise<string> => {
    let pauseMs = FIRST_PAUSE_MS;
    let startedAt = performance.now();
    let trouble = `stopped: ${await part.ended}`;
    while (!signal.aborted) {
      if (performance.now() - startedAt > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
      tell(`${name} ${trouble}; it is started again in ${pauseMs / 1_000} s, and all else runs on`);
      await pause(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      startedAt = performance.now();
      if (!signal.aborted) trouble = await startAgain();
    }
    return part.ended;
  };
  const ended = keep();
  return {
    ...part,
    ended,
    stop: async () => {
      ending.abort();
      await part.stop();
      await ended;
    },
    kill: () => {
      ending.abort();
      part.kill();
    },
  };
}
