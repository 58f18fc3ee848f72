// Which resource a token is for, and which URLs that covers.
import { describe, expect, it } from 'vitest'
import { canonicalResource, coversResource } from '../../../../src/auth/resource-url.ts'

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
