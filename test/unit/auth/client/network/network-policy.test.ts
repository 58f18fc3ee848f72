// Which addresses count as whose, and where a server's word may send us.
import { describe, expect, it } from 'vitest'
import { rangeOfAddress, rangeOfHost } from '../../../../../src/auth/client/network/address-range.ts'
import { createNetworkPolicy } from '../../../../../src/auth/client/network/network-policy.ts'

describe('address ranges', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['0.0.0.0', 'private'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'private'],
    ['169.254.169.254', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.168.1.1', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['::', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:a9fe:a9fe', 'private'],
    ['::ffff:8.8.8.8', 'public'],
    ['::10.0.0.1', 'private'],
    ['64:ff9b::a00:1', 'private'],
    ['64:ff9b::808:808', 'public'],
    ['64:ff9b:1::808:808', 'private'],
    ['2002:a00:1::', 'private'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'private'],
    ['2001:db8::1', 'private'],
    ['2a00:1450::5efe:10.0.0.1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['febf::1', 'private'],
    ['fd00::1', 'private'],
    ['ff02::1', 'private'],
    ['not an address', 'private'],
  ])('R13 %s is %s', (address, range) => {
    expect(rangeOfAddress(address)).toBe(range)
  })

  it.each([
    ['http://2130706433/', 'loopback'],
    ['http://0x7f.1/', 'loopback'],
    ['http://0251.0376.0251.0376/', 'private'],
    ['http://[::ffff:10.0.0.1]/', 'private'],
    ['http://localhost./', 'loopback'],
    ['http://a.localhost/', 'loopback'],
    ['http://example.com/', undefined],
    ['http://127.0.0.1.example.com/', undefined],
  ])('R13 the host of %s is %s', (url, range) => {
    expect(rangeOfHost(new URL(url).hostname)).toBe(range)
  })
})

describe('the network policy', () => {
  const publicServer = createNetworkPolicy(new URL('https://mcp.example.com/mcp'), {}, [])
  const check =
    (url: string, policy = publicServer) =>
    () =>
      policy.check(url, 'The URL', 'discovery')

  it.each([
    ['http://as.example.com/', 'insecure_url'],
    ['javascript:alert(1)', 'insecure_url'],
    ['file:///etc/passwd', 'insecure_url'],
    ['data:text/html,x', 'insecure_url'],
    ['https://user:secret@as.example.com/', 'insecure_url'],
    ['not a url', 'insecure_url'],
    ['https://169.254.169.254/latest', 'private_address'],
    ['https://[::ffff:10.0.0.1]/', 'private_address'],
    ['https://0.0.0.0/', 'private_address'],
    ['http://localhost:9000/', 'private_address'],
  ])('F182 a public server may not name %s', (url, code) => {
    expect(check(url)).toThrow(expect.objectContaining({ name: 'OAuthError', code, step: 'discovery' }))
  })

  it('does not reveal secrets of a rejected URL', () => {
    expect(check('https://user:secret@as.example.com/?token=hidden')).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/secret|hidden/) }),
    )
  })

  it('F182 checks the resolved address of a host name that the server gave', () => {
    const filter = publicServer.addressFilter(new URL('https://as.example.com/'))
    expect(
      ['93.184.216.34', '10.0.0.1', '127.0.0.1', '::ffff:169.254.169.254'].map((address) => filter?.(address)),
    ).toEqual([true, false, false, false])
    expect(publicServer.addressFilter(new URL('https://mcp.example.com/x'))).toBeUndefined()
  })

  it('lets a server on this machine name others there, and everybody what the user named', () => {
    const local = createNetworkPolicy(new URL('http://localhost:3000/mcp'), {}, [])
    expect(check('http://127.0.0.1:9000/', local)().port).toBe('9000')
    const named = createNetworkPolicy(new URL('https://mcp.example.com/mcp'), {}, ['https://10.0.0.1/idp'])
    expect(check('https://10.0.0.1/token', named)().hostname).toBe('10.0.0.1')
    expect(check('https://10.0.0.2/token', named)).toThrow()
    const allowed = createNetworkPolicy(new URL('https://mcp.example.com/mcp'), { allowPrivateAddresses: true }, [])
    expect(check('https://10.0.0.2/token', allowed)().hostname).toBe('10.0.0.2')
  })
})
