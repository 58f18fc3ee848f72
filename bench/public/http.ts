// Servers over HTTP in processes of their own, loaded over raw sockets.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { ask, FIRST_ID, load } from '../http/driver.ts'
import { handshakeCall, legacyRequest, modernCall, olderCall } from '../http/requests.ts'
import { ratiosOf, type Spread } from './figures.ts'
import { type Pace, turnsIn, warmUpBy } from './pace.ts'
import { failed, programPath } from './processes.ts'

export interface Started {
  readonly child: ChildProcess
  readonly port: number
  /** What else the server says of itself. */
  readonly told: unknown
}

export async function start(kind: string, contender: string, execArgv: string[] = []): Promise<Started> {
  const child = fork(programPath('server.js'), [kind, contender], { execArgv })
  const [told] = await Promise.race([once(child, 'message'), failed(child, `${kind}, ${contender}`)])
  const port = typeof told === 'number' ? told : (told as { port: number }).port
  return { child, port, told }
}

/** Asks a server for one of its figures. */
export async function figureOf({ child }: Started, name: 'cpu' | 'heap'): Promise<number> {
  const told = once(child, 'message')
  child.send(name)
  const [figure] = await told
  return figure as number
}

export interface HttpLoad {
  readonly atOnce: number
  /** The tool that is called (default: `add`). */
  readonly tool?: 'add' | 'large'
}

/** Microseconds of CPU time. */
export async function spentBy(server: Started, work: () => Promise<void>): Promise<number> {
  const before = await figureOf(server, 'cpu')
  await work()
  return (await figureOf(server, 'cpu')) - before
}

/** The id of a new session; a server written by hand has none. */
export async function openSession(port: number): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body })
  await response.text()
  return response.headers.get('mcp-session-id') ?? 'x'.repeat(36)
}

async function requestOf(contender: string, port: number, tool: 'add' | 'large'): Promise<Buffer> {
  if (contender === 'mcp-lite') return olderCall('x')
  if (!contender.endsWith('legacy')) return modernCall('x')
  const session = await openSession(port)
  if (tool === 'add') return handshakeCall(session)
  return legacyRequest(session, { id: FIRST_ID, method: 'tools/call', params: { name: tool, arguments: {} } })
}

export async function compareHttp(
  kind: string,
  contenders: readonly string[],
  pace: Pace,
  { atOnce, tool = 'add' }: HttpLoad,
): Promise<Spread[]> {
  const { runs } = pace
  const servers: (Started & { readonly request: Buffer })[] = []
  for (const contender of contenders) {
    const server = await start(kind, contender)
    const request = await requestOf(contender, server.port, tool)
    servers.push({ ...server, request })
    const answer = await ask(server.port, request)
    if (tool === 'add' && !answer.includes('"sum":3')) throw new Error(`${contender} answered ${answer}`)
    await warmUpBy(pace, runs, () => spentBy(server, () => load(server.port, request, atOnce, runs)))
  }
  const samples: number[][] = contenders.map(() => [])
  for (const _turn of turnsIn(pace)) {
    for (const [index, server] of servers.entries()) {
      const spent = await spentBy(server, () => load(server.port, server.request, atOnce, runs))
      samples[index]?.push(spent / runs)
    }
  }
  for (const { child } of servers) child.kill()
  return ratiosOf(contenders, samples)
}
