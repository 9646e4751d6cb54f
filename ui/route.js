export default function ({ data, parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector('nav');
  nav.setAttribute('aria-label', data.label);
  const list = document.createElement('ol');
  list.className = data.size;
  data.stations.forEach((s, i) => {
    const item = document.createElement('li');
    item.className = s.state;
    item.innerHTML = `<a href="${s.path}${data.query && '?' + data.query}" data-path="${s.path}"><span class="vh">Stage ${i + 1}. </span>` +
      (data.size === 'big' ? `<svg class="g" viewBox="0 0 120 84" aria-hidden="true">${s.glyph}</svg>` : '') +
      `<span class="rail" aria-hidden="true"><span class="dot">${s.state === 'done' ? '\u2713' : i + 1}</span></span>` +
      '<span class="name"></span><span class="sub"></span><span class="vh words"></span></a>';
    const link = item.querySelector('a');
    if (s.current) link.setAttribute('aria-current', 'step');
    item.querySelector('.name').textContent = s.name;
    item.querySelector('.sub').textContent = s.sub;
    item.querySelector('.words').textContent = '. ' + s.words;
    list.append(item);
  });
  nav.replaceChildren(list);
  const go = event => {
    const link = event.target.closest('a');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();  // a plain link would load the whole app again
    setTriggerValue('go', link.dataset.path);
  };
  nav.addEventListener('click', go);
  return () => nav.removeEventListener('click', go);
}
