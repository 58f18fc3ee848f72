import { describe, expect, it } from 'vitest'
import type { Resource } from '../../../../src/types/features/resources.ts'
import type { Tool } from '../../../../src/types/features/tools.ts'
import { displayName } from '../../../../src/types/protocol/metadata.ts'

const tool: Tool = { name: 'find_book', inputSchema: { type: 'object' } }

describe('displayName', () => {
  it('prefers the title, then the title in the annotations of a tool, then the name', () => {
    expect(displayName({ ...tool, title: 'Find a book', annotations: { title: 'Old title' } })).toBe('Find a book')
    expect(displayName({ ...tool, annotations: { title: 'Old title' } })).toBe('Old title')
    expect(displayName({ ...tool, annotations: { readOnlyHint: true } })).toBe('find_book')
    expect(displayName(tool)).toBe('find_book')
  })

  it('shows something even where a title is empty', () => {
    expect(displayName({ ...tool, title: '', annotations: { title: 'Old title' } })).toBe('Old title')
    expect(displayName({ ...tool, title: '', annotations: { title: '' } })).toBe('find_book')
  })

  it('takes resources, prompts and implementations alike', () => {
    const resource: Resource = { uri: 'file:///a', name: 'a', title: 'A', annotations: { priority: 1 } }
    expect(displayName(resource)).toBe('A')
    expect(displayName({ name: 'prompt' })).toBe('prompt')
  })
})
