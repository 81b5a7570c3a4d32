// Keys, drafts and height of the composer. Text goes away only after the server has stored it.
(() => {
  const form = document.getElementById('composer');
  if (!form) return;
  const text = form.querySelector('textarea');
  const key = `draft:${form.dataset.draft}`;
  const touch = matchMedia('(pointer: coarse)');
  let sent = null;

  const grows = CSS.supports('field-sizing', 'content');
  function fit() {
    if (grows) return;
    text.style.height = 'auto';
    text.style.height = `${text.scrollHeight + 2}px`;
  }

  // A full or forbidden storage loses only the draft of a reload, never the text itself.
  function keepDraft() {
    try {
      if (text.value) sessionStorage.setItem(key, text.value);
      else sessionStorage.removeItem(key);
    } catch { /* nothing to do */ }
  }

  function write(value) {
    text.value = value;
    keepDraft();
    fit();
  }

  function stored() {
    try { return sessionStorage.getItem(key) || ''; } catch { return ''; }
  }

  const composing = (event) => event.isComposing || event.keyCode === 229;

  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || composing(event) || event.shiftKey || event.altKey) return;
    const always = event.ctrlKey || event.metaKey;
    if (touch.matches && !always) return;
    event.preventDefault();
    if (text.value.trim()) form.requestSubmit();
  });

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || composing(event)) return;
    // What is open beside it closes first, and the answer goes on.
    if (document.querySelector('[popover]:popover-open, dialog[open]')) return;
    document.getElementById('stop')?.requestSubmit();
  });

  text.addEventListener('input', () => { keepDraft(); fit(); });

  form.addEventListener('submit', (event) => {
    const length = [...text.value].length;
    const longest = Number(text.dataset.longest);
    if (length <= longest) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    document.dispatchEvent(new CustomEvent('strata:notice', {detail: `This message has ${length.toLocaleString('en')} characters; the most is ${longest.toLocaleString('en')}. Shorten it, or send it in parts.`}));
  }, {capture: true});

  form.addEventListener('htmx:config:request', (event) => {
    if (event.target === form) sent = text.value;
  });

  form.addEventListener('htmx:after:request', (event) => {
    if (event.target !== form || event.detail.ctx.response.status >= 400) return;
    // What was typed on while the question was on its way stays.
    if (text.value === sent) write('');
    if (!touch.matches) text.focus();
  });

  form.addEventListener('htmx:after:swap', (event) => {
    if (event.target === form) document.dispatchEvent(new CustomEvent('strata:asked'));
  });

  for (const example of document.querySelectorAll('[data-example]')) {
    example.addEventListener('click', (event) => {
      event.preventDefault();
      write(example.value);
      text.focus();
    });
  }

  if (!text.value) text.value = stored();
  fit();
  if (!touch.matches && !location.hash) text.focus({preventScroll: true});
})();
