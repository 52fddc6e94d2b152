/** A part counts as being read once its heading is this near to the bar. */
const LEAD_PIXELS = 130;

/** The navigation on narrow screens. */
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

/** Marks, in the navigation, the part of the page that is being read. */
export function markSection() {
  const links = new Map(
    [...document.querySelectorAll('nav ul ul a')].map((link) => [link.hash.slice(1), link]),
  );
  const parts = [...links.keys()].map((id) => document.getElementById(id)).filter((part) => part !== null);
  if (parts.length === 0) return;
  const line = document.querySelector('.bar').offsetHeight + LEAD_PIXELS;
  let marked;
  const mark = () => {
    const read = parts.findLast((part) => part.getBoundingClientRect().top <= line) ?? parts[0];
    const link = links.get(read.id);
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'location');
    marked = link;
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}
