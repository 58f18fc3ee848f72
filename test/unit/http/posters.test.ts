import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFetchPoster } from '../../../src/http/fetch-poster.ts'
import { Canceller, type Poster } from '../../../src/http/poster.ts'
import { createNodePoster } from '../../../src/node/http/poster.ts'
import { LimitError, TransportError } from '../../../src/types/errors/failures.ts'
import { bodyOf, serveLocally, serveRaw } from './local-server.ts'

const makers = { node: createNodePoster, fetch: createFetchPoster }

function create(kind: keyof typeof makers): Poster {
  const poster = makers[kind]()
  onTestFinished(() => poster.close?.())
  return poster
}

const get = (url: string, signal?: AbortSignal) => ({
  method: 'GET' as const,
  url,
  headers: {},
  ...(signal && { signal }),
})
const post = (url: string, body: string, headers = {}) => ({ method: 'POST' as const, url, headers, body })

describe.each(['node', 'fetch'] as const)('the %s poster', (kind) => {
  it('C-HTTP-15 sends method, path, query, headers and body, and gives status, headers and text', async () => {
    const server = await serveLocally(async (request, response) => {
      const { method, url, headers } = request
      const seen = {
        method,
        url,
        type: headers['content-type'],
        custom: headers['x-custom'],
        length: headers['content-length'],
      }
      response.writeHead(418, { 'content-type': 'application/json', 'X-Answer': 'yes' })
      response.end(JSON.stringify({ ...seen, body: await bodyOf(request) }))
    })
    const headers = { 'content-type': 'application/json', 'x-custom': 'a' }
    const url = `${server.origin}/a%20b?c=d`
    const response = await create(kind)(post(url, '{"ä":"€"}', headers))
    expect([response.status, response.url, response.header('x-answer'), response.header('x-none')]).toEqual([
      418,
      url,
      'yes',
      undefined,
    ])
    expect(JSON.parse(await response.text(1_000))).toEqual({
      method: 'POST',
      url: '/a%20b?c=d',
      type: 'application/json',
      custom: 'a',
      length: '12',
      body: '{"ä":"€"}',
    })
  })

  it('decodes characters that are split over chunks, and drops a BOM', async () => {
    const server = await serveLocally(async (_request, response) => {
      const bytes = Buffer.from('\ufeff{"a":"€"}')
      response.write(bytes.subarray(0, 10))
      await new Promise((resolve) => setImmediate(resolve))
      response.end(bytes.subarray(10))
    })
    const response = await create(kind)(get(server.origin))
    expect(await response.text(100)).toBe('{"a":"€"}')
  })

  it('gives the body as it arrives', async () => {
    const server = await serveLocally(async (request, response) => {
      response.write('one')
      request.on('close', () => {})
      response.on('close', () => {})
      await new Promise<void>((resolve) => response.once('drain', resolve).write('', () => resolve()))
    })
    const response = await create(kind)(get(server.origin))
    for await (const chunk of response.chunks()) {
      expect(new TextDecoder().decode(chunk)).toBe('one')
      break
    }
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('has an empty text and no chunks where there is no body', async () => {
    const server = await serveLocally((_request, response) => response.writeHead(204).end())
    const poster = create(kind)
    expect(await (await poster(get(server.origin))).text(10)).toBe('')
    for await (const _ of (await poster(get(server.origin))).chunks()) expect.unreachable()
  })

  it('a body over the limit rejects with LimitError and frees the connection', async () => {
    const server = await serveLocally((_request, response) => {
      const flood = () => response.write('x'.repeat(10_000), (error) => error || flood())
      flood()
    })
    const response = await create(kind)(get(server.origin))
    await expect(response.text(50_000)).rejects.toMatchObject({ limit: 'response bytes', max: 50_000 })
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('F156 a gzip bomb runs into the limit on decoded bytes', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const server = await serveLocally((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    const response = await create(kind)(get(server.origin))
    await expect(response.text(100_000)).rejects.toBeInstanceOf(LimitError)
  })

  it('F156 a body that is not what its encoding says is a TransportError', async () => {
    const server = await serveLocally((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all')
    })
    const reading = create(kind)(get(server.origin)).then((response) => response.text(100_000))
    await expect(reading).rejects.toBeInstanceOf(TransportError)
  })

  it('follows no redirect', async () => {
    const server = await serveLocally((_request, response) => response.writeHead(307, { location: '/other' }).end())
    const response = await create(kind)(get(server.origin))
    expect([response.status, response.header('location')]).toEqual([307, '/other'])
    response.cancel()
  })

  it('F157 a refused connection is a TransportError that says what to do', async () => {
    const server = await serveLocally(() => {})
    await server.close()
    const failure = await create(kind)(get(`${server.origin}/path?secret=1`)).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportError)
    expect(failure).toMatchObject({
      message: expect.stringContaining('check that the server is running'),
      cause: expect.anything(),
    })
    expect(String(failure)).not.toContain('secret')
  })

  it('F157 a name that does not exist is a TransportError', async () => {
    const failure = await create(kind)(get('http://nowhere.invalid/')).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportError)
  })

  it('F157 TLS spoken to a plain server is a TransportError', async () => {
    const server = await serveLocally(() => {})
    const failure = create(kind)(get(server.origin.replace('http:', 'https:')))
    await expect(failure).rejects.toBeInstanceOf(TransportError)
  })

  it('F157 a connection that is cut before, within and after the head is a TransportError', async () => {
    const heads = ['', 'HTTP/1.1 200 OK\r\nContent-', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf']
    const server = await serveRaw((socket) => {
      const head = heads.shift() ?? ''
      socket.once('data', () => socket.end(head))
    })
    const poster = create(kind)
    for (let i = 0; i < 3; i++) {
      const failure = await poster(post(server.origin, '{}'))
        .then((response) => response.text(100))
        .catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(TransportError)
    }
  })

  it('F143 a stream that is cut ends its chunks with a TransportError', async () => {
    const server = await serveRaw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n', () => socket.destroy())
      })
    })
    const response = await create(kind)(get(server.origin))
    const reading = (async () => {
      for await (const _ of response.chunks());
    })()
    await expect(reading).rejects.toBeInstanceOf(TransportError)
  })

  it('F157 an answer that is no HTTP is a TransportError', async () => {
    const server = await serveRaw((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
    await expect(create(kind)(get(server.origin))).rejects.toBeInstanceOf(TransportError)
  })

  it('F163 a response with headers without end is a TransportError', async () => {
    const server = await serveRaw((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nMcp-Session-Id: ${'x'.repeat(200_000)}\r\n\r\n`)
      })
    })
    await expect(create(kind)(get(server.origin))).rejects.toBeInstanceOf(TransportError)
  })

  it('an upgrade that was not requested is a TransportError', async () => {
    const server = await serveRaw((socket) => {
      const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
      socket.once('data', () => socket.write(head))
    })
    await expect(create(kind)(get(server.origin))).rejects.toBeInstanceOf(TransportError)
  })

  it.each(['x\r\nx-evil: 1', '\u20ac'])(
    'a header value that HTTP does not allow is a TransportError: %j',
    async (value) => {
      const server = await serveLocally((_request, response) => response.end())
      const failure = create(kind)(post(server.origin, '{}', { 'x-a': value }))
      await expect(failure).rejects.toBeInstanceOf(TransportError)
      expect(server.connections).toBe(0)
    },
  )

  it.each(['no url', 'ftp://localhost/', 'http://user:pass@localhost/'])('%s is a TransportError', async (url) => {
    const failure = await create(kind)(get(url)).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportError)
    expect(String(failure)).not.toContain('pass@')
  })
})

describe.each(['node', 'fetch'] as const)('aborting the %s poster', (kind) => {
  const reason = new Error('enough')

  it('F162 before sending: rejects with the reason, and nothing is sent', async () => {
    const server = await serveLocally((_request, response) => response.end())
    await expect(create(kind)(get(server.origin, AbortSignal.abort(reason)))).rejects.toBe(reason)
    expect(server.connections).toBe(0)
  })

  it('F162 while the head is pending: rejects with the reason and frees the connection', async () => {
    const controller = new AbortController()
    const server = await serveLocally(() => controller.abort(reason))
    await expect(create(kind)(get(server.origin, controller.signal))).rejects.toBe(reason)
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('F162 while reading text or chunks: rejects with the reason and frees the connection', async () => {
    const server = await serveLocally((_request, response) => response.write('half'))
    const poster = create(kind)
    const read = {
      text: async (signal: AbortSignal) => (await poster(get(server.origin, signal))).text(100),
      chunks: async (signal: AbortSignal, onChunk: () => void) => {
        for await (const _ of (await poster(get(server.origin, signal))).chunks()) onChunk()
      },
    }
    for (const how of ['chunks', 'text'] as const) {
      const controller = new AbortController()
      const reading = read[how](controller.signal, () => controller.abort(reason))
      if (how === 'text') {
        await vi.waitFor(() => expect(server.underWay).toBe(1))
        setImmediate(() => controller.abort(reason))
      }
      await expect(reading).rejects.toBe(reason)
      await vi.waitFor(() => expect(server.underWay).toBe(0))
    }
  })

  it('F162 between head and body: the body rejects with the reason', async () => {
    const controller = new AbortController()
    const server = await serveLocally((_request, response) => response.write('half'))
    const response = await create(kind)(get(server.origin, controller.signal))
    controller.abort(reason)
    await expect(response.text(100)).rejects.toBe(reason)
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('F162 cancel frees the connection, also twice and after the end', async () => {
    const server = await serveLocally((request, response) => {
      response.write('half')
      if (request.url === '/whole') response.end()
    })
    const poster = create(kind)
    const response = await poster(get(server.origin))
    response.cancel()
    response.cancel()
    await vi.waitFor(() => expect(server.underWay).toBe(0))
    const whole = await poster(get(`${server.origin}/whole`))
    await whole.text(10)
    whole.cancel()
  })

  it('F162 leaves nothing on a signal that serves many requests', async () => {
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const server = await serveLocally((_request, response) => response.end('ok'))
    const poster = createNodePoster()
    onTestFinished(() => poster.close?.())
    for (let i = 0; i < 20; i++) {
      const response = await poster(get(server.origin, controller.signal))
      expect(await response.text(10)).toBe('ok')
    }
    await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(add.mock.calls.length))
  })

  it('F162 a canceller gives up before sending, before the head, while reading and between the two', async () => {
    const server = await serveLocally((request, response) => {
      if (request.url === '/silent') cancellers.at(-1)?.cancel(reason)
      else response.write('half')
    })
    const poster = create(kind)
    const cancellers: Canceller[] = []
    const send = (path: string, canceller = new Canceller()) => {
      cancellers.push(canceller)
      return { canceller, sending: poster({ ...get(`${server.origin}${path}`), canceller }) }
    }
    const early = new Canceller()
    early.cancel(reason)
    early.cancel(new Error('too late'))
    await expect(send('/', early).sending).rejects.toBe(reason)
    await expect(send('/silent').sending).rejects.toBe(reason)
    const reading = send('/')
    const text = (await reading.sending).text(100)
    reading.canceller.cancel(reason)
    await expect(text).rejects.toBe(reason)
    const between = send('/')
    const response = await between.sending
    between.canceller.cancel(reason)
    await expect(response.text(100)).rejects.toBe(reason)
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })
})
