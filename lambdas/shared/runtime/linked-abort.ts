/** A signal that is aborted with another one, or by itself. */
interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** To be called when nothing is left to abort. */
  readonly unlink: () => void;
}

/** Makes one. `AbortSignal.any` does the same for as long as anything refers to it, at several times the cost. */
export function linkedAbort(parent: AbortSignal): LinkedAbort {
  const own = new AbortController();
  const follow = () => own.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow);
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    unlink: () => parent.removeEventListener('abort', follow),
  };
}
