import { expect, test } from 'vitest'
import { server } from '../demo/server.ts'
import { lookUp } from '../src/client.ts'

// A server in the same process is a target too.
for (const mode of ['legacy', 'modern'] as const) {
  test(`lists the tools and calls one (${mode})`, async () => {
    const lines = await lookUp(server, 'client', { mode })
    expect(lines).toContain('tool define: Say what a word means')
    expect(lines).toContain('client: A program that uses servers.')
  })

  test(`reports the error of a tool (${mode})`, async () => {
    const lines = await lookUp(server, 'fjord', { mode })
    expect(lines.at(-1)).toBe('error: "fjord" is not in the dictionary.')
  })
}
