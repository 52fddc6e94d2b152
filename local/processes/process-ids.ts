import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes whose command line or environment, as the kernel tells it, is wanted. Linux only. */
export function processIds(file: 'cmdline' | 'environ', isWanted: (told: string) => boolean): number[] {
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return ids.filter((id) => {
    try {
      return isWanted(readFileSync(`/proc/${id}/${file}`, 'utf8'));
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}
