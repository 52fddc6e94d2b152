const REFRESH_MS = 2_000;
const TIMEOUT_MS = 5_000;

/** Takes over what the run shows now; what is unfolded stays so. */
async function refresh() {
  try {
    const response = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const { id } of document.querySelectorAll('details[open]'))
      next.getElementById(id)?.setAttribute('open', '');
    for (const part of ['#health', 'main'])
      document.querySelector(part).replaceWith(next.querySelector(part));
    document.body.classList.remove('lost');
  } catch {
    document.body.classList.add('lost');
    document.querySelector('#health').textContent = 'The run does not answer. This page shows its last data.';
  }
}

/** One request at a time, and none while the page is hidden. */
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  if (!document.hidden) await refresh();
}
