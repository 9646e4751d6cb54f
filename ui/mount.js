// Puts one of our scripts on a component: loaded once, mounted once, told of every change of the page.
// Streamlit calls this again after a change of data or theme, on the same element, and calls what it
// returned when the element goes, or when a later call overtook this one: only the latest call may end it.

const mounted = new WeakMap();

function start(component) {
  const entry = { turn: 0, latest: component, view: null, module: component.data.module, gone: false };
  import(new URL(entry.module, location.href).href).then((script) => {
    if (entry.gone) return;
    entry.view = script.mount(component.parentElement);
    entry.view.update(entry.latest);
  });
  return entry;
}

function end(parent, entry) {
  entry.gone = true;
  entry.view?.destroy();
  if (mounted.get(parent) === entry) mounted.delete(parent);
}

export default function (component) {
  const parent = component.parentElement;
  let entry = mounted.get(parent);
  if (entry && entry.module !== component.data.module) end(parent, entry); // the server has newer scripts
  if (!entry || entry.gone) mounted.set(parent, (entry = start(component)));
  entry.latest = component;
  entry.view?.update(component);
  const turn = ++entry.turn;
  return () => setTimeout(() => entry.turn === turn && end(parent, entry));
}
