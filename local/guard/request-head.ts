import type { RequestHead } from './refusal.ts';

const REQUEST_LINE = /^([A-Z]+) [!-~]+ HTTP\/1\.[01]$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*?)[ \t]*$/;

/** The end of a request's head. */
export const END_OF_HEAD = '\r\n\r\n';

/**
 * Reads the head of an HTTP/1 request, without {@link END_OF_HEAD}. What two readers could understand in two ways is not
 * understood: a header that comes twice or goes on in the next line, a line that ends otherwise than with CR LF.
 */
export function parseRequestHead(text: string): RequestHead | undefined {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const [, method] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    if (Object.hasOwn(headers, key)) return undefined;
    headers[key] = value;
  }
  return { method, headers };
}
