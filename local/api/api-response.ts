import type { Readable } from 'node:stream';

/** Response headers in order; a name may come more than once. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Response to the client, of a function or of the API itself. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: HeaderList;
  /** A stream that fails cuts the connection. */
  readonly body: Buffer | Readable;
  /** Variables that only this response has, for the access log. */
  readonly variables: Readonly<Record<string, string | number>>;
}

export function hasHeader(headers: HeaderList, name: string): boolean {
  return headers.some(([other]) => other.toLowerCase() === name);
}
