/** Response of a function to API Gateway. The pieces of a body are written unchanged, one after the other. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string | readonly Uint8Array[];
}
