/** Path below which the gateway serves what bills are proved with. */
export const HEADS_PATH = '/v1/heads';
/** Most bytes of one response: an object that is longer comes in parts. */
export const PART_BYTES = 2 * 1024 * 1024;
/** Parts of the longest object, of 64 MB. */
export const MAX_OBJECT_PARTS = 32;

const HEAD_OBJECT = /^heads\/(.*)\.json$/;
const HEAD_NAME = /^(?:[1-9]\d{0,8}|latest)$/;
const OTHER_OBJECT =
  /^(?:(?:leaves|prices)\/[0-9a-f]{64}|certificates\/\d{4}-\d{2}-\d{2}\.[1-9]\d{0,2}\.json)$/;

/**
 * Path of an object of the heads below {@link HEADS_PATH}: a head's is its number, or `latest`; any other's is its key, in
 * which its day or its hash stands.
 */
export function publishedPath(key: string): string {
  return HEAD_OBJECT.exec(key)?.[1] ?? key;
}

/** The key of the object at such a path; undefined: no object has this path. */
export function publishedKey(path: string): string | undefined {
  if (HEAD_NAME.test(path)) return `heads/${path}.json`;
  return OTHER_OBJECT.test(path) ? path : undefined;
}
