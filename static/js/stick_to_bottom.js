// The conversation follows its end, unless the reader scrolled up; then a button says that there
// is new text. Nothing ever jumps while somebody reads.
(() => {
  const NEAR = 48;
  const box = document.getElementById('conversation')?.parentElement;
  if (!box) return;
  let pinned = true;
  const conversation = () => document.getElementById('conversation');
  const jump = document.getElementById('jump');

  const toEnd = () => { const c = conversation(); c.scrollTop = c.scrollHeight; };
  const gap = () => { const c = conversation(); return c.scrollHeight - c.scrollTop - c.clientHeight; };

  document.addEventListener('scroll', (event) => {
    if (event.target !== conversation()) return;
    pinned = gap() < NEAR;
    if (pinned && jump) jump.hidden = true;
  }, {passive: true, capture: true});

  document.addEventListener('strata:grew', () => {
    if (pinned) toEnd();
    else if (jump) jump.hidden = false;
  });

  document.addEventListener('strata:asked', () => { pinned = true; toEnd(); });
  jump?.addEventListener('click', () => { pinned = true; jump.hidden = true; toEnd(); });
  if (!location.hash && conversation()) open();

  // What is out of sight has a guessed height: the end is where it was said to be only after what
  // is shown was laid out. Until then, or until somebody does something, the end is followed.
  function open() {
    const settling = new ResizeObserver(() => requestAnimationFrame(toEnd));
    const settled = () => settling.disconnect();
    [...conversation().children].forEach((each) => settling.observe(each));
    ['wheel', 'touchstart', 'pointerdown', 'keydown'].forEach((kind) => addEventListener(kind, settled, {once: true, passive: true}));
    setTimeout(settled, 3000);
    toEnd();
  }
})();
