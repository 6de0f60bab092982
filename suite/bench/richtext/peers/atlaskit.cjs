// Converts FILE with Atlassian's own transformers and prints the seconds of CPU of the first and of the best of five.
// node atlaskit.cjs wiki-to-adf|markdown-to-adf FILE, run in the folder the packages were installed in.
const { readFileSync } = require('fs');
const { createRequire } = require('module');
const installed = createRequire(process.cwd() + '/');
const { JSONTransformer } = installed('@atlaskit/editor-json-transformer');
const text = readFileSync(process.argv[3], 'utf8');
const json = new JSONTransformer();
let parse;
if (process.argv[2] === 'wiki-to-adf') {
  const { WikiMarkupTransformer } = installed('@atlaskit/editor-wikimarkup-transformer');
  parse = () => new WikiMarkupTransformer().parse(text);
} else {
  const { MarkdownTransformer } = installed('@atlaskit/editor-markdown-transformer');
  const { defaultSchema } = installed('@atlaskit/adf-schema/schema-default');
  parse = () => new MarkdownTransformer(defaultSchema).parse(text);
}
const times = [];
for (let turn = 0; turn < 5; turn += 1) {
  const began = process.cpuUsage();
  JSON.stringify(json.encode(parse()));
  const used = process.cpuUsage(began);
  times.push((used.user + used.system) / 1e6);
}
console.log(times[0], Math.min(...times));
