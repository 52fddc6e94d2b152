import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageConfigInput } from '../../../lib/config/stage-config.ts';
import { hosted } from '../hostings.ts';
import { type RunningGateway, startGateway, stopGateways } from '../running-gateway.ts';
import { testConformance } from './conformance.ts';

const STAGE = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'config', 'local.json'), 'utf8'),
) as StageConfigInput;

/** What the specification says is the same however functions are hosted; `demo-chain.system.test.ts` has event functions. */
describe('conformance, hosting instances', () => {
  let gateway: RunningGateway;

  beforeAll(async () => {
    gateway = await startGateway({ config: hosted(STAGE, 'instances'), prepared: 'demo' });
  });

  afterAll(stopGateways);

  testConformance(() => gateway);
});
