// State that a server hands out between rounds: sealed on the way out, opened on the way in, refused in one way only.
import { afterEach, expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { requestStateBoundary } from '../../../src/server/state/boundary.ts'
import { createCipher } from '../../../src/server/state/cipher.ts'
import { createRequestStateSeal, type RequestStateOptions } from '../../../src/server/state/request-state.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { asks, defers, memoryAs, ROOTS, stopTime, text, textOf, toolServer } from '../kit/support-interaction.ts'

afterEach(() => {
  vi.useRealTimers()
})

const KEY = 'a key of thirty-two bytes or more, for tests'
const OTHER_KEY = 'another key of thirty-two bytes or more, too'
const REFUSAL = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
}
const onListRoots = () => ({ roots: [] })

/** A server that hands out `state` once and tells what came back; `runs` are the states that its handlers saw. */
function createSealed(options: Partial<RequestStateOptions> = {}, state = 'the plain state') {
  const runs: (string | undefined)[] = []
  const refusals: string[] = []
  const seal = createRequestStateSeal({
    keys: [KEY],
    audience: 'tests',
    onRefused: (reason) => refusals.push(reason),
    ...options,
  })
  const server = toolServer(
    (ctx) => {
      runs.push(ctx.requestState)
      return ctx.requestState === undefined ? asks({ a: ROOTS }, state) : text(ctx.requestState)
    },
    {
      middleware: [requestStateBoundary(seal)],
      handlers: {
        'prompts/get': (ctx) => {
          runs.push(ctx.requestState)
          return ctx.requestState === undefined ? defers(state) : { messages: [] }
        },
        'resources/read': (ctx, { uri }) => {
          runs.push(ctx.requestState)
          return ctx.requestState === undefined ? defers(state) : { contents: [{ uri, text: 'x' }] }
        },
      },
    },
  )
  return { server, runs, refusals }
}

/** The token that a first leg gets. */
async function tokenOf({ session }: Client, args: JSONObject = { x: 1 }): Promise<string> {
  const question = await session.callTool('tool', args, { allowInputRequired: true })
  return (question as { requestState: string }).requestState
}

/** Brings a token back, with the call that it belongs to unless told otherwise. */
function redeem({ session }: Client, requestState: unknown, name = 'tool', args: JSONObject = { x: 1 }) {
  return session.sendRequest('tools/call', { name, arguments: args, requestState } as never)
}

async function refusalOf(calling: Promise<unknown>): Promise<unknown> {
  const { code, message, data } = await calling.then(
    () => ({ code: 0, message: 'was accepted', data: undefined }),
    (error: { code: number; message: string; data: unknown }) => error,
  )
  return { code, message, data }
}

const ada: AuthInfo = { clientId: 'app', scopes: [], issuer: 'https://id.example', subject: 'ada' }

requirement('state:seal:opaque-outside', async ({ connect }) => {
  const { server, runs } = createSealed()
  await using client = await connect(server, { onListRoots })

  const token = await tokenOf(client)
  const result = await client.callTool('tool', { x: 1 })

  expect(token).toMatch(/^v1\.[\w-]+$/)
  expect(atob(token.slice(3).replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('plain')
  expect(textOf(result)).toBe('the plain state')
  expect(runs).toEqual([undefined, undefined, 'the plain state'])
})

requirement('state:seal:new-token-each-round', async ({ connect }) => {
  const { server } = createSealed()
  await using client = await connect(server, { onListRoots })

  expect(await tokenOf(client)).not.toBe(await tokenOf(client))
})

requirement('state:seal:prompts-and-resources', async ({ connect }) => {
  const { server, runs } = createSealed()
  await using client = await connect(server)

  await client.getPrompt('p')
  await client.readResource('a:b')

  expect(runs).toEqual([undefined, 'the plain state', undefined, 'the plain state'])
})

requirement('state:seal:empty-state', async ({ connect }) => {
  const { server, runs } = createSealed({}, '')
  await using client = await connect(server, { onListRoots })

  await client.callTool('tool')

  expect(runs).toEqual([undefined, ''])
})

requirement('state:seal:lone-surrogates', async ({ connect }) => {
  const state = 'half \ud83d of \udc00 a pair \u0000'
  const { server, runs } = createSealed({}, state)
  await using client = await connect(server, { onListRoots })

  await client.callTool('tool', { text: 'also \ud83d here' })

  expect(runs).toEqual([undefined, state])
})

requirement('state:seal:not-a-string', async ({ connect }) => {
  const { server } = createSealed({}, 7 as never)
  await using client = await connect(server, { onListRoots })

  await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603, local: false })
})

requirement('state:null:is-no-state', async ({ connect }) => {
  const { server, runs } = createSealed()
  await using client = await connect(server, { onListRoots })

  const asked = redeem(client, null)

  await expect(asked).rejects.toThrow(/allowInputRequired/)
  expect(runs).toEqual([undefined])
})

requirement('state:binding:argument-order', async ({ connect }) => {
  const { server } = createSealed()
  await using client = await connect(server, { onListRoots })

  const token = await tokenOf(client, { a: { c: 1, d: [2, { e: 3, f: 4 }] }, b: 5 })

  const same = { b: 5, a: { d: [2, { f: 4, e: 3 }], c: 1 } }
  await expect(redeem(client, token, 'tool', same)).resolves.toMatchObject({ resultType: 'complete' })
})

requirement('state:binding:salient-params-only', async ({ connect }) => {
  const { server } = createSealed()
  await using client = await connect(server, { onListRoots })

  const token = await tokenOf(client)
  const options = { requestState: token, meta: { 'com.example/other': 1 }, inputResponses: { a: onListRoots() } }

  expect(textOf(await client.session.callTool('tool', { x: 1 }, options))).toBe('the plain state')
})

requirement('fault:F099:refusals-cannot-be-told-apart', async ({ connect }) => {
  const { server, runs, refusals } = createSealed()
  await using client = await connect(server, { onListRoots })
  const foreign = createSealed({ audience: 'others' })
  await using stranger = await connect(foreign.server, { onListRoots })
  const unknownKey = createSealed({ keys: [OTHER_KEY] })
  await using unknown = await connect(unknownKey.server, { onListRoots })
  const token = await tokenOf(client)
  const foreignToken = await tokenOf(stranger)
  const unknownToken = await tokenOf(unknown)
  runs.length = 0

  const altered = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`
  const attempts = [
    () => redeem(client, altered),
    () => redeem(client, token.slice(0, 40)),
    () => redeem(client, `${token}A`),
    () => redeem(client, `v2${token.slice(2)}`),
    () => redeem(client, 'the plain state'),
    () => redeem(client, ''),
    () => redeem(client, 7),
    () => redeem(client, { toString: 'x' }),
    () => redeem(client, token, 'other tool'),
    () => redeem(client, token, 'tool', { x: 2 }),
    () => redeem(client, token, 'tool', {}),
    () => client.session.getPrompt('tool', {}, { requestState: token }),
    () => client.session.readResource('tool', { requestState: token }),
    () => redeem(client, foreignToken),
    () => redeem(client, unknownToken),
  ]
  const seen = await Promise.all(attempts.map((attempt) => refusalOf(attempt())))

  expect(seen).toEqual(attempts.map(() => REFUSAL))
  expect(runs).toEqual([])
  expect(new Set(refusals)).toEqual(
    new Set(['altered', 'malformed', 'target', 'arguments', 'method', 'audience', 'unknown-key']),
  )
  // The token itself was good all along.
  await expect(redeem(client, token)).resolves.toBeDefined()
})

requirement('fault:F099:expired', async ({ connect }) => {
  const { server, runs, refusals } = createSealed({ ttlMs: 5_000 })
  await using client = await connect(server, { onListRoots })
  stopTime()
  const token = await tokenOf(client)

  vi.setSystemTime(Date.now() + 4_999)
  await expect(redeem(client, token)).resolves.toBeDefined()
  vi.setSystemTime(Date.now() + 1)

  expect(await refusalOf(redeem(client, token))).toEqual(REFUSAL)
  expect(runs).toEqual([undefined, 'the plain state'])
  expect(refusals).toEqual(['expired'])
})

requirement('state:clock:may-be-a-minute-ahead', async ({ connect }) => {
  const { server, refusals } = createSealed()
  await using client = await connect(server, { onListRoots })
  stopTime()
  const now = Date.now()
  vi.setSystemTime(now + 60_000)
  const slightlyAhead = await tokenOf(client)
  vi.setSystemTime(now + 60_001)
  const farAhead = await tokenOf(client)
  vi.setSystemTime(now)

  await expect(redeem(client, slightlyAhead)).resolves.toBeDefined()
  expect(await refusalOf(redeem(client, farAhead))).toEqual(REFUSAL)
  expect(refusals).toEqual(['issued-ahead'])
})

requirement('state:claims:not-a-number', async ({ connect }) => {
  const { server, runs } = createSealed()
  await using client = await connect(server, { onListRoots })
  const { encrypt, decrypt } = createCipher([KEY])
  const opened = await decrypt(await tokenOf(client))
  const claims = JSON.parse(opened.ok ? opened.text : '{}') as JSONObject
  runs.length = 0

  await expect(redeem(client, await encrypt(JSON.stringify(claims)))).resolves.toBeDefined()
  for (const time of [null, 'NaN', '9999999999999', [], {}]) {
    for (const member of ['issuedAt', 'expiresAt']) {
      const forged = await encrypt(JSON.stringify({ ...claims, [member]: time }))
      expect(await refusalOf(redeem(client, forged))).toEqual(REFUSAL)
    }
  }
  expect(runs).toHaveLength(1)
})

requirement('fault:F099:other-principal', async () => {
  const { server, runs, refusals } = createSealed()
  const options = { onListRoots }
  await using first = await Client.connect(memoryAs(server, ada), options)
  await using renewed = await Client.connect(memoryAs(server, { ...ada, scopes: ['more'], expiresAt: 9 }), options)
  await using other = await Client.connect(memoryAs(server, { ...ada, subject: 'eve' }), options)
  await using elsewhere = await Client.connect(memoryAs(server, { ...ada, issuer: 'https://evil.example' }), options)
  await using nobody = await Client.connect(memoryAs(server, undefined), options)
  const token = await tokenOf(first)
  const anonymous = await tokenOf(nobody)
  runs.length = 0

  await expect(redeem(renewed, token)).resolves.toBeDefined()
  await expect(redeem(nobody, anonymous)).resolves.toBeDefined()
  expect(runs).toHaveLength(2)
  // Both ways: neither may a stranger use a known caller's state, nor a known caller a stranger's.
  const attempts = [
    [other, token],
    [elsewhere, token],
    [nobody, token],
    [first, anonymous],
  ] as const
  for (const [client, stolen] of attempts) expect(await refusalOf(redeem(client, stolen))).toEqual(REFUSAL)
  expect(runs).toHaveLength(2)
  expect(refusals).toEqual(['principal', 'principal', 'principal', 'principal'])
})

requirement('state:principal:fails-closed', async ({ connect }) => {
  let isBroken = false
  const { server, runs, refusals } = createSealed({
    principalOf: () => {
      if (isBroken) throw new Error('the directory is down')
      return 'ada'
    },
  })
  await using client = await connect(server, { onListRoots })
  const token = await tokenOf(client)
  isBroken = true

  expect(await refusalOf(redeem(client, token))).toEqual(REFUSAL)
  expect(runs).toEqual([undefined])
  expect(refusals).toEqual(['principal-unknown'])
})

requirement('fault:F099:key-rotation', async ({ connect }) => {
  await using before = await connect(createSealed({ keys: [KEY] }).server, { onListRoots })
  await using during = await connect(createSealed({ keys: [OTHER_KEY, KEY] }).server, { onListRoots })
  await using after = await connect(createSealed({ keys: [OTHER_KEY] }).server, { onListRoots })

  const old = await tokenOf(before)
  const fresh = await tokenOf(during)

  await expect(redeem(during, old)).resolves.toBeDefined()
  await expect(redeem(after, fresh)).resolves.toBeDefined()
  expect(await refusalOf(redeem(after, old))).toEqual(REFUSAL)
  expect(await refusalOf(redeem(before, fresh))).toEqual(REFUSAL)
})

requirement('state:keys:random-without-any', async ({ connect }) => {
  const seal = () => createRequestStateSeal({ audience: 'tests' })
  const serverOf = () =>
    toolServer((ctx) => (ctx.requestState === undefined ? defers('s') : text(ctx.requestState)), {
      middleware: [requestStateBoundary(seal())],
    })
  await using one = await connect(serverOf())
  await using two = await connect(serverOf())

  expect(textOf(await one.callTool('tool'))).toBe('s')
  expect(await refusalOf(redeem(two, await tokenOf(one)))).toEqual(REFUSAL)
})

requirement('fault:F100:retried-twice-runs-once', async ({ connect }) => {
  const spent = new Set<string>()
  const both = createDeferred<void>()
  let asked = 0
  const { server, runs, refusals } = createSealed({
    redeem: async (id) => {
      asked += 1
      if (asked === 2) both.resolve()
      // Both retries are under way before either is decided.
      await both.promise
      return spent.size < spent.add(id).size
    },
  })
  await using client = await connect(server, { onListRoots })
  const token = await tokenOf(client)

  const outcomes = await Promise.allSettled([redeem(client, token), redeem(client, token)])

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(runs).toEqual([undefined, 'the plain state'])
  expect(refusals).toEqual(['redeemed'])
  expect(await refusalOf(redeem(client, token))).toEqual(REFUSAL)
})

requirement('state:refusal:listener-cannot-change-it', async ({ connect }) => {
  const { server } = createSealed({
    onRefused: () => {
      throw new Error('the log is full')
    },
  })
  await using client = await connect(server, { onListRoots })

  expect(await refusalOf(redeem(client, 'x'))).toEqual(REFUSAL)
})

requirement('state:middleware:leaves-others-alone', async ({ connect }) => {
  const seen: unknown[] = []
  const seal = createRequestStateSeal({ keys: [KEY], audience: 'tests' })
  const server = toolServer(() => text(''), {
    middleware: [requestStateBoundary(seal)],
    handlers: {},
  })
  server.setRequestHandler('com.example/do', (_ctx, params) => {
    seen.push(params['requestState'])
    return { requestState: 'mine' }
  })
  await using client = await connect(server)

  const result = await client.session.sendRequest('com.example/do', { requestState: 'own' })

  expect(seen).toEqual(['own'])
  expect(result).toMatchObject({ requestState: 'mine' })
})
