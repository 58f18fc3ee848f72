import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_NEGOTIATED_VERSION,
  HANDSHAKE_VERSIONS,
  isHandshakeVersion,
  isLegacyVersion,
  isModernVersion,
  isProtocolVersion,
  isVersionAtLeast,
  LATEST_HANDSHAKE_VERSION,
  LATEST_LEGACY_VERSION,
  LATEST_MODERN_VERSION,
  LATEST_PROTOCOL_VERSION,
  LEGACY_VERSIONS,
  MODERN_VERSIONS,
  OLDEST_PROTOCOL_VERSION,
  PROTOCOL_VERSIONS,
  type ProtocolVersion,
} from '../../../../src/types/protocol/versions.ts'

const STRANGERS = ['', '1.0', '2024-11-04', '2026-07-29', '2099-01-01', 'draft', '__proto__', 'constructor', 'toString']

describe('the list of revisions', () => {
  it('holds the five published ones, oldest first', () => {
    expect(PROTOCOL_VERSIONS).toEqual(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
  })

  it('falls into two eras without overlap', () => {
    expect([...LEGACY_VERSIONS, ...MODERN_VERSIONS]).toEqual(PROTOCOL_VERSIONS)
    for (const version of PROTOCOL_VERSIONS) expect(isLegacyVersion(version)).toBe(!isModernVersion(version))
  })

  it('gives the named versions their places', () => {
    expect(OLDEST_PROTOCOL_VERSION).toBe(PROTOCOL_VERSIONS[0])
    expect(LATEST_LEGACY_VERSION).toBe(LEGACY_VERSIONS.at(-1))
    expect(LATEST_MODERN_VERSION).toBe(MODERN_VERSIONS.at(-1))
    expect(LATEST_PROTOCOL_VERSION).toBe(PROTOCOL_VERSIONS.at(-1))
    expect(DEFAULT_NEGOTIATED_VERSION).toBe('2025-03-26')
  })

  it('keeps the names of before as aliases', () => {
    expect(HANDSHAKE_VERSIONS).toBe(LEGACY_VERSIONS)
    expect(LATEST_HANDSHAKE_VERSION).toBe(LATEST_LEGACY_VERSION)
    expect(isHandshakeVersion).toBe(isLegacyVersion)
  })

  it('recognises its members and nothing else', () => {
    for (const version of PROTOCOL_VERSIONS) expect(isProtocolVersion(version)).toBe(true)
    for (const stranger of [...STRANGERS, undefined, null, 20241105, ['2024-11-05'], {}]) {
      expect(isProtocolVersion(stranger)).toBe(false)
      expect(isLegacyVersion(stranger)).toBe(false)
      expect(isModernVersion(stranger)).toBe(false)
    }
  })
})

describe('isVersionAtLeast', () => {
  it('goes by the order of publication', () => {
    for (const [rank, version] of PROTOCOL_VERSIONS.entries()) {
      for (const [floor, minimum] of PROTOCOL_VERSIONS.entries()) {
        expect(isVersionAtLeast(version, minimum), `${version} at least ${minimum}`).toBe(rank >= floor)
      }
    }
  })

  it.each(STRANGERS)('takes the unknown version %j to be at least nothing', (stranger) => {
    for (const minimum of PROTOCOL_VERSIONS) expect(isVersionAtLeast(stranger, minimum)).toBe(false)
  })

  it('never compares text', () => {
    const dates = fc.date({ min: new Date('2026-07-29'), max: new Date('2199-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(dates, (date) => {
        expect(isVersionAtLeast(date.toISOString().slice(0, 10), OLDEST_PROTOCOL_VERSION)).toBe(false)
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it('refuses an unknown minimum, which only a programmer can have written', () => {
    expect(() => isVersionAtLeast('2025-06-18', '2025-06-19' as ProtocolVersion)).toThrow(RangeError)
  })
})
