import { processIds } from '../../local/processes/machine.ts';

/** Process ids whose command line mentions `text`, such as a folder that only one test uses. Linux only. */
export function processesMentioning(text: string): number[] {
  return processIds('cmdline', (told) => told.includes(text)).filter((id) => id !== process.pid);
}

/** Ids of the processes of a run's function: `name` is the beginning of its logical id. Linux only. */
export function functionProcesses(dataDir: string, name: string): number[] {
  const texts = [`AWS_LAMBDA_FUNCTION_NAME=gateway-local-${name}`, dataDir];
  return processIds('environ', (told) => texts.every((text) => told.includes(text)));
}

/** Waits until no process mentions `text`, or rejects with those that still do. */
export async function untilNoneMentions(text: string, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (processesMentioning(text).length > 0) {
    if (Date.now() > deadline) throw new Error(`processes ${processesMentioning(text)} still run (${text})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
