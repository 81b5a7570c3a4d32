// Tells the server where its reader is: instructions may name the day, and it is the reader's.
(() => {
  function note() {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone) document.cookie = `strata_zone=${zone};path=/;max-age=31536000;samesite=lax`;
  }
  note();
  document.addEventListener('submit', note, true);
})();
