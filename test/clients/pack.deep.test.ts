/** That a package of ours is whole: packed and installed into an empty folder it does what its page says. */
import { testClientPack } from './client-pack.ts';
import { testGatewayBillPack } from './gateway-bill-pack.ts';

describe('the client', testClientPack);
describe('the tool for bills', testGatewayBillPack);
