import { readdirSync, readFileSync } from 'node:fs';

/** Process ids whose command line mentions `text`, such as a folder that only one test uses. Linux only. */
export function processesMentioning(text: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((entry) => {
      try {
        return readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Ids of the processes of a run's function: `name` is the beginning of its logical id. Linux only. */
export function functionProcesses(dataDir: string, name: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => environmentOf(pid).includes(`AWS_LAMBDA_FUNCTION_NAME=gateway-local-${name}`))
    .filter((pid) => environmentOf(pid).includes(dataDir))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}

/** Waits until no process mentions `text`, or rejects with those that still do. */
export async function untilNoneMentions(text: string, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (processesMentioning(text).length > 0) {
    if (Date.now() > deadline) throw new Error(`processes ${processesMentioning(text)} still run (${text})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
