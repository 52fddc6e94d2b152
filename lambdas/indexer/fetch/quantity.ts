/** A number as JSON-RPC writes it. */
export function quantityOf(value: number): string {
  return `0x${value.toString(16)}`;
}
