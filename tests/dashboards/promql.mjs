// As much of PromQL as is needed to say which series an expression reads, in
// which calls they stand, and which labels its aggregations name. Whether it is
// PromQL at all is for Prometheus to say.

const TOKEN = new RegExp([
  String.raw`(?<string>"(?:[^"\\]|\\.)*")`,
  String.raw`(?<range>\[[^\]]*\])`,
  String.raw`(?<word>[A-Za-z_:][A-Za-z0-9_:]*)`,
  String.raw`(?<number>[0-9][0-9a-z.]*)`,
  String.raw`(?<sign>=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},])`,
].join('|'), 'y');

export function tokens(expr) {
  const out = [];
  for (let at = 0; at < expr.length;) {
    if (/\s/.test(expr[at])) {
      ++at;
      continue;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(expr);
    if (!match) throw new Error(`not PromQL at ${at}: ${expr}`);
    const [kind] = Object.entries(match.groups).find(([, text]) => text);
    out.push({ kind, text: match[0] });
    at += match[0].length;
  }
  return out;
}

const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left',
  'group_right']);
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', ...GROUPING]);

// Every name that a matcher of __name__ allows.
const alternatives = (text) => text.replace(/^\(|\)$/g, '').split('|');

function matchers(list, from) {
  const out = [];
  let at = from;
  for (; list[at].text !== '}'; ++at) {
    if (list[at].kind !== 'word') continue;
    out.push({
      label: list[at].text,
      op: list[at + 1].text,
      value: JSON.parse(list[at + 2].text),
    });
    at += 2;
  }
  return [out, at];
}

// {selectors: [{names, matchers, range, calls}], groupings: [{kind, labels}]}.
export function read(expr) {
  const list = tokens(expr);
  const selectors = [];
  const groupings = [];
  const calls = [];  // of the parentheses that are open
  let pending = '';  // the function or aggregation whose parenthesis comes next
  const close = (found, at) => {
    const next = list[at + 1];
    found.range = next?.kind === 'range' ? next.text.slice(1, -1) : '';
    found.calls = calls.filter(Boolean);
    selectors.push(found);
  };
  for (let at = 0; at < list.length; ++at) {
    const { kind, text } = list[at];
    if (text === '(') {
      calls.push(pending);
      pending = '';
    } else if (text === ')') {
      calls.pop();
    } else if (text === '{') {
      const [found, end] = matchers(list, at + 1);
      at = end;
      const name = found.find(({ label }) => label === '__name__');
      close({
        names: name ? alternatives(name.value) : [],
        matchers: found.filter(({ label }) => label !== '__name__'),
      }, at);
    } else if (kind === 'word' && GROUPING.has(text)) {
      const labels = [];
      if (list[at + 1]?.text === '(') {
        for (at += 2; list[at].text !== ')'; ++at) {
          if (list[at].kind === 'word') labels.push(list[at].text);
        }
      }
      groupings.push({ kind: text, labels });
    } else if (kind === 'word' && !WORDS.has(text)) {
      const next = list[at + 1]?.text;
      if (next === '(' || next === 'by' || next === 'without') {
        pending = text;
      } else {
        let found = [];
        if (next === '{') [found, at] = matchers(list, at + 2);
        close({ names: [text], matchers: found }, at);
      }
    }
  }
  return { selectors, groupings };
}
