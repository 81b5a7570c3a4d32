// Files chosen, dropped or pasted are sent one by one, so that one that is refused stops no other.
// What was typed stays; the list and the chips look again by themselves.
(() => {
  const form = document.getElementById('attach');
  const input = document.getElementById('attach-files');
  if (!form || !input) return;
  const begins = 'begins' in form.dataset;
  const status = document.getElementById('attach-status');
  const queue = [];
  let told = [], sending = null, watching = false, made = '';

  const tell = (sentence) => document.dispatchEvent(new CustomEvent('strata:notice', {detail: sentence}));
  const sentence = (html) => new DOMParser().parseFromString(html, 'text/html').getElementById('notice')?.textContent.trim();
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const others = (count) => count ? ` and ${count} ${count === 1 ? 'other file' : 'other files'} were` : ' was';

  // No file is sent only to be refused for its size.
  function tooLarge(file) {
    const most = Number(input.dataset.most);
    if (file.size <= most) return false;
    told.push(`“${file.name}” was not attached. It is ${megabytes(file.size)}; the limit is ${megabytes(most)}. Split it, or raise the limit in the settings.`);
    return true;
  }

  function take(files) {
    told = sending ? told : [];
    queue.push(...[...files].filter((file) => !tooLarge(file)));
    if (!sending) next();
  }

  function next() {
    sending = queue.shift() || null;
    if (!sending) {
      if (made) leave();
      else if (told.length) tell(told.join(' '));
      return;
    }
    const file = sending;
    const body = new FormData();
    body.append('files', file, file.name);
    const request = new XMLHttpRequest();
    request.open('POST', made ? `${made}/files` : form.action);
    request.setRequestHeader('HX-Request', 'true');
    request.upload.onprogress = ({loaded, total}) => {
      status.textContent = `Sending ${file.name}: ${Math.floor(100 * loaded / Math.max(total, 1))} %`;
    };
    request.onloadend = () => {
      const answer = request.status ? sentence(request.responseText) : 'It could not be sent. Is it a file that can be read, and is Strata still running? Try again.';
      if (request.status === 429) told.push(`“${file.name}”${others(queue.splice(0).length)} not attached. ${answer || 'Try again in a while.'}`);
      else if (answer) told.push(request.status ? answer : `“${file.name}” was not attached. ${answer}`);
      else if (request.status >= 400) told.push(`“${file.name}” was not attached. Try again.`);
      status.textContent = '';
      made ||= request.getResponseHeader('HX-Redirect') || '';
      watching = true;
      document.body.dispatchEvent(new CustomEvent('strata:files'));
      next();
    };
    request.send(body);
  }

  // On the start page the first file makes the thread: the draft and what is to be told go there.
  function leave() {
    const text = document.getElementById('text').value;
    try {
      if (text) sessionStorage.setItem(`draft:${made.split('/').pop()}`, text);
      sessionStorage.removeItem('draft:new');
      if (told.length) sessionStorage.setItem('told', told.join(' '));
    } catch { /* a storage that is full or forbidden keeps nobody here */ }
    location.assign(made);
  }
  addEventListener('pageshow', (event) => { if (event.persisted) made = ''; });

  input.addEventListener('change', () => { take(input.files); input.value = ''; });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!sending) tell('No file was chosen. Choose one or more files; they are attached at once.');
  });

  document.addEventListener('strata:attach', (event) => take(event.detail));

  // A question sent meanwhile would begin a thread without the files.
  document.addEventListener('submit', (event) => {
    if (!begins || !(sending || made) || event.target.id !== 'composer') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    tell('The files are still being sent. Your text is kept; send it when they are there.');
  }, {capture: true});

  // What came of it is told once, when nothing is going on any more.
  document.addEventListener('htmx:after:swap', () => {
    const summary = document.querySelector('#file-chips, #file-list')?.dataset.summary;
    if (!watching || sending || !summary) return;
    watching = false;
    status.textContent = summary;
  });

  addEventListener('beforeunload', (event) => { if (sending) event.preventDefault(); });
})();
