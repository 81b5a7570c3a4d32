// A thread on a shared Strata: what is asked elsewhere appears below what is shown; and a page that
// may not be read any more ends with a sentence, and keeps nothing of what it showed.
(() => {
  const PAUSE_MS = 3000;
  const dock = document.querySelector('[data-news]');
  if (!dock) return;
  const place = (id) => document.getElementById(id);
  const last = () => place('after')?.value ?? '';
  // The answer to one's own act brings the page up to date by itself.
  const isBusy = () => document.querySelector('.htmx-request');
  let waiting = 0, toldOf = null;

  async function look() {
    clearTimeout(waiting);
    const after = last();
    if (!document.hidden && !isBusy()) {
      const asked = new URLSearchParams({after});
      if ('older' in dock.dataset) asked.set('older', 'yes');
      else if (!document.querySelector('.visit')) asked.set('opens', 'yes');
      const answer = await fetch(`${dock.dataset.news}?${asked}`, {headers: {'HX-Request': 'true'}}).catch(() => null);
      if (answer?.status === 401) return end('You are signed out.', '/login', 'Sign in');
      if (answer?.status === 404) return end('This thread is not shared with you any more, or it was deleted.', '/', 'Go to the start page');
      if (answer?.status === 200) show(await answer.text(), after);
    }
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE_MS);
  }

  function show(html, after) {
    if (isBusy() || last() !== after) return;
    const made = document.createElement('template');
    made.innerHTML = html;
    const messages = [...made.content.querySelectorAll('.message')];
    if (messages.length) return add(messages, made.content.getElementById('after').value);
    if (toldOf === after) return;
    toldOf = after;
    place('notices').replaceChildren(made.content);
  }

  function add(messages, end) {
    for (const message of messages) {
      place('messages').append(message);
      htmx.process(message);
    }
    place('after').value = end;
    const asked = messages.find((each) => each.matches('.user'))?.querySelector('.author').textContent;
    const status = place('status');
    if (asked && status) status.textContent = asked === 'You' ? 'A new question.' : `${asked} asked something.`;
    document.dispatchEvent(new CustomEvent('strata:news'));
    place('messages').dispatchEvent(new CustomEvent('strata:grew', {bubbles: true}));
  }

  function end(sentence, where, words) {
    // Also the list beside it: of this thread, or for who is out of all.
    const row = `.row[href^="${location.pathname}"]`;
    (where === '/' ? document.querySelectorAll(`#sidebar li:has(> ${row})`) : [place('sidebar')]).forEach((each) => each?.remove());
    document.querySelectorAll('#sidebar .thread-list ul:not(:has(li))').forEach((day) => { day.previousElementSibling.remove(); day.remove(); });
    const notice = document.createElement('p');
    notice.className = 'notice';
    notice.setAttribute('role', 'alert');
    notice.textContent = `${sentence} `;
    const link = document.createElement('a');
    link.href = where;
    link.textContent = words;
    notice.append(link);
    const listing = document.createElement('div');
    listing.className = 'listing';
    listing.append(notice);
    place('main').replaceChildren(listing);
    document.title = 'Strata';
  }

  document.addEventListener('visibilitychange', () => { if (!document.hidden && place('messages')) look(); });
  document.addEventListener('strata:closed', look);
  waiting = setTimeout(look, PAUSE_MS);
})();
