// A question to the client of a session: how much longer it takes where the answer comes to another node than the one that asked.
import { goal } from '../measure.ts'
import { LEGACY_HEADERS, openSession } from './load.ts'
import { type BenchNode, STREAM_PATH } from './node.ts'

const ROUNDS = 200

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

export async function measureQuestions(asking: BenchNode, other: BenchNode): Promise<void> {
  await other.usage('echo hops')
  const session = await openSession(asking, STREAM_PATH, { elicitation: {} })
  const local: number[] = []
  const across: number[] = []
  const hops: number[] = []
  // In turns, so that what else the machine does falls on all alike. The first is for the compiler.
  for (let part = 0; part < 5; part += 1) {
    const hop = await asking.hop()
    if (part > 0) hops.push(hop)
    for (let round = 0; round < ROUNDS / 4; round += 1) {
      const id = part * 1_000 + round * 2
      const times = [await ask(asking, asking, session, id), await ask(asking, other, session, id + 1)] as const
      if (part === 0) continue
      local.push(times[0])
      across.push(times[1])
    }
  }
  const [here, there, hop] = [median(local), median(across), median(hops)]
  console.log('\nA question to the client, in milliseconds from its answer to the result (p50)')
  console.log(
    `  answered at the node that asked ${here.toFixed(2)}, at another one ${there.toFixed(2)}, one hop ${hop.toFixed(2)}`,
  )
  goal('what another node adds, in hops', (there - here) / hop, 3)
}

/** The milliseconds from the answer to the result. */
async function ask(asking: BenchNode, answering: BenchNode, session: string, id: number): Promise<number> {
  const headers = { ...LEGACY_HEADERS, 'mcp-session-id': session }
  const post = ({ port }: BenchNode, body: object) =>
    fetch(`http://127.0.0.1:${port}${STREAM_PATH}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const params = { name: 'ask', arguments: {} }
  const response = await post(asking, { jsonrpc: '2.0', id, method: 'tools/call', params })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const readUntil = async (pattern: RegExp) => {
    for (;;) {
      const found = pattern.exec(text)
      if (found !== null) return found
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) throw new Error(`The stream of a question ended: ${text}`)
      text += value
    }
  }
  const [, question] = await readUntil(
    /"id":("[^"]+"),"method":"elicitation\/create"|"method":"elicitation\/create".*"id":("[^"]+")/,
  )
  const startedAt = performance.now()
  const result = { action: 'accept', content: { name: 'Ada' } }
  const answered = post(answering, { jsonrpc: '2.0', id: JSON.parse(question ?? 'null') as unknown, result })
  await readUntil(/"text":"Ada"/)
  const took = performance.now() - startedAt
  await (await answered).text()
  await reader?.cancel()
  return took
}
