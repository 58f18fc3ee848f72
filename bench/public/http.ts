// Servers over HTTP in processes of their own, loaded over raw sockets.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { ask, load } from '../http/driver.ts'
import { modernCall, olderCall } from '../http/requests.ts'
import { ratiosOf, type Spread } from './figures.ts'
import { failed, programPath } from './processes.ts'

interface Started {
  readonly child: ChildProcess
  readonly port: number
}

async function start(kind: string, contender: string): Promise<Started> {
  const child = fork(programPath('server.js'), [kind, contender], { execArgv: [] })
  const [port] = await Promise.race([once(child, 'message'), failed(child, `${kind}, ${contender}`)])
  return { child, port: port as number }
}

async function cpuMicros({ child }: Started): Promise<number> {
  const told = once(child, 'message')
  child.send('cpu')
  const [micros] = await told
  return micros as number
}

export interface HttpTurns {
  readonly rounds: number
  readonly requests: number
  readonly warmUp: number
  readonly atOnce: number
}

export async function compareHttp(
  kind: string,
  contenders: readonly string[],
  { rounds, requests, warmUp, atOnce }: HttpTurns,
): Promise<Spread[]> {
  const requestOf = (contender: string) => (contender === 'mcp-lite' ? olderCall('x') : modernCall('x'))
  const servers: Started[] = []
  for (const contender of contenders) servers.push(await start(kind, contender))
  for (const [index, { port }] of servers.entries()) {
    const request = requestOf(contenders[index] ?? '')
    const answer = await ask(port, request)
    if (!answer.includes('"sum":3')) throw new Error(`${contenders[index]} answered ${answer}`)
    await load(port, request, atOnce, warmUp)
  }
  const samples: number[][] = contenders.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const before = await cpuMicros(server)
      await load(server.port, requestOf(contenders[index] ?? ''), atOnce, requests)
      samples[index]?.push(((await cpuMicros(server)) - before) / requests)
    }
  }
  for (const { child } of servers) child.kill()
  return ratiosOf(contenders, samples)
}
