// V4: a question to the user that is open while the server is reloaded.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFull } from '../../../test/engines/full.ts'
import { COMBINATIONS, StartedDev, serverText } from './started-dev.ts'

const ASKS = `server.tool('ask', async (_args, ctx) => {
  const { action, content } = await ctx.elicit('How many?', z.object({ count: z.number() }))
  return { action, count: content?.count, version }
})
`

interface Question {
  answer(count: number): void
}

const combinations = isFull ? COMBINATIONS : COMBINATIONS.slice(0, 2)

describe.each(combinations)('V4 a question over %s to a %s client', (transport, mode) => {
  let dev: StartedDev
  let asked: (question: Question) => void = () => {}
  let cancelled: () => void = () => {}

  beforeAll(async () => {
    dev = await StartedDev.start({
      transport,
      mode,
      text: serverText(1, ASKS),
      client: {
        onElicitation: (_params, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => cancelled())
            asked({ answer: (count) => resolve({ action: 'accept', content: { count } }) })
          }),
      },
    })
  })
  afterAll(() => dev[Symbol.asyncDispose]())

  it(`${mode === 'modern' ? 'is answered to the new version' : 'is taken back, and its call fails with the reason'}`, async () => {
    const question = new Promise<Question>((resolve) => {
      asked = resolve
    })
    const takenBack = new Promise<void>((resolve) => {
      cancelled = resolve
    })
    const call = dev.client.callTool('ask')
    call.catch(() => {})
    const { answer } = await question
    await dev.save(serverText(2, ASKS))
    if (mode === 'modern') {
      // The state of the call travels with the question, and the next version can read it.
      answer(3)
      expect((await call).structuredContent).toEqual({ action: 'accept', count: 3, version: 2 })
      return
    }
    await expect(call).rejects.toMatchObject({ code: -32_000, data: { reason: 'reloaded' } })
    if (transport === 'stdio') await takenBack
    // An answer that comes late reaches nobody, and the next question has an answer of its own.
    answer(4)
    const next = new Promise<Question>((resolve) => {
      asked = resolve
    })
    const again = dev.client.callTool('ask')
    ;(await next).answer(5)
    expect((await again).structuredContent).toEqual({ action: 'accept', count: 5, version: 2 })
  })
})
