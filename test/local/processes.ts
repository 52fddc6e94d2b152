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

/** Waits until no process mentions `text`, or rejects with those that still do. */
export async function untilNoneMentions(text: string, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (processesMentioning(text).length > 0) {
    if (Date.now() > deadline) throw new Error(`processes ${processesMentioning(text)} still run (${text})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
