// Questions to the user in the middle of a call, as a client of either era answers them.
import { ratiosOf, type Spread } from './figures.ts'
import { type Pace, turnsIn, warmUpBy } from './pace.ts'
import { StdioServer } from './stdio-server.ts'

const answer = { action: 'accept', content: { name: 'this one' } }
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
}

interface Asker {
  /** One call with so many questions. */
  call(times: number): Promise<void>
  readonly server: StdioServer
}

function modernAsker(): Asker {
  const server = new StdioServer('questions', 'mcpwire')
  let id = 0
  return {
    server,
    async call(times) {
      let more: Record<string, unknown> = {}
      for (let round = 0; ; round++) {
        id += 1
        server.send({ id, method: 'tools/call', params: { name: 'ask', arguments: { times }, ...more, _meta } })
        const { result, error } = await server.receive()
        if (result === undefined) throw new Error(JSON.stringify(error))
        const { inputRequests, requestState } = result
        if (inputRequests === undefined) {
          if (round !== times || result['isError'] === true) throw new Error(JSON.stringify(result))
          return
        }
        const keys = Object.keys(inputRequests as object)
        more = { requestState, inputResponses: Object.fromEntries(keys.map((key) => [key, answer])) }
      }
    },
  }
}

async function legacyAsker(): Promise<Asker> {
  const server = new StdioServer('questions', 'mcpwire')
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo }
  server.send({ id: 0, method: 'initialize', params })
  await server.receive()
  server.send({ method: 'notifications/initialized' })
  let id = 0
  return {
    server,
    async call(times) {
      id += 1
      server.send({ id, method: 'tools/call', params: { name: 'ask', arguments: { times } } })
      for (let round = 0; ; round++) {
        const message = await server.receive()
        if (message.method === undefined) {
          if (round !== times || message.result?.['isError'] === true) throw new Error(JSON.stringify(message))
          return
        }
        server.send({ id: message.id, result: answer })
      }
    },
  }
}

interface Kind {
  readonly name: string
  readonly asker: Asker
  readonly times: number
}

/** Runs are questions. */
export const QUESTIONS = { rounds: 15, runs: 500, warmUp: 4_000 }
export const MANY_QUESTIONS = { rounds: 11, runs: 200, warmUp: 2_000 }

async function compareKinds(kinds: readonly Kind[], pace: Pace): Promise<Spread[]> {
  const samples: number[][] = kinds.map(() => [])
  const spentBy = ({ asker, times }: Kind) =>
    asker.server.spentBy(async () => {
      for (let asked = 0; asked < pace.runs; asked += times) await asker.call(times)
    })
  for (const kind of kinds) await warmUpBy(pace, pace.runs, () => spentBy(kind))
  for (const _turn of turnsIn(pace)) {
    for (const [index, kind] of kinds.entries()) samples[index]?.push((await spentBy(kind)) / pace.runs)
  }
  for (const { asker } of kinds) asker.server.close()
  return ratiosOf(
    kinds.map(({ name }) => name),
    samples,
  )
}

/** One question per call: the modern era beside the legacy one. */
export async function compareQuestions(pace: Pace): Promise<Spread[]> {
  const kinds = [
    { name: 'legacy', asker: await legacyAsker(), times: 1 },
    { name: 'modern', asker: modernAsker(), times: 1 },
  ]
  return compareKinds(kinds, pace)
}

/** Many questions in one call beside one, by question. */
export async function compareManyQuestions(pace: Pace): Promise<Spread[]> {
  return compareQuestionCounts([1, 100], pace)
}

/** By how many questions a call has. */
export async function compareQuestionCounts(counts: readonly number[], pace: Pace): Promise<Spread[]> {
  const name = (times: number) => (times === 1 ? 'one question' : `${times} questions`)
  const kinds = counts.map((times) => ({ name: name(times), asker: modernAsker(), times }))
  return compareKinds(kinds, pace)
}
