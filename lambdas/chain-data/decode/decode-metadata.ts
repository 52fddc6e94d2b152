import { hexDigits } from '../../shared/chain-database/hex.ts';
import { readUri } from './decode-transfers.ts';
import { EventReader, MalformedLog } from './event-reader.ts';
import type { Hex } from './raw-block.ts';
import { cutText, plainName, sanitizeText } from './sanitize-text.ts';

/** Code points of a name or symbol that are kept. */
const MAX_TEXT_LENGTH = 255;
/** Bytes of a text that is looked at. */
const MAX_TEXT_BYTES = 64 * 1024;
const WORD_LENGTH = 66;
const MAX_DECIMALS = 255n;
const TRAILING_ZEROS = /(?:00)+$/;

/** What `name()` or `symbol()` returned: a text, or the 32 bytes of older tokens. Null if it is neither. */
export function decodeTokenText(returned: Hex): string | null {
  if (returned.length === WORD_LENGTH) {
    const bytes = hexDigits(returned).replace(TRAILING_ZEROS, '');
    return cutText(plainName(sanitizeText(Buffer.from(bytes, 'hex'))), MAX_TEXT_LENGTH);
  }
  return orNull(() => cutText(plainName(wordsOf(returned).text(0, MAX_TEXT_BYTES)), MAX_TEXT_LENGTH));
}

/** What `decimals()` returned; null if it is no number of 8 bits. */
export function decodeDecimals(returned: Hex): number | null {
  const value = decodeUint(returned);
  return value === null || value > MAX_DECIMALS ? null : Number(value);
}

/** What `tokenURI` or `uri` returned, with its bytes; null if it is no text or an empty one. */
export function decodeTokenUri(returned: Hex): ReturnType<typeof readUri> | null {
  const said = orNull(() => readUri(wordsOf(returned)));
  return said === null || said.token_uri === '' ? null : said;
}

/** A returned number of 256 bits; null if it is absent. */
export function decodeUint(returned: Hex): bigint | null {
  return orNull(() => wordsOf(returned).uint(0));
}

/** Returned values are laid out as the data of a log is. */
function wordsOf(returned: Hex): EventReader {
  return new EventReader({ logIndex: 0, address: '0x', topics: [], data: returned }, 0);
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedLog) return null;
    throw error;
  }
}
