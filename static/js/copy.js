// Copies a message as it was written, or a block of code. On a plain-http address of the local
// network there is no clipboard object, so a hidden field and the old command stand in.
(() => {
  function byCommand(words) {
    const field = document.createElement('textarea');
    field.value = words;
    field.className = 'unseen';
    field.readOnly = true;
    document.body.append(field);
    const before = document.activeElement;
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    before?.focus({preventScroll: true});
    if (!copied) throw new Error('refused');
  }

  async function copy(words) {
    if (navigator.clipboard && window.isSecureContext) {
      try { return await navigator.clipboard.writeText(words); } catch { /* not allowed: the other way */ }
    }
    return byCommand(words);
  }

  async function wordsAt(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.text();
  }

  async function act(button, words) {
    try {
      await copy(await words());
      button.dataset.copied = '';
      setTimeout(() => delete button.dataset.copied, 1600);
    } catch {
      const detail = 'This could not be copied. Select the text and copy it by hand.';
      document.dispatchEvent(new CustomEvent('strata:notice', {detail}));
    }
  }

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-copy]');
    if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const code = button.closest('.code')?.querySelector('pre');
    act(button, code ? async () => code.textContent : () => wordsAt(button.href));
  });
})();
