// What `npm start` shows after it has built: both eras, in order, with a question, progress and a task, and no warning.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

it('npm start shows what a server does for a client of each era, and nothing else', async () => {
  const path = '../../scripts/lib/typescript.js'
  const { bundleTypeScript } = (await import(/* @vite-ignore */ path)) as {
    bundleTypeScript(entry: string): Promise<string>
  }
  await bundleTypeScript('examples/tour-server.ts')
  const tour = await bundleTypeScript('examples/tour.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [tour], { cwd: root, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const shown = stdout
    .replaceAll(/ {2}\(\d+ ms\)/g, '')
    .replace(/http:\S+/, 'URL')
    .trim()
  expect(shown).toBe(`One server, bakery 1.0.0, and two clients:
  legacy  2025-11-25 over stdio
  modern  2026-07-28 at URL

Call a tool: add 2 and 40
  legacy  42
  modern  42

Send wrong arguments: add "two"
  legacy  Invalid arguments for tool "add": a: Invalid input: expected number, received string
  modern  Invalid arguments for tool "add": a: Invalid input: expected number, received string

Follow the progress of a call: bake bread
  legacy  knead → rest → shape → bake → Fresh bread
  modern  knead → rest → shape → bake → Fresh bread

Answer a question of the server: order a cake
  legacy  "How many people will eat?" 8 → A lemon cake for 8
  modern  "How many people will eat?" 8 → A lemon cake for 8

Run a long job: take the inventory
  legacy  a call that waits → 12 sacks of flour, 7 kg of butter, 3 kg of sugar
  modern  a task: ${shown.match(/a task: (.*) → 12 sacks/)?.[1]} → 12 sacks of flour, 7 kg of butter, 3 kg of sugar

Next: examples/tour-server.ts is the server, examples/tour.ts are the clients, README.md says how to begin.`)
  // Which states a poll sees depends on time, but not their order.
  const seen = shown.match(/a task: (.*) → 12 sacks/)?.[1]?.split(' → ') ?? []
  const order = ['counting flour', 'counting butter', 'counting sugar']
  expect(seen.length).toBeGreaterThan(0)
  expect(seen).toEqual(order.filter((state) => seen.includes(state)))
})
