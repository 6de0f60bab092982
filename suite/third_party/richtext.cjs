// Compares the documents that Atlassian's transformer and pandoc read from our output. `richtext.sh` starts it and describes the checks.
//
//   node richtext.cjs <folder of the corpora> <folder of our output> <pandoc, or nothing>
'use strict'
const fs = require('fs')
const path = require('path')
const { spawnSync } = require('child_process')
const { WikiMarkupTransformer } = require('@atlaskit/editor-wikimarkup-transformer')
const { JSONTransformer } = require('@atlaskit/editor-json-transformer')

const [corpora, out, pandoc] = process.argv.slice(2)
const read = file => fs.readFileSync(file, 'utf8')
const files = (folder, ending) =>
  fs.readdirSync(folder, { recursive: true }).filter(it => it.endsWith(ending)).sort()

/** What Atlassian's parser sees in wiki markup. */
const theirs = wiki => new JSONTransformer().encode(new WikiMarkupTransformer().parse(wiki))

/** What their parser says of a node that says nothing of it, and of every mention and picture. */
const made = ([name, value]) =>
  ['localId', 'occurrenceKey', '__autoSize'].includes(name) || value === '' || value === false ||
  (name === 'order' && value === 1) || (name === 'layout' && ['default', 'center'].includes(value)) ||
  (name === 'width' && value === 200) || (name === 'height' && value === 183)

/** A document without what a parser makes up: identifiers, defaults, empty attributes, where a text is cut. */
function plain(node) {
  const attrs = Object.fromEntries(Object.entries(node.attrs ?? {}).filter(it => !made(it)))
  if (node.type === 'mention') attrs.id = attrs.id?.replace(/^accountid:/, '')
  const text = (node.text ?? '').replace(/\s+/g, ' ')
  const marks = (node.marks ?? []).map(it => [it.type, it.attrs ?? {}]).sort((a, b) => (a[0] < b[0] ? -1 : 1))
  const content = []
  for (const it of (node.content ?? []).map(plain)) {
    const last = content.at(-1)
    if (it.type === 'text' && last?.type === 'text' && same(it.marks, last.marks)) last.text += it.text
    else content.push(it)
  }
  return { type: node.type, attrs, marks, text, content }
}

function same(one, other) {
  try {
    require('assert').deepStrictEqual(one, other)
    return true
  } catch {
    return false
  }
}

const words = text => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
const textOf = node => (node.text ?? '') + (node.type === 'hardBreak' ? ' ' : '') +
  (node.content ?? []).map(textOf).join('') + (node.type === 'text' ? '' : ' ')

/** Asks a question of each file, and says how often the answer was yes. */
function ask(question, names, least, check) {
  const no = names.filter(name => {
    try {
      return !check(name)
    } catch {
      return true
    }
  })
  const yes = names.length - no.length
  console.log(`${question}: ${yes} of ${names.length} agree (at least ${least})`)
  if (process.env.SHOW) no.forEach(name => console.log(`  ${name}`))
  if (yes < least) process.exitCode = 1
}

ask('wiki again', files(path.join(corpora, 'wiki'), '.wiki'), 163, name =>
  same(plain(theirs(read(path.join(corpora, 'wiki', name)))), plain(theirs(read(path.join(out, 'wiki-again', name))))))

const adf = files(path.join(corpora, 'adf'), '.json').filter(it => it !== 'INDEX.json' && fs.existsSync(path.join(out, 'adf-wiki', it.replace(/json$/, 'wiki'))))
ask('ADF as wiki', adf, 84, name =>
  same(plain(theirs(read(path.join(out, 'adf-wiki', name.replace(/json$/, 'wiki'))))),
    plain(JSON.parse(read(path.join(out, 'adf-again', name))))))

if (!pandoc) console.log('SKIPPED: text: there is no pandoc')
else {
  ask('text', adf, 109, name => {
    const ran = spawnSync(pandoc, ['-f', 'gfm', '-t', 'plain', '--wrap=none', path.join(out, 'adf-plain', name.replace(/json$/, 'md'))])
    const said = ` ${words(ran.stdout.toString())} `
    return words(textOf(JSON.parse(read(path.join(corpora, 'adf', name))))).split(' ').every(it => said.includes(it))
  })
}
