import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { Key } from '../../../lambdas/access/store/store.ts';

/** Parts in which a table is read at once. Part of a progress file: a file with another number is refused. */
export const SEGMENTS = 8;

/** Items of a restored table by what became of them, and what was asked again. */
export interface RestoreCounts {
  read: number;
  /** The stage has none; in a dry run they would be put. */
  absent: number;
  /** The stage has an older one; in a dry run it would be replaced. */
  older: number;
  /** The stage has the same. */
  present: number;
  /** The stage has a newer one, which stays. */
  newer: number;
  /** DynamoDB would delete them at once: left out. */
  expired: number;
  /** The stage has another, and no rule says which one is true: it stays. */
  differing: number;
}

/** How far one segment has come: everything before `after` is done. */
interface SegmentProgress {
  after?: Key;
  done: boolean;
}

interface ProgressContent {
  readonly from: string;
  readonly to: string;
  readonly segments: SegmentProgress[];
  readonly counts: RestoreCounts;
}

/** How far a restore has come, page by page, in a file if one is named: an interrupted run continues from there. */
export class RestoreProgress {
  readonly #file: string | undefined;
  readonly #content: ProgressContent;

  /**
   * @param from physical name of the restored table
   * @param to physical name of the stage's table
   * @throws {InputError} if the file is the progress of something else
   */
  constructor(file: string | undefined, from: string, to: string) {
    this.#file = file;
    this.#content = (file === undefined ? undefined : readProgress(file, from, to)) ?? {
      from,
      to,
      segments: Array.from({ length: SEGMENTS }, () => ({ done: false })),
      counts: { read: 0, absent: 0, older: 0, present: 0, newer: 0, expired: 0, differing: 0 },
    };
  }

  /** What was counted so far, by this run and by those before it that this one continues from. */
  get counts(): RestoreCounts {
    return this.#content.counts;
  }

  /** Where a segment continues; undefined if nothing of it is left. */
  openSegment(segment: number): { readonly after: Key | undefined } | undefined {
    const { after, done = true } = this.#content.segments[segment] ?? {};
    return done ? undefined : { after };
  }

  /** Keeps that a page of a segment is done, every item of it. `next`: where the next page begins. */
  pageDone(segment: number, page: Partial<RestoreCounts>, next: Key | undefined): void {
    const { counts, segments } = this.#content;
    for (const [name, count] of Object.entries(page)) counts[name as keyof RestoreCounts] += count;
    segments[segment] = next === undefined ? { done: true } : { after: next, done: false };
    if (this.#file === undefined) return;
    // A file that is half written is no progress: the old one stays until the new one is whole.
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#content));
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** Removes the file: everything is done, and the next run begins anew. */
  finish(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }
}

function readProgress(file: string, from: string, to: string): ProgressContent | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new InputError(`${file} cannot be read`);
  }
  const content = parse(text);
  if (content?.from !== from || content.to !== to || content.segments?.length !== SEGMENTS) {
    throw new InputError(`${file} is not the progress of a restore from ${from} to ${to}`);
  }
  return content as ProgressContent;
}

function parse(text: string): Partial<ProgressContent> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}
