import type { HttpResponse } from 'gateway-access';

/** Lines that are sent as they come. */
export interface FileStream {
  readonly stream: AsyncGenerator<string, void, void>;
  /** Whoever sends them counts here what has been sent. */
  readonly sent: { bytes: number };
}

/** An answer whose body, if it has a file, is what that yields. */
export interface DataAnswer extends HttpResponse {
  readonly file?: FileStream;
}
