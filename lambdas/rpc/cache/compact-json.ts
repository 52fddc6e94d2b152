const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Valid JSON without the white space between its tokens. Every token keeps its bytes: `25` and `25.0` differ. */
export function compactJson(json: Uint8Array): Buffer {
  const compact = Buffer.allocUnsafe(json.length);
  let length = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (inString) {
      if (byte === BACKSLASH) {
        compact[length++] = byte;
        compact[length++] = json[++at] as number;
        continue;
      }
      if (byte === QUOTE) inString = false;
    } else {
      if (byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB) continue;
      if (byte === QUOTE) inString = true;
    }
    compact[length++] = byte;
  }
  return compact.subarray(0, length);
}
