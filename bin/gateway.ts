import { StageConfigError } from '../lib/config.ts';
import { createApp, stageFile, synthesiseStage } from '../lib/synthesise.ts';

const USAGE = 'name the stage: -c config=PATH of a stage file, or -c stage=NAME for config/NAME.json';

/** CDK app. There is no default stage: what is deployed is always named. */
const app = createApp();
const stage: string | undefined = app.node.tryGetContext('stage');
const config: string | undefined =
  app.node.tryGetContext('config') ?? (stage === undefined ? undefined : stageFile(stage));
try {
  if (config === undefined) throw new StageConfigError(USAGE);
  synthesiseStage(app, config);
} catch (error) {
  if (!(error instanceof StageConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
