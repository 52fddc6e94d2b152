/* Before the page is painted: the choice of an earlier visit. */
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing shows what the system prefers.
}
