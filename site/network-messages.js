// What connections that fail say, by the page about it. Their reasons and pages stand in tables by code and by status, so each is
// provoked with the very function of the client.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { ts } from 'ts-morph'

const FILE = fileURLToPath(new URL('../src/http/failures.ts', import.meta.url))
const URL_OF_SERVER = 'https://server.invalid/mcp'

/** The keys of a table in the file. */
function keysOf(source, table) {
  const keys = []
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === table)
      for (const pair of node.initializer.arguments[0].elements) keys.push(pair.elements[0].text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  if (keys.length === 0) throw new Error(`${FILE} has no table ${table}`)
  return keys
}

const slugOf = ({ help }) => /([\w-]+)\.md$/.exec(help)[1]

function emptyResponse(status) {
  return { status, url: URL_OF_SERVER, header: () => undefined, chunks: async function* () {}, cancel() {} }
}

/** Pairs of a page and a message. */
export async function networkMessages() {
  const source = ts.createSourceFile(FILE, readFileSync(FILE, 'utf8'), ts.ScriptTarget.Latest, true)
  const { outputFiles } = buildSync({
    entryPoints: [FILE],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    alias: { '#platform': fileURLToPath(new URL('../src/node/platform.ts', import.meta.url)) },
  })
  const text = Buffer.from(outputFiles[0].contents).toString('base64')
  const { explainFailure, explainResponse } = await import(`data:text/javascript;base64,${text}`)
  const failures = keysOf(source, 'REASONS').map((code) =>
    explainFailure(Object.assign(new Error('failed'), { code }), URL_OF_SERVER),
  )
  const statuses = keysOf(source, 'ADVICE').map(Number)
  const responses = await Promise.all(statuses.map((status) => explainResponse(emptyResponse(status), 'The request')))
  return [
    ...failures.map((error) => [slugOf(error), error.message.replace(/^.*?\/mcp: /, '')]),
    ...responses.map((error) => [slugOf(error), error.message.replace(/^.*?(HTTP \d+) \(.*?\)/, '$1')]),
  ]
}
