/** Waits for all also when one fails, so that what the others started is known and can be stopped. */
export async function allOf<const Started extends readonly unknown[]>(
  started: Started,
): Promise<{ -readonly [Index in keyof Started]: Awaited<Started[Index]> }> {
  await Promise.allSettled(started);
  return Promise.all(started);
}
