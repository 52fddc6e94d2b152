import { offerCopying } from './copy.js';
import { openMenu } from './menu.js';
import { offerSearch } from './search.js';
import { markSection } from './sections.js';
import { followStatus } from './status.js';
import { makeTabs } from './tabs.js';

offerSearch();
makeTabs();
offerCopying();
openMenu();
markSection();
followStatus();
