import { describe, expect, it } from 'vitest'
import { holdsSecrets, maskEntry } from '../../install/formats/secrets.ts'

const SECRET = 'sk-live-0123456789abcdef'

describe('secrets of an entry', () => {
  it.each(['env', 'environment', 'envs', 'headers', 'http_headers'])(
    'F205 %s is masked, with its names left',
    (key) => {
      const entry = { command: 'x', [key]: { A: SECRET, B: { C: SECRET } } }
      expect(holdsSecrets([entry])).toBe(true)
      expect(maskEntry(entry)).toEqual({ command: 'x', [key]: { A: '***', B: '***' } })
    },
  )

  it.each([
    [{ args: ['-y', 'pkg', '--api-key', 'short'] }, { args: ['-y', 'pkg', '--api-key', '***'] }],
    [{ args: ['--token=short', '--level=3'] }, { args: ['--token=***', '--level=3'] }],
    [{ args: ['PASSWORD=x', SECRET] }, { args: ['PASSWORD=***', '***'] }],
    [{ args: ['https://u:p@x.example/a?b=c'] }, { args: ['https://***@x.example/a?***'] }],
    [{ command: ['npx', '--secret', 'x'] }, { command: ['npx', '--secret', '***'] }],
    [{ url: 'https://x.example/mcp?token=x' }, { url: 'https://x.example/mcp?***' }],
    [{ serverUrl: 'https://u@x.example/' }, { serverUrl: 'https://***@x.example/' }],
    [
      { url: 'https://x.example', apiKey: 'x' },
      { url: 'https://x.example', apiKey: '***' },
    ],
    [{ oauth: { clientSecret: 'x', clientId: 'y' } }, { oauth: { clientSecret: '***', clientId: '***' } }],
  ])('I6 %j is shown as %j', (entry, shown) => {
    expect(maskEntry(entry)).toEqual(shown)
    expect(holdsSecrets([{}, entry])).toBe(true)
  })

  it.each([
    { name: 'shop', description: '', cmd: '/usr/bin/node', args: ['server.js'], envs: {}, type: 'stdio', timeout: 300 },
    { command: 'node', args: ['/home/me/server.js', 'run', '--port=3000'], env: {}, cwd: '/home/me' },
    {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem@2026.8.31', '.'],
      disabled: false,
      timeout: 5,
    },
    { type: 'http', url: 'https://x.example/mcp', headers: {} },
  ])('%j holds none', (entry) => {
    expect(maskEntry(entry)).toEqual(entry)
    expect(holdsSecrets([entry])).toBe(false)
  })

  it('what is no entry is not shown', () => {
    expect([null, 'env', [1]].map(maskEntry)).toEqual(['***', '***', '***'])
    expect(holdsSecrets([null, 'env', [1]])).toBe(false)
  })
})
