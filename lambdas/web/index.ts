import './host-runtime.ts';
import { readSecret } from 'gateway-access';
import { handler, handOver } from '../rpc/index.ts';
import { frontFailure } from '../rpc/response/front-errors.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  FRONT_SECRET_VARIABLE,
  HTTP_ENDPOINT_VARIABLE,
  REQUEST_TIMEOUT_VARIABLE,
  REVISION_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { errorField } from '../shared/runtime/log.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { endGently } from './end-gently.ts';
import { FrontFigures } from './front-figures.ts';
import { checkFrontSecret } from './front-secret.ts';
import { type StreamingHandler, serveFront } from './serve-front.ts';

const figures = new FrontFigures(systemClock, systemTelemetry);
const server = serveFront({
  // Without Lambda's streams around it, the handler is what streams call.
  handler: handler as unknown as StreamingHandler,
  isFromFront: checkFrontSecret(requireVariable(FRONT_SECRET_VARIABLE), readSecret),
  failure: frontFailure,
  figures,
  revision: requireVariable(REVISION_VARIABLE),
  timeoutMs: Number(requireVariable(REQUEST_TIMEOUT_VARIABLE)),
  clock: systemClock,
  telemetry: systemTelemetry,
});
const [host, port] = requireVariable(HTTP_ENDPOINT_VARIABLE).split(':');
server.listen(Number(port), host);

process.once('SIGTERM', () => {
  const ending = {
    // What is not handed over now may be the next time.
    handOver: () =>
      handOver().catch((error: unknown) =>
        systemTelemetry.log('error', 'charges_not_handed_over', { error: errorField(error) }),
      ),
    underWay: () => figures.underWay,
  };
  void endGently(server, ending, sleep).then(() => process.exit(0));
});
