// Every public name is where it is promised: values when the program runs, types and members when it is compiled.
import { describe, expect, it } from 'vitest'
import { findMissing, openDoor } from './doors.ts'
import { MEMBERS, TYPES, VALUES, words } from './public-api.ts'

describe('every public name is where it is promised', () => {
  it.each(Object.entries(VALUES))('%s exports its values', async (door, names) => {
    const values = await openDoor(door)
    expect(words(names).filter((name) => values[name] === undefined)).toEqual([])
  })

  it('every value, type and member is found by the compiler', { timeout: 240_000 }, async () => {
    const names = [...Object.entries(VALUES), ...Object.entries(TYPES)]
    const members = Object.entries(MEMBERS).flatMap(([place, list]) => {
      const [door = '', owner = ''] = place.split(' ')
      return words(list).map((member) => ({ door, path: `${owner}.${member}` }))
    })
    const places = names.flatMap(([door, list]) => words(list).map((path) => ({ door, path })))
    expect(await findMissing([...places, ...members])).toEqual([])
  })
})
