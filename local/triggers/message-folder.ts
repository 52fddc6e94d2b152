import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SUFFIX = '.json';

/** A message as its queue keeps it. Times are milliseconds since the epoch. */
export interface StoredMessage {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  /** Hidden from receivers before this time. */
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt?: number;
}

/**
 * One file per message, replaced as a whole. Synchronous: what a queue has answered is on disk, and no two changes of
 * a message can overlap.
 */
export class MessageFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Every message, in the order of sending. Files that a crash left half written are removed. */
  load(): StoredMessage[] {
    const messages: StoredMessage[] = [];
    for (const entry of readdirSync(this.#folder)) {
      const path = join(this.#folder, entry);
      if (entry.endsWith(SUFFIX)) messages.push(JSON.parse(readFileSync(path, 'utf8')) as StoredMessage);
      else rmSync(path);
    }
    return messages.sort((one, other) => one.sentAt - other.sentAt);
  }

  write(message: StoredMessage): void {
    const path = join(this.#folder, message.id);
    writeFileSync(`${path}.new`, JSON.stringify(message), { mode: 0o600 });
    renameSync(`${path}.new`, path + SUFFIX);
  }

  remove(id: string): void {
    rmSync(join(this.#folder, id + SUFFIX));
  }
}
