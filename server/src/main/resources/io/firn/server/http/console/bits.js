// The bits of an ID by field, and the layout of one as a bar.

import {el} from './dom.js';

const HUES = [
  [/^time/, 'time'],
  [/^datacenter$|^domain$/, 'datacenter'],
  [/^(worker|node|machine|pid|local_id)$/, 'worker'],
  [/^(sequence|counter|clock_seq)$/, 'sequence'],
  [/^rand|^payload$|^hash|^custom/, 'random'],
];

/** The color of each field; a field that says nothing about an ID has none. */
export const hue = (field) => HUES.find(([names]) => names.test(field))?.[1] ?? 'unused';

/** Which field each bit is of, the highest bit first; null for those of none. */
function owners(fields, width) {
  const owners = new Array(width).fill(null);
  for (const field of fields) {
    owners.fill(field.field, width - field.shift - field.bits, width - field.shift);
  }
  return owners;
}

/** The bits of an ID, as text of zeros and ones, in groups of eight. */
export function bitPicture(binary, fields) {
  const owner = owners(fields, binary.length);
  const bytes = [];
  for (let i = 0; i < binary.length; i += 8) {
    const bits = Array.from(binary.slice(i, i + 8), (bit, j) =>
      el(
        'i',
        {class: `bit bit-${bit}`, 'data-hue': hue(owner[i + j] ?? ''), 'data-field': owner[i + j]},
        bit,
      ),
    );
    bytes.push(el('span', {class: 'byte'}, bits));
  }
  const said = fields.map((field) => `${field.bits} bits of ${field.field}`).join(', ');
  return el(
    'div',
    {class: 'bits', role: 'img', 'aria-label': `${binary.length} bits: ${said}`},
    bytes,
  );
}

/** The fields of a layout as stretches of a bar as wide as 64 bits. */
export function bitBar(fields) {
  const used = fields.reduce((sum, field) => sum + field.bits, 0);
  const parts = [{field: '', bits: 64 - used}, ...fields].filter((part) => part.bits > 0);
  const said = fields.map((field) => `${field.field} ${field.bits}`).join(', ');
  return el(
    'span',
    {class: 'bar', role: 'img', 'aria-label': `Bits: ${said}`},
    parts.map((part) => {
      const box = el(
        'span',
        {'data-hue': hue(part.field)},
        part.field ? String(part.bits) : '',
      );
      box.style.flexGrow = part.bits; // through the object model, which the policy lets pass
      return box;
    }),
  );
}
