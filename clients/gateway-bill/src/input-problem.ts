/** What was given cannot be read, or is not enough. The message is one sentence for a person. */
export class InputProblem extends Error {
  override name = 'InputProblem';
}
