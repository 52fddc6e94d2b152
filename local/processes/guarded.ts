import { startGuardedPort } from '../guard/guarded-port.ts';
import type { Refuse } from '../guard/refusal.ts';
import type { EmbeddedProcess } from './embedded-process.ts';

/** A part behind a guard: its address is the guard's. */
export interface GuardedProcess extends EmbeddedProcess {
  /** Where the part itself listens: only for functions of this run, whose requests it would delay. */
  readonly hiddenUrl: string;
}

/** Puts a guard before a part; it ends when the part has been stopped. */
export async function guarded(part: EmbeddedProcess, refuse: Refuse): Promise<GuardedProcess> {
  const { close, ...address } = await startGuardedPort(part, refuse);
  return {
    ...part,
    ...address,
    hiddenUrl: part.url,
    stop: async () => {
      await part.stop();
      await close();
    },
  };
}
