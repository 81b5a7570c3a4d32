// A file to bring in may be large: it is sent by the page itself, which then says how far it is.
(() => {
  const form = document.getElementById('import-file');
  const input = document.getElementById('import-chosen');
  const status = document.getElementById('import-sent');
  if (!form || !input || !status) return;

  form.addEventListener('submit', (event) => {
    const file = input.files[0];
    if (!file) return;
    event.preventDefault();
    const button = form.querySelector('button');
    const body = new FormData();
    body.append('file', file, file.name);
    const request = new XMLHttpRequest();
    request.open('POST', form.action);
    request.setRequestHeader('HX-Request', 'true');
    request.upload.onprogress = ({loaded, total}) => {
      status.textContent = `Sending ${file.name}: ${Math.floor(100 * loaded / Math.max(total, 1))} %`;
    };
    request.onloadend = () => {
      button.disabled = false;
      if (request.status >= 200 && request.status < 300) return location.assign(location.pathname);
      const told = new DOMParser().parseFromString(request.responseText, 'text/html').getElementById('notice');
      status.textContent = told?.textContent.trim() || 'It could not be sent. Is Strata still running? Try again.';
    };
    button.disabled = true;
    request.send(body);
  });
})();
