// URLs as people type them, and the words that are none.
import { describe, expect, it } from 'vitest'
import { candidatesOf, readUrlWord } from '../../target/url-words.ts'

describe('a word that is a URL', () => {
  it.each([
    ['https://example.com/mcp', 'https://example.com/mcp'],
    ['HTTP://example.com', 'HTTP://example.com'],
    [':3000', 'http://localhost:3000'],
    [':3000/mcp', 'http://localhost:3000/mcp'],
    ['localhost', 'http://localhost'],
    ['localhost:3000/mcp', 'http://localhost:3000/mcp'],
    ['app.localhost:80', 'http://app.localhost:80'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:3000/mcp', 'http://[::1]:3000/mcp'],
    ['example.com', 'https://example.com'],
    ['example.com/mcp?x=1', 'https://example.com/mcp?x=1'],
    ['server:8080', 'https://server:8080'],
  ])('%s', (word, url) => {
    expect(readUrlWord(word)).toBe(url)
  })

  it.each([
    'mcp.json',
    'server.py',
    'README.md',
    'foo',
    './foo.com',
    '../a',
    '@name',
    '-x',
    'C:\\x',
    ':99999',
    'a b.com',
    '',
  ])('is not %j', (word) => {
    expect(readUrlWord(word)).toBeUndefined()
  })

  it.each(['http://', 'ftp://example.com', 'https://exa mple.com'])('fails as %j', (word) => {
    expect(() => readUrlWord(word)).toThrow(/URL/)
  })

  it('does not repeat the password of one that is wrong', () => {
    expect(() => readUrlWord('ftp://user:secret@host')).toThrow('ftp://***@host')
  })

  it('is tried with /mcp where it has no path', () => {
    expect(candidatesOf('http://localhost:3000')).toEqual(['http://localhost:3000', 'http://localhost:3000/mcp'])
    expect(candidatesOf('http://localhost:3000/x')).toEqual(['http://localhost:3000/x'])
  })
})
