// What is dropped or pasted. A file that is dropped never opens in place of the page, on any page;
// where files can be attached it is handed on.
(() => {
  const takes = () => document.getElementById('attach');
  const carries = (event) => event.dataTransfer?.types.includes('Files');
  const shows = (on) => document.getElementById('main').classList.toggle('dropping', on);
  const hand = (files) => document.dispatchEvent(new CustomEvent('strata:attach', {detail: files}));
  // A field for files takes what is dropped on it by itself.
  const isField = (event) => !takes() && event.target.closest?.('input[type=file]');

  document.addEventListener('dragover', (event) => {
    if (!carries(event) || isField(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = takes() ? 'copy' : 'none';
    shows(Boolean(takes()));
  });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) shows(false); });
  document.addEventListener('drop', (event) => {
    if (!carries(event) || isField(event)) return;
    event.preventDefault();
    shows(false);
    if (takes()) hand(event.dataTransfer.files);
  });
  // Programs that copy text put a picture of it beside it; then the text is meant.
  document.addEventListener('paste', (event) => {
    const data = event.clipboardData;
    if (!takes() || !data?.files.length || data.types.includes('text/plain')) return;
    event.preventDefault();
    hand(data.files);
  });
})();
