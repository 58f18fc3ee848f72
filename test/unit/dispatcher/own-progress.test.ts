import { describe, expect, it } from 'vitest'
import { readProgressToken } from '../../../src/dispatcher/context.ts'
import type { Progress } from '../../../src/dispatcher/dispatcher.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { connectPair, pairs } from '../../support/peers.ts'

describe.each(pairs)('progress of our own calls ($kind)', ({ createPair }) => {
  async function hear(hearsOwnProgress: boolean | undefined, notices: (token: unknown) => JSONObject[]) {
    const told: Progress[] = []
    const heard: unknown[] = []
    await using link = connectPair(createPair, {
      callerOptions: hearsOwnProgress === undefined ? {} : { hearsOwnProgress },
      callerOnNotify: (_context, _method, params) => {
        heard.push(params)
      },
      onRequest: async (context, _method, params) => {
        for (const notice of notices(readProgressToken(params))) await context.notify('notifications/progress', notice)
        return {}
      },
    })
    await link.caller.sendRawRequest('a', {}, { onProgress: (progress) => told.push(progress) })
    return { told, heard }
  }

  const fit = (progressToken: unknown): JSONObject[] => [
    { progressToken, progress: 1 },
    { progressToken, progress: 2, total: 4 },
    { progressToken, progress: 3, total: 4, message: 'soon' },
    { progressToken, progress: 4, message: 'done' },
  ]
  const fitProgress = [
    { progress: 1 },
    { progress: 2, total: 4 },
    { progress: 3, total: 4, message: 'soon' },
    { progress: 4, message: 'done' },
  ]

  it.each([undefined, true])('goes to the call and to whoever hears notifications (%s)', async (hearsOwnProgress) => {
    const { told, heard } = await hear(hearsOwnProgress, fit)
    expect(told).toEqual(fitProgress)
    expect(heard).toHaveLength(4)
  })

  it('goes to the call alone where nobody else wants it', async () => {
    const { told, heard } = await hear(false, fit)
    expect(told).toEqual(fitProgress)
    expect(heard).toEqual([])
  })

  it('is still heard where something in it is wrong, or for someone else', async () => {
    const odd = (progressToken: unknown): JSONObject[] => [
      { progressToken, progress: 1, total: 'all' },
      { progressToken, progress: 2, message: 5 },
      { progressToken, progress: 3, _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
      { progressToken: 'unknown', progress: 4 },
      { progressToken, progress: 'five' },
    ]
    const { told, heard } = await hear(false, odd)
    expect(told).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }])
    expect(heard).toHaveLength(5)
  })
})
