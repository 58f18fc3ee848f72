// The parts of the stdio client that can be looked at without a process.
import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { taskkillCommand } from '../../../../src/node/process/process-group.ts'
import { checkProgram, mergeEnvironment, pickEnvironment } from '../../../../src/node/process/program.ts'
import { ByteTail } from '../../../../src/node/stdio/child-stderr.ts'
import { LineWriter } from '../../../../src/node/stdio/line-writer.ts'
import { PipeReader } from '../../../../src/node/stdio/pipe-reader.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'

describe('the environment', () => {
  it('F024 on Windows: twelve names', () => {
    const source = { PATH: 'p', APPDATA: 'a', SYSTEMROOT: 's', SECRET: 'canary', HOME: 'h' }
    expect(pickEnvironment(source, 'win32')).toEqual({ PATH: 'p', APPDATA: 'a', SYSTEMROOT: 's' })
  })

  it('F024 elsewhere: six names', () => {
    const source = { HOME: 'h', LOGNAME: 'l', PATH: 'p', SHELL: 's', TERM: 't', USER: 'u', SECRET: 'canary' }
    const { SECRET: _, ...allowed } = source
    expect(pickEnvironment(source, 'linux')).toEqual(allowed)
  })

  it('a variable that is passed replaces another spelling of itself on Windows, and only there', () => {
    expect(mergeEnvironment({ PATH: 'theirs', TEMP: 't' }, { Path: 'mine' }, 'win32')).toEqual({
      Path: 'mine',
      TEMP: 't',
    })
    expect(mergeEnvironment({ PATH: 'theirs' }, { Path: 'mine' }, 'linux')).toEqual({ PATH: 'theirs', Path: 'mine' })
  })

  it('names like __proto__ are names like any other', () => {
    const given = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
    expect(Object.entries(mergeEnvironment({}, given))).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })
})

describe('F025 Windows', () => {
  it('rejects line breaks, which cannot be quoted for cmd.exe', () => {
    const program = { command: 'npx', cwd: undefined }
    expect(() => checkProgram({ ...program, args: ['a\nb'] }, 'win32')).toThrow(TypeError)
    expect(() => checkProgram({ ...program, args: ['a & b', '%PATH%', '"', 'ü'] }, 'win32')).not.toThrow()
    expect(() => checkProgram({ ...program, args: ['a\nb'] }, 'linux')).not.toThrow()
  })

  it('ends a tree of processes with a program whose place is known', () => {
    expect(taskkillCommand(42, 'D:\\Win')).toEqual(['D:\\Win\\System32\\taskkill.exe', ['/pid', '42', '/T', '/F']])
    expect(taskkillCommand(42, undefined)[0]).toMatch(/^C:\\Windows\\/)
  })
})

describe('ByteTail', () => {
  it('keeps what a plain slice would, cut at a line', () => {
    const chunks = fc.array(fc.stringMatching(/^[a-c\n]{0,30}$/), { maxLength: 30 })
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 20 }), (texts, max) => {
        const tail = new ByteTail(max)
        for (const text of texts) tail.push(Buffer.from(text))
        const all = texts.join('')
        const kept = all.slice(-max)
        const lines = all.length > max ? kept.slice(kept.indexOf('\n') + 1) : kept
        expect(Buffer.from(tail.bytes()).toString()).toBe(lines === '' ? kept : lines)
      }),
      { seed: 20, numRuns: 300 },
    )
  })
})

/** A pipe that takes what it is told to take. */
function createPipe() {
  const written: string[] = []
  const taking: (() => void)[] = []
  const stream = new Writable({
    highWaterMark: 10,
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      written.push(chunk)
      taking.push(done)
    },
  })
  return { stream, written, take: () => taking.shift()?.() }
}

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve))

describe('LineWriter', () => {
  it('writes the lines of one turn in one go, in order', async () => {
    const pipe = createPipe()
    const writer = new LineWriter(pipe.stream)
    expect(writer.write('a\n')).toBeUndefined()
    await Promise.resolve()
    void writer.write('b\n')
    expect(pipe.written).toEqual([])
    await nextTick()
    expect(pipe.written).toEqual(['a\nb\n'])
  })

  it('writes a line in pieces between those that came before and after it', async () => {
    const stream = new PassThrough()
    const writer = new LineWriter(stream)
    void writer.write('before\n')
    expect(writer.hasRoom).toBe(true)
    void writer.writePieces({ head: 'head, ', body: new TextEncoder().encode('body\n') })
    void writer.write('after\n')
    await writer.end()
    expect(String(stream.read())).toBe('before\nhead, body\nafter\n')
    expect(writer.hasRoom).toBe(false)
  })

  it('makes those wait who write while the pipe is full', async () => {
    const pipe = createPipe()
    const writer = new LineWriter(pipe.stream)
    void writer.write('more than ten\n')
    await nextTick()
    const waiting = writer.write('b\n')
    expect(waiting).toBeInstanceOf(Promise)
    await nextTick()
    pipe.take()
    await nextTick()
    pipe.take()
    await waiting
  })

  it('F017 writes that wait when the pipe breaks are rejected with the reason, once that is known', async () => {
    const pipe = createPipe()
    const writer = new LineWriter(pipe.stream)
    void writer.write('more than ten\n')
    await nextTick()
    const waiting = writer.write('b\n')
    pipe.stream.destroy(new Error('EPIPE'))
    expect((await writer.broken).message).toBe('EPIPE')
    const later = writer.write('c\n')
    const reason = new Error('the process exited')
    writer.fail(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(later).rejects.toBe(reason)
    await expect(writer.write('d\n')).rejects.toBe(reason)
  })

  it('ends after what waits is written', async () => {
    const pipe = createPipe()
    const writer = new LineWriter(pipe.stream)
    void writer.write('last\n')
    const ended = writer.end()
    expect(pipe.written).toEqual(['last\n'])
    pipe.take()
    await ended
    expect(pipe.stream.writableFinished).toBe(true)
  })
})

describe('PipeReader', () => {
  it('pauses while a chunk is not handled, and ends after the last one', async () => {
    const stream = new PassThrough()
    const reader = new PipeReader(stream)
    const taken: string[] = []
    const gate = createDeferred()
    const ended = vi.fn()
    void reader.ended.then(ended)
    stream.write('one')
    reader.start((chunk) => {
      taken.push(String(chunk))
      return gate.promise
    })
    await vi.waitFor(() => expect(taken).toEqual(['one']))
    stream.end('two')
    stream.resume()
    await new Promise((resolve) => setImmediate(resolve))
    expect(taken).toEqual(['one'])
    expect(ended).not.toHaveBeenCalled()
    gate.resolve()
    await reader.ended
    expect(taken).toEqual(['one', 'two'])
  })

  it('F021 does not wait for ever for the rest of a pipe that someone holds open', async () => {
    const stream = new PassThrough()
    const reader = new PipeReader(stream)
    reader.start(() => undefined)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const rest = reader.readRest()
    vi.advanceTimersByTime(250)
    vi.useRealTimers()
    await rest
  })

  it('a chunk that is never taken does not hold back discard()', async () => {
    const stream = new PassThrough()
    const reader = new PipeReader(stream)
    stream.end('one')
    reader.start(() => new Promise(() => {}))
    await new Promise((resolve) => setImmediate(resolve))
    reader.discard()
    await reader.ended
  })
})
