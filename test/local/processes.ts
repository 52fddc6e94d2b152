import { readdirSync, readFileSync } from 'node:fs';

/** Process ids whose command line mentions `text`, such as a folder that only one test uses. Linux only. */
export function processesMentioning(text: string): number[] {
  return processesWith('cmdline', [text]).filter((id) => id !== process.pid);
}

/** Ids of the processes of a run's function: `name` is the beginning of its logical id. Linux only. */
export function functionProcesses(dataDir: string, name: string): number[] {
  return processesWith('environ', [`AWS_LAMBDA_FUNCTION_NAME=gateway-local-${name}`, dataDir]);
}

/** Ids of the processes of which a file of the kernel has all these texts. */
function processesWith(file: 'cmdline' | 'environ', texts: readonly string[]): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        const told = readFileSync(`/proc/${entry}/${file}`, 'utf8');
        return texts.every((text) => told.includes(text));
      } catch {
        // It has ended, or belongs to another user.
        return false;
      }
    })
    .map(Number);
}

/** Waits until no process mentions `text`, or rejects with those that still do. */
export async function untilNoneMentions(text: string, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (processesMentioning(text).length > 0) {
    if (Date.now() > deadline) throw new Error(`processes ${processesMentioning(text)} still run (${text})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
