// Checks what clients saw against a model: operations run in groups that overlap, and there must be an order of each group in which
// the model gives the same results.
import { expect } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import type { BackendUnderTest } from '../../../src/testing/backend-contract/under-test.ts'

/** One kind of state, as simple as it can be, and the operations on it. */
export interface Model<Operation, State, Result> {
  readonly start: State
  /** Makes operations fit what came before, such as a revision that somebody has seen. Called before each group. */
  prepare?(operation: Operation, seen: readonly Result[]): Operation
  run(backend: Backend, operation: Operation): Result | Promise<Result>
  /** The state after an operation with this result; `undefined` where the state does not allow it. */
  next(state: State, operation: Operation, result: Result): State | undefined
  /** The steps of which an operation consists, where it is not one step: others may come between them. */
  steps?(operation: Operation, result: Result): readonly Done<Operation, Result>[]
}

export interface Done<Operation, Result> {
  readonly operation: Operation
  readonly result: Result
}

/** A group of operations that overlap, each with the client that does it. */
export type Group<Operation> = readonly { readonly client: number; readonly operation: Operation }[]

export async function checkHistory<Operation, State, Result>(
  make: () => BackendUnderTest | Promise<BackendUnderTest>,
  model: Model<Operation, State, Result>,
  groups: readonly Group<Operation>[],
): Promise<void> {
  const under = await make()
  const another = async () => (await under.another?.()) ?? under.backend
  const clients = [under.backend, await another(), await another()]
  try {
    for (const client of clients) await client.open()
    // More than one where several orders of a group explain what was seen.
    let states: readonly State[] = [model.start]
    const seen: Result[] = []
    const told: string[] = []
    for (const group of groups) {
      const operations = group.map(({ operation }) => model.prepare?.(operation, seen) ?? operation)
      const results = await Promise.all(
        operations.map((operation, index) => model.run(clients[(group[index]?.client ?? 0) % 3] as Backend, operation)),
      )
      const done = operations.map((operation, index) => ({ operation, result: results[index] as Result }))
      told.push(JSON.stringify(done))
      const steps = done.flatMap((one) => model.steps?.(one.operation, one.result) ?? [one])
      const possible = states.flatMap((state) => explain(model, state, steps))
      const unique = new Map(possible.map((state) => [JSON.stringify(state), state]))
      expect(unique.size, `no order of the last group explains this history:\n${told.join('\n')}`).toBeGreaterThan(0)
      states = [...unique.values()]
      seen.push(...results)
    }
  } finally {
    for (const client of clients) await client.close()
    await under.close?.()
  }
}

/** The states after every order of the operations that the model allows. */
function explain<Operation, State, Result>(
  model: Model<Operation, State, Result>,
  state: State,
  done: readonly Done<Operation, Result>[],
): State[] {
  if (done.length === 0) return [state]
  return done.flatMap(({ operation, result }, index) => {
    const next = model.next(state, operation, result)
    return next === undefined ? [] : explain(model, next, done.toSpliced(index, 1))
  })
}
