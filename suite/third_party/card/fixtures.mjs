// Results of tools, as literals. Each is what `structuredContent` or a whole result of tools/call contains.

export const ISSUE = {
  title: 'Replace the pump in greenhouse 2',
  id: 'WORK-118',
  status: 'in progress',
  assignee: 'Ada Lovelace',
  priority: 2,
  labels: ['pump', 'water'],
  due: null,
  url: 'https://example.org/work/118',
  description: 'The pump stops after ten minutes.\nIt gets warm, and the fuse is fine.\n\nThe new one is in the shed.',
  parts: [
    { name: 'pump', number: 'P-40', count: 1, price: 129.5 },
    { name: 'hose', number: 'H-12', count: 4, price: 3.2 },
    { name: 'clamp', number: 'C-7', count: 8, price: 0.4 },
  ],
  check: 'if pressure < 2.0:\n    stop()\n    report("low")',
  place: { building: 'greenhouse 2', position: { row: 4, side: 'left' } },
}

export const PREVIEW = {
  title: 'Create: Replace the pump in greenhouse 2',
  is_preview: true,
  warnings: ['There is no component "pumps": the issue gets none.', 'Two open issues have a similar title.'],
  project: 'WORK',
  type: 'Task',
  assignee: 'Ada Lovelace',
  changes: [
    { field: 'status', from: null, to: 'open' },
    { field: 'priority', from: null, to: 'high' },
    { field: 'watchers', from: 0, to: 3 },
  ],
  description: 'The pump stops after ten minutes.\nThe new one is in the shed.',
}

export const ARGUMENTS = { project: 'WORK', title: 'Replace the pump', nested: { list: [1, 2, { deep: true }] }, preview: true }

export const CREATED = { title: 'Replace the pump in greenhouse 2', id: 'WORK-118', status: 'open' }

export const ERROR = {
  kind: 'toolError:v1',
  code: 'NOT_FOUND',
  message: 'There is no project "WORKS".',
  retryable: false,
  details: { code: 'not_found', hint: 'Projects with a similar name: WORK, WORKSHOP.', project: 'WORKS' },
}

export const QUESTION = {
  kind: 'needsInput:v1',
  type: 'elicitation',
  message: 'Which greenhouse do you mean?',
  needsInput: {
    fields: ['greenhouse', 'row', 'note'],
    reason: 'There are three greenhouses with a pump.',
    suggestions: { greenhouse: ['north', 'south', 'old'], row: ['1', '2'] },
  },
  options: [
    { label: 'north', value: 'north', description: 'two pumps, 40 rows', field: 'greenhouse' },
    { label: 'south', value: 'south', description: 'one pump, 12 rows', field: 'greenhouse' },
    { label: 'old', value: 'old', field: 'greenhouse' },
  ],
}

/** A text that would run a script if it were read as HTML. */
export const HOSTILE =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">x</a>'

/** The hostile text wherever a text can be. */
export const HOSTILE_DATA = {
  title: HOSTILE,
  [HOSTILE]: HOSTILE,
  ['__proto__']: HOSTILE,
  lines: `${HOSTILE}\n${HOSTILE}`,
  code: `  ${HOSTILE}\n  ${HOSTILE}`,
  list: [HOSTILE, HOSTILE.repeat(5)],
  table: [{ [HOSTILE]: HOSTILE, name: HOSTILE }],
  sections: [{ title: HOSTILE, text: 'a\nb' }],
  style: '</style><style>* { display: none }</style>',
  link: 'javascript:window.hacked=1',
}

export const ofData = (structuredContent) => ({ content: [{ type: 'text', text: 'the same as text' }], structuredContent })
export const ofText = (text) => ({ content: [{ type: 'text', text }] })
export const rows = (count) => Array.from({ length: count }, (_, at) => ({ name: `row ${at + 1}`, value: at }))

/** Returns an object that contains itself `depth` times. */
export function nested(depth) {
  let value = { end: 'x\ny' }
  for (let at = depth; at > 0; at--) value = { [`level ${at}`]: value }
  return value
}

/** Colours and fonts of a host, in names of MCP Apps. */
export const HOST_STYLES = {
  variables: {
    '--color-background-primary': 'light-dark(#fffdf7, #101418)',
    '--color-border-primary': 'light-dark(#e4dfd0, #2c333a)',
    '--color-text-primary': 'light-dark(#2a2620, #eef1f4)',
    '--font-sans': 'serif',
  },
}
