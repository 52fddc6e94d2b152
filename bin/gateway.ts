import { StageConfigError } from '../lib/config.ts';
import { createApp, stageFile, synthesiseStage } from '../lib/synthesise.ts';

/** CDK app: `-c stage=NAME` takes `config/NAME.json` (`local` without it), `-c config=PATH` any other file. */
const app = createApp();
const stage: string = app.node.tryGetContext('stage') ?? 'local';
const config: string = app.node.tryGetContext('config') ?? stageFile(stage);
try {
  synthesiseStage(app, config);
} catch (error) {
  if (!(error instanceof StageConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
