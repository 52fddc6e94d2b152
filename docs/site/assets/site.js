import { offerCopying } from './copy.js';
import { openMenu } from './menu.js';
import { offerSearch } from './search.js';
import { markSection } from './sections.js';
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
