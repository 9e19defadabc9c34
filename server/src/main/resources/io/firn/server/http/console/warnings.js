// The warnings at the top: a line for each cause, with a list of the namespaces.
// An event can be dismissed in this tab; a condition is shown until it ends.

import {byId, clock, el} from './dom.js';

const DISMISSED = 'firn.dismissed';

const dismissed = new Map(Object.entries(JSON.parse(sessionStorage.getItem(DISMISSED) ?? '{}')));
let current = [];
let shown = '';

function dismiss(warning) {
  dismissed.set(warning.key, warning.occurrence);
  sessionStorage.setItem(DISMISSED, JSON.stringify(Object.fromEntries(dismissed)));
  draw();
}

/** Shows that the server does not answer. */
export function silent(sinceMillis) {
  const text = `No answer from this server since ${clock(sinceMillis)}. The data below is from then.`;
  current = [{key: 'silent', level: 'bad', text, details: [], occurrence: null}];
  draw();
}

/** Shows the warnings. */
export function look(warnings) {
  current = warnings;
  draw();
}

/** Changes the document only where the warnings changed: each change is read out. */
function draw() {
  const wanted = current.filter(
    (each) => each.occurrence === null || dismissed.get(each.key) !== each.occurrence,
  );
  const text = JSON.stringify(wanted);
  if (text === shown) {
    return;
  }
  shown = text;
  const open = new Set(
    [...byId('strip').querySelectorAll('details[open]')].map((each) => each.dataset.key),
  );
  byId('strip').replaceChildren(
    ...wanted.map((each) =>
      el(
        'div',
        {class: 'warning', 'data-state': each.level},
        each.details.length === 0
          ? el('span', null, each.text)
          : el(
              'details',
              {'data-key': each.key, open: open.has(each.key)},
              el('summary', null, each.text),
              el('ul', null, each.details.map((detail) => el('li', null, detail))),
            ),
        each.occurrence === null
          ? null
          : el('button', {type: 'button', class: 'quiet', onclick: () => dismiss(each)}, 'Dismiss'),
      ),
    ),
  );
}
