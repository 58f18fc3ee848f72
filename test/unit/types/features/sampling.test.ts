import { describe, expect, it } from 'vitest'
import { contentAsList, type SamplingMessage } from '../../../../src/types/features/sampling.ts'

const hello = { type: 'text', text: 'Hello' } as const
const use = { type: 'tool_use', id: '1', name: 'find_book', input: {} } as const

describe('contentAsList', () => {
  it.each<[string, SamplingMessage['content'], SamplingMessage['content'][]]>([
    ['a single block', hello, [hello]],
    ['a list', [hello, use], [hello, use]],
    ['an empty list', [], []],
  ])('gives a list for %s', (_, content, expected) => {
    expect(contentAsList({ content })).toEqual(expected)
  })

  it('takes a whole result', () => {
    expect(contentAsList({ role: 'assistant', model: 'm', content: hello } as SamplingMessage)).toEqual([hello])
  })
})
