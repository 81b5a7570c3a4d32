// The map by keyboard: up and down the tree, left and right between versions, Enter goes there.
// Going makes the chosen branch the one that the thread opens with.
(() => {
  const map = document.getElementById('map');
  const room = document.getElementById('map-room');
  if (!map) return;
  const spots = [...map.querySelectorAll('.spot')];
  const below = new Map();
  spots.forEach((spot, place) => {
    spot.dataset.place = place;
    const above = spot.dataset.in;
    if (!below.has(above)) below.set(above, []);
    below.get(above).push(spot);
  });
  const here = document.getElementById('here') || spots[0];
  let [size, chosen, settled] = [1, here, false];

  function beside(spot, step) {
    const versions = below.get(spot.dataset.in);
    return versions[versions.indexOf(spot) + step];
  }

  const moves = {
    ArrowLeft: (spot) => beside(spot, -1),
    ArrowRight: (spot) => beside(spot, 1),
    ArrowUp: (spot) => spots[Number(spot.dataset.in || NaN)],
    ArrowDown: (spot) => {
      const next = below.get(spot.dataset.place) || [];
      return next.find((each) => each.classList.contains('on')) || next.at(-1);
    },
    Home: () => spots[0],
    End: () => here,
  };

  function roam(spot) {
    chosen = spot;
    spots.forEach((each) => each.setAttribute('tabindex', each === spot ? '0' : '-1'));
  }

  function focus(spot) {
    roam(spot);
    spot.focus({preventScroll: true});
    spot.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  // While a page loads, the browser puts the focus where the address says, whatever a key did.
  map.addEventListener('focusin', (event) => {
    if (!settled && chosen && event.target.closest('.spot') !== chosen) chosen.focus({preventScroll: true});
  });

  map.addEventListener('keydown', (event) => {
    const spot = event.target.closest('.spot');
    const move = moves[event.key];
    if (!spot || !move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = move(spot);
    if (next) focus(next);
  });

  async function go(event) {
    const link = event.target.closest('[data-id]');
    if (!link || !map.dataset.go || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const body = new URLSearchParams({message: link.dataset.id});
    const answer = await fetch(map.dataset.go, {method: 'POST', body, redirect: 'manual'}).catch(() => null);
    // Refused or unreachable: the address itself still shows that branch, or says what is wrong.
    if (answer) location.assign(link.getAttribute('href'));
  }
  map.addEventListener('click', go);
  const outline = document.getElementById('outline');
  outline.addEventListener('click', go);

  function zoom(to) {
    size = Math.min(2, Math.max(0.02, to));
    map.style.width = `${map.viewBox.baseVal.width * size}px`;
    map.style.height = `${map.viewBox.baseVal.height * size}px`;
    document.activeElement.closest?.('.spot')?.scrollIntoView({block: 'center', inline: 'center'});
  }

  function fitting() {
    const {width, height} = map.viewBox.baseVal;
    return Math.min(1, (room.clientWidth - 8) / width, (room.clientHeight - 8) / height);
  }

  document.querySelector('.zoom').hidden = false;
  document.querySelectorAll('[data-zoom]').forEach((button) => button.addEventListener('click', () => {
    const to = {'-': size / 1.4, '+': size * 1.4, fit: fitting()}[button.dataset.zoom];
    zoom(to);
    if (button.dataset.zoom !== 'fit') here?.scrollIntoView({block: 'center', inline: 'center'});
  }));

  roam(here);
  const shown = room.offsetParent ? here : outline.querySelector('[aria-current]');
  const centre = () => shown?.scrollIntoView({block: 'center', inline: 'center'});
  centre();
  // The address may name the place too, and the browser goes there last, to its upper edge.
  const settle = () => requestAnimationFrame(() => { settled = true; });
  addEventListener('load', () => requestAnimationFrame(() => { centre(); settle(); }), {once: true});
  if (matchMedia('(pointer: fine)').matches && room.offsetParent) here?.focus({preventScroll: true});
})();
