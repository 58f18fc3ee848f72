// Reading views from servers that may send anything.
import { describe, expect, it } from 'vitest'
import { readView } from '../../../../src/extensions/apps/host/read-view.ts'
import { VIEW_MIME_TYPE } from '../../../../src/types/extensions/apps.ts'
import type { ReadResourceResult } from '../../../../src/types/features/resources.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { DOCUMENT, toolOf } from './support.ts'

const uri = 'ui://weather/view'
const tool = toolOf('get_weather', { resourceUri: uri })

function sourceOf(...contents: JSONObject[]) {
  const read: string[] = []
  const readResource = async (asked: string) => {
    read.push(asked)
    return { contents } as unknown as ReadResourceResult
  }
  return { read, readResource }
}

const contents = (more: JSONObject = {}) => ({ uri, mimeType: VIEW_MIME_TYPE, text: DOCUMENT, ...more })

describe('readView', () => {
  it('apps A-11 reads the view from the server that owns the tool', async () => {
    const source = sourceOf(contents())
    expect(await readView(source, tool)).toEqual({ uri, html: DOCUMENT, csp: {}, permissions: {} })
    expect(source.read).toEqual([uri])
  })

  it('apps A-03 reads a blob as UTF-8', async () => {
    const blob = Buffer.from('<!doctype html><p>é').toString('base64')
    expect((await readView(sourceOf({ uri, mimeType: VIEW_MIME_TYPE, blob }), tool)).html).toBe('<!doctype html><p>é')
  })

  it('apps A-14, traps X-44 each member of the contents goes before that of the listing, and both count', async () => {
    const listed = {
      uri,
      name: 'view',
      _meta: { ui: { csp: { connectDomains: ['https://listed.example.com'] }, prefersBorder: true, domain: 'listed' } },
    }
    const given = { ui: { csp: { resourceDomains: ['https://cdn.example.com'] }, permissions: { camera: {} } } }
    expect(await readView(sourceOf(contents({ _meta: given })), tool, { listed })).toEqual({
      uri,
      html: DOCUMENT,
      csp: { resourceDomains: ['https://cdn.example.com'] },
      permissions: { camera: {} },
      prefersBorder: true,
      domain: 'listed',
    })
    expect((await readView(sourceOf(contents()), tool, { listed })).csp).toEqual({
      connectDomains: ['https://listed.example.com'],
    })
  })

  it('apps A-16 keeps only the usable part of what a hostile server declares', async () => {
    const ui = {
      csp: {
        connectDomains: ["'self'", 'https://a.example.com; script-src *', 'https://ok.example.com'],
        frameDomains: 'all',
        x: ['*'],
      },
      permissions: { camera: {}, usb: {}, microphone: 'yes' },
      domain: 7,
      prefersBorder: 'yes',
    }
    expect(await readView(sourceOf(contents({ _meta: { ui } })), tool)).toEqual({
      uri,
      html: DOCUMENT,
      csp: { connectDomains: ['https://ok.example.com'] },
      permissions: { camera: {} },
    })
    for (const broken of [null, 7, [], { csp: 7, permissions: [] }, { csp: null }]) {
      expect(await readView(sourceOf(contents({ _meta: { ui: broken } })), tool)).toMatchObject({
        csp: {},
        permissions: {},
      })
    }
  })

  it.each<[string, JSONObject[], RegExp]>([
    ['another MIME type', [contents({ mimeType: 'text/html' })], /has the MIME type "text\/html"/],
    ['no MIME type', [contents({ mimeType: undefined })], /has no MIME type/],
    ['no contents', [], /has 0 contents/],
    ['several contents', [contents(), contents()], /has 2 contents/],
    ['a piece of HTML', [contents({ text: '<div>hello</div>' })], /not an HTML document/],
    ['plain text', [contents({ text: 'hello <!doctype html>' })], /not an HTML document/],
    ['an endless comment', [contents({ text: '<!-- <!doctype html>' })], /not an HTML document/],
    ['nothing', [contents({ text: undefined })], /neither text nor a Base64 blob/],
    ['a blob that is no Base64', [contents({ text: undefined, blob: '%%%' })], /neither text nor a Base64 blob/],
    ['a blob that is no UTF-8', [contents({ text: undefined, blob: '//79' })], /not UTF-8/],
  ])('apps A-02 a hostile server that sends %s is refused', async (_what, given, message) => {
    const failure = readView(sourceOf(...given), tool)
    await expect(failure).rejects.toThrow(TypeError)
    await expect(failure).rejects.toThrow(message)
  })

  it('apps A-11 a view over the limit is refused, as text and as bytes', async () => {
    const big = `${DOCUMENT}${'é'.repeat(60)}`
    const options = { maxBytes: 100 }
    await expect(readView(sourceOf(contents({ text: big })), tool, options)).rejects.toMatchObject({
      limit: 'maxBytes',
      max: 100,
    })
    const blob = Buffer.from(big).toString('base64')
    await expect(readView(sourceOf(contents({ text: undefined, blob })), tool, options)).rejects.toMatchObject({
      limit: 'maxBytes',
    })
  })

  it('reads documents with a byte order mark, comments and an <html> tag', async () => {
    for (const text of ['\uFEFF<!DOCTYPE html>', '\n<!-- a --> <!-- b --><html lang="en">', '<!doctype html>']) {
      expect((await readView(sourceOf(contents({ text })), tool)).html).toBe(text)
    }
  })

  it('says that a tool has no view', async () => {
    await expect(readView(sourceOf(), toolOf('plain'))).rejects.toThrow('The tool "plain" has no view.')
  })
})
