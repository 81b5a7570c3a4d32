// Answers as they are written: each [data-stream] follows its own socket, block by block.
// A frame holds closed blocks from index n on and the open one; what is held already is skipped,
// so a socket may drop and come back at any moment without loss or doubling.
(() => {
  const following = new WeakSet();
  const template = document.createElement('template');
  const say = (words) => {
    const status = document.getElementById('status');
    if (status && status.textContent !== words) status.textContent = words;
  };

  function follow(body) {
    if (following.has(body)) return;
    following.add(body);
    let have = 0, epoch = null, open = null, frames = [], drawing = false, tries = 0;
    let over = false, told = 0, socket = null;

    const fill = (element, html) => {
      template.innerHTML = html;
      element.replaceChildren(...template.content.childNodes);
    };
    const slot = () => open || (open = body.appendChild(document.createElement('div')));

    function startOver(frame) {
      body.replaceChildren();
      [have, epoch, open] = [0, frame.e, null];
    }

    function draw() {
      drawing = false;
      let tail = null, last = null;
      for (const frame of frames) {
        if (frame.e !== epoch) startOver(frame);
        frame.c.forEach((html, index) => {
          if (frame.n + index < have) return;
          fill(slot(), html);
          open = null;
          have += 1;
        });
        [tail, last] = [frame.o, frame];
      }
      frames = [];
      if (!last) return;
      if (tail) fill(slot(), tail);
      else if (open) { open.remove(); open = null; }
      announce(last);
      body.dispatchEvent(new CustomEvent('strata:grew', {bubbles: true}));
      if (last.d) end(last);
    }

    function announce(frame) {
      if (frame.t) say(frame.t);
      else if (Date.now() - told > 7000) say(told ? 'Still writing.' : 'Writing.');
      else return;
      told = Date.now();
    }

    function end(frame) {
      over = true;
      body.removeAttribute('aria-busy');
      body.removeAttribute('data-stream');
      body.closest('.message')?.classList.remove('live');
      say({ready: 'Answer finished.', stopped: 'Answer stopped.'}[frame.p] || 'The answer failed.');
      const target = body.parentElement?.querySelector('.foot');
      if (target) htmx.ajax('GET', body.dataset.doneUrl, {target, swap: 'outerHTML'});
      body.dispatchEvent(new CustomEvent('strata:answered', {bubbles: true, detail: frame}));
    }

    function later() {
      if (over || !body.isConnected) return;
      const wait = Math.min(400 * 2 ** tries, 15000) * (0.5 + Math.random() / 2);
      tries += 1;
      if (tries > 1) say('The connection was lost; trying again.');
      setTimeout(connect, wait);
    }

    function connect() {
      if (over || !body.isConnected) return;
      const url = new URL(body.dataset.stream, location.href);
      url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
      url.searchParams.set('have', have);
      url.searchParams.set('epoch', epoch ?? 0);
      socket = new WebSocket(url);
      socket.onmessage = (event) => {
        tries = 0;
        if (!body.isConnected) { socket.close(); return; }
        frames.push(JSON.parse(event.data));
        if (drawing) return;
        drawing = true;
        if (document.hidden) setTimeout(draw, 250); else requestAnimationFrame(draw);
      };
      socket.onclose = (event) => {
        if (frames.length) draw();
        if (event.code === 4404) location.reload(); else later();
      };
    }
    connect();
  }

  const find = () => document.querySelectorAll('[data-stream]').forEach(follow);
  document.addEventListener('htmx:after:swap', find);
  find();
})();
