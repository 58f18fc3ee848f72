// What tools say of views, and who may call them.
import { describe, expect, it } from 'vitest'
import { mayCall, modelTools, uiOf } from '../../../../src/extensions/apps/host/tools.ts'
import { toolOf } from './support.ts'

describe('uiOf', () => {
  it('reads view and visibility, with both audiences where none is given', () => {
    expect(uiOf(toolOf('a', { resourceUri: 'ui://x/y' }))).toEqual({
      resourceUri: 'ui://x/y',
      visibility: ['model', 'app'],
    })
    expect(uiOf(toolOf('a', { visibility: ['app'] }))).toEqual({ visibility: ['app'] })
    expect(uiOf(toolOf('a'))).toBeUndefined()
  })

  it('traps X-49 reads the flat key of older servers, after ui.resourceUri', () => {
    const flat = { ...toolOf('a'), _meta: { 'ui/resourceUri': 'ui://old/view' } }
    expect(uiOf(flat)).toEqual({ resourceUri: 'ui://old/view', visibility: ['model', 'app'] })
    const both = { ...toolOf('a'), _meta: { 'ui/resourceUri': 'ui://old/view', ui: { resourceUri: 'ui://new/view' } } }
    expect(uiOf(both)?.resourceUri).toBe('ui://new/view')
  })

  it('apps A-01 takes no other scheme for a view', () => {
    for (const resourceUri of ['https://example.com/', 'file:///etc/passwd', 'UI', 7, null, {}]) {
      expect(uiOf(toolOf('a', { resourceUri }))).toEqual({ visibility: ['model', 'app'] })
    }
    expect(uiOf(toolOf('a', 'ui' as never))).toBeUndefined()
  })
})

describe('visibility', () => {
  const tools = [
    toolOf('plain'),
    toolOf('both', { visibility: ['model', 'app'] }),
    toolOf('model', { visibility: ['model'] }),
    toolOf('app', { visibility: ['app'] }),
    toolOf('nobody', { visibility: [] }),
    toolOf('unknown', { visibility: ['admin'] }),
    toolOf('broken', { visibility: 'model app' }),
  ]

  it('apps A-12 the model sees no tool whose visibility lacks it', () => {
    expect(modelTools(tools).map(({ name }) => name)).toEqual(['plain', 'both', 'model'])
  })

  it('apps A-13 a view may call no tool whose visibility lacks it', () => {
    expect(tools.filter(mayCall).map(({ name }) => name)).toEqual(['plain', 'both', 'app'])
  })
})
