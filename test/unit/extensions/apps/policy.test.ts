// The policy and the permissions of a view: nothing that a server says makes them looser than its domains do.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allowlistOf, allowOf, policyOf } from '../../../../src/extensions/apps/host/policy.ts'
import { findPolicyProblem, readDomain } from '../../../../src/extensions/apps/rules/domains.ts'
import type { ViewPolicy } from '../../../../src/types/extensions/apps.ts'

/** Directives by name, as a browser reads them. */
function parse(policy: string): Map<string, string[]> {
  const directives = new Map<string, string[]>()
  for (const text of policy.split(';')) {
    const [name = '', ...values] = text.trim().split(/\s+/)
    if (!directives.has(name)) directives.set(name, values)
  }
  return directives
}

const DEFAULTS = parse(policyOf())
const NAMES = [...DEFAULTS.keys()]

describe('allowlistOf', () => {
  it('has each declared domain once, as a pattern, and no peer connections', () => {
    const csp = {
      connectDomains: ['https://api.example.com', 'http://[::1]:3000', 'x" "*'],
      resourceDomains: ['https://*.cdn.example.com', 'https://api.example.com'],
    }
    expect(allowlistOf(csp)).toBe(
      '(response-origin "https://api.example.com/*" "http://[\\\\:\\\\:1]:3000/*" "https://*.cdn.example.com/*");redirects=allow;webrtc=block',
    )
    expect(allowlistOf()).toBe('(response-origin);redirects=allow;webrtc=block')
  })
})

describe('policyOf', () => {
  it('apps A-15 without a policy a view has inline code and data images, and reaches nothing', () => {
    expect(policyOf()).toBe(
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; media-src data:; " +
        "font-src 'none'; connect-src 'none'; frame-src 'none'; base-uri 'none'; object-src 'none'; worker-src 'none'; " +
        "form-action 'none'",
    )
    expect(policyOf({})).toBe(policyOf())
  })

  it('apps A-15 adds declared domains where they belong, and nothing else (AQ-1, AQ-2)', () => {
    const policy = parse(
      policyOf({
        connectDomains: ['https://api.example.com', 'wss://live.example.com:8443'],
        resourceDomains: ['https://*.cdn.example.com'],
        frameDomains: ['https://player.example.com'],
        baseUriDomains: ['https://base.example.com'],
      }),
    )
    expect(policy.get('connect-src')).toEqual(['https://api.example.com', 'wss://live.example.com:8443'])
    for (const name of ['script-src', 'style-src']) {
      expect(policy.get(name)).toEqual(["'unsafe-inline'", 'https://*.cdn.example.com'])
    }
    for (const name of ['img-src', 'media-src']) {
      expect(policy.get(name)).toEqual(['data:', 'https://*.cdn.example.com'])
    }
    expect(policy.get('font-src')).toEqual(['https://*.cdn.example.com'])
    expect(policy.get('frame-src')).toEqual(['https://player.example.com'])
    expect(policy.get('base-uri')).toEqual(['https://base.example.com'])
    expect(policy.get('default-src')).toEqual(["'none'"])
    expect(policy.get('object-src')).toEqual(["'none'"])
  })

  it.each([
    ['https://a.example.com; script-src *'],
    ['https://a.example.com,https://b.example.com'],
    ['https://a.example.com https://b.example.com'],
    ["'self'"],
    ["'unsafe-eval'"],
    ['*'],
    ['https:'],
    ['https://*'],
    ['https://*.com'],
    ['https://a.*.com'],
    ['https://a.example.com/path'],
    ['https://a.example.com/'],
    ['https://user@a.example.com'],
    ['https://a.example.com\r\nX-Header: 1'],
    ['https://a.example.com:0'],
    ['https://a.example.com:99999'],
    ['https://a.example.com:*'],
    ['http://a.example.com'],
    ['data:'],
    ['blob:'],
    ['javascript:alert(1)'],
    ['//a.example.com'],
    ['a.example.com'],
    ['https://ｅxample.com'],
    [`https://${'a'.repeat(300)}.com`],
    [''],
    [7],
    [null],
    [{ toString: () => 'https://a.example.com' }],
  ])('apps A-16 a domain that is none is not in a policy: %j', (domain) => {
    const csp = { connectDomains: [domain, 'https://ok.example.com'] } as unknown as ViewPolicy
    expect(parse(policyOf(csp)).get('connect-src')).toEqual(['https://ok.example.com'])
    expect(findPolicyProblem({ connectDomains: [domain] } as unknown as ViewPolicy)).toMatch(
      /^csp\.connectDomains has /,
    )
  })

  it('apps A-16 reads ports, wildcards, loopback and addresses', () => {
    for (const domain of [
      'https://a.b.example.com:444',
      'https://*.example.com',
      'http://localhost:3000',
      'https://[::1]:8080',
    ]) {
      expect(readDomain(domain, 'connectDomains')).toEqual({ domain })
    }
    expect(readDomain('HTTPS://API.Example.com', 'connectDomains')).toEqual({ domain: 'https://api.example.com' })
    expect(readDomain('wss://a.example.com', 'resourceDomains')).toHaveProperty('problem')
  })

  it('apps A-16, traps X-42 nothing that a server says adds a directive or loosens one', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "'self'",
        '*',
        ';',
        ' ',
        ',',
        "'unsafe-eval'",
        'https://',
        'a.example.com',
        'script-src',
        '\n',
        '\r',
        '/',
        ':',
        '*.',
      ),
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
    )
    const domain = fc.oneof(
      fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
      fc.anything(),
    )
    const list = fc.oneof(fc.array(domain, { maxLength: 5 }), fc.anything())
    const csp = fc.oneof(
      fc.record(
        { connectDomains: list, resourceDomains: list, frameDomains: list, baseUriDomains: list },
        { requiredKeys: [] },
      ),
      fc.anything(),
    )
    const SOURCE =
      /^(?:https|wss):\/\/(?:\*\.)?[a-z0-9.-]+(?::\d+)?$|^(?:https?|wss?):\/\/(?:localhost|127\.[\d.]+|\[[0-9a-f:.]+\])(?::\d+)?$/
    fc.assert(
      fc.property(csp, (given) => {
        const text = policyOf(given as ViewPolicy)
        expect(text).not.toMatch(/[\r\n,]/)
        const policy = parse(text)
        expect([...policy.keys()]).toEqual(NAMES)
        expect(text.split(';')).toHaveLength(NAMES.length)
        for (const [name, sources] of policy) {
          const always = DEFAULTS.get(name) ?? []
          const added = sources.filter((source) => !always.includes(source))
          for (const source of added) expect(source).toMatch(SOURCE)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('apps A-16 a policy has at most 64 domains of a kind', () => {
    const connectDomains = Array.from({ length: 100 }, (_, i) => `https://a${i}.example.com`)
    expect(parse(policyOf({ connectDomains })).get('connect-src')).toHaveLength(64)
    expect(findPolicyProblem({ connectDomains })).toBe('csp.connectDomains has 100 domains, 64 is the limit')
  })
})

describe('allowOf', () => {
  it('grants the permissions that are asked for, and no other', () => {
    expect(allowOf()).toBe('')
    expect(allowOf({ camera: {}, clipboardWrite: {} })).toBe('camera; clipboard-write')
    expect(allowOf({ microphone: {}, geolocation: {}, 'usb *; camera': {} } as never)).toBe('microphone; geolocation')
    for (const value of [false, undefined, null, 'camera']) expect(allowOf({ camera: value } as never)).toBe('')
    expect(allowOf(JSON.parse('{"__proto__": {"camera": {}}}'))).toBe('')
  })
})
