import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createNodePoster } from '../../../../src/node/http/poster.ts'
import { TransportError } from '../../../../src/types/errors/failures.ts'
import { bundleProgram } from '../../../support/bundle.ts'
import { startNode } from '../../../support/child.ts'
import { volume } from '../../../support/volume.ts'
import { serveLocally, serveRaw } from '../../http/local-server.ts'

const get = (url: string, signal?: AbortSignal) => ({
  method: 'GET' as const,
  url,
  headers: {},
  ...(signal && { signal }),
})
const post = (url: string, body: string) => ({ method: 'POST' as const, url, headers: {}, body })

describe('connections of the node poster', () => {
  const createNode = (options?: Parameters<typeof createNodePoster>[0]) => {
    const poster = createNodePoster(options)
    onTestFinished(() => poster.close?.())
    return poster
  }

  it('are used again, also after a response that was cancelled once it was complete', async () => {
    const server = await serveLocally((_request, response) => response.writeHead(202).end())
    const poster = createNode()
    for (let i = 0; i < 10; i++) {
      const response = await poster(post(server.origin, '{}'))
      if (i % 2 === 0) response.cancel()
      else await response.text(10)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(server.connections).toBe(1)
  })

  it('are closed by close(), those in use after their request', async () => {
    let answer: () => void = () => {}
    const server = await serveLocally((request, response) => {
      if (request.url === '/slow') answer = () => response.end('slow')
      else response.end('quick')
    })
    const poster = createNode()
    await (await poster(get(server.origin))).text(10)
    const slow = poster(get(`${server.origin}/slow`))
    const other = poster(get(`${server.origin}/quick`))
    await (await other).text(10)
    await vi.waitFor(() => expect(server.open.size).toBe(2))
    poster.close?.()
    await vi.waitFor(() => expect(server.open.size).toBe(1))
    answer()
    expect(await (await slow).text(10)).toBe('slow')
    await vi.waitFor(() => expect(server.open.size).toBe(0))
  })

  it('F166 are at most maxSockets; further requests wait and all are answered', async () => {
    const server = await serveLocally((_request, response) => void setImmediate(() => response.end('ok')))
    const poster = createNode({ maxSockets: 10 })
    const texts = await Promise.all(
      Array.from({ length: 300 }, async () => (await poster(post(server.origin, '{}'))).text(10)),
    )
    expect(texts.every((text) => text === 'ok')).toBe(true)
    expect(server.connections).toBeLessThanOrEqual(10)
  })

  it('F162 a queued request that is aborted is never sent', async () => {
    const controller = new AbortController()
    const seen: (string | undefined)[] = []
    let answer: () => void = () => {}
    const server = await serveLocally((request, response) => {
      seen.push(request.url)
      answer = () => response.end('ok')
    })
    const poster = createNode({ maxSockets: 1 })
    const first = poster(get(`${server.origin}/first`))
    const second = poster(get(`${server.origin}/second`, controller.signal))
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(second).rejects.toBe(reason)
    answer()
    expect(await (await first).text(10)).toBe('ok')
    const third = poster(get(`${server.origin}/third`))
    await vi.waitFor(() => expect(seen).toEqual(['/first', '/third']))
    answer()
    await (await third).text(10)
  })

  /** Answers the first request of a connection; what comes second on the same one finds it closed. */
  const serveOncePerConnection = (requests: string[]) =>
    serveRaw((socket) => {
      let count = 0
      socket.on('data', (data: Buffer) => {
        count += 1
        requests.push(data.toString().split(' ')[0] ?? '')
        if (count > 1) socket.resetAndDestroy()
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
    })

  it('F145 a GET that meets a stale connection is sent again, a POST is not', async () => {
    const requests: string[] = []
    const server = await serveOncePerConnection(requests)
    const poster = createNode()
    const text = async () => (await poster(get(server.origin))).text(10)
    expect(await text()).toBe('ok')
    expect(await text()).toBe('ok')
    expect(requests).toEqual(['GET', 'GET', 'GET'])
    await expect(poster(post(server.origin, '{}'))).rejects.toBeInstanceOf(TransportError)
    expect(requests).toEqual(['GET', 'GET', 'GET', 'POST'])
  })

  it('a connection that breaks between head and body rejects the text instead of leaving it waiting', async () => {
    const server = await serveRaw((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'))
    })
    const other = await serveLocally((_request, response) => response.end('ok'))
    const poster = createNode()
    const response = await poster(get(server.origin))
    for (const socket of server.open) socket.resetAndDestroy()
    await vi.waitFor(() => expect(server.open.size).toBe(0))
    // A round trip later the news has arrived.
    await (await poster(get(other.origin))).text(10)
    await expect(response.text(100)).rejects.toBeInstanceOf(TransportError)
  })

  it('a whole body can still be read after its connection is gone', async () => {
    const server = await serveLocally((_request, response) =>
      response.writeHead(200, { connection: 'close' }).end('whole'),
    )
    const poster = createNode()
    const response = await poster(get(server.origin))
    await vi.waitFor(() => expect(server.open.size).toBe(0))
    await (await poster(get(server.origin))).text(10)
    expect(await response.text(10)).toBe('whole')
  })

  it('F156 an encoding that is not known, and layers of encodings, are rejected', async () => {
    const encodings = ['zstd', 'gzip, gzip']
    const server = await serveLocally((_request, response) => {
      response.writeHead(200, { 'content-encoding': encodings.shift() }).end('x')
    })
    const poster = createNode()
    await expect((await poster(get(server.origin))).text(10)).rejects.toThrow('zstd')
    await expect((await poster(get(server.origin))).text(10)).rejects.toThrow('gzip, gzip')
  })

  it('F156 a compressed body that is cut off is a TransportError', async () => {
    const whole = gzipSync('hello '.repeat(1000))
    const server = await serveLocally((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole.subarray(0, whole.length - 12))
    })
    const response = await createNode()(get(server.origin))
    await expect(response.text(100_000)).rejects.toThrow('Content-Encoding')
  })

  it('decodes gzip, deflate and br, and asks for none of them', async () => {
    const compress: Record<string, (text: string) => Buffer> = {
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
    }
    const asked: unknown[] = []
    const server = await serveLocally((request, response) => {
      const encoding = (request.url ?? '').slice(1)
      asked.push(request.headers['accept-encoding'])
      response.writeHead(200, { 'content-encoding': encoding }).end(compress[encoding]?.('hello'))
    })
    const poster = createNode()
    for (const encoding of Object.keys(compress)) {
      expect(await (await poster(get(`${server.origin}/${encoding}`))).text(100)).toBe('hello')
    }
    expect(new Set(asked)).toEqual(new Set(['identity']))
  })

  it('F162 any number of aborts at every stage leave no connection', async () => {
    const server = await serveLocally((_request, response) => response.write('half'))
    const poster = createNode()
    const round = async (number: number) => {
      const controller = new AbortController()
      const sending = poster(get(server.origin, controller.signal))
      if (number % 3 === 0) controller.abort()
      const reading = sending.then((response) => {
        if (number % 3 === 1) controller.abort()
        else setImmediate(() => controller.abort())
        return response.text(100)
      })
      await expect(reading).rejects.toThrow('abort')
    }
    const rounds = volume(300, 10_000)
    for (let i = 0; i < rounds; i += 20) await Promise.all(Array.from({ length: 20 }, (_, n) => round(i + n)))
    await vi.waitFor(() => expect(server.open.size).toBe(0))
  })

  it('idle ones hold up no process', async () => {
    const server = await serveLocally((_request, response) => response.end('ok'))
    const program = `
      import { createNodePoster } from './src/node/http/poster.ts'
      const response = await createNodePoster()({ method: 'GET', url: ${JSON.stringify(server.origin)}, headers: {} })
      await response.text(10)
      // Fires only where something else keeps the process, and before the connection is given up.
      setTimeout(() => process.exit(1), 2_000).unref()`
    const child = startNode([await bundleProgram('idle-poster', program)])
    expect(await child.ended).toEqual([0, null])
    expect(server.connections).toBe(1)
  })
})

describe('addresses that are asked about', () => {
  const createNode = () => {
    const poster = createNodePoster()
    onTestFinished(() => poster.close?.())
    return poster
  }

  it.each(['127.0.0.1', 'localhost'])(
    '%s: a refused one is never connected to, also where a connection is kept',
    async (host) => {
      const server = await serveLocally((_request, response) => response.end('ok'))
      const url = `http://${host}:${server.port}/`
      const poster = createNode()
      expect(await (await poster(get(url))).text(10)).toBe('ok')
      const asked: string[] = []
      const refuse = (address: string) => {
        asked.push(address)
        return false
      }
      await expect(poster({ ...get(url), allowsAddress: refuse })).rejects.toThrow('is not allowed')
      expect(asked).toContain('127.0.0.1')
      expect(server.connections).toBe(1)
    },
  )

  it.each(['127.0.0.1', 'localhost'])('%s: an allowed one is connected to', async (host) => {
    const server = await serveLocally((_request, response) => response.end('ok'))
    const allowsAddress = (address: string) => address === '127.0.0.1'
    const response = await createNode()({ ...get(`http://${host}:${server.port}/`), allowsAddress })
    expect(await response.text(10)).toBe('ok')
    await vi.waitFor(() => expect(server.open.size).toBe(0))
  })

  it('a name that does not exist stays what it is', async () => {
    const failure = createNode()({ ...get('http://nowhere.invalid/'), allowsAddress: () => true })
    await expect(failure).rejects.toThrow('host name')
  })
})
