import type { Readable } from 'node:stream';

/** Longest log line in characters; a longer one is cut into several, as CloudWatch does with large events. */
const MAX_LINE_CHARACTERS = 256 * 1024;

/** Calls `onLine` for each line of a UTF-8 stream, without its line feed, and for what is left at its end. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    for (; rest.length > MAX_LINE_CHARACTERS; rest = rest.slice(MAX_LINE_CHARACTERS)) {
      onLine(rest.slice(0, MAX_LINE_CHARACTERS));
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
    rest = '';
  });
}
