// Keeps the bar of the window true: while a draft is typed (never in the middle of composing a
// character), after every answer and act, and until notes that are being written have come.
// And goes to messages that stand on the page without loading it anew.
(() => {
  const PAUSE_MS = 400;
  const bar = () => document.getElementById('window');
  const text = document.getElementById('text');
  let waiting = 0, watching = 0, patience = 1000;

  function look() {
    clearTimeout(waiting);
    bar()?.dispatchEvent(new Event('strata:window'));
  }

  function soon(pause) {
    clearTimeout(waiting);
    waiting = setTimeout(look, pause);
  }

  function watch() {
    clearTimeout(watching);
    if (!bar() || !('expecting' in bar().dataset)) { patience = 1000; return; }
    watching = setTimeout(look, patience);
    patience = Math.min(patience * 2, 30000);
  }

  // Notes that somebody is editing stay as they are on this page.
  function spareEditors(tasks) {
    for (let at = tasks.length; at--;) {
      if (/-notes$/.test(tasks[at].target?.id) && tasks[at].target.matches('.editing')) tasks.splice(at, 1);
    }
  }

  if (bar() && text) {
    text.addEventListener('input', (event) => { if (!event.isComposing) soon(PAUSE_MS); });
    text.addEventListener('compositionstart', () => clearTimeout(waiting));
    text.addEventListener('compositionend', () => soon(PAUSE_MS));
    for (const change of ['strata:answered', 'strata:news']) document.addEventListener(change, () => soon(150));
    document.addEventListener('htmx:before:swap', ({detail}) => {
      if (detail.ctx.sourceElement === bar()) spareEditors(detail.tasks);
    });
    document.addEventListener('htmx:after:swap', ({detail}) => {
      if (detail.ctx.sourceElement === bar()) watch();
      else if (/^(conversation|messages|notices)$/.test(detail.ctx.target?.id)) soon(50);
    });
    watch();
    if (text.value) soon(0);
  }

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-jump]');
    const message = link && document.getElementById(`message-${link.dataset.jump}`);
    if (!message || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest('#window-details')?.removeAttribute('open');
    message.focus({preventScroll: true});
    message.scrollIntoView({block: 'center'});
  });
})();
