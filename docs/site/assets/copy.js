const SHOWN_MS = 1500;

/** Lets each block of code be copied. */
export function offerCopying() {
  for (const button of document.querySelectorAll('button.copy')) {
    button.hidden = false;
    offerCopyingOf(button, () => button.closest('figure').querySelector('code').textContent);
  }
}

/** Lets one button copy what a function gives when it is pressed. */
export function offerCopyingOf(button, text) {
  button.addEventListener('click', () => copy(button, text()));
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}
