const MAX_PRINTED = 40;

/** A name that a client has made up, short and harmless. */
export function printable(name: string): string {
  return name.slice(0, MAX_PRINTED).replace(/[^\x20-\x7e]/g, '?');
}
