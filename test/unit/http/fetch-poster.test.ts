import { describe, expect, it, vi } from 'vitest'
import { createFetchPoster } from '../../../src/http/fetch-poster.ts'
import { TransportError } from '../../../src/types/errors/failures.ts'

const get = (url: string, signal?: AbortSignal) => ({
  method: 'GET' as const,
  url,
  headers: {},
  ...(signal && { signal }),
})

describe('a fetch that misbehaves', () => {
  const misbehaving = (fetch: unknown) => createFetchPoster(fetch as typeof globalThis.fetch)

  it('F161 one that throws synchronously is a TransportError with the cause', async () => {
    const cause = new Error('boom')
    const poster = misbehaving(() => {
      throw cause
    })
    await expect(poster(get('http://localhost/'))).rejects.toMatchObject({ cause })
    await expect(poster(get('http://localhost/'))).rejects.toBeInstanceOf(TransportError)
  })

  it('F161 one that resolves to no response is a TransportError', async () => {
    for (const value of [undefined, null, 'text', {}]) {
      await expect(misbehaving(async () => value)(get('http://localhost/'))).rejects.toBeInstanceOf(TransportError)
    }
  })

  it('F161 one without a body has an empty text', async () => {
    const poster = misbehaving(async () => new Response(null, { status: 202 }))
    const response = await poster(get('http://localhost/'))
    expect([response.status, response.url, await response.text(10)]).toEqual([202, 'http://localhost/', ''])
  })

  it('F161 one whose body is no web stream is a TransportError', async () => {
    const poster = misbehaving(async () => ({ status: 200, headers: new Headers(), body: { pipe() {} } }))
    const response = await poster(get('http://localhost/'))
    await expect(response.text(10)).rejects.toBeInstanceOf(TransportError)
    response.cancel()
  })

  it('F161 one that ignores the signal: the caller is settled, and a late response is given up', async () => {
    const controller = new AbortController()
    const cancelled = vi.fn()
    let answer: (response: Response) => void = () => {}
    const poster = misbehaving(() => new Promise((resolve) => (answer = resolve)))
    const reason = new Error('enough')
    const sending = poster(get('http://localhost/', controller.signal))
    controller.abort(reason)
    await expect(sending).rejects.toBe(reason)
    answer(new Response(new ReadableStream({ cancel: cancelled })))
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled())
  })

  it('F161 one that ignores the signal while its body is read: the reader is settled', async () => {
    const controller = new AbortController()
    const cancelled = vi.fn()
    const poster = misbehaving(async () => new Response(new ReadableStream({ cancel: cancelled })))
    const response = await poster(get('http://localhost/', controller.signal))
    const reason = new Error('enough')
    const reading = response.text(10)
    controller.abort(reason)
    await expect(reading).rejects.toBe(reason)
    expect(cancelled).toHaveBeenCalled()
  })

  it('F155 a redirect that the runtime hides is a TransportError', async () => {
    const hidden = { type: 'opaqueredirect', status: 0, headers: new Headers(), body: null }
    await expect(misbehaving(async () => hidden)(get('http://localhost/'))).rejects.toThrow('redirect')
  })

  it('F155 one that follows redirects itself: the response of another origin is not used', async () => {
    const cancelled = vi.fn()
    const elsewhere = Object.defineProperty(new Response(new ReadableStream({ cancel: cancelled })), 'url', {
      value: 'http://evil.example/',
    })
    await expect(misbehaving(async () => elsewhere)(get('http://localhost/'))).rejects.toThrow('another origin')
    expect(cancelled).toHaveBeenCalled()
  })

  it('F161 one whose body was read before is a TransportError', async () => {
    const used = new Response('x')
    used.body?.getReader()
    const response = await misbehaving(async () => used)(get('http://localhost/'))
    await expect(response.text(10)).rejects.toBeInstanceOf(TransportError)
    response.cancel()
  })

  it('asks for redirects to be left alone', async () => {
    const fetch = vi.fn(async () => new Response('ok'))
    await misbehaving(fetch)(get('http://localhost/'))
    expect(fetch).toHaveBeenCalledWith('http://localhost/', expect.objectContaining({ redirect: 'manual' }))
  })
})
