// What is wrong with the page that a browser shows: functions that run inside
// the page and return sentences. They look at boxes and computed styles only.

/* c8 ignore start */
// `part`: `contrast` looks at colours alone, `all` at boxes as well.
export function inspectPage(part) {
  const wrong = [];
  const name = (node) => {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const text = (node.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 60);
    const kind = element.getAttribute('class');
    return `<${element.tagName.toLowerCase()}${kind ? ` class="${kind}"` : ''}> "${text}"`;
  };
  // What a closed fold holds has boxes, but is not seen.
  const visible = (element) => element.checkVisibility({ visibilityProperty: true });
  const shown = (box) => box.width > 0 && box.height > 0;

  // Text nodes with what stands in them, and their boxes line by line.
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || node.parentElement.closest('title, style')) continue;
    if (!visible(node.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter(shown);
    if (boxes.length) texts.push({ node, boxes });
  }

  const inspectBoxes = () => {
    // Nothing is cut, nothing sticks out.
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) {
      wrong.push(`the page is ${page.scrollWidth} wide in ${page.clientWidth}`);
    }
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest('svg') || !visible(element)) continue;
      if (element.clientWidth && element.scrollWidth > element.clientWidth + 1) {
        wrong.push(`cut on the right: ${name(element)}`);
      }
      const style = getComputedStyle(element);
      if (style.overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1) {
        wrong.push(`cut at the bottom: ${name(element)}`);
      }
    }
    const width = page.clientWidth + 0.5;
    for (const { node, boxes } of texts) {
      if (boxes.some((box) => box.left < -0.5 || box.right > width)) {
        wrong.push(`outside of the page: ${name(node)}`);
      }
    }

    // No text stands on another one. Lines are sorted by their top, so that each
    // is compared with its neighbours alone.
    const lines = texts.flatMap(({ node, boxes }) => boxes.map((box) => ({ node, box })));
    lines.sort((a, b) => a.box.top - b.box.top);
    for (let i = 0; i < lines.length; i += 1) {
      const a = lines[i];
      for (let k = i + 1; k < lines.length && lines[k].box.top < a.box.bottom - 1; k += 1) {
        const b = lines[k];
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        // Lines of one block may share the room between them.
        const room = 0.35 * Math.min(a.box.height, b.box.height);
        if (across > 1 && down > room && a.node !== b.node) {
          wrong.push(`on each other: ${name(a.node)} and ${name(b.node)}`);
        }
      }
    }
    for (const svg of document.querySelectorAll('svg')) {
      const frame = svg.getBoundingClientRect();
      for (const label of svg.querySelectorAll('text')) {
        const box = label.getBoundingClientRect();
        if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
            box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
          wrong.push(`outside of its picture: ${name(label)}`);
        }
      }
    }
  };
  if (part === 'all') inspectBoxes();

  // Contrast as WCAG 2 computes it, of every text that is seen.
  const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const over = (top, below) => {
    const alpha = top[3] === undefined ? 1 : top[3];
    return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha));
  };
  const light = (rgb) => {
    const part = rgb.map((v) => {
      const c = v / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    if (!grounds.has(element)) {
      const own = numbers(getComputedStyle(element).backgroundColor);
      grounds.set(element, own[3] === 0 ? ground(element.parentElement)
        : over(own, ground(element.parentElement)));
    }
    return grounds.get(element);
  };
  let least = 21;
  for (const { node } of texts) {
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    const below = ground(parent);
    const colour = parent.closest('svg') ? style.fill : style.color;
    const a = light(over(numbers(colour), below));
    const b = light(below);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    least = Math.min(least, ratio);
    if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${name(node)}`);
  }
  return { wrong: [...new Set(wrong)], texts: texts.length, least };
}

// What does not depend on width or colours.
export function inspectStructure() {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  if (document.documentElement.lang === '') wrong.push('no language');
  if (document.title.trim() === '') wrong.push('no title');
  if (all('h1').length !== 1) wrong.push(`${all('h1').length} h1`);
  let level = 0;
  for (const heading of all('h1, h2, h3, h4, h5, h6')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) wrong.push(`h${own} behind h${level}: ${heading.textContent}`);
    if (heading.textContent.trim() === '') wrong.push(`an empty h${own}`);
    level = own;
  }
  if (all('main').length !== 1) wrong.push(`${all('main').length} main`);
  if (all('header.site').length !== 1 || all('footer').length !== 1) {
    wrong.push('no header or footer');
  }
  for (const part of all('nav, section')) {
    const by = part.getAttribute('aria-labelledby');
    const label = by ? document.getElementById(by)?.textContent : part.getAttribute('aria-label');
    if (!label || !label.trim()) wrong.push(`<${part.tagName.toLowerCase()}> without a name`);
  }
  const ids = all('[id]').map((element) => element.id);
  if (new Set(ids).size !== ids.length) wrong.push('an id stands twice');
  for (const table of all('table')) {
    const heads = table.querySelectorAll('thead th[scope=col]').length;
    for (const row of table.querySelectorAll('tbody tr')) {
      if (row.children.length !== heads) wrong.push(`${row.children.length} cells below ${heads} heads`);
      if (!row.querySelector('th[scope=row]')) wrong.push(`a row without a head: ${row.textContent}`);
    }
  }
  for (const svg of all('svg')) {
    if (svg.getAttribute('aria-hidden') === 'true') continue;
    if (svg.getAttribute('role') !== 'img') wrong.push('an svg without a role');
    if (!(svg.getAttribute('aria-label') || '').trim()) wrong.push('an svg without a name');
  }
  for (const element of all('script, iframe, object, embed, form, input, [style], img')) {
    wrong.push(`<${element.tagName.toLowerCase()}> is not wanted`);
  }
  for (const element of all('*')) {
    for (const attribute of element.attributes) {
      if (/^on/i.test(attribute.name)) wrong.push(`the attribute ${attribute.name}`);
    }
  }
  for (const link of all('a')) {
    if (!/^https?:$/.test(new URL(link.href).protocol)) wrong.push(`a link to ${link.href}`);
    if (link.textContent.trim() === '') wrong.push('a link without text');
  }
  return [...new Set(wrong)];
}
/* c8 ignore stop */
