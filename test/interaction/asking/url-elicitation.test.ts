// Sending the user to a URL, and errors that ask for it.
import { afterEach, expect, vi } from 'vitest'
import type { ServerMessage } from '../../../src/client/session/callbacks.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { ServerSession } from '../../../src/server/session.ts'
import { MCPError, UrlElicitationRequiredError } from '../../../src/types/errors/errors.ts'
import type {
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult,
} from '../../../src/types/features/elicitation.ts'
import type { InputRequest } from '../../../src/types/features/input-required.ts'
import { requirement } from '../kit/requirement.ts'
import { connectScripted, createAsker, text, textOf, toolServer } from '../kit/support-interaction.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const URL_TEXT = 'https://example.com/authorize?state=a%20b&next=%2F#part'

function answering(answer: ElicitResult) {
  return { onElicitation: vi.fn((_params: ElicitRequestParams) => answer) }
}

/** The question with what its revision demands of it. */
function visitOf(isModern: boolean): InputRequest {
  const params: ElicitRequestURLParams = { mode: 'url', message: 'Please sign in', url: URL_TEXT }
  return { method: 'elicitation/create', params: isModern ? params : { ...params, elicitationId: 'e1' } }
}

requirement('url:ask:accept', async ({ connect, isModern }) => {
  const { server, answers } = createAsker(visitOf(isModern))
  const { onElicitation } = answering({ action: 'accept' })
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  expect(onElicitation.mock.calls[0]?.[0]).toMatchObject({ mode: 'url', message: 'Please sign in', url: URL_TEXT })
  expect(answers).toEqual([{ action: 'accept' }])
})

requirement('url:ask:no-content', async ({ connect, isModern }) => {
  const { server, answers } = createAsker(visitOf(isModern))
  await using client = await connect(server, answering({ action: 'accept', content: { password: 'x' } }))

  await client.callTool('tool')

  expect(answers).toEqual([{ action: 'accept' }])
})

requirement('url:ask:never-fetched', async ({ connect, isModern }) => {
  const fetch = vi.fn()
  vi.stubGlobal('fetch', fetch)
  const { server, answers } = createAsker(visitOf(isModern))
  await using client = await connect(server, answering({ action: 'decline' }))

  await client.callTool('tool')

  expect(answers).toEqual([{ action: 'decline' }])
  expect(fetch).not.toHaveBeenCalled()
})

requirement('url:ask:id-made-or-given', async ({ connect }) => {
  const server = toolServer(async ({ session }) => {
    await session.elicitUrl('Go', URL_TEXT)
    await session.elicitUrl('Go', URL_TEXT)
    await session.elicitUrl('Go', URL_TEXT, 'my id')
    return text('done')
  })
  const { onElicitation } = answering({ action: 'accept' })
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  const ids = onElicitation.mock.calls.map(([params]) => (params as ElicitRequestURLParams).elicitationId)
  expect(ids).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), expect.any(String), 'my id'])
  expect(ids[0]).not.toBe(ids[1])
})

/** What `ask` came to, for a client with these options. */
function tryTo(ask: (session: ServerSession) => Promise<unknown>) {
  const failures: unknown[] = []
  const server = toolServer(async ({ session }) => {
    await ask(session).catch((error: unknown) => failures.push(error))
    return text('')
  })
  return { server, failures }
}

requirement('url:ask:valid-url-only', async ({ connect }) => {
  const { onElicitation } = answering({ action: 'accept' })
  const urls = ['javascript:alert(1)', 'file:///etc/passwd', '/relative', '', 'https://a:b@example.com/', 'https://e x']
  for (const url of urls) {
    const { server, failures } = tryTo((session) => session.elicitUrl('Go', url))
    await using client = await connect(server, { onElicitation })
    await client.callTool('tool')
    expect(failures, url).toEqual([expect.any(TypeError)])
  }
  expect(onElicitation).not.toHaveBeenCalled()
})

requirement('url:ask:mode-not-declared-not-sent', async ({ connect }) => {
  const { onElicitation } = answering({ action: 'accept' })
  const { server, failures } = tryTo((session) => session.elicitUrl('Go', URL_TEXT))
  for (const elicitationCapabilities of [{}, { form: {} }]) {
    await using client = await connect(server, { onElicitation, elicitationCapabilities })
    await client.callTool('tool')
  }

  expect(failures).toMatchObject(Array(2).fill({ code: -32021, local: true }))
  expect(onElicitation).not.toHaveBeenCalled()
})

requirement('url:ask:client-refuses-undeclared-mode', async ({ connect }) => {
  const { onElicitation } = answering({ action: 'accept' })
  // Past the check of `elicitUrl`.
  const { server, failures } = tryTo((session) =>
    session.sendRequest('elicitation/create', visitOf(false).params as never),
  )
  await using client = await connect(server, { onElicitation, elicitationCapabilities: { form: {} } })

  await client.callTool('tool')

  expect(failures).toMatchObject([{ code: -32602, local: false }])
  expect(onElicitation).not.toHaveBeenCalled()
})

requirement('url:complete:reaches-the-client', async ({ connect }) => {
  const server = toolServer(async ({ session }) => {
    await session.sendElicitComplete('e1')
    return text('done')
  })
  const told = createDeferred<ServerMessage>()
  await using client = await connect(server, { onMessage: (message) => told.resolve(message) })

  await client.callTool('tool')

  expect(await told.promise).toMatchObject({
    method: 'notifications/elicitation/complete',
    params: { elicitationId: 'e1' },
  })
})

requirement('url:complete:only-to-who-was-asked', async ({ connect }) => {
  const server = toolServer(async ({ session }) => {
    await session.sendElicitComplete('e1')
    return text('done')
  })
  const told: string[] = []
  await using asked = await connect(server, { onMessage: () => void told.push('asked') })
  await using other = await connect(server, { onMessage: () => void told.push('other') })

  await asked.callTool('tool')
  // Whatever was sent to the other before this answer has arrived with it.
  await other.listTools()

  expect(told).toEqual(['asked'])
})

requirement('url:complete:unknown-id-does-no-harm', async (setting) => {
  const onElicitation = vi.fn()
  await using peer = await connectScripted(setting, { onElicitation })
  peer.server.on('tools/call', text('done'))

  peer.server.notify('notifications/elicitation/complete', { elicitationId: 'never heard of' })
  peer.server.notify('notifications/elicitation/complete', { elicitationId: 7 })

  expect(textOf(await peer.client.callTool('tool'))).toBe('done')
  expect(onElicitation).not.toHaveBeenCalled()
})

requirement('url:complete:gone-in-the-modern-era', async ({ connect }) => {
  const { server, failures } = tryTo((session) => session.sendElicitComplete('e1'))
  await using client = await connect(server)

  await client.callTool('tool')

  expect(failures).toMatchObject([{ code: -32601 }])
})

const VISIT: ElicitRequestURLParams = { mode: 'url', message: 'Sign in', url: URL_TEXT, elicitationId: 'e1' }

requirement('url:error:carries-elicitations', async ({ connect }) => {
  const server = toolServer(() => {
    throw new UrlElicitationRequiredError([VISIT], 'Sign in first')
  })
  await using client = await connect(server)

  const failure = await client.callTool('tool').catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(UrlElicitationRequiredError)
  expect(failure).toMatchObject({ code: -32042, message: 'Sign in first', elicitations: [VISIT], local: false })
})

requirement('url:error:call-can-be-repeated', async ({ connect }) => {
  let isSignedIn = false
  const server = toolServer(({ session }) => {
    if (isSignedIn) return text('welcome')
    isSignedIn = true
    void session.sendElicitComplete('e1')
    throw new UrlElicitationRequiredError([VISIT])
  })
  const completed = createDeferred<void>()
  await using client = await connect(server, { onMessage: () => completed.resolve() })

  await expect(client.callTool('tool')).rejects.toThrow(UrlElicitationRequiredError)
  await completed.promise

  expect(textOf(await client.callTool('tool'))).toBe('welcome')
})

requirement('url:error:malformed-is-a-plain-error', async (setting) => {
  await using peer = await connectScripted(setting)
  const broken = [
    undefined,
    7,
    {},
    { elicitations: 'x' },
    { elicitations: [{ mode: 'form' }] },
    { elicitations: [null] },
  ]
  for (const data of broken) {
    peer.server.on('tools/call', () => ({ error: { code: -32042, message: 'Sign in', data } }))
    const failure = await peer.client.callTool('tool').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(MCPError)
    expect(failure).not.toBeInstanceOf(UrlElicitationRequiredError)
    expect(failure).toMatchObject({ code: -32042 })
  }
})
