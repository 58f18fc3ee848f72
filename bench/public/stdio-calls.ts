// Calls of servers over stdio, so many under way at once; and what a server has cost when its first result is there.
import { ratiosOf, type Spread } from './figures.ts'
import { type Pace, turnsIn, warmUpBy } from './pace.ts'
import { trip } from './schemas.js'
import { StdioServer } from './stdio-server.ts'

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
}
const ARGUMENTS = { add: { a: 1, b: 2 }, plan: trip }

class Calls {
  readonly server: StdioServer
  readonly #isLegacy: boolean
  readonly #params: object
  #id = 0

  constructor(contender: string, tool: keyof typeof ARGUMENTS, kind = 'stdio') {
    this.server = new StdioServer(kind, contender)
    this.#isLegacy = contender.endsWith('legacy')
    const params = { name: tool, arguments: ARGUMENTS[tool] }
    this.#params = this.#isLegacy ? params : { ...params, _meta }
  }

  async open(): Promise<void> {
    if (!this.#isLegacy) return
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: _meta['io.modelcontextprotocol/clientInfo'],
    }
    this.server.send({ id: 0, method: 'initialize', params })
    await this.server.receive()
    this.server.send({ method: 'notifications/initialized' })
  }

  /** Sends `atOnce` calls at a time, and reads their answers. */
  async run(count: number, atOnce: number): Promise<void> {
    for (let done = 0; done < count; done += atOnce) {
      for (let index = 0; index < atOnce; index++) {
        this.#id += 1
        this.server.send({ id: this.#id, method: 'tools/call', params: this.#params })
      }
      for (let index = 0; index < atOnce; index++) {
        const { result, error } = await this.server.receive()
        if (result?.['content'] === undefined || result['isError'] === true)
          throw new Error(JSON.stringify(error ?? result))
      }
    }
  }
}

export interface StdioLoad {
  readonly tool: keyof typeof ARGUMENTS
  readonly atOnce: number
}

export async function compareStdio(
  contenders: readonly string[],
  pace: Pace,
  { tool, atOnce }: StdioLoad,
): Promise<Spread[]> {
  const { runs } = pace
  const all = contenders.map((contender) => new Calls(contender, tool))
  for (const one of all) {
    await one.open()
    await warmUpBy(pace, runs, () => one.server.spentBy(() => one.run(runs, atOnce)))
  }
  const samples: number[][] = contenders.map(() => [])
  for (const _turn of turnsIn(pace)) {
    for (const [index, one] of all.entries()) {
      samples[index]?.push((await one.server.spentBy(() => one.run(runs, atOnce))) / runs)
    }
  }
  for (const { server } of all) server.close()
  return ratiosOf(contenders, samples)
}

/** The CPU time of a process from its start to its first result. */
export async function compareFirstResults(
  contenders: readonly string[],
  pace: Pick<Pace, 'rounds' | 'rowMs'>,
): Promise<Spread[]> {
  const samples: number[][] = contenders.map(() => [])
  for (const _turn of turnsIn(pace)) {
    for (const [index, contender] of contenders.entries()) {
      const calls = new Calls(contender, 'add', 'first')
      await calls.open()
      await calls.run(1, 1)
      samples[index]?.push(await calls.server.cpuMicros())
      calls.server.close()
    }
  }
  return ratiosOf(contenders, samples)
}
