// Keeps the reader's place when older messages are put above it, and shows what was opened.
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

  // A detail at the end of the conversation opens below its edge, where nobody would see it.
  document.addEventListener('click', (event) => {
    const opened = event.target.closest?.('#conversation summary')?.parentElement;
    if (!opened || opened.matches('.long')) return;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (opened.open) opened.lastElementChild.scrollIntoView({block: 'nearest'});
    }));
  });
})();
