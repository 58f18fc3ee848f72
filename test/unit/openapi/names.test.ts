// compose O10: names that many operations have.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ToolNames } from '../../../src/openapi/operations/names.ts'

const operation = (operationId: string) => ({
  method: 'get',
  path: '/',
  operationId,
  tags: [],
  deprecated: false,
  pointer: '#',
})

/** The lowest number whose name is free, in the plainest way. */
function plain(wanted: readonly string[]): string[] {
  const taken = new Set<string>()
  return wanted.map((name) => {
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `_${number}`
      const candidate = name.slice(0, 64 - end.length) + end
      if (taken.has(candidate)) continue
      taken.add(candidate)
      return candidate
    }
  })
}

it('compose O10: the lowest number that is free, whatever names were taken before', () => {
  const long = 'x'.repeat(62)
  const name = fc.constantFrom(
    'a',
    'a_2',
    'a_3',
    'a_10',
    'a_9',
    long,
    `${long}_2`,
    `${long}ab`,
    `${long}ac`,
    `${'x'.repeat(61)}_9`,
  )
  fc.assert(
    fc.property(fc.array(name, { maxLength: 60 }), (wanted) => {
      const names = new ToolNames()
      expect(wanted.map((id) => names.take(operation(id), undefined))).toEqual(plain(wanted))
    }),
  )
})

it('compose O10: twenty thousand operations of one name cost about as much as those of different names', () => {
  const cost = (nameOf: (at: number) => string) => {
    const names = new ToolNames()
    const before = process.cpuUsage()
    for (let at = 0; at < 20_000; at++) names.take(operation(nameOf(at)), undefined)
    const { user } = process.cpuUsage(before)
    return user
  }
  for (const name of ['same', 'y'.repeat(100)]) {
    cost((at) => `${name}warm${at}`)
    const different = cost((at) => `${name}${at}`)
    expect(cost(() => name) / different).toBeLessThan(15)
  }
})
