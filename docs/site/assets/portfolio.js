import { portfolioRequests } from './request-samples.js';

/** What an answer without a body tells of the key, so that no chain needs to be asked any more. */
const WRONG_KEY = 404;

/**
 * Asks chain after chain, and makes one answer of theirs: first a row for each chain that failed, has nothing or has more, then one
 * for each balance. @param ask sends a request, and gives its status, headers and text
 */
export async function askChains(entered, ask) {
  const [notes, balances] = [[], []];
  let billed = 0;
  for (const { chain, path } of portfolioRequests(entered)) {
    try {
      const answer = await ask({ path });
      if (answer.status === WRONG_KEY && answer.text === '') return answer;
      billed += Number(answer.headers.get('x-cu-billed') ?? 0);
      const { data = [], next_cursor, error } = JSON.parse(answer.text);
      if (error) notes.push({ chain, error: error.code ?? String(answer.status), message: error.message });
      else if (data.length === 0) notes.push({ chain, error: null, message: 'no balances' });
      else if (next_cursor) notes.push({ chain, error: null, message: `the first ${data.length} balances` });
      balances.push(...data.map((row) => ({ chain, ...row })));
    } catch (error) {
      notes.push({ chain, error: 'not_sent', message: error.message });
    }
  }
  const headers = new Headers({ 'x-cu-billed': String(billed) });
  return { status: 200, headers, text: JSON.stringify({ data: [...notes, ...balances] }) };
}
