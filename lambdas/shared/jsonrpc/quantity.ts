/** The one form of a number that every node writes and reads alike. */
const QUANTITY = /^"0x[0-9a-fA-F]{1,16}"$/;
const HASH = /^"0x[0-9a-fA-F]{64}"$/;

/** Number that raw JSON stands for; undefined for anything but a quantity, such as a tag. */
export function quantityOfJson(json: string | undefined): bigint | undefined {
  return json !== undefined && QUANTITY.test(json) ? BigInt(json.slice(1, -1)) : undefined;
}

/** JSON of a number as every node writes it. */
export function quantityJson(number: bigint): string {
  return `"0x${number.toString(16)}"`;
}

/** Hash that raw JSON stands for, in lower case; undefined for anything else. */
export function hashOfJson(json: string | undefined): string | undefined {
  return json !== undefined && HASH.test(json) ? json.slice(1, -1).toLowerCase() : undefined;
}
