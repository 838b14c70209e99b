// `--name=value` of the command line; all of them must be there.
export function options(...names) {
  const out = {};
  for (const argument of process.argv.slice(2)) {
    const [, name, value] = /^--([a-z]+)=(.*)$/s.exec(argument) || [];
    out[name] = value;
  }
  for (const name of names) {
    if (!out[name]) {
      console.error(`usage: ${names.map((n) => `--${n}=...`).join(' ')}`);
      process.exit(64);
    }
  }
  return out;
}

// Collects what is wrong, so that one run of a test tells all of it.
export class Findings {
  constructor() { this.list = []; }

  add(where, what) { this.list.push(`${where}: ${what}`); }

  check(condition, where, what) { if (!condition) this.add(where, what); }

  // Ends the process.
  report(summary) {
    for (const line of this.list.slice(0, 200)) console.error(line);
    if (this.list.length > 200) console.error(`and ${this.list.length - 200} more`);
    console.log(`${summary}; ${this.list.length} wrong`);
    process.exitCode = this.list.length === 0 ? 0 : 1;
  }
}
