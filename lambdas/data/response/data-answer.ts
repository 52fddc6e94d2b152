import type { HttpResponse } from 'gateway-access';

/** An answer whose body, if it has a stream, is what that yields. */
export interface DataAnswer extends HttpResponse {
  readonly stream?: AsyncGenerator<string, void, void>;
}
