// The typical server: nine calls that need no question for each that asks its user one.
import { ask, load } from '../http/driver.ts'
import { modernRequest } from '../http/requests.ts'
import { ratiosOf, type Spread } from './figures.ts'
import { figureOf, type Started, start } from './http.ts'

const CALLS = 9

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
  await load(server.port, plain, 16, (isBare ? CALLS + 1 : CALLS) * times)
  if (isBare) return
  // The state of one question serves for all: what the server does with it is the same.
  const second = await answered(server, asking)
  await load(server.port, asking, 1, times)
  await load(server.port, second, 1, times)
}

export async function compareTypical(rounds: number, times: number, warmUp: number): Promise<Spread[]> {
  const contenders = ['bare', 'mcpwire', 'official v2']
  const servers: Started[] = []
  for (const contender of contenders) {
    const server = await start('typical', contender)
    servers.push(server)
    await turn(server, contender, warmUp)
  }
  const samples: number[][] = contenders.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const before = await figureOf(server, 'cpu')
      await turn(server, contenders[index] ?? '', times)
      samples[index]?.push(((await figureOf(server, 'cpu')) - before) / (times * (CALLS + 1)))
    }
  }
  for (const { child } of servers) child.kill()
  return ratiosOf(contenders, samples)
}
