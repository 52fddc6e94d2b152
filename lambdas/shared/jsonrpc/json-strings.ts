/** Value of the valid JSON string, quotes included, between two offsets. */
export function decodeString(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start + 1, end - 1);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** Whether the bytes between two offsets are the expected ones. */
export function bytesEqual(bytes: Buffer, start: number, end: number, expected: Uint8Array): boolean {
  if (end - start !== expected.length) return false;
  for (let index = 0; index < expected.length; index++) {
    if (bytes[start + index] !== expected[index]) return false;
  }
  return true;
}

/**
 * A member name as parsers that ignore case compare it: equal to a lower-case ASCII name if and only if such a
 * parser takes it for that name. Beside ASCII letters these are the long s (U+017F) and the Kelvin sign (U+212A,
 * of which lower case is k).
 */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('\u017f', 's');
}
