/**
 * A system test waits for processes, and a machine that is busy enough makes any bound too short: one that fails is run
 * once more, and the report tells of the failure.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
