/** What the SDK's types describe, as it is in JSON: bytes are base64. */
export type Wire<Described> = Described extends Uint8Array
  ? string
  : Described extends object
    ? { readonly [Field in keyof Described]: Wire<Described[Field]> }
    : Described;

/** Bytes as they are in JSON. */
export function toBase64({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('base64');
}
