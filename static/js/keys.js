// Shortcuts, listed on the sheet that `?` opens. Never while something is being typed.
(() => {
  const byId = (id) => document.getElementById(id);
  const typing = (element) => element.closest?.('input, textarea, select, [contenteditable]');
  const messages = () => [...document.querySelectorAll('.message')];

  function step(article, by) {
    const all = messages();
    const next = all[all.indexOf(article) + by];
    next?.focus({preventScroll: true});
    next?.scrollIntoView({block: 'nearest'});
  }

  const onMessage = {
    ArrowUp: (article) => step(article, -1),
    ArrowDown: (article) => step(article, 1),
    ArrowLeft: (article) => press(article.querySelector('.versions .icon:first-child')),
    ArrowRight: (article) => press(article.querySelector('.versions .icon:last-child')),
    c: (article) => press(article.querySelector('a[data-copy]')),
    r: (article) => press(article.querySelector('.answer-form button')),
    o: (article) => press(article.querySelector('.more')),
    e: (article) => act(article, 'edit'),
    d: (article) => act(article, 'delete'),
    n: (article) => act(article, 'mark'),
    v: (article) => article.querySelector('.versions') && location.assign(page(article, 'compare')),
    f: (article) => fork(article),
    p: (article) => mark(article, 'pin', 'pinned'),
    x: (article) => mark(article, 'mute', 'muted'),
  };

  // A control that is there but not to be used, like `<` at the first version, does nothing.
  function press(control) {
    if (control && control.getAttribute('aria-disabled') !== 'true') control.click();
  }

  const page = (article, act) => more(article).pathname.replace(/acts$/, act);
  const more = (article) => article.querySelector('.more');

  // What is shared to be read is changed by no key.
  const closed = (article) => 'toRead' in article.dataset || article.classList.contains('live');

  function act(article, name) {
    const target = article.querySelector(name === 'edit' ? '.body' : '.acts');
    if (!more(article) || !target || closed(article)) return;
    article.focus({preventScroll: true});
    htmx.ajax('GET', `${page(article, name)}/form`, {target, source: article, swap: 'outerHTML'});
  }

  function mark(article, name, now) {
    if (!more(article) || closed(article)) return;
    const values = {on: now in article.dataset ? 'no' : 'yes', above: byId('above')?.value ?? ''};
    htmx.ajax('POST', page(article, name), {target: '#conversation', source: article, swap: 'outerMorph', values});
  }

  function fork(article) {
    if (!more(article) || article.classList.contains('live')) return;
    const form = document.createElement('form');
    form.method = 'post';
    form.action = page(article, 'fork');
    document.body.append(form);
    form.submit();
  }

  const everywhere = {
    '?': () => byId('keys-sheet')?.togglePopover(),
    m: () => (byId('to-map') || byId('leave-map'))?.click(),
    '/': () => byId('text')?.focus(),
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (typing(event.target)) return leave(event);
    const article = event.target.closest?.('.message');
    // Arrows keep their meaning inside panels and on links that scroll.
    const known = article && Object.hasOwn(onMessage, event.key) && !event.target.closest('.acts');
    const act = known ? () => onMessage[event.key](article) : everywhere[event.key];
    if (!act || (event.key !== '?' && document.querySelector('[popover]:popover-open'))) return;
    event.preventDefault();
    act();
  });

  // Out of the empty composer to the last message, so that the keys can be used.
  function leave(event) {
    if (event.key !== 'Escape' || event.target.id !== 'text' || event.target.value) return;
    if (byId('stop')) return;
    event.preventDefault();
    messages().at(-1)?.focus();
  }
})();
