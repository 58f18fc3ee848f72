// The core on Bun and Deno: the built package as their users import it.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeOn } from './installed.ts'
import { SEEN_WITH_TASKS } from './programs/talk.ts'

const program = fileURLToPath(new URL('programs/core.ts', import.meta.url))

/** Runs the program and returns what it printed last, which is what its clients saw. */
function runCore(command: string, flags: readonly string[]): unknown {
  const result = spawnSync(command, [...flags, program], { encoding: 'utf8', timeout: 150_000 })
  if (result.status !== 0) throw new Error(`exit ${result.status ?? result.signal}: ${result.stderr.slice(-2_000)}`)
  return JSON.parse(result.stdout.trim().split('\n').at(-1) ?? '')
}

const everywhere = {
  schema: false,
  'memory legacy': SEEN_WITH_TASKS,
  'memory modern': SEEN_WITH_TASKS,
  'http legacy': SEEN_WITH_TASKS,
  'http modern': SEEN_WITH_TASKS,
}

describeOn('bun', (bun) => {
  it('F213 runs client and server in both eras, in memory and over its own HTTP server', () => {
    expect(runCore(bun, [])).toEqual(everywhere)
  })
})

describeOn('deno', (deno) => {
  it('F213 runs client and server in both eras, with no permission but to read and to use the network', () => {
    const permissions = ['--no-prompt', '--allow-read', '--allow-net=127.0.0.1']
    expect(runCore(deno, ['run', '--no-lock', '--node-modules-dir=manual', ...permissions])).toEqual(everywhere)
  })
})
