// The progress bar, and what a narrow terminal leaves of it.
import { describe, expect, it } from 'vitest'
import { drawProgress } from '../../terminal/progress.ts'

describe('the progress bar', () => {
  it.each([
    [100, '  ━━━━━━━━━━━━━━━╸──────────────  1/2  step 1'],
    [40, '  ━━━━━━━━━╸────────  1/2  step 1'],
    [10, '  ━━╸──  1/2  step 1'],
  ])('leaves room for the words on %i columns', (columns, line) => {
    expect(drawProgress({ progress: 1, total: 2, message: 'step 1' }, columns)).toBe(line)
  })

  it('is full at the end, and a number where nobody knows the end', () => {
    expect(drawProgress({ progress: 3, total: 2 }, 20)).toBe('  ━━━━━━━━  3/2')
    expect(drawProgress({ progress: 3, message: 'a\u001b[2Jb' })).toBe('  3  a\\x1b[2Jb')
  })
})
