// Random handlers: sequences and groups of questions and steps come to the same in both eras, and no step is done twice.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Interaction } from '../../../../src/mcpserver/asking/interaction.ts'
import { settle } from '../../../support/peers.ts'
import { callThrough, NAME_FORM, SETTINGS } from './support.ts'

type Program =
  | { kind: 'form' | 'url' | 'sample'; word: string }
  | { kind: 'roots' }
  | { kind: 'step' | 'slow step'; id: number }
  | { kind: 'sequence' | 'group'; parts: Program[] }

const word = fc.constantFrom('a', 'b', 'c')

const { program } = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.record({ kind: fc.constantFrom('form' as const, 'url' as const, 'sample' as const), word }),
      fc.record({ kind: fc.constant('roots' as const) }),
      fc.record({ kind: fc.constantFrom('step' as const, 'slow step' as const), id: fc.constant(0) }),
    ),
    fc.record({
      kind: fc.constantFrom('sequence' as const, 'group' as const),
      parts: fc.array(tie('program'), { maxLength: 4 }),
    }),
  ),
}))

/** Gives each step a number, so that each has a name of its own. */
function number(part: Program, next = { id: 0 }): Program {
  if (part.kind === 'sequence' || part.kind === 'group') {
    return { ...part, parts: part.parts.map((inner) => number(inner, next)) }
  }
  if (part.kind !== 'step' && part.kind !== 'slow step') return part
  next.id += 1
  return { ...part, id: next.id }
}

async function run(part: Program, interaction: Interaction, done: Map<number, number>): Promise<unknown> {
  switch (part.kind) {
    case 'form':
      return interaction.elicit(part.word, NAME_FORM)
    case 'url':
      return interaction.elicitUrl(part.word, 'https://example.com')
    case 'sample': {
      const content = { type: 'text' as const, text: part.word }
      return interaction.sample({ maxTokens: 1, messages: [{ role: 'user', content }] })
    }
    case 'roots':
      return interaction.listRoots()
    case 'step':
    case 'slow step':
      return interaction.step(`step ${part.id}`, async () => {
        done.set(part.id, (done.get(part.id) ?? 0) + 1)
        if (part.kind === 'slow step') await settle()
        return { id: part.id }
      })
    case 'group':
      return Promise.all(part.parts.map((inner) => run(inner, interaction, done)))
    case 'sequence': {
      const values: unknown[] = []
      for (const inner of part.parts) values.push(await run(inner, interaction, done))
      return values
    }
  }
}

it('a handler that asks in sequence has the same result in both eras, and each step runs once', async () => {
  await fc.assert(
    fc.asyncProperty(
      program.map((part) => number(part)),
      async (part) => {
        const outcomes: unknown[] = []
        for (const setting of SETTINGS) {
          const done = new Map<number, number>()
          outcomes.push(
            await callThrough((interaction) => run(part, interaction, done), setting, { maxQuestions: 1000 }),
          )
          expect([...done.values()].every((times) => times === 1)).toBe(true)
        }
        expect(outcomes[1]).toEqual(outcomes[0])
        expect(outcomes[2]).toEqual(outcomes[0])
      },
    ),
    { seed: 20260728, numRuns: 60 },
  )
})
