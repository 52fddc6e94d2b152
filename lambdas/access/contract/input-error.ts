/** What an operator asked for cannot be done as asked; the message is one line for people. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
