import { loadStageConfig, StageConfigError } from '../lib/config/config.ts';
import { stageFile, stageNames } from '../lib/config/stage-files.ts';
import { createApp, synthesiseStage } from '../lib/synthesise.ts';
import { loadTemplate } from '../local/template/load-template.ts';
import { describeMonth, monthOfStage } from './cost/stage-month.ts';
import { readStageResources } from './cost/stage-resources.ts';

/**
 * The stage where none is named, so that the commands of the CDK work in a fresh clone. A deployment of it ends before it makes
 * anything: the URL of its embedded node is a parameter without a value.
 */
const DEFAULT_STAGE = 'local';

/** CDK app. The stage is named by `-c config=PATH` of a stage file, or by `-c stage=NAME` for config/NAME.json. */
const app = createApp();
const config: string | undefined = app.node.tryGetContext('config');
const stage: string | undefined = app.node.tryGetContext('stage');
if (config === undefined && stage === undefined)
  process.stderr.write(
    `using stage ${DEFAULT_STAGE}; choose another with -c stage=NAME (${stageNames().join(', ')}) or -c config=PATH\n`,
  );
try {
  if (config === undefined && stage !== undefined && !stageNames().includes(stage))
    throw new StageConfigError(`unknown stage ${stage}; config has ${stageNames().join(', ')}`);
  // The CDK CLI sets it where it has credentials.
  const file = config ?? stageFile(stage ?? DEFAULT_STAGE);
  const { folder, stackName } = synthesiseStage(app, file, process.env.CDK_DEFAULT_ACCOUNT);
  const resources = readStageResources(loadTemplate(folder, stackName));
  process.stderr.write(`${describeMonth(monthOfStage(loadStageConfig(file), resources))}\n`);
} catch (error) {
  if (!(error instanceof StageConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
