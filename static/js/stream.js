// Answers as they are written: each [data-stream] follows its own socket and says what it has, so a
// socket may drop and come back without loss or doubling. One that is silent for long is taken for
// dead, as after a network that went away without a word, and opened anew.
(() => {
  const ENDS = {ready: 'Answer finished.', stopped: 'Answer stopped.'};
  const SILENT_MS = 30000;
  const followed = new Map();
  const say = (words) => {
    const status = document.getElementById('status');
    if (status && status.textContent !== words) status.textContent = words;
  };

  function follow(body) {
    const answer = new AnswerBody(body);
    let socket = null, frames = [], drawing = 0, tries = 0, told = 0, over = false, silence = 0;

    function draw() {
      drawing = 0;
      const last = frames.at(-1);
      if (!last || over) return;
      if (last.p === 'gone') { over = true; return location.reload(); }
      frames.splice(0).forEach((frame) => answer.apply(frame));
      if (last.t || Date.now() - told > 7000) {
        say(last.t || (told ? 'Still writing.' : 'Writing.'));
        told = Date.now();
      }
      if (last.d) end(last);
      body.dispatchEvent(new CustomEvent('strata:grew', {bubbles: true}));
    }

    function end(frame) {
      over = true;
      leave();
      followed.delete(body);
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
      if (code === 4401) document.dispatchEvent(new CustomEvent('strata:closed'));
      if (over || !body.isConnected || (code >= 4400 && code < 4500)) return;
      const answer = opened ? null : await fetch(body.dataset.doneUrl, {headers: {'HX-Request': 'true'}}).catch(() => null);
      if ([401, 403, 404].includes(answer?.status)) {
        document.dispatchEvent(new CustomEvent('strata:closed'));
        return say('This answer cannot be followed here.');
      }
      if (tries > 0) say('The connection was lost; trying again.');
      setTimeout(connect, Math.min(400 * 2 ** tries++, 15000) * (0.5 + Math.random() / 2));
    }

    function leave() {
      clearTimeout(silence);
      if (socket) socket.onclose = socket.onmessage = null;
      socket?.close();
    }

    function connect() {
      if (over || !body.isConnected) return;
      leave();
      const url = new URL(body.dataset.stream, location.href);
      url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
      url.search = new URLSearchParams({have: answer.have, epoch: answer.epoch ?? 0});
      let opened = false;
      socket = new WebSocket(url);
      const heard = () => {
        clearTimeout(silence);
        silence = setTimeout(connect, SILENT_MS);
      };
      heard();
      socket.onopen = () => { opened = true; };
      socket.onclose = ({code}) => { clearTimeout(silence); comeBack(opened, code); };
      socket.onmessage = ({data}) => {
        heard();
        tries = 0;
        frames.push(JSON.parse(data));
        drawing ||= document.hidden ? setTimeout(draw, 250) : requestAnimationFrame(draw);
      };
    }
    followed.set(body, {connect, leave});
    connect();
  }

  function look() {
    followed.forEach(({leave}, body) => { if (!body.isConnected) { leave(); followed.delete(body); } });
    document.querySelectorAll('[data-stream]').forEach((body) => followed.has(body) || follow(body));
  }
  addEventListener('online', () => followed.forEach(({connect}) => connect()));
  document.addEventListener('htmx:after:swap', look);
  document.addEventListener('strata:news', look);
  look();
})();
