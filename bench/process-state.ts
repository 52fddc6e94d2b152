import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server's process: where it listens, and what it has taken since its start. */
export interface ProcessState {
  readonly url: string;
  /** Processor time, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory now, and the highest so far. */
  readonly residentBytes: number;
  readonly peakBytes: number;
}

const BYTES_PER_KIB = 1_024;

/** Has a server listen, in a process that a benchmark has `fork`ed: every message is answered with its state. */
export function answerStates(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.on('message', () => {
      const { user, system } = process.cpuUsage();
      const state: ProcessState = {
        url,
        cpuMs: (user + system) / 1_000,
        residentBytes: process.memoryUsage.rss(),
        peakBytes: process.resourceUsage().maxRSS * BYTES_PER_KIB,
      };
      process.send?.(state);
    });
  });
  process.on('disconnect', () => process.exit());
}
