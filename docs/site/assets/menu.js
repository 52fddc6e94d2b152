/** The navigation on narrow screens, and the choice between dark and light. */
export function openMenu() {
  const menu = document.querySelector('button.menu');
  menu.hidden = false;
  menu.addEventListener('click', () => show(menu, menu.getAttribute('aria-expanded') !== 'true'));
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') show(menu, false);
  });
  for (const link of document.querySelectorAll('nav a'))
    link.addEventListener('click', () => show(menu, false));
  bringIntoView(document.querySelector('nav'));
  const theme = document.querySelector('button.theme');
  theme.hidden = false;
  theme.addEventListener('click', changeTheme);
}

/** The entry of this page, without moving the page itself. */
function bringIntoView(nav) {
  const current = nav.querySelector('[aria-current]');
  if (current !== null) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
}

function show(menu, open) {
  menu.setAttribute('aria-expanded', String(open));
  document.body.classList.toggle('navigating', open);
}

function changeTheme() {
  const { dataset } = document.documentElement;
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const isDark = dataset.theme === undefined ? prefersDark : dataset.theme === 'dark';
  dataset.theme = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('theme', dataset.theme);
  } catch {
    // Then the choice lasts as long as the page.
  }
}
