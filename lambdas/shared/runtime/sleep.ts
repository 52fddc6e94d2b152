/** Waits for a number of milliseconds, or less if the signal says so; passed in, so that a simulation decides how time passes. */
export type Sleep = (durationMs: number, signal?: AbortSignal) => Promise<void>;
