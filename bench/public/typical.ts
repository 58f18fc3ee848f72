// The typical server: nine calls that need no question for each that asks its user one.
import { ask, load } from '../http/driver.ts'
import { modernRequest } from '../http/requests.ts'
import { ratiosOf, type Spread } from './figures.ts'
import { type Started, spentBy, start } from './http.ts'
import { type Pace, turnsIn, warmUpBy } from './pace.ts'

const CALLS = 9
const AT_ONCE = 16

async function callsOf({ told }: Started): Promise<{ plain: Buffer; asking: Buffer }> {
  const { token } = told as { token: string }
  const authorization = `Authorization: Bearer ${token}`
  const request = (name: string, more: object = {}) =>
    modernRequest('tools/call', { name, arguments: { a: 1, b: 2 }, ...more }, [`Mcp-Name: ${name}`, authorization], {
      elicitation: { form: {} },
    })
  return { plain: request('add'), asking: request('ask') }
}

/** The second request of a call that asks: with the state and the answer. */
async function answered({ port, told }: Started, asking: Buffer): Promise<Buffer> {
  const answer = await ask(port, asking)
  // Some servers answer in chunks, with their lengths around the text.
  const { result } = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
  const [key = ''] = Object.keys(result.inputRequests ?? {})
  if (key === '') throw new Error(`No question: ${JSON.stringify(result)}`)
  const { requestState } = result
  const more = {
    ...(requestState && { requestState }),
    inputResponses: { [key]: { action: 'accept', content: { name: 'x' } } },
  }
  const { token } = told as { token: string }
  const headers = ['Mcp-Name: ask', `Authorization: Bearer ${token}`]
  const capabilities = { elicitation: { form: {} } }
  return modernRequest('tools/call', { name: 'ask', arguments: { a: 1, b: 2 }, ...more }, headers, capabilities)
}

/** One turn: ten calls, of which one asks. A server by hand has no question, and answers ten. */
async function turn(server: Started, contender: string, times: number): Promise<void> {
  const { plain, asking } = await callsOf(server)
  const isBare = contender === 'bare'
  await load(server.port, plain, AT_ONCE, (isBare ? CALLS + 1 : CALLS) * times)
  if (isBare) return
  // The state of one question serves for all: what the server does with it is the same.
  const second = await answered(server, asking)
  await load(server.port, asking, AT_ONCE, times)
  await load(server.port, second, AT_ONCE, times)
}

/** Runs are groups of ten calls. */
export async function compareTypical(pace: Pace): Promise<Spread[]> {
  const { runs } = pace
  const contenders = ['bare', 'mcpwire', 'official v2']
  const servers: Started[] = []
  for (const contender of contenders) {
    const server = await start('typical', contender)
    servers.push(server)
    await warmUpBy(pace, runs, () => spentBy(server, () => turn(server, contender, runs)))
  }
  const samples: number[][] = contenders.map(() => [])
  for (const _turn of turnsIn(pace)) {
    for (const [index, server] of servers.entries()) {
      const spent = await spentBy(server, () => turn(server, contenders[index] ?? '', runs))
      samples[index]?.push(spent / (runs * (CALLS + 1)))
    }
  }
  for (const { child } of servers) child.kill()
  return ratiosOf(contenders, samples)
}
