import { relative } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { noteSeconds, processorSeconds } from './figures/processor-time.ts';

type Options = ConstructorParameters<typeof TestEnvironment>;

/** The environment of a test file, which notes the processor time that the file took. */
// biome-ignore lint/style/noDefaultExport: jest makes one of the default export
export default class MeasuredEnvironment extends TestEnvironment {
  readonly #file: string;
  readonly #before = processorSeconds();

  constructor(...[config, context]: Options) {
    super(config, context);
    this.#file = relative(config.globalConfig.rootDir, context.testPath);
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    noteSeconds({ file: this.#file, seconds: processorSeconds() - this.#before });
  }
}
