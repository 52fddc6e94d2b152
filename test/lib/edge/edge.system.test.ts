/** That in front of the functions stand one address, and releases that go a tenth first. */
import { testFront } from './front.ts';
import { testReleases } from './releases.ts';

describe('the front', testFront);
describe('releases', testReleases);
