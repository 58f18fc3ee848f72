import { describe, expect, it } from 'vitest'
import { ErrorCode } from '../../../src/types/errors/error-codes.ts'
import { LOGGING_LEVELS } from '../../../src/types/features/logging.ts'
import { CORE_RESULT_TYPES } from '../../../src/types/protocol/base.ts'

describe('constants of the specification', () => {
  it('lists the logging levels from the least to the most severe', () => {
    const severities = { emergency: 0, alert: 1, critical: 2, error: 3, warning: 4, notice: 5, info: 6, debug: 7 }
    expect(LOGGING_LEVELS.map((level) => severities[level])).toEqual([7, 6, 5, 4, 3, 2, 1, 0])
  })

  it('has two result types of its own', () => {
    expect(CORE_RESULT_TYPES).toEqual(['complete', 'input_required'])
  })

  it('gives every error its own code', () => {
    const codes = Object.values(ErrorCode)
    expect(new Set(codes).size).toBe(codes.length)
  })
})
