/** A segment of a path, decoded, so that each spelling of it is the same (RFC 3986 6.2.2.2); one that is not valid stays as it is. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
