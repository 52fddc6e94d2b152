/** Value of a request's header, whatever the case in which the client wrote its name. `name`: in lower case. */
export function headerOf(
  headers: Readonly<Record<string, string | undefined>> | null,
  name: string,
): string | undefined {
  return Object.entries(headers ?? {}).find(([presented]) => presented.toLowerCase() === name)?.[1];
}
