// The code of a picture or link stands behind the #, so that it reaches no server and no log: it is
// put into its field, and taken out of the address.
(() => {
  const field = document.getElementById('code');
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!field || !code) return;
  field.value = code;
  history.replaceState(null, '', location.pathname);
  document.getElementById('name').focus();
})();
