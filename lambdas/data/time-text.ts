const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
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
