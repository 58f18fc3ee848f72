// Whatever JSON two peers say to each other, it crosses proxies as it is: params, results, errors and notifications, known or not.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/proxy/gateway.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import { META, RawClient, type RawEra, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import type { ScriptedServer } from '../../support/scripted-server.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const RUNS = process.env['FULL_TESTS'] === '1' ? 500 : 30
const NO_TOOLS = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

/** As on the wire: without what JSON cannot say, such as -0. */
const onWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Half of a surrogate pair is no text that JSON can carry as it is. */
const isWellFormed = (text: string) => !/[\uD800-\uDFFF]/u.test(text)

const oddKey = fc.oneof(
  fc.constantFrom('__proto__', '', 'constructor', 'toString', 'a.b', '1', 'é', '\u0000', '𝒳', 'hasOwnProperty'),
  fc.string({ unit: 'binary', maxLength: 6 }).filter(isWellFormed),
)
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1.5, -7, 1e21, 9007199254740991, '', '\u2028', '{"a":1}'),
  fc.string({ maxLength: 8 }).filter(isWellFormed),
)
/** Own members, whatever they are called. */
const jsonObject = fc
  .letrec<{ value: unknown; object: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
    object: fc.array(fc.tuple(oddKey, tie('value')), { maxLength: 4 }).map((entries) => {
      const texts = new Map(entries.map(([key, value]) => [key, JSON.stringify(value)]))
      return JSON.parse(`{${[...texts].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`) as unknown
    }),
  }))
  .object.map((value) => onWire(value) as RawMessage)

/** Members that the protocol gives a meaning to, which is another test's matter. */
const without = (object: RawMessage, ...names: string[]): RawMessage =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !names.includes(key)))

const ERAS = ['legacy', 'modern'] as const
const WAYS = ['proxy', 'two proxies', 'gateway'] as const

interface Ends {
  readonly server: ScriptedServer
  readonly client: RawClient
  readonly nameOf: (name: string) => string
}

async function connect(era: RawEra, way: (typeof WAYS)[number]): Promise<Ends> {
  const server = rawServer(era).on('tools/list', {
    ...NO_TOOLS,
    tools: [{ name: 'a', inputSchema: { type: 'object' } }],
  })
  const options = { mode: era, onFault: () => {} }
  const inner = createProxy(targetOf(server), options)
  const front =
    way === 'gateway'
      ? createGateway({ up: { target: targetOf(server) } }, { ...options, route: () => 'up' })
      : way === 'two proxies'
        ? createProxy(inner, options)
        : inner
  const client = await RawClient.open(front, era)
  open.push(inner, front, client)
  return { server, client, nameOf: (name) => (way === 'gateway' ? `up_${name}` : name) }
}

/** What the source got, less what each hop puts into `_meta`. */
function received(server: ScriptedServer, method: string): RawMessage {
  const params = server.received(method).at(-1)?.['params'] as RawMessage
  const meta = (params['_meta'] ?? {}) as RawMessage
  const hops = ['mcpwire/hops', 'mcpwire/via']
  const own = without(meta, META.version, META.info, META.capabilities, ...hops, 'progressToken')
  const rest = without(params, '_meta')
  return Object.keys(own).length === 0 ? rest : { ...rest, _meta: own }
}

describe.each(ERAS.flatMap((era) => WAYS.map((way) => [era, way] as const)))('%s, %s', (era, way) => {
  it('compose P01 compose P03 arguments and results of calls', async () => {
    const { server, client, nameOf } = await connect(era, way)
    await fc.assert(
      fc.asyncProperty(jsonObject, jsonObject, jsonObject, async (args, further, answer) => {
        const result = onWire({
          ...without(answer, '_meta', 'task', 'resultType'),
          resultType: 'complete',
          content: [],
        })
        server.on(
          'tools/call',
          way === 'gateway' && era === 'modern'
            ? { ...result, _meta: { [META.server]: { name: 's', version: '1' } } }
            : result,
        )
        const more = without(further, '_meta', 'name', 'arguments', 'task', 'inputResponses', 'requestState')
        const got = await client.result('tools/call', { ...more, name: nameOf('a'), arguments: args })
        expect(onWire(without(got, '_meta'))).toEqual(onWire(without(result, '_meta')))
        expect(received(server, 'tools/call')).toEqual(onWire({ ...more, name: 'a', arguments: args }))
      }),
      { numRuns: RUNS },
    )
  })

  it('compose P06 keys of _meta, both ways', async () => {
    const { server, client, nameOf } = await connect(era, way)
    await fc.assert(
      fc.asyncProperty(jsonObject, jsonObject, async (mine, theirs) => {
        const meta = without(mine, 'progressToken')
        const back = { ...theirs, [META.server]: { name: 's', version: '1' } }
        server.on('tools/call', { resultType: 'complete', content: [], _meta: back })
        const got = await client.result('tools/call', { name: nameOf('a'), _meta: meta })
        expect(onWire(got['_meta'])).toEqual(onWire(back))
        const sent = received(server, 'tools/call')['_meta'] ?? {}
        expect(sent).toEqual(onWire(meta))
      }),
      { numRuns: RUNS },
    )
  })

  it('compose P04 compose K18 errors, with members that nobody knows', async () => {
    const { server, client, nameOf } = await connect(era, way)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -31_999, max: 40_000 }),
        fc.string().filter(isWellFormed),
        jsonObject,
        jsonObject,
        async (code, message, data, more) => {
          const error = onWire({ ...without(more, 'code', 'message', 'data'), code, message, data })
          server.on('tools/call', { error } as never)
          expect(onWire(await client.error('tools/call', { name: nameOf('a') }))).toEqual(error)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('compose N12 compose K03 methods and notifications that nobody knows, both ways', async () => {
    const { server, client } = await connect(era, way)
    await client.result('tools/list')
    let count = 0
    await fc.assert(
      fc.asyncProperty(jsonObject, jsonObject, async (params, answer) => {
        count += 1
        const method = `vendor/m${count}`
        const result = without(answer, '_meta', 'task', 'error', 'taskId')
        server.on(method, () => {
          server.notify(`notifications/vendor${count}`, params)
          return { ...result, ...(era === 'modern' && { resultType: 'complete' }) }
        })
        const got = await client.result(method, without(params, '_meta', 'taskId', 'name', 'uri'))
        expect(without(onWire(got), '_meta', 'resultType')).toEqual(without(result, 'resultType'))
        expect(received(server, method)).toEqual(without(params, '_meta', 'taskId', 'name', 'uri'))
        expect(onWire(client.told(`notifications/vendor${count}`)[0]?.['params'])).toEqual(params)
      }),
      { numRuns: RUNS },
    )
  })
})
