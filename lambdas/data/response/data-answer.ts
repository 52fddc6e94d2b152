import type { HttpResponse } from 'gateway-access';

/** A file that is sent as it comes. */
export interface FileStream {
  readonly stream: AsyncGenerator<string | Uint8Array, void, void>;
  /** Whether it is small as it is: it is sent so, whatever the client takes. */
  readonly isCompressed: boolean;
  /** Whoever sends it counts here what has been sent. */
  readonly sent: { bytes: number };
}

/** An answer whose body, if it has a file, is what that yields. */
export interface DataAnswer extends HttpResponse {
  readonly file?: FileStream;
}
