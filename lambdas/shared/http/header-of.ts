/** Value of a request's header, whatever the case in which the client wrote its name. `name`: in lower case. */
export function headerOf(
  headers: Readonly<Record<string, string | undefined>> | null,
  name: string,
): string | undefined {
  for (const presented in headers) {
    // Most names are distinguished by their length: each request is looked through several times.
    if (presented.length === name.length && presented.toLowerCase() === name) return headers[presented];
  }
  return undefined;
}
