import { isAtLength } from './at-length.ts';

/**
 * `test` and `describe` for what costs most of a file, where the gateway or the database of its other tests serves it too:
 * a quick run skips them. What needs one of its own is a file of its own, `*.deep.test.ts`.
 */
export const testAtLength = isAtLength ? test : test.skip;
export const describeAtLength = isAtLength ? describe : describe.skip;
