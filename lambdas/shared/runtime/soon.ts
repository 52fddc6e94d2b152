/** What is there already, or will be. To await what is there costs every call a few promises for each stage that it passes. */
export type Soon<T> = T | Promise<T>;

/** Continues with a value: at once, if it is there. */
export function whenThere<T, R>(value: Soon<T>, next: (value: T) => R): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
