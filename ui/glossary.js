// The words of the glossary with a field that finds them as one types, under any of their names.

const made = new WeakMap();

function make(tag, words = '', attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = words;
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
}

const letter = term => (/[a-z]/i.test(term.term[0]) ? term.term[0].toUpperCase() : '#');
const names = term => [term.term, ...term.also].map(name => name.toLowerCase());

function address(go, learner) {
  const [page, lab] = go.split('/');
  const query = new URLSearchParams({ ...(lab && { lab }), ...(learner && { learner }) }).toString();
  return page + (query && '?' + query);
}

function entry(term, learner) {
  const box = make('div', '', { class: 'entry' });
  const head = make('dt', term.term);
  if (term.also.length) head.append(make('span', `also: ${term.also.join(', ')}`, { class: 'also' }));
  const uses = make('dd', term.uses.length ? 'Used in ' : '', { class: 'uses' });
  term.uses.forEach((use, i) => {
    uses.append(i ? ' · ' : '', make('a', use.name, { href: address(use.go, learner), 'data-go': use.go }));
  });
  box.append(head, make('dd', term.definition), ...(term.uses.length ? [uses] : []));
  return box;
}

function found(terms, wanted) {
  const byName = terms.filter(term => names(term).some(name => name.includes(wanted)));
  const byWords = terms.filter(term => !byName.includes(term) && term.definition.toLowerCase().includes(wanted));
  return [...byName, ...byWords];
}

function groups(terms, wanted) {
  if (wanted) return [['', found(terms, wanted)]];
  const byLetter = new Map();
  terms.forEach(term => byLetter.set(letter(term), [...(byLetter.get(letter(term)) || []), term]));
  return [...byLetter];
}

function said(count, all, wanted, text) {
  if (!wanted) return `${all} words`;
  if (!count) return `No word here holds \u201c${text}\u201d. Clear the field to see all of them.`;
  return `${count} of ${all} words hold \u201c${text}\u201d`;
}

function fill(view) {
  const { terms, learner } = view.data, text = view.field.value.trim(), wanted = text.toLowerCase();
  const parts = groups(terms, wanted).filter(([, of]) => of.length);
  view.count.textContent = said(parts.reduce((sum, [, of]) => sum + of.length, 0), terms.length, wanted, text);
  view.letters.hidden = Boolean(wanted);
  view.list.replaceChildren(...parts.map(([name, of]) => {
    const part = make('section', '', name ? { 'aria-labelledby': `letter-${name}` } : {});
    if (name) part.append(make('h2', name, { id: `letter-${name}`, tabindex: '-1' }));
    const words = make('dl');
    words.append(...of.map(term => entry(term, learner)));
    part.append(words);
    return part;
  }));
}

function build(parent, data) {
  const view = { data, list: parent.querySelector('.list'), count: make('p', '', { role: 'status' }) };
  view.field = make('input', '', { type: 'search', id: 'find', maxlength: '40', autocomplete: 'off', spellcheck: 'false' });
  view.field.value = data.find;
  view.letters = make('nav', '', { 'aria-label': 'Letters' });
  groups(data.terms, '').forEach(([name, of]) => {
    const button = make('button', name, { type: 'button', 'data-letter': name, 'aria-label': `${name}, ${of.length} ${of.length === 1 ? 'word' : 'words'}` });
    view.letters.append(button);
  });
  parent.querySelector('.top').replaceChildren(make('label', 'Search', { for: 'find' }), view.field, view.count, view.letters);
  fill(view);
  return view;
}

function listen(view, tell) {
  view.field.oninput = () => fill(view);
  view.field.onchange = () => tell('find', view.field.value.trim());
  view.letters.onclick = ({ target }) => {
    const head = target.dataset.letter && view.list.querySelector(`[id="letter-${target.dataset.letter}"]`);
    if (!head) return;
    head.scrollIntoView({ block: 'start' });
    head.focus({ preventScroll: true });
  };
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  let view = made.get(parentElement);
  if (!view || view.data.learner !== data.learner) made.set(parentElement, (view = build(parentElement, data)));
  listen(view, setStateValue);
  view.list.onclick = event => {
    const link = event.target.closest('a');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault(); // a plain link would load the whole app again
    setTriggerValue('go', link.dataset.go);
  };
}
