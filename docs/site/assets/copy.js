const SHOWN_MS = 1500;

/** Lets each block of code be copied. */
export function offerCopying() {
  for (const button of document.querySelectorAll('button.copy')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
}

async function copy(button) {
  const code = button.closest('figure').querySelector('code').textContent;
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}
