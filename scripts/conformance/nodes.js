// Our server as three nodes on one Redis, or on one SQLite file where there is no Redis, behind a balancer that sends each request to
// the next of them over a new connection.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ENGINES } from '../lib/find-engines.js'
import { startServer } from './fixture.js'

const NODES = 3
const START_LIMIT_MS = 20_000

/** Scenarios that may end otherwise than on one node, with the reason. There is none. */
const EXCEPTIONS = {}

/** What the suite talks to, as `startServer` returns it. */
export async function startNodes() {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  const engine = await startEngine(folder)
  const secret = randomBytes(32).toString('base64url')
  const nodes = []
  try {
    for (let n = 0; n < NODES; n += 1) nodes.push(await startServer([...engine.args, `--secret=${secret}`]))
  } catch (error) {
    await Promise.all(nodes.map((node) => node.close()))
    engine.close()
    throw error
  }
  const balancer = await startBalancer(nodes.map(({ url }) => new URL(url)))
  console.log(`three nodes on ${engine.name}`)
  const close = async () => {
    await balancer.close()
    await Promise.all(nodes.map((node) => node.close()))
    engine.close()
  }
  return { url: balancer.url, close }
}

/** A scenario whose verdict or checks differ from those on one node fails. */
export function compareWithOneNode(onOne, onNodes) {
  for (const [index, { outcomes }] of onNodes.entries()) {
    for (const [place, outcome] of outcomes.entries()) {
      if (outcome.scenario in EXCEPTIONS) continue
      const reference = onOne[index].outcomes[place]
      const difference = differenceOf(reference, outcome)
      if (difference === undefined) continue
      outcome.verdict = 'fail'
      outcome.problems = [...outcome.problems, difference]
    }
  }
}

function differenceOf(one, three) {
  if (one.verdict !== three.verdict) return `ends with ${three.verdict}, on one node with ${one.verdict}`
  const [checks, reference] = [three.checks?.length ?? 0, one.checks?.length ?? 0]
  return checks === reference ? undefined : `made ${checks} checks, on one node ${reference}`
}

async function startEngine(folder) {
  const program = ENGINES.Redis.find()
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (program === undefined) return { name: 'SQLite', args: ['--sqlite', join(folder, 'state.db')], close: remove }
  const socket = join(folder, 'redis.sock')
  const child = spawn(program, ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''], {
    stdio: 'ignore',
  })
  const end = () => child.kill('SIGKILL')
  process.on('exit', end)
  const giveUpAt = Date.now() + START_LIMIT_MS
  while (!existsSync(socket)) {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error('Redis did not start')
    await delay(20)
  }
  const close = () => {
    process.off('exit', end)
    child.once('exit', remove)
    end()
  }
  return { name: 'Redis', args: ['--redis', `redis+unix://${socket}`], close }
}

async function startBalancer(nodes) {
  let turn = 0
  const server = createServer((incoming, response) => {
    const node = nodes[turn % nodes.length]
    turn += 1
    const { method, url, headers } = incoming
    const upstream = request(new URL(url, node), { method, headers, agent: false })
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      // An event stream begins with its headers, before its first event.
      response.flushHeaders()
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    incoming.on('error', () => {})
    incoming.pipe(upstream)
    response.on('close', () => upstream.destroy())
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close }
}
