// What is to be undone at an end: in which order, and what ended before.
import { expect, it } from 'vitest'
import { CleanupStack } from '../../../../src/primitives/async/cleanup.ts'

it('runs each cleanup once, the latest first, but for those that were taken out', async () => {
  const stack = new CleanupStack()
  const done: string[] = []
  const cleanup = (name: string) => () => void done.push(name)
  const twice = cleanup('twice')
  stack.defer(cleanup('first'))
  stack.defer(twice)
  const forget = stack.defer(cleanup('forgotten'))
  stack.defer(twice)
  stack.defer(() => {
    done.push('last')
    forgetNext()
  })
  const forgetNext = () => forget()
  await stack.close()
  await stack.close()
  forget()
  expect(done).toEqual(['last', 'twice', 'twice', 'first'])
  stack.defer(cleanup('late'))
  await Promise.resolve()
  expect(done.at(-1)).toBe('late')
})
