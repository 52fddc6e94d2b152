import type { Alteration } from '../altered-transport.ts';
import { CALL_ALTERATIONS } from './calls.ts';
import { DATA_ALTERATIONS } from './data.ts';
import { KEY_ALTERATIONS } from './keys.ts';

/** Ways in which a gateway may differ from the specification, each with the clause that notices it, or names it as not looked at. */
export const ALTERATIONS: readonly Alteration[] = [
  ...CALL_ALTERATIONS,
  ...DATA_ALTERATIONS,
  ...KEY_ALTERATIONS,
];
