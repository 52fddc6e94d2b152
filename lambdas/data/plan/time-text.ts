const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** As clients write an instant; a plus that was not encoded arrives as a space. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(?:Z|([+ -])(\d\d:\d\d))$/i;
const EPOCH_SECONDS = /^\d{1,12}$/;
const MILLISECOND_CHARACTERS = 4;
/** PostgreSQL has no year 0, which JavaScript has. */
const NO_YEAR = '0000';

/** Whether a text is a moment in ISO 8601, in UTC, that PostgreSQL takes. */
export function isTime(text: string): boolean {
  const day = TIME.exec(text)?.[1];
  return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(text));
}

/** Whether a text is a day of the calendar, `YYYY-MM-DD`, that PostgreSQL takes. */
export function isDay(text: string): boolean {
  if (!DAY.test(text) || text.startsWith(NO_YEAR)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * Reads an instant of ISO 8601 with any offset and up to nine digits of a second, or whole seconds since 1970.
 * @returns the moment in UTC, to the millisecond below; undefined for anything else
 */
export function readTime(text: string): string | undefined {
  const time = EPOCH_SECONDS.test(text) ? Number(text) * 1_000 : timeOf(text);
  if (Number.isNaN(time) || Math.abs(time) > MAX_DATE_MS) return undefined;
  const moment = new Date(time).toISOString();
  return isTime(moment) ? moment : undefined;
}

/** Largest time that a `Date` holds, in milliseconds. */
const MAX_DATE_MS = 8.64e15;

function timeOf(text: string): number {
  const parts = INSTANT.exec(text);
  if (parts === null || !isDay(parts[1] ?? '')) return Number.NaN;
  const [, day, minutes, seconds = ':00', fraction = '', sign, offset] = parts;
  const zone = sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${offset}`;
  return Date.parse(`${day}T${minutes}${seconds}${fraction.slice(0, MILLISECOND_CHARACTERS)}${zone}`);
}
