import type { HttpResponse } from 'gateway-access';

/** A file that is sent as it comes. */
export interface FileStream {
  readonly stream: AsyncGenerator<string | Uint8Array, void, void>;
  /** Whether it is small as it is: it is sent so, whatever the client takes. */
  readonly isCompressed: boolean;
  /** The sender counts here what has been sent. */
  readonly sent: { bytes: number };
}

/** A response. If it has a file, its body is the bytes of the file. */
export interface DataHttpResponse extends HttpResponse {
  readonly file?: FileStream;
}
