// Every example of the help table is run, in a folder with the files that it names.
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommand } from '../../test/support/command-line.ts'
import { loadVerbs } from '../help/table.ts'
import { createExampleProject, type ExampleProject } from './example-project.ts'

const VERBS = await loadVerbs()

const examples = VERBS.flatMap((verb) => verb.examples)

let project: ExampleProject
beforeAll(() => {
  project = createExampleProject()
})
afterAll(() => project[Symbol.dispose]())

/** As a shell takes it apart, with any free port, and with consent to start what the project's own file lists. */
function toWords(command: string): string[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  )
  const free = words.map((word, index) => (words[index - 1] === '--port' ? '0' : word)).slice(1)
  return words.some((word) => word.startsWith('@shop')) ? [...free, '--yes'] : free
}

describe('examples of the help table', () => {
  it.each(examples.filter(({ notRun }) => notRun === undefined))('cli C1: $command', async (example) => {
    const { command, runsUntilSignal } = example
    const words = toWords(command)
    if (runsUntilSignal !== undefined) {
      const child = startCommand(words, { cwd: project.folder, env: project.env })
      for await (const text of child.stderr.setEncoding('utf8')) if (String(text).includes(runsUntilSignal)) break
      child.kill('SIGTERM')
      await once(child, 'exit')
      return
    }
    const { code, stdout, stderr } = await project.run(...words)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    if (words.includes('--json') && !words.includes('listen')) expect(() => JSON.parse(stdout)).not.toThrow()
  })

  it('most of them can be run', () => {
    expect(examples.filter(({ notRun }) => notRun === undefined).length).toBeGreaterThan(examples.length * 0.6)
  })
})
