// A server that goes away after its last result: the check of that result must not keep it from the caller.
import { describe, expect, it } from 'vitest'
import { connect } from './legacy-http.ts'
import { type Answer, refused, result, type SeenRequest, TEXT } from './scripted-http.ts'

const ways: [string, () => Answer][] = [
  ['refuses connections', refused],
  ['answers 503', () => new Response('', { status: 503 })],
]

describe('the result of a tool that no listing has named', () => {
  it.each(ways)('is returned at once where the server then %s, and the next call looks again', async (_way, away) => {
    const script = ({ message }: SeenRequest) => (message['method'] === 'tools/list' ? away() : undefined)
    const { client, http, faults } = await connect(script)
    expect(await client.callTool('unlisted')).toMatchObject(TEXT)
    expect(http.sent('tools/list')).toHaveLength(1)
    await client.callTool('unlisted')
    expect(http.sent('tools/list')).toHaveLength(2)
    expect(faults).toEqual([])
  })

  it('is reported as unchecked where it has structured content', async () => {
    const script = (request: SeenRequest) => {
      const { method } = request.message
      if (method === 'tools/list') return refused()
      return method === 'tools/call' ? result(request, { ...TEXT, structuredContent: {} }) : undefined
    }
    const { client, http, faults } = await connect(script)
    expect(await client.callTool('unlisted')).toMatchObject(TEXT)
    expect(http.sent('tools/list')).toHaveLength(1)
    expect(faults).toMatchObject([{ kind: 'callback-failed', method: 'tools/list' }])
  })
})
