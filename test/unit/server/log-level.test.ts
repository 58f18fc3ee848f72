import { describe, expect, it } from 'vitest'
import { isLevelEnabled, wantsLogMessage } from '../../../src/server/session.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../../src/types/features/logging.ts'

describe('isLevelEnabled', () => {
  it('lets through the minimum and everything above it', () => {
    for (const [least, minimum] of LOGGING_LEVELS.entries()) {
      const enabled = LOGGING_LEVELS.filter((level) => isLevelEnabled(level, minimum))
      expect(enabled).toEqual(LOGGING_LEVELS.slice(least))
    }
  })

  it('lets everything through where there is no minimum', () => {
    expect(LOGGING_LEVELS.every((level) => isLevelEnabled(level, undefined))).toBe(true)
  })

  it('lets nothing through for words that are no levels', () => {
    expect(isLevelEnabled('verbose' as LoggingLevel, undefined)).toBe(false)
    expect(isLevelEnabled('emergency', 'verbose' as LoggingLevel)).toBe(false)
    expect(isLevelEnabled('constructor' as LoggingLevel, 'debug')).toBe(false)
  })
})

describe('wantsLogMessage', () => {
  it('sends everything before logging/setLevel, and from then on what was asked for', () => {
    expect(wantsLogMessage('debug', { logLevel: undefined, isLogSilentByDefault: false })).toBe(true)
    expect(wantsLogMessage('info', { logLevel: 'warning', isLogSilentByDefault: false })).toBe(false)
    expect(wantsLogMessage('error', { logLevel: 'warning', isLogSilentByDefault: false })).toBe(true)
  })

  it('sends nothing for a modern request that names no level', () => {
    expect(wantsLogMessage('emergency', { logLevel: undefined, isLogSilentByDefault: true })).toBe(false)
    expect(wantsLogMessage('info', { logLevel: 'info', isLogSilentByDefault: true })).toBe(true)
    expect(wantsLogMessage('debug', { logLevel: 'info', isLogSilentByDefault: true })).toBe(false)
  })
})
