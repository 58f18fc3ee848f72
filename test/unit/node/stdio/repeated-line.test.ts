// A long line that is written again and again goes out whole, as one piece where that is safe.
import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineWriter, RepeatedLine } from '../../../../src/node/stdio/line-writer.ts'

const encoder = new TextEncoder()
const bodies = ['a', 'b'].map((letter) => encoder.encode(`${letter.repeat(20_000)}}\n`))
const headOf = (id: number) => `{"id":${id},`

/** Takes bytes when told to, and until then looks at them where they lie, as a pipe of the system does. */
class SlowPipe extends EventEmitter {
  readonly writable = true
  readonly writableNeedDrain = false
  readonly errored = null
  readonly isLast: boolean
  readonly #waiting: Uint8Array[] = []
  taken = ''
  pieces = 0

  constructor(isLast = true) {
    super()
    this.isLast = isLast
  }

  get writableLength(): number {
    return this.#waiting.reduce((sum, { length }) => sum + length, 0)
  }

  write(chunk: string | Uint8Array): boolean {
    this.pieces += 1
    this.#waiting.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
    return true
  }

  takeAll(): void {
    for (const bytes of this.#waiting.splice(0)) this.taken += Buffer.from(bytes).toString()
  }

  cork(): void {}
  uncork(): void {}
  end(done: () => void): void {
    done()
  }
}

function writeTo(pipe: SlowPipe) {
  const writer = new LineWriter(pipe)
  return (id: number, body: Uint8Array = bodies[0] as Uint8Array) =>
    void writer.writePieces({ head: headOf(id), isHeadASCII: true, body })
}

describe('a repeated line', () => {
  it('is one piece from its second time on', () => {
    const pipe = new SlowPipe()
    const write = writeTo(pipe)
    const pieces = [1, 22, 333].map((id) => {
      pipe.pieces = 0
      write(id)
      pipe.takeAll()
      return pipe.pieces
    })
    expect(pieces).toEqual([2, 1, 1])
    expect(pipe.taken).toBe([1, 22, 333].map((id) => headOf(id) + Buffer.from(bodies[0] as Uint8Array)).join(''))
  })

  it('F037 is not changed while the pipe still writes it, with other writes in between', () => {
    const step = fc.record({ take: fc.boolean(), body: fc.constantFrom(0, 0, 0, 1), text: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const pipe = new SlowPipe()
        const writer = new LineWriter(pipe)
        let expected = ''
        for (const [id, { take, body, text }] of steps.entries()) {
          const bytes = bodies[body] as Uint8Array
          if (text) void writer.write(`${'t'.repeat(70_000)}${id}\n`)
          else void writer.writePieces({ head: headOf(id), isHeadASCII: true, body: bytes })
          expected += text ? `${'t'.repeat(70_000)}${id}\n` : headOf(id) + Buffer.from(bytes)
          if (take) pipe.takeAll()
        }
        pipe.takeAll()
        expect(pipe.taken === expected).toBe(true)
      }),
    )
  })

  it('is two pieces for a stream that hands on what it gets', () => {
    const pipe = new SlowPipe(false)
    const write = writeTo(pipe)
    for (const id of [1, 2, 3]) {
      write(id)
      pipe.takeAll()
    }
    expect(pipe.pieces).toBe(6)
  })

  it('is not copied where lines alternate, or are very long, or their heads are', () => {
    const line = new RepeatedLine()
    const [a = new Uint8Array(), b = new Uint8Array()] = bodies
    expect([a, b, a, b].map((body) => line.with('{', body))).toEqual([undefined, undefined, undefined, undefined])
    const long = new Uint8Array(5 * 1024 * 1024)
    expect([long, long].map((body) => line.with('{', body))).toEqual([undefined, undefined])
    expect([a, a].map((body) => line.with('x'.repeat(65), body))).toEqual([undefined, undefined])
  })

  it('reaches a client whole, one after the other and many at once', async () => {
    const program = fileURLToPath(new URL('../../../../bench/stdio/list-server.js', import.meta.url))
    const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface(server.stdout)[Symbol.asyncIterator]()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const ask = (id: number) =>
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta } })}\n`)
    const next = async () =>
      JSON.parse((await lines.next()).value as string) as { id: number; result: { tools: object[] } }
    const seen: number[] = []
    const take = async () => {
      const { id, result } = await next()
      expect(result.tools).toHaveLength(1_001)
      seen.push(id)
    }
    for (const id of [1, 22, 333]) {
      ask(id)
      await take()
    }
    const burst = [4, 55, 666, 7777, 8]
    for (const id of burst) ask(id)
    for (const _ of burst) await take()
    ask(9)
    await take()
    expect(seen).toEqual([1, 22, 333, ...burst, 9])
    server.stdin.end()
    await new Promise((resolve) => server.once('exit', resolve))
  })
})
