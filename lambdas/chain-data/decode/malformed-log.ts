/** A log that has the topic of a known event but not its shape. */
export class MalformedLog extends Error {
  override readonly name = 'MalformedLog';
}
