import { describe, expect, it, vi } from 'vitest'
import { isSafeIcon, isSafeLink } from '../../../src/client/untrusted-links.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { resourceLink } from '../../../src/mcpserver/values/media.ts'
import { connect } from '../../../src/testing/connect.ts'

const HOSTILE = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  '\u0001javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,<script>alert(1)</script>',
  'data:image/svg+xml,<svg onload="alert(1)"/>',
  'ftp://example.com/icon.png',
  'ws://example.com/',
  'blob:https://example.com/1',
  'https://good.example@evil.example/icon.png',
  '//example.com/icon.png',
  'icon.png',
  '',
]

describe('icons and links of a server', () => {
  it.each(HOSTILE)('F207 %j is neither an icon to show nor a link to offer', (src) => {
    expect(isSafeIcon({ src })).toBe(false)
    expect(isSafeLink(src)).toBe(false)
  })

  it('C-ICON-01 F207 pictures over https or within the text are fine, unless they say that they are something else', () => {
    expect(isSafeIcon({ src: 'https://example.com/icon.png', mimeType: 'image/png' })).toBe(true)
    expect(isSafeIcon({ src: 'data:image/png;base64,AAAA' })).toBe(true)
    expect(isSafeIcon({ src: 'https://example.com/icon', mimeType: 'text/html' })).toBe(false)
    expect(isSafeIcon({ src: 'http://example.com/icon.png' })).toBe(false)
    expect(isSafeLink('https://example.com/docs?q=1')).toBe(true)
    expect(isSafeLink('http://localhost:3000/')).toBe(true)
  })

  it('F207 pictures of another origin than the server’s are not, where that matters', () => {
    const serverUrl = 'https://example.com/mcp'

    expect(isSafeIcon({ src: 'https://example.com/icon.png' }, { serverUrl })).toBe(true)
    expect(isSafeIcon({ src: 'https://example.com:8443/icon.png' }, { serverUrl })).toBe(false)
    expect(isSafeIcon({ src: 'https://tracker.example/icon.png' }, { serverUrl: new URL(serverUrl) })).toBe(false)
    expect(isSafeIcon({ src: 'data:image/webp;base64,AAAA' }, { serverUrl })).toBe(true)
  })

  it.each(['modern', 'legacy'] as const)(
    'C-ICON-01 C-ICON-02 F207 they are handed on as data and never fetched, %s',
    async (mode) => {
      const fetching = vi.spyOn(globalThis, 'fetch')
      const icons = HOSTILE.map((src) => ({ src }))
      const server = new MCPServer('s', { icons, websiteUrl: 'javascript:alert(1)' })
      server.tool('link', { icons }, () => resourceLink('file:///etc/passwd', { name: 'passwd' }))
      await using client = await connect(server, { mode })

      expect(client.serverInfo?.icons).toEqual(icons)
      expect((await client.listTools()).tools[0]?.icons).toEqual(icons)
      expect((await client.callTool('link')).content[0]).toMatchObject({ uri: 'file:///etc/passwd' })
      expect(fetching).not.toHaveBeenCalled()
      fetching.mockRestore()
    },
  )
})
