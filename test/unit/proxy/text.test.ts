// Results cross a proxy as the text that they came as, where nothing is rewritten.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_LIMITS } from '../../../src/dispatcher/decode.ts'
import { Client } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createGateway, createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { hide } from '../../../src/exports/transforms.ts'
import { StreamChannel } from '../../../src/node/stdio/stream-channel.ts'
import type { Server } from '../../../src/server/server.ts'
import { modernHeaders } from '../../support/modern-messages.ts'
import { META, RAW_INFO, type RawEra, VERSION_OF } from '../../support/raw-peers.ts'

type Transport = 'http' | 'stdio'

const PROGRAM = fileURLToPath(new URL('../../support/raw-answers.js', import.meta.url))
const RUNS = process.env['FULL_TESTS'] === '1' ? 200 : 20
const urls = new Map<RawEra, string>()
const open: (() => unknown)[] = []

beforeAll(async () => {
  const programs = (['legacy', 'modern'] as const).map((era) => {
    const child = spawn(process.execPath, [PROGRAM, 'http', era], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return { era, child, url: lines.next() }
  })
  for (const { era, url } of programs) urls.set(era, (await url).value as string)
  return () => {
    for (const { child } of programs) child.kill()
  }
})

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

function targetOf(era: RawEra, transport: Transport) {
  return transport === 'http' ? (urls.get(era) as string) : { command: process.execPath, args: [PROGRAM, 'stdio', era] }
}

/** Two ends of a pair of pipes, as stdio has them. */
function pipes(): [StreamChannel, { input: PassThrough; output: PassThrough }] {
  const [input, output] = [new PassThrough(), new PassThrough()]
  return [new StreamChannel(input, output as never), { input, output }]
}

interface Front {
  /** Resolves to the text of the whole answer. */
  call(params: Record<string, unknown>): Promise<string>
}

async function frontOf(server: Server, era: RawEra, transport: Transport): Promise<Front> {
  const meta =
    era === 'modern' ? { [META.version]: VERSION_OF.modern, [META.info]: RAW_INFO, [META.capabilities]: {} } : undefined
  let id = 0
  const requestOf = (method: string, params: Record<string, unknown>) => {
    id += 1
    return { jsonrpc: '2.0', id, method, params: meta === undefined ? params : { ...params, _meta: meta } }
  }
  const handshake = { protocolVersion: VERSION_OF.legacy, capabilities: {}, clientInfo: RAW_INFO }
  if (transport === 'stdio') {
    const [channel, { input, output }] = pipes()
    const lines = createInterface({ input: output })[Symbol.asyncIterator]()
    const served = await server.connect(channel)
    open.push(() => served.close())
    const send = async (method: string, params: Record<string, unknown>) => {
      input.write(`${JSON.stringify(requestOf(method, params))}\n`)
      return (await lines.next()).value as string
    }
    if (era === 'legacy') await send('initialize', handshake)
    return { call: (params) => send('tools/call', params) }
  }
  const serving = await serveHttp(server, { port: 0 })
  open.push(() => serving.close())
  let session: string | null = null
  const send = async (method: string, params: Record<string, unknown>) => {
    const headers =
      era === 'modern'
        ? modernHeaders({ method, params })
        : {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(session !== null && { 'mcp-session-id': session, 'mcp-protocol-version': VERSION_OF.legacy }),
          }
    const response = await fetch(serving.url, {
      method: 'POST',
      headers,
      body: JSON.stringify(requestOf(method, params)),
    })
    session ??= response.headers.get('mcp-session-id')
    const text = await response.text()
    return text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? text)
  }
  if (era === 'legacy') await send('initialize', handshake)
  return { call: (params) => send('tools/call', params) }
}

/** One proxy or several, each in front of the one before. */
async function proxies(era: RawEra, back: Transport, count: number, between: Transport, options: ProxyOptions = {}) {
  let proxy = createProxy(targetOf(era, back), { mode: era, ...options })
  const closing = [proxy]
  for (let n = 1; n < count; n++) {
    const { server } = proxy
    proxy = createProxy(await inFrontOf(server, between), { mode: era })
    closing.push(proxy)
  }
  open.push(() => Promise.all(closing.reverse().map((one) => one.close())))
  return proxy
}

async function inFrontOf(server: Server, transport: Transport) {
  if (transport === 'http') {
    const serving = await serveHttp(server, { port: 0 })
    open.push(() => serving.close())
    return serving.url
  }
  const connect = async () => {
    const [channel, { input, output }] = pipes()
    await server.connect(channel)
    return new StreamChannel(output, input as never, CLIENT_LIMITS)
  }
  return { kind: 'stdio', open: connect }
}

const number = fc.constantFrom(
  '1.0',
  '1e5',
  '1E+05',
  '-0',
  '-0.0',
  '0.10',
  '12345678901234567890',
  '-9007199254740993',
  '1e400',
  '3.141592653589793238462643383279',
)
const string = fc.constantFrom('""', '"\\u0041"', '"\\/"', '"é\\ud83d\\ude00😀"', '"\\ud800"', '"a\\nb\\\\"', '"{,}[]"')
const name = fc.constantFrom('"10"', '"9"', '"a"', '"\\u0061"', '"__proto__"', '""', '"é"', '"a b"')
const space = fc.constantFrom('', ' ', '  ', '\t')
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    string,
    fc.constantFrom('true', 'false', 'null'),
    tie('list'),
    tie('object'),
  ),
  list: fc.tuple(fc.array(tie('value'), { maxLength: 3 }), space).map(([all, gap]) => `[${gap}${all.join(`${gap},`)}]`),
  object: fc
    .tuple(fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }), space)
    .map(([all, gap]) => `{${gap}${all.map(([key, of]) => `${key}${gap}:${gap}${of}`).join(`,${gap}`)}${gap}}`),
}))

/** The text of a result that both eras take. */
const result = fc
  .tuple(fc.array(fc.tuple(name, value), { maxLength: 4 }), fc.array(value, { maxLength: 2 }), space, fc.boolean())
  .map(([more, contents, gap, isLast]) => {
    const own = ['"resultType":"complete"', `"content":${gap}[${contents.map((one) => `{"type":"x","x":${one}}`)}]`]
    const others = more.map(([key, of]) => `${key}:${gap}${of}`)
    return `{${gap}${(isLast ? [...others, ...own] : [...own, ...others]).join(`,${gap}`)}${gap}}`
  })

const textOfResult = (answer: string) => {
  const found = /^\{"jsonrpc":"2\.0","id":\d+,"result":(.*)\}$/su.exec(answer)
  if (found === null) throw new Error(`no answer: ${answer.slice(0, 500)}`)
  return found[1]
}
const callOf = (raw: string, more: object = {}) => ({ name: 'echo', arguments: { raw, ...more } })

const ERAS = ['legacy', 'modern'] as const
const WAYS = [
  ['http', 1, 'http'],
  ['stdio', 1, 'http'],
  ['http', 1, 'stdio'],
  ['stdio', 1, 'stdio'],
  ['http', 2, 'http'],
  ['stdio', 2, 'stdio'],
] as const

describe('compose K20 the text of results', () => {
  describe.each(ERAS)('%s', (era) => {
    it.each(WAYS)('compose X13 from %s, through %i, to %s: any JSON, byte for byte', async (back, count, front) => {
      const proxy = await proxies(era, back, count, front)
      const { call } = await frontOf(proxy.server, era, front)
      await fc.assert(
        fc.asyncProperty(result, async (raw) => {
          expect(textOfResult(await call(callOf(raw)))).toBe(raw)
        }),
        { numRuns: RUNS },
      )
    })

    it('long results, with members that are long and members of one name', async () => {
      const proxy = await proxies(era, 'http', 2, 'http')
      const { call } = await frontOf(proxy.server, era, 'http')
      for (const count of [2_000, 40_000]) {
        const long = `[${'9007199254740993,'.repeat(count / 10)}"${'é'.repeat(count)}",1.0]`
        const raw = `{"content":[],"structuredContent":{"a":${long}}, "10":${long},"9":1.0,"10":${long},"9":${long},"resultType":"complete"}`
        expect(textOfResult(await call(callOf(raw)))).toBe(raw)
      }
    })

    it('through a gateway and a mount', async () => {
      const raw =
        '{"structuredContent":{"big":12345678901234567890},"content":[],"n":1.0,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1.0"}}}'
      const gateway = createGateway({ up: targetOf(era, 'http') }, { mode: era })
      open.push(() => gateway.close())
      const parent = new MCPServer('parent')
      const mounted = createProxy(targetOf(era, 'http'), { mode: era, transforms: [hide(['other'])] })
      parent.mount(mounted, { as: 'up' })
      open.push(
        () => parent.close(),
        () => mounted.close(),
      )
      for (const server of [gateway.server, parent.server]) {
        const { call } = await frontOf(server, era, 'http')
        expect(textOfResult(await call({ ...callOf(raw), name: 'up_echo' }))).toBe(raw)
      }
    })
  })

  const RAW = '{"content":[{"type":"text","text":"secret"}],"resultType":"complete","n":1.0}'

  it('line breaks between values become spaces where messages are lines', async () => {
    const proxy = await proxies('modern', 'http', 1, 'http')
    const raw = RAW.replaceAll(',', ',\r\n')
    const { call } = await frontOf(proxy.server, 'modern', 'stdio')
    expect(textOfResult(await call(callOf(raw)))).toBe(raw.replaceAll('\r\n', '  '))
  })

  it('middleware and transforms of others may change a result in place, and then the text is that of the change', async () => {
    const change = (given: object) => {
      const { content } = given as { content: { text: string }[] }
      ;(content[0] as { text: string }).text = 'hidden'
    }
    const long = RAW.replace('secret', `secret${'x'.repeat(20_000)}`)
    for (const raw of [RAW, long]) {
      const used = await proxies('modern', 'http', 1, 'http')
      used.use(async (ctx, next) => {
        const given = await next()
        if (ctx.method === 'tools/call') change(given as object)
        return given
      })
      const transformed = await proxies('modern', 'http', 1, 'http', {
        transforms: [
          (source) => ({
            describe: (...args) => source.describe(...args),
            list: (...args) => source.list(...args),
            watch: (...args) => source.watch(...args),
            async handle(...args) {
              const given = await source.handle(...args)
              change(given)
              return given
            },
          }),
        ],
      })
      for (const { server } of [used, transformed]) {
        const { call } = await frontOf(server, 'modern', 'http')
        expect(await call(callOf(raw))).toContain('"text":"hidden"')
      }
    }
  })

  it('text that is no JSON, too deep or too large is refused as before', async () => {
    const proxy = await proxies('modern', 'http', 1, 'http')
    const { call } = await frontOf(proxy.server, 'modern', 'http')
    const pad = `"pad":"${'x'.repeat(20_000)}"`
    const broken = [
      '01',
      '1.',
      '.5',
      '+1',
      '"\t"',
      '"\\x"',
      '"\\u12g4"',
      '[1,]',
      '{"a":1,}',
      'nul',
      '[1 2]',
      '{1:2}',
      "'a'",
      '1}',
    ]
    for (const bad of broken) {
      for (const more of ['"a":1', pad]) {
        const answer = JSON.parse(await call(callOf(`{"content":[],"resultType":"complete",${more},"bad":${bad}}`)))
        expect(answer, bad).toMatchObject({ error: { code: -32603, data: { mcpwire: { id: 'G016' } } } })
      }
    }
    const deep = `${'['.repeat(70)}${']'.repeat(70)}`
    for (const more of ['"a":1', pad]) {
      const answer = JSON.parse(await call(callOf(`{"content":[],"resultType":"complete",${more},"bad":${deep}}`)))
      expect(answer).toMatchObject({ error: { code: -32603 } })
    }
    const many = JSON.parse(
      await call(callOf('{"content":[],"resultType":"complete","bad":[#1]}', { repeat: 1_100_000 })),
    )
    expect(many).toMatchObject({ error: { code: -32603 } })
  })
})

it('compose K20 in process, a client gets objects like any other', async () => {
  const proxy = await proxies('modern', 'http', 1, 'http')
  const client = await Client.connect(proxy)
  open.push(() => client.close())
  const text = 'x'.repeat(50_000)
  const raw = `{"content":[{"type":"text","text":"${text}"}],"resultType":"complete"}`
  const got = await client.callTool('echo', { raw })
  expect(got.content).toEqual([{ type: 'text', text }])
  expect(Object.getOwnPropertyDescriptor(got, 'content')).toMatchObject({ writable: true, enumerable: true })
})
