export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** A response as far as a clause looks at it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly json: Json | undefined;
}

/** A request to a gateway. */
export interface SendRequest {
  /** From the base URL on. */
  readonly path: string;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Undefined if a text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
