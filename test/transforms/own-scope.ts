/**
 * Transforms a module that declares what is a variable here in the scope of each file, as `Buffer` is: its declarations get a
 * scope of their own.
 */
export function process(source: string): { readonly code: string } {
  return { code: `{${source}}` };
}
