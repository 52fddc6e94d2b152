import { indexedChains } from '../lib/config/config.ts';
import type { StageConfig } from '../lib/config/stage-config.ts';
import { LocalRunError, USAGE_EXIT_CODE } from './processes/local-run-error.ts';
import { isTemplateObject, type Template } from './template/template.ts';
import type { InvokeFunction } from './triggers/event-sources.ts';

/** Output of the stack that names the function which migrates. */
const FUNCTION_OUTPUT = 'MigrateFunctionName';

/** What an operator decides of a chain whose index is halted: an order of the function that migrates. */
export interface IndexOrder {
  readonly order: 'rebuild' | 'resume';
  readonly chain: string;
}

/**
 * Refuses an order for a chain that the stage does not index.
 * @throws LocalRunError
 */
export function requireIndexed(config: StageConfig, { order, chain }: IndexOrder): void {
  if (indexedChains(config).some((one) => one.chain === chain)) return;
  throw new LocalRunError(`--${order} ${chain}: the stage indexes no chain of this name`, USAGE_EXIT_CODE);
}

/**
 * Gives an order to the function that migrates, as `aws lambda invoke` does of a deployed stage.
 * @throws LocalRunError with what the function says against it
 */
export async function giveIndexOrder(
  { outputs }: Template,
  invoke: InvokeFunction,
  { order, chain }: IndexOrder,
): Promise<void> {
  const output = outputs[FUNCTION_OUTPUT];
  const logicalId = isTemplateObject(output) ? String(output.Ref) : '';
  try {
    await invoke(logicalId, { [order]: chain });
  } catch (error) {
    throw new LocalRunError(`--${order} ${chain}: ${error instanceof Error ? error.message : error}`);
  }
}
