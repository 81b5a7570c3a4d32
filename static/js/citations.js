// The passage behind a number opens beside the answer: a panel on a wide screen, a sheet from below
// on a narrow one. Closed, the focus is where it was. And the button that marks what has no passage.
(() => {
  const panel = document.getElementById('passage-panel');
  const narrow = matchMedia('(max-width: 48rem)');
  let opener = null, openerId = '';

  async function open(link) {
    const [address, asked] = link.href.split('?');
    const url = `${address}/card${asked ? `?${asked}` : ''}`;
    [opener, openerId] = [link, link.id];
    await htmx.ajax('GET', url, {target: '#passage-card', source: link, swap: 'outerHTML'});
    const heading = panel.querySelector('#passage-heading');
    if (!heading || opener !== link) return;
    if (!panel.open) narrow.matches ? panel.showModal() : panel.show();
    document.querySelectorAll('.cite[aria-expanded]').forEach((each) => each.removeAttribute('aria-expanded'));
    if (link.matches('.cite')) link.setAttribute('aria-expanded', 'true');
    heading.focus({preventScroll: true});
    const place = panel.querySelector('mark') || panel.querySelector('.passage-itself');
    place?.scrollIntoView({block: 'center'});
  }

  // The answer may have been drawn anew meanwhile, so its number is looked up again.
  function close() {
    panel.close();
    const back = opener?.isConnected ? opener : document.getElementById(openerId);
    document.querySelectorAll('.cite[aria-expanded]').forEach((each) => each.removeAttribute('aria-expanded'));
    back?.focus({preventScroll: true});
    opener = null;
  }

  function toggle(button) {
    const on = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', on);
    button.closest('.message')?.classList.toggle('showing-bare', on);
  }

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-show-bare]');
    if (button) return toggle(button);
    if (!panel) return;
    if (event.target === panel || event.target.closest('[data-close-passage]')) return close();
    const link = event.target.closest('a.cite, a[data-passage]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(link);
  });

  panel?.addEventListener('cancel', (event) => { event.preventDefault(); close(); });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !panel?.open || event.defaultPrevented) return;
    event.preventDefault();
    close();
  });
})();
