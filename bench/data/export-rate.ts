import type { ExportEnd } from '../../lambdas/data/export/format.ts';

export const PAGE_ROWS = 500;
/** A last line is no longer than this: it names the charge of each page. */
const TAIL_CHARACTERS = 64_000;

/** Takes one response of the list: its text, piece by piece. */
export type Take = (query: string) => AsyncIterable<string>;

export interface Rate {
  readonly rows: number;
  readonly rowsPerSecond: number;
  /** Files or pages. */
  readonly responses: number;
  readonly bytes: number;
}

/** All pages, one after the other, until there are so many rows. */
export async function takePages(take: Take, mostRows: number): Promise<Rate> {
  return measure(mostRows, async (cursor) => {
    let text = '';
    for await (const piece of take(`limit=${PAGE_ROWS}${cursor}`)) text += piece;
    const { data, next_cursor } = JSON.parse(text) as { data: unknown[]; next_cursor?: string };
    return { rows: data.length, bytes: text.length, next: next_cursor };
  });
}

/** All files, one after the other: each continues where the one before ended. */
export async function takeFiles(take: Take, format: 'csv' | 'ndjson', mostRows: number): Promise<Rate> {
  return measure(mostRows, async (cursor) => {
    let [bytes, tail] = [0, ''];
    for await (const piece of take(`format=${format}${cursor}`)) {
      bytes += piece.length;
      tail = (tail + piece).slice(-TAIL_CHARACTERS);
    }
    const { rows, next_cursor } = endOf(tail);
    return { rows, bytes, next: next_cursor };
  });
}

async function measure(
  mostRows: number,
  takeOne: (cursor: string) => Promise<{ rows: number; bytes: number; next: string | undefined }>,
): Promise<Rate> {
  const startedAt = performance.now();
  let [rows, bytes, responses, cursor] = [0, 0, 0, ''];
  for (;;) {
    const taken = await takeOne(cursor);
    rows += taken.rows;
    bytes += taken.bytes;
    responses += 1;
    if (taken.next === undefined || rows >= mostRows) break;
    cursor = `&cursor=${taken.next}`;
  }
  return { rows, bytes, responses, rowsPerSecond: (rows / (performance.now() - startedAt)) * 1_000 };
}

/** The last line of a file, which is there if the file was not cut off. */
function endOf(tail: string): ExportEnd {
  const line = tail.trimEnd().split('\n').at(-1) ?? '';
  if (line.startsWith('# ')) return JSON.parse(line.slice(2)) as ExportEnd;
  if (!line.startsWith('{"end":')) throw new Error('a file was cut off');
  return (JSON.parse(line) as { end: ExportEnd }).end;
}
