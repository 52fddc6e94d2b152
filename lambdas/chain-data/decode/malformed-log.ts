/** A log that has the topic of a known event but not its shape. */
export class MalformedLog extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MalformedLog';
  }
}
