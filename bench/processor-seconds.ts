import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of a second, in which Linux tells processor time. */
const TICKS_PER_SECOND = 100;
/** Fields of `/proc/PID/stat` behind the name: parent, and own time and that of ended children, in ticks. */
const PARENT_FIELD = 1;
const TIME_FIELDS = { own: [11, 12], withEnded: [11, 12, 13, 14] } as const;

interface ProcessStat {
  readonly pid: number;
  readonly fields: readonly string[];
}

/** The process that started another. */
export function parentOf(pid: number): number {
  return Number(processes().find((one) => one.pid === pid)?.fields[PARENT_FIELD]);
}

/** Processor time of a server and its children, living and ended, in seconds. */
export function processorSeconds(server: number): number {
  const sum = (fields: readonly string[], places: readonly number[]) =>
    places.reduce((ticks, place) => ticks + Number(fields[place]), 0);
  const ticks = processes().map(({ pid, fields }) => {
    if (pid === server) return sum(fields, TIME_FIELDS.withEnded);
    return Number(fields[PARENT_FIELD]) === server ? sum(fields, TIME_FIELDS.own) : 0;
  });
  return ticks.reduce((total, one) => total + one, 0) / TICKS_PER_SECOND;
}

/** Fields of all processes of this machine, without those that end meanwhile. */
function processes(): ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return [{ pid: Number(pid), fields: text.slice(text.lastIndexOf(')') + 2).split(' ') }];
      } catch {
        return [];
      }
    });
}
