/** What the SDK's types describe, as it is in JSON: bytes are base64. */
export type Wire<Described> = Described extends Uint8Array
  ? string
  : Described extends object
    ? { readonly [Field in keyof Described]: Wire<Described[Field]> }
    : Described;
