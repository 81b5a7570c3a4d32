// Acts on messages open in place and give the focus back; each switch has an address, and Back
// goes to the branch that was shown before.
(() => {
  const conversation = () => document.getElementById('conversation');
  if (!conversation()) return;
  const message = (element) => element?.closest?.('.message');
  const more = (article) => article?.querySelector('.more');
  const place = (id) => `${location.pathname}?at=${encodeURIComponent(id)}#message-${id}`;
  let held = null;

  // --- addresses ---

  const OURS = {branch: true};
  const shownEnd = () => document.getElementById('after')?.value;

  document.addEventListener('htmx:before:swap', (event) => {
    const {ctx} = event.detail;
    if (ctx.target !== conversation() || ctx.request.method === 'GET' || ctx.quietly) return;
    const pushed = ctx.response?.headers.get('HX-Push-Url');
    if (!pushed && !location.search) return;
    if (shownEnd()) history.replaceState(OURS, '', place(shownEnd()));
    history.pushState(OURS, '', pushed || location.pathname);
  });

  async function goTo(id) {
    const target = conversation();
    const values = {message: id, above: document.getElementById('above')?.value ?? ''};
    await htmx.ajax('POST', `${location.pathname}/active`, {target, swap: 'outerMorph', values, quietly: true});
    document.getElementById(`message-${id}`)?.scrollIntoView({block: 'nearest'});
  }

  addEventListener('popstate', ({state}) => {
    // Other entries are jumps within the page, which the browser does by itself.
    if (!state?.branch) return;
    const at = new URLSearchParams(location.search).get('at');
    if (at && document.getElementById('composer')) goTo(at);
    else location.reload();
  });

  // --- acts ---

  function close(panel) {
    const article = message(panel);
    const empty = document.createElement('div');
    empty.id = panel.id;
    empty.className = 'acts';
    panel.replaceWith(empty);
    more(article)?.setAttribute('aria-expanded', 'false');
    more(article)?.focus({preventScroll: true});
  }

  document.addEventListener('click', (event) => {
    const link = event.target.closest('.more, .acts [data-cancel]');
    const panel = message(link)?.querySelector('.acts');
    if (!panel?.childElementCount || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    close(panel);
  }, {capture: true});

  document.addEventListener('keydown', (event) => {
    const inside = event.target.closest?.('.acts, .editing');
    if (event.key !== 'Escape' || !inside || event.isComposing) return;
    event.preventDefault();
    if (inside.matches('.acts')) close(inside);
    else inside.querySelector('[data-cancel]').click();
  }, {capture: true});

  // --- focus ---

  document.addEventListener('htmx:before:swap', () => {
    const article = message(document.activeElement);
    held = article && {id: article.id, turn: article.querySelector('.versions')?.id};
  });

  document.addEventListener('htmx:after:swap', () => {
    document.querySelectorAll('.more').forEach((link) => {
      const open = message(link).querySelector('.acts')?.childElementCount > 0;
      link.setAttribute('aria-expanded', String(open));
    });
    const opened = document.querySelector(':is(.editing, .acts:not(:empty)):not([data-seen])');
    if (opened) {
      opened.dataset.seen = '';
      (opened.querySelector('[data-first]') || opened.querySelector('button, a'))?.focus({preventScroll: true});
      opened.scrollIntoView({block: 'nearest'});
    } else if (held && document.activeElement === document.body) {
      const again = document.getElementById(held.id) || message(document.getElementById(held.turn));
      again?.focus({preventScroll: true});
    }
  });
})();
