const LETTERS = { M: 'Measured on this machine, in this run' };

function station(s, number, data) {
  const item = document.createElement('li');
  item.className = [s.mark, s.current && 'here', !s.stage && 'stop'].filter(Boolean).join(' ');
  const query = [s.query, data.query].filter(Boolean).join('&');
  const dot = s.stage ? (s.mark === 'missing' || s.current ? number : s.glyph) : '\u2605';
  item.innerHTML = `<a><span class="vh">${s.stage ? `Stage ${number}. ` : 'Registered model. '}</span>` +
    (data.size === 'big' ? `<svg class="g" viewBox="0 0 120 84" aria-hidden="true">${s.picture}</svg>` : '') +
    `<span class="rail" aria-hidden="true"><span class="dot">${dot}</span></span>` +
    '<span class="name"></span><span class="sub"><span class="word"><span aria-hidden="true"></span><b></b></span>' +
    '<span class="product"></span><span class="chip"></span></span><span class="vh words"></span></a>';
  const at = name => item.querySelector(name);
  const link = at('a');
  link.href = s.path + (query && '?' + query);
  link.dataset.go = s.place;
  if (s.current) link.setAttribute('aria-current', 'step');
  at('.name').textContent = s.name;
  at('.word span').textContent = s.glyph + '\u00a0';
  at('.word b').textContent = s.mark;
  const product = s.product || (data.size === 'big' ? s.sub : '');
  at('.product').textContent = product && ` ${product}`;
  at('.chip').textContent = s.origin;
  at('.chip').title = LETTERS[s.origin] || '';
  at('.chip').hidden = !s.origin;
  at('.words').textContent = (s.why && ` ${s.why}`) + (s.current ? ' You are here.' : '');
  if (s.why) link.title = s.why;
  return item;
}

function now(list) {  // on a phone names do not fit under the dots: only that of the station here is written
  const line = document.createElement('p');
  const here = list.querySelector('.here');
  line.setAttribute('aria-hidden', 'true');
  if (here) line.append(here.querySelector('.name').cloneNode(true), here.querySelector('.sub').cloneNode(true));
  return line;
}

function reasons(data) {  // one line that opens: which links are stale, and why
  const box = document.createElement('details');
  box.innerHTML = '<summary></summary><ul></ul>';
  box.querySelector('summary').textContent = data.stale;
  data.stations.filter(s => s.why).forEach(s => {
    const line = document.createElement('li');
    line.innerHTML = '<b></b> <span></span>';
    line.querySelector('b').textContent = `${s.name}.`;
    line.querySelector('span').textContent = s.why;
    box.querySelector('ul').append(line);
  });
  return box;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector('nav');
  nav.setAttribute('aria-label', data.label);
  const list = document.createElement('ol');
  list.className = data.size;
  let number = 0;
  data.stations.forEach((s, place) => list.append(station({ ...s, place }, s.stage ? ++number : 0, data)));
  const wasOpen = nav.querySelector('details')?.open;
  nav.replaceChildren(list, now(list), ...(data.stale ? [reasons(data)] : []));
  if (wasOpen && data.stale) nav.querySelector('details').open = true;
  const go = event => {
    const link = event.target.closest('a');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();  // a plain link would load the whole app again
    setTriggerValue('go', link.dataset.go);
  };
  nav.addEventListener('click', go);
  return () => nav.removeEventListener('click', go);
}
