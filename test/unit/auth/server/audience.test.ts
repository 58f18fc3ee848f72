import { describe, expect, it } from 'vitest'
import { canonicalName, namesOneOf } from '../../../../src/auth/server/audience.ts'

describe('R38 the name of a resource', () => {
  it.each([
    ['https://a.example/mcp', 'https://a.example/mcp'],
    ['HTTPS://A.Example/mcp', 'https://a.example/mcp'],
    ['https://a.example:443/mcp', 'https://a.example/mcp'],
    ['http://127.0.0.1:80/mcp', 'http://127.0.0.1/mcp'],
    ['https://a.example/', 'https://a.example'],
    ['https://a.example', 'https://a.example'],
  ])('%s is that of %s', (name, same) => {
    expect(namesOneOf(name, [canonicalName(same)])).toBe(true)
  })

  it.each([
    ['https://a.example/mcp-evil', 'https://a.example/mcp'],
    ['https://a.example/mcp/', 'https://a.example/mcp'],
    ['https://a.example/MCP', 'https://a.example/mcp'],
    ['https://a.example/mcp/x', 'https://a.example/mcp'],
    ['https://a.example', 'https://a.example/mcp'],
    ['https://a.example:8443/mcp', 'https://a.example/mcp'],
    ['http://a.example/mcp', 'https://a.example/mcp'],
    ['https://a.example.evil/mcp', 'https://a.example/mcp'],
    ['https://evil@a.example/mcp', 'https://a.example/mcp'],
    ['https://a.example/mcp?x=1', 'https://a.example/mcp'],
    ['https://a.example/mcp#x', 'https://a.example/mcp'],
    ['https://a.example/mcp#', 'https://a.example/mcp'],
    ['https://a.example/x/../mcp', 'https://a.example/mcp'],
    ['https://a.example/%6dcp', 'https://a.example/mcp'],
    ['https://a.example\\mcp', 'https://a.example/mcp'],
    [' https://a.example/mcp', 'https://a.example/mcp'],
    ['https://a.example/mcp\n', 'https://a.example/mcp'],
    ['https:a.example/mcp', 'https://a.example/mcp'],
    ['notes', 'https://a.example/mcp'],
    ['', 'https://a.example/mcp'],
    ['Notes', 'notes'],
  ])('%j is not that of %s', (name, other) => {
    expect(namesOneOf(name, [canonicalName(other)])).toBe(false)
  })
})
