/** That in front of the functions stand what stops abuse, what releases carefully, and one address. */
import { testFirewall } from './firewall.ts';
import { testFront } from './front.ts';
import { testReleases } from './releases.ts';

describe('the front', testFront);
describe('the firewall', testFirewall);
describe('releases', testReleases);
