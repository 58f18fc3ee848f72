// The cost of one POST by the node:http poster, compared with a bare keep-alive client that reads the same response.
import { createFetchPoster } from '../src/http/fetch-poster.ts'
import { Canceller, type Poster } from '../src/http/poster.ts'
import { createNodePoster } from '../src/node/http/poster.ts'
import { inParallel, startBareServer } from './http/bare.ts'
import { goal, measure, report } from './measure.ts'

const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '3' }] } })
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add', arguments: { a: 1 } },
})
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'add',
}

const server = await startBareServer(
  `const server = require('http').createServer((q, s) => { q.resume(); q.on('end', () => {
     s.writeHead(200, { 'content-type': 'application/json', 'content-length': ${answer.length} }); s.end(${JSON.stringify(answer)}) }) })`,
)
const { url } = server
const bare = () => server.post(body, headers)

const through = (poster: Poster) => async () => {
  const response = await poster({ method: 'POST', url, headers, body })
  return JSON.parse(await response.text(1_000_000))
}
const cancellable = (poster: Poster) => async () => {
  const response = await poster({ method: 'POST', url, headers, body, canceller: new Canceller() })
  return JSON.parse(await response.text(1_000_000))
}
const abortable = (poster: Poster) => async () => {
  const { signal } = new AbortController()
  const response = await poster({ method: 'POST', url, headers, body, signal })
  return JSON.parse(await response.text(1_000_000))
}

for (const count of [1, 64]) {
  const poster = createNodePoster()
  const measured = await measure([
    inParallel('bare node:http client', count, bare),
    inParallel('node poster', count, through(poster)),
    inParallel('node poster, with a canceller', count, cancellable(poster)),
    inParallel('node poster, with a signal', count, abortable(poster)),
    inParallel('fetch poster', count, through(createFetchPoster())),
  ])
  report(`${count} POST at a time`, measured)
  const [base, node] = measured
  goal('node poster / bare client', node!.nanoseconds / base!.nanoseconds, 1.1)
  poster.close?.()
}
server.stop()
