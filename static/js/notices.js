// What went wrong with a request, said in #notices; and what closes or keeps its focus meanwhile.
(() => {
  const UNREACHABLE = 'Strata cannot be reached. Your text is kept. Is it still running? Try again.';

  function tell(sentence) {
    const place = document.getElementById('notices');
    if (!place) return;
    const notice = document.createElement('p');
    notice.className = 'notice error';
    notice.setAttribute('role', 'alert');
    notice.textContent = sentence;
    place.replaceChildren(notice);
  }

  // htmx shows answers with an error status wherever they say; one that names no place is not ours.
  document.addEventListener('htmx:before:response', (event) => {
    const {hx, response} = event.detail.ctx;
    if (response.status < 400 || (hx.retarget && !unasked(event))) return;
    event.preventDefault();
    if (unasked(event)) return;
    tell(`The server answered with error ${response.status}. Your text is kept. Try again.`);
  });

  // The bar looks by itself, and looks again: nothing to tell when it cannot.
  const unasked = (event) => event.detail.ctx?.sourceElement?.id === 'window';

  document.addEventListener('htmx:error', (event) => {
    if (unasked(event)) return;
    if (event.detail.ctx?.status?.startsWith('error')) tell(UNREACHABLE);
  });

  document.addEventListener('htmx:after:request', (event) => {
    const {request, response, sourceElement} = event.detail.ctx;
    if (response.status >= 400 || request.method === 'GET' || unasked(event)) return;
    document.getElementById('notices')?.replaceChildren();
    sourceElement.closest('details.thread-menu')?.removeAttribute('open');
  });

  // Where a swap moves the focused button without keeping its focus, it is given back.
  let focused = '';
  document.addEventListener('htmx:before:swap', () => { focused = document.activeElement?.id || ''; });
  document.addEventListener('htmx:after:swap', () => {
    if (focused && document.activeElement === document.body) {
      document.getElementById(focused)?.focus({preventScroll: true});
    }
  });

  // The thread's menu and the table of the window close on a click beside them and on Escape.
  const menu = () => document.querySelector(':is(.thread-menu, .window details)[open]');
  document.addEventListener('click', (event) => {
    if (!menu()?.contains(event.target)) menu()?.removeAttribute('open');
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu()) return;
    const open = menu();
    event.preventDefault();
    open.removeAttribute('open');
    open.querySelector('summary').focus();
  });

  document.addEventListener('strata:notice', (event) => tell(event.detail));

  // What another page left to be told here.
  try {
    const left = sessionStorage.getItem('told');
    sessionStorage.removeItem('told');
    if (left) tell(left);
  } catch { /* no storage, nothing to tell */ }
})();
