// Answers as they are written: each [data-stream] follows its own socket, block by block. A frame
// holds blocks closed from index n on, and the open block or what was added to it; what is held
// already is skipped, so a socket may drop and come back without loss or doubling.
(() => {
  const ENDS = {ready: 'Answer finished.', stopped: 'Answer stopped.'};
  const sockets = new Map();
  const template = document.createElement('template');
  const say = (words) => {
    const status = document.getElementById('status');
    if (status && status.textContent !== words) status.textContent = words;
  };

  function fill(slot, html) {
    const unfolded = slot.querySelector('details[open]');
    template.innerHTML = html;
    slot.replaceChildren(...template.content.childNodes);
    if (unfolded) slot.querySelector('details')?.setAttribute('open', '');
  }

  function lengthen(slot, words) {
    const inside = slot.querySelector('.thought, .plain, pre > code');
    if (inside) inside.lastChild ? inside.lastChild.appendData(words) : inside.append(words);
  }

  function follow(body) {
    let have = 0, epoch = null, open = null, frames = [], drawing = 0, tries = 0, told = 0, over = false;
    const slot = () => open || (open = body.appendChild(document.createElement('div')));

    function apply(frame) {
      if (frame.e !== epoch) { body.replaceChildren(); [have, epoch, open] = [0, frame.e, null]; }
      frame.c.forEach((html, index) => {
        if (frame.n + index < have) return;
        fill(slot(), html);
        [open, have] = [null, have + 1];
      });
      if (frame.a) lengthen(slot(), frame.a);
      else if (frame.o) fill(slot(), frame.o);
      else if (frame.o === '') { open?.remove(); open = null; }
    }

    function draw() {
      drawing = 0;
      const last = frames.at(-1);
      if (!last || over) return;
      if (last.p === 'gone') { over = true; return location.reload(); }
      frames.splice(0).forEach(apply);
      if (last.t || Date.now() - told > 7000) {
        say(last.t || (told ? 'Still writing.' : 'Writing.'));
        told = Date.now();
      }
      if (last.d) end(last);
      body.dispatchEvent(new CustomEvent('strata:grew', {bubbles: true}));
    }

    function end(frame) {
      over = true;
      sockets.get(body)?.close();
      sockets.delete(body);
      for (const name of ['aria-busy', 'data-stream', 'hx-morph-skip']) body.removeAttribute(name);
      body.closest('.message')?.classList.remove('live');
      say(ENDS[frame.p] || 'The answer failed.');
      const target = body.parentElement.querySelector('.foot');
      if (target) htmx.ajax('GET', body.dataset.doneUrl, {target, source: body, swap: 'outerHTML'});
      body.dispatchEvent(new CustomEvent('strata:answered', {bubbles: true, detail: frame}));
    }

    // A refused handshake and a lost network look the same to a socket, so it is asked over HTTP.
    async function comeBack(opened, code) {
      draw();
      if (over || !body.isConnected || (code >= 4400 && code < 4500)) return;
      const answer = opened ? null : await fetch(body.dataset.doneUrl).catch(() => null);
      if ([401, 403, 404].includes(answer?.status)) return say('This answer cannot be followed here.');
      if (tries > 0) say('The connection was lost; trying again.');
      setTimeout(connect, Math.min(400 * 2 ** tries++, 15000) * (0.5 + Math.random() / 2));
    }

    function connect() {
      if (over || !body.isConnected) return;
      const url = new URL(body.dataset.stream, location.href);
      url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
      url.search = new URLSearchParams({have, epoch: epoch ?? 0});
      let socket = new WebSocket(url), opened = false;
      sockets.set(body, socket);
      socket.onopen = () => { opened = true; };
      socket.onclose = ({code}) => comeBack(opened, code);
      socket.onmessage = ({data}) => {
        tries = 0;
        frames.push(JSON.parse(data));
        drawing ||= document.hidden ? setTimeout(draw, 250) : requestAnimationFrame(draw);
      };
    }
    connect();
  }
  function look() {
    sockets.forEach((socket, body) => { if (!body.isConnected) { socket.close(); sockets.delete(body); } });
    document.querySelectorAll('[data-stream]').forEach((body) => sockets.has(body) || follow(body));
  }
  document.addEventListener('htmx:after:swap', look);
  look();
})();
