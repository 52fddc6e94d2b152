const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text of bytes without what is no UTF-8, and without U+0000, which PostgreSQL refuses. */
export function sanitizeText(bytes: Uint8Array): string {
  return decoder.decode(bytes).replaceAll(/[\0\uFFFD]/g, '');
}

/** Characters that show nothing and change how other text is shown: controls, and those of direction. */
const INVISIBLE = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A name without what could make it look like another one where it is shown. */
export function plainName(text: string): string {
  return text.replaceAll(INVISIBLE, '');
}

/** The first `length` code points of a text. */
export function cutText(text: string, length: number): string {
  return text.length <= length
    ? text
    : Array.from(text.slice(0, length * 2))
        .slice(0, length)
        .join('');
}
