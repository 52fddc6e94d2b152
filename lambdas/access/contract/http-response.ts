/** Answer of a function to API Gateway. A body in pieces is written as it stands, one after the other. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string | readonly Uint8Array[];
}
