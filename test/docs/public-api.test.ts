// Every public name is where it is promised: values when the program runs, types and members when it is compiled.
import { describe, expect, it } from 'vitest'
import { findMissing, importEntryPoint } from './entry-points.ts'
import { MEMBERS, TYPES, VALUES, words } from './public-api.ts'

describe('every public name is where it is promised', () => {
  it.each(Object.entries(VALUES))('%s exports its values', async (entryPoint, names) => {
    const values = await importEntryPoint(entryPoint)
    expect(words(names).filter((name) => values[name] === undefined)).toEqual([])
  })

  it('every value, type and member is found by the compiler', { timeout: 240_000 }, async () => {
    const names = [...Object.entries(VALUES), ...Object.entries(TYPES)]
    const members = Object.entries(MEMBERS).flatMap(([place, list]) => {
      const [entryPoint = '', owner = ''] = place.split(' ')
      return words(list).map((member) => ({ entryPoint, path: `${owner}.${member}` }))
    })
    const places = names.flatMap(([entryPoint, list]) => words(list).map((path) => ({ entryPoint, path })))
    expect(await findMissing([...places, ...members])).toEqual([])
  })
})
