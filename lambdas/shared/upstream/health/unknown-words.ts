import { publicWords } from '../../jsonrpc/unknown-words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { pacedCount } from '../../runtime/paced-count.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';

/** How often words of one upstream are logged, and how often they are counted, in milliseconds. */
const LOG_INTERVAL_MS = 60 * 60_000;
const COUNT_INTERVAL_MS = 60_000;

/** Told of refusals in words of which nothing is known. `words`: the node's own, asked for only if they are logged. */
export type HearUnknownWords = (words: () => string) => void;

/**
 * Counts the refusals of one upstream that nothing is known of: at once, and then at most once a minute, with those since.
 * The first words are in the log, once an hour.
 */
export function countUnknownWords(
  { chain, upstream }: { readonly chain: string; readonly upstream: string },
  { clock, telemetry }: { readonly clock: Clock; readonly telemetry: Telemetry },
): HearUnknownWords {
  const tellCount = pacedCount(clock, COUNT_INTERVAL_MS, (count) => {
    const values = { UnknownNodeWords: count };
    const breakdown = { by: { Upstream: upstream }, values };
    telemetry.emit({ values, dimensions: { Chain: chain }, breakdown }, clock.now());
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (words) => {
    const now = clock.now();
    if (now - loggedAt >= LOG_INTERVAL_MS) {
      loggedAt = now;
      telemetry.log('warn', 'unknown_node_words', { chain, upstream, words: publicWords(words()) });
    }
    tellCount();
  };
}
