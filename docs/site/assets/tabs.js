/** Makes tabs of panels that say the same. A choice holds for all groups of its name, and for later pages. */
export function makeTabs(groups = [...document.querySelectorAll('[data-tabs]')]) {
  for (const group of groups) makeGroup(group);
  for (const name of new Set(groups.map(({ dataset }) => dataset.tabs))) choose(name, remembered(name));
}

function makeGroup(group) {
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', group.dataset.tabs);
  for (const panel of group.querySelectorAll('[data-tab]')) {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.textContent = panel.dataset.tab;
    tab.addEventListener('click', () => choose(group.dataset.tabs, panel.dataset.tab, tab));
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-label', panel.dataset.tab);
    list.append(tab);
  }
  list.addEventListener('keydown', (event) => moveBetween(event, list));
  group.prepend(list);
  group.classList.add('tabbed');
}

function moveBetween(event, list) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined) return;
  const tabs = [...list.children];
  const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
}

function choose(name, label, clicked) {
  const before = clicked?.getBoundingClientRect().top;
  for (const group of document.querySelectorAll(`[data-tabs="${name}"]`)) {
    const panels = [...group.querySelectorAll('[data-tab]')];
    const chosen = panels.find(({ dataset }) => dataset.tab === label) ?? panels[0];
    for (const panel of panels) panel.hidden = panel !== chosen;
    for (const tab of group.querySelectorAll('[role=tab]')) {
      const isChosen = tab.textContent === chosen.dataset.tab;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  }
  // Samples above may have changed their height: what was clicked stays where it is.
  if (clicked !== undefined)
    scrollBy({ top: clicked.getBoundingClientRect().top - before, behavior: 'instant' });
  remember(name, label);
}

function remembered(name) {
  try {
    return localStorage.getItem(`tab-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(name, label) {
  try {
    if (label !== undefined) localStorage.setItem(`tab-${name}`, label);
  } catch {
    // Then the choice lasts as long as the page.
  }
}
