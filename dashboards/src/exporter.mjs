// The exporters themselves: do they see everything, in time.
import { board, labelValues, row, runVariables } from './board.mjs';
import {
  bars, curves, heatmap, now, q, rows, stat, table, coloured,
} from './panels.mjs';
import { EXPORTER, of, RUN } from './query.mjs';
import { family } from './vocabulary.mjs';

// Of the chosen exporters; what they tell of runs, of the chosen runs.
const own = (name) =>
  of(name, family(name).scope === 'run' ? RUN : '', EXPORTER);
const rate = (name) => `rate(${own(name)}[$__rate_interval])`;
const up = `up{${EXPORTER}}`;
const RUN_NAME = '{{project}} {{run}}';

const head = [
  stat({
    title: 'Exporters up',
    description: 'Targets that answered the last scrape. One that does not answer ' +
      'says nothing of its runs: no curve is not no problem.',
    queries: [now(`sum(${up})`, 'up'), now(`count(${up})`, 'of')],
    unit: 'none',
    neutral: true,
  }),
  stat({
    title: 'Roots that cannot be read',
    description: 'Paths that could not be listed at the last try: a mount that is ' +
      'gone or hangs. Their runs keep their last values for a while.',
    queries: [now(`count(${own('rlrun_exporter_root_up')} == 0) or vector(0)`,
      'roots')],
    unit: 'none',
    thresholds: [[null, 'green'], [1, 'red']],
  }),
  stat({
    title: 'Unread bytes',
    description: 'Of all logs together. It rises when an exporter starts over long ' +
      'logs; if it stays, the exporter cannot keep up.',
    queries: [now(`sum(${own('rlrun_exporter_log_bytes_behind')})`, 'behind')],
    unit: 'bytes',
    thresholds: [[null, 'green'], [1048576, 'yellow'], [104857600, 'red']],
  }),
  stat({
    title: 'Runs',
    description: 'That are exposed, live and ended.',
    queries: [now(`sum(${own('rlrun_exporter_runs')})`, 'runs')],
    unit: 'none',
    neutral: true,
  }),
  stat({
    title: 'Series',
    description: 'Of all runs together. Near max_series new step, engine and ' +
      'exception series are refused.',
    queries: [now(`sum(${own('rlrun_exporter_series')})`, 'series')],
    unit: 'short',
    neutral: true,
  }),
  stat({
    title: 'Series refused',
    description: 'By a cap, in the time range: step metrics that are not on any ' +
      'panel.',
    queries: [now(`sum(increase(${
      own('rlrun_exporter_series_dropped_total')}[$__range]))`, 'refused')],
    unit: 'none',
    decimals: 0,
    thresholds: [[null, 'green'], [1, 'yellow']],
  }),
  stat({
    title: 'Name collisions',
    description: 'Different runs that claim one name carry a suffix @<hash>: give ' +
      'the root a run_name pattern.',
    queries: [now(`sum(increase(${
      own('rlrun_exporter_name_collisions_total')}[$__range]))`, 'collisions')],
    unit: 'none',
    decimals: 0,
    thresholds: [[null, 'green'], [1, 'yellow']],
  }),
  stat({
    title: 'Configuration',
    description: 'Whether the last load succeeded. If not, the one before it is in ' +
      'force, and check-config names what is wrong.',
    queries: [now(`min(${own('rlrun_exporter_config_last_reload_successful')})`,
      'load')],
    mappings: [{
      type: 'value',
      options: {
        0: { text: 'failed', color: 'red', index: 0 },
        1: { text: 'loaded', color: 'green', index: 1 },
      },
    }],
    unit: 'none',
  }),
];

const reading = [
  curves({
    title: 'Bytes behind, the ten worst',
    description: 'Of each log what is not read yet. Verdicts of such a run are as ' +
      'old as what was read of it.',
    queries: [q(`topk(10, ${own('rlrun_exporter_log_bytes_behind')})`,
      `{{instance}} ${RUN_NAME}`)],
    unit: 'bytes',
    decimals: 1,
    min: 0,
  }),
  curves({
    title: 'Bytes read',
    description: 'Of all logs, per exporter. 0 while runs train: the logs are on ' +
      'another node.',
    queries: [q(`sum by (instance) (${
      rate('rlrun_exporter_log_bytes_read_total')})`, '{{instance}}')],
    unit: 'Bps',
    decimals: 1,
    min: 0,
  }),
  curves({
    title: 'Lines by outcome',
    description: 'ignored lines are usual. malformed: a step line that cannot be ' +
      'read whole, too_long: longer than any step line is; values are missing ' +
      'there.',
    queries: [q(`sum by (outcome) (${rate('rlrun_exporter_lines_total')})`,
      '{{outcome}}')],
    unit: 'suffix: lines/s',
    decimals: 1,
    min: 0,
  }),
  curves({
    title: 'Values skipped',
    description: 'Of step lines, by why: values that no curve shows.',
    queries: [q(`sum by (reason) (${
      rate('rlrun_exporter_values_skipped_total')})`, '{{reason}}')],
    unit: 'suffix: values/s',
    decimals: 2,
    min: 0,
  }),
  curves({
    title: 'Rotations and truncations',
    description: 'Logs that were replaced by another file, and logs that became ' +
      'shorter than what was read, in each interval.',
    queries: [
      q(`sum(increase(${
        own('rlrun_exporter_log_rotations_total')}[$__rate_interval]))`, 'rotated'),
      q(`sum(increase(${
        own('rlrun_exporter_log_truncations_total')}[$__rate_interval]))`,
      'truncated')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Bytes lost',
    description: 'Written to a file after it was rotated away, too late to be ' +
      'read: steps may be missing.',
    queries: [q(`sum by (instance) (increase(${
      own('rlrun_exporter_log_bytes_lost_total')}[$__rate_interval]))`,
    '{{instance}}')],
    unit: 'bytes',
    decimals: 0,
    min: 0,
  }),
];

const work = [
  curves({
    title: 'Config blocks and engine lines',
    description: 'Dicts in the logs that look like a trainer\'s config, by what ' +
      'became of them: given_up and cut leave facts of the run unknown. Engine ' +
      'lines are dropped beyond 256 engines of a run.',
    queries: [
      q(`sum by (outcome) (${own('rlrun_exporter_config_blocks_total')})`,
        'config {{outcome}}'),
      q(`sum(${own('rlrun_exporter_engine_lines_dropped_total')})`,
        'engine lines dropped')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  heatmap({
    title: 'Duration of a tick',
    description: 'One pass over everything that is followed. Passes of seconds ' +
      'make every value that much older.',
    queries: [q(`sum by (le) (increase(${
      own('rlrun_exporter_tick_duration_seconds_bucket')}[$__rate_interval]))`,
    '{{le}}')],
    unit: 's',
    decimals: 3,
  }),
  curves({
    title: 'Quantiles of a tick',
    description: 'Per exporter. A p99 of seconds beside a short median is a file ' +
      'system that hangs now and then.',
    queries: [0.5, 0.99].map((p) => q(`histogram_quantile(${p}, sum by (instance, le) (${
      rate('rlrun_exporter_tick_duration_seconds_bucket')}))`,
    `p${p * 100} {{instance}}`)),
    unit: 's',
    min: 0,
  }),
  curves({
    title: 'Duration of a scrape',
    description: 'As Prometheus measures it. Above its scrape_timeout the whole ' +
      'exporter is lost.',
    queries: [q(`scrape_duration_seconds{${EXPORTER}}`, '{{instance}}')],
    unit: 's',
    decimals: 2,
    min: 0,
  }),
  curves({
    title: 'Series',
    description: 'Of all runs, and what a scrape brings. A rise without new runs ' +
      'is a trainer whose keys change from step to step.',
    queries: [q(own('rlrun_exporter_series'), 'of runs, {{instance}}'),
      q(`scrape_samples_scraped{${EXPORTER}}`, 'scraped, {{instance}}')],
    unit: 'short',
    min: 0,
  }),
  curves({
    title: 'Files',
    description: 'Below the roots, by what they are. unreadable: permissions; ' +
      'capped: more files than a root may have; both are runs that are not seen.',
    queries: [q(`sum by (outcome) (${own('rlrun_exporter_files')})`,
      '{{outcome}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  table({
    title: 'Roots',
    description: 'Whether each could be listed at the last try.',
    queries: [rows(`min by (instance, root) (${own('rlrun_exporter_root_up')})`)],
    columns: [
      ['Value', 'State', 110, coloured, ['mappings', [{
        type: 'value',
        options: {
          0: { text: 'unreadable', color: 'red', index: 0 },
          1: { text: 'read', color: 'green', index: 1 },
        },
      }]]],
      ['root', 'Root', undefined],
      ['instance', 'Exporter', 180],
    ],
    sort: [['State', false], ['Root', false]],
    unit: 'none',
  }),
];

const processes = [
  curves({
    title: 'CPU',
    description: 'Seconds per second. It follows the bytes read; high without ' +
      'them are directories of very many files.',
    queries: [q(rate('process_cpu_seconds_total'), '{{instance}}')],
    unit: 'none',
    decimals: 2,
    min: 0,
  }),
  curves({
    title: 'Memory',
    description: 'Resident. It follows the number of runs; a rise without new ' +
      'runs is to be reported.',
    queries: [q(own('process_resident_memory_bytes'), '{{instance}}')],
    unit: 'bytes',
    decimals: 1,
    min: 0,
  }),
  curves({
    title: 'Open files',
    description: 'Beside the limit of the process; at it, logs become unreadable.',
    queries: [q(own('process_open_fds'), 'open {{instance}}'),
      q(own('process_max_fds'), 'limit {{instance}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
    log: true,
  }),
  table({
    title: 'Versions',
    description: 'Which exporter each target is, since when it runs, and when its ' +
      'configuration was last loaded.',
    queries: [
      rows(`max by (instance, version, revision) (${
        own('rlrun_exporter_build_info')})`),
      rows(`1000 * max by (instance) (${own('process_start_time_seconds')})`),
      rows(`1000 * max by (instance) (${
        own('rlrun_exporter_config_last_reload_success_timestamp_seconds')})`),
    ],
    columns: [
      ['instance', 'Exporter', undefined],
      ['version', 'Version', 90],
      ['revision', 'Revision', 130],
      ['Value #B', 'Started', 170, ['unit', 'dateTimeFromNow']],
      ['Value #C', 'Configuration loaded', 170, ['unit', 'dateTimeFromNow']],
    ],
    hidden: ['Value #A'],
    sort: [['Exporter', false]],
    unit: 'none',
    width: 12,
  }),
  bars({
    title: 'Failed scrapes',
    description: 'Answered with an error, since the start. Each is a gap in every ' +
      'curve.',
    queries: [now(own('rlrun_exporter_scrape_errors_total'), '{{instance}}')],
    unit: 'none',
    decimals: 0,
    thresholds: [[null, 'green'], [1, 'red']],
    width: 12,
  }),
];

export const exporter = () => board({
  uid: 'rlrun-exporter',
  title: 'RL runs / Exporter',
  description: 'rlrun_exporter itself: what it reads, how fast, what it refuses.',
  tags: ['exporter'],
  from: 'now-6h',
  variables: [
    ...runVariables({ many: true }),
    labelValues({
      name: 'job',
      label: 'Job',
      description: 'Scrape jobs that have an exporter.',
      selector: 'rlrun_exporter_build_info',
      many: true,
      all: '.+',
    }),
    labelValues({
      name: 'instance',
      label: 'Instance',
      description: 'Exporters of the jobs.',
      selector: 'rlrun_exporter_build_info{job=~"$job"}',
      many: true,
      all: '.+',
    }),
  ],
  rows: [
    row('', [...head, ...reading]),
    row('Work', work, false),
    row('Processes', processes),
  ],
});
