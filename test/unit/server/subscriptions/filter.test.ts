import { describe, expect, it } from 'vitest'
import { ALL_CHANGES, createMatcher, grant } from '../../../../src/server/subscriptions/filter.ts'

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['x://a', 'x://b'],
}

describe('grant', () => {
  it('grants what is asked for and supported', () => {
    expect(grant(everything, ALL_CHANGES, 10)).toEqual(everything)
    expect(grant(everything, { toolsListChanged: true, promptsListChanged: false }, 10)).toEqual({
      toolsListChanged: true,
    })
    expect(grant({ resourceSubscriptions: ['x://a'] }, { resourceSubscriptions: true }, 10)).toEqual({
      resourceSubscriptions: ['x://a'],
    })
  })

  it('takes false, and no uris, for not asked', () => {
    expect(grant({ toolsListChanged: false, resourceSubscriptions: [] }, ALL_CHANGES, 10)).toEqual({})
  })

  it('does not repeat what it does not know', () => {
    expect(grant({ ...everything, vendorListChanged: true } as object, ALL_CHANGES, 10)).toEqual(everything)
  })

  it('grants each uri once and so many of them', () => {
    const asked = { resourceSubscriptions: ['x://a', 'x://a', 'x://b', 'x://c'] }
    expect(grant(asked, ALL_CHANGES, 2)).toEqual({ resourceSubscriptions: ['x://a', 'x://b'] })
  })
})

describe('createMatcher', () => {
  it('lets through what was granted', () => {
    const matches = createMatcher({ toolsListChanged: true, resourceSubscriptions: ['x://a'] }, undefined)
    expect(matches({ type: 'toolsListChanged' })).toBe(true)
    expect(matches({ type: 'promptsListChanged' })).toBe(false)
    expect(matches({ type: 'resourceUpdated', uri: 'x://a' })).toBe(true)
    expect(matches({ type: 'resourceUpdated', uri: 'x://b' })).toBe(false)
  })

  it('goes by the very uri unless the server knows which are parts of which', () => {
    const event = { type: 'resourceUpdated', uri: 'x://a/part' } as const
    expect(createMatcher({ resourceSubscriptions: ['x://a'] }, undefined)(event)).toBe(false)
    const isPartOf = (updated: string, watched: string) => updated.startsWith(`${watched}/`)
    expect(createMatcher({ resourceSubscriptions: ['x://b', 'x://a'] }, isPartOf)(event)).toBe(true)
    expect(createMatcher({ resourceSubscriptions: ['x://b'] }, isPartOf)(event)).toBe(false)
  })
})
