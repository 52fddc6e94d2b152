import { offerCopying } from './copy.js';
import { markSection, openMenu } from './navigation.js';
import { offerSearch } from './search.js';
import { followStatus } from './status.js';
import { makeTabs } from './tabs.js';
import { offerTrying } from './try.js';

offerSearch();
makeTabs();
offerCopying();
offerTrying();
openMenu();
markSection();
followStatus();
