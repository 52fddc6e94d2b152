import { eachMember, type JsonText, type Members, scanMembers } from './scan-json.ts';

/** A member of a scanned object. */
interface Member {
  /** Raw JSON of the name, quotes included: a name with an escape is none that the cache looks for. */
  readonly name: string;
  /** Raw JSON of the value. */
  value(): string;
  /** Where the value is, in the text. */
  readonly start: number;
  readonly end: number;
}

/** Members of the object that starts at an offset, and where it ends; it nests at most `levels`. */
export function readMembers(
  text: JsonText,
  at: number,
  levels: number,
): { readonly members: readonly Member[]; readonly end: number } {
  const scanned: Members = { count: 0, offsets: [] };
  const end = scanMembers(text, at, levels, scanned);
  const members = Array.from(eachMember(scanned), ([nameStart, nameEnd, start, valueEnd]) => ({
    name: text.bytes.toString('latin1', nameStart, nameEnd),
    value: () => text.bytes.toString('latin1', start, valueEnd),
    start,
    end: valueEnd,
  }));
  return { members, end };
}
