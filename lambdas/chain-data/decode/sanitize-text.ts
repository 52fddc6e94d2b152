const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text of bytes without what is no UTF-8, and without U+0000, which PostgreSQL refuses. */
export function sanitizeText(bytes: Uint8Array): string {
  return decoder.decode(bytes).replaceAll(/[\0\uFFFD]/g, '');
}

/**
 * Characters that show nothing: controls, what Unicode says may be ignored where it is shown (joiners, selectors, fillers,
 * directions, tags), ends of lines, and marks of annotations.
 */
const HIDDEN = '[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\u2028\\u2029\\uFFF9-\\uFFFB]';
/** Scripts in which a joiner changes the form of the letters beside it. */
const JOINING = 'Arab Syrc Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr'.split(' ');
const JOINED = `(?!${HIDDEN})(?=[\\p{L}\\p{M}])[${JOINING.map((script) => `\\p{scx=${script}}`).join('')}]`;
/** Where such a character is part of what is shown: in emoji, in keycaps, and between letters of those scripts. */
const SHOWN = [
  '(?<=\\p{ExtPict})\\uFE0F',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  '(?<=\\p{ExtPict}\\uFE0F?|\\p{EMod})\\u200D(?=\\p{ExtPict})',
  `(?<=${JOINED})[\\u200C\\u200D](?=${JOINED})`,
];
const INVISIBLE = new RegExp(`(?!${SHOWN.join('|')})${HIDDEN}`, 'gu');

/** A name without what could make it look like another one where it is shown, or tell an agent what no person sees. */
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
