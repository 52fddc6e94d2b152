/** Strings, numbers, words and signs of a JSON text, without the blanks between them. */
export const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The colour of a token: a key, a string, a number or a word; none for a sign. @param next the token behind it */
export function kindOf(token: string, next: string | undefined): 'k' | 's' | 'n' | 'w' | undefined {
  if (token.startsWith('"')) return next === ':' ? 'k' : 's';
  if (/^[-\d]/.test(token)) return 'n';
  return /^[a-z]/.test(token) ? 'w' : undefined;
}
