// Keeps the reader's place when older messages are put above it.
(() => {
  let fromEnd = null;

  document.addEventListener('htmx:before:swap', (event) => {
    const box = document.getElementById('conversation');
    const above = event.detail.tasks.some((task) => task.target?.id === 'earlier');
    fromEnd = box && above ? box.scrollHeight - box.scrollTop : null;
  });

  document.addEventListener('htmx:after:swap', () => {
    if (fromEnd === null) return;
    const box = document.getElementById('conversation');
    box.scrollTop = box.scrollHeight - fromEnd;
    fromEnd = null;
  });
})();
