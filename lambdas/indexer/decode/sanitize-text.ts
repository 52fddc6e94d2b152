const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text of bytes without what is no UTF-8, and without U+0000, which PostgreSQL refuses. */
export function sanitizeText(bytes: Uint8Array): string {
  return decoder.decode(bytes).replaceAll(/[\0\uFFFD]/g, '');
}

/** The first `length` code points of a text. */
export function cutText(text: string, length: number): string {
  return text.length <= length
    ? text
    : Array.from(text.slice(0, length * 2))
        .slice(0, length)
        .join('');
}
