// Which resource a token is for, and which URLs that covers.
import { describe, expect, it } from 'vitest'
import { canonicalName, canonicalResource, coversResource, isAudienceAccepted } from '../../../src/auth/resource-url.ts'

describe('resource identifiers', () => {
  it.each([
    ['https://MCP.Example.com:443/', 'https://mcp.example.com'],
    ['https://mcp.example.com/mcp?key=1#x', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com/mcp/', 'https://mcp.example.com/mcp/'],
  ])('C-AUTH-11 the canonical form of %s is %s', (url, canonical) => {
    expect(canonicalResource(new URL(url))).toBe(canonical)
  })

  it.each([
    ['https://a/api', 'https://a/api', true],
    ['https://a/api/', 'https://a/api', true],
    ['https://A:443/api', 'https://a/api/v1', true],
    ['https://a', 'https://a/api', true],
    ['https://a/api', 'https://a/api-evil', false],
    ['https://a/api/v1', 'https://a/api', false],
    ['https://a/API', 'https://a/api', false],
    ['https://a:444/api', 'https://a/api', false],
    ['http://a/api', 'https://a/api', false],
    ['https://a.evil/api', 'https://a/api', false],
    ['https://user@a/api', 'https://a/api', false],
    ['https://a/api#x', 'https://a/api', false],
    ['https://a/api?x=1', 'https://a/api', false],
    ['https://a/x/../api', 'https://a/api', true],
    ['rubbish', 'https://a/api', false],
  ])('R38 %s covers %s: %s', (resource, url, covers) => {
    expect(coversResource(resource, new URL(url))).toBe(covers)
  })
})

describe('R38 the name of a resource', () => {
  it.each([
    ['https://a.example/mcp', 'https://a.example/mcp'],
    ['HTTPS://A.Example/mcp', 'https://a.example/mcp'],
    ['https://a.example:443/mcp', 'https://a.example/mcp'],
    ['http://127.0.0.1:80/mcp', 'http://127.0.0.1/mcp'],
    ['https://a.example/', 'https://a.example'],
    ['https://a.example', 'https://a.example'],
  ])('%s is that of %s', (name, same) => {
    expect(isAudienceAccepted(name, [canonicalName(same)])).toBe(true)
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
    // All of these are parsed to the same host.
    ['https://a%2Eexample/mcp', 'https://a.example/mcp'],
    ['https://%61.example/mcp', 'https://a.example/mcp'],
    ['https://ａ.example/mcp', 'https://a.example/mcp'],
    ['https://a。example/mcp', 'https://a.example/mcp'],
    ['https://a.ex\u00ADample/mcp', 'https://a.example/mcp'],
    ['https://a.exa\tmple/mcp', 'https://a.example/mcp'],
    ['https://\u212A.example/mcp', 'https://k.example/mcp'],
    ['https://@a.example/mcp', 'https://a.example/mcp'],
    ['https://:@a.example/mcp', 'https://a.example/mcp'],
    ['https://a.example:0443/mcp', 'https://a.example/mcp'],
    ['https://a.example:/mcp', 'https://a.example/mcp'],
    ['http://a.example:080/mcp', 'http://a.example/mcp'],
    ['http://0x7f.1/mcp', 'http://127.0.0.1/mcp'],
    ['http://127.1/mcp', 'http://127.0.0.1/mcp'],
    ['http://[0::1]/mcp', 'http://[::1]/mcp'],
    ['https:///a.example/mcp', 'https://a.example/mcp'],
    ['https:\\\\a.example/mcp', 'https://a.example/mcp'],
    ['notes', 'https://a.example/mcp'],
    ['', 'https://a.example/mcp'],
    ['Notes', 'notes'],
  ])('%j is not that of %s', (name, other) => {
    expect(isAudienceAccepted(name, [canonicalName(other)])).toBe(false)
  })
})
