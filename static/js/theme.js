// Light, dark or as the system: at once, without a new page. The cookie is what the server reads.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.id !== 'theme' || !event.submitter) return;
  event.preventDefault();
  const chosen = event.submitter.value;
  document.documentElement.dataset.theme = chosen;
  document.cookie = `strata_theme=${chosen};path=/;max-age=31536000;samesite=lax`;
  for (const button of form.querySelectorAll('button')) {
    button.setAttribute('aria-pressed', String(button === event.submitter));
  }
});
