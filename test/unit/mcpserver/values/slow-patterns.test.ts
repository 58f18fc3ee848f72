import { type } from 'arktype'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createServer } from '../support.ts'

it('reports a pattern that lets one text block the process, before the server starts', async () => {
  const { server, faults } = createServer()
  const input = z.object({ user: z.object({ name: z.string().regex(/^(a+)+$/) }) })
  server.tool('zod', { input }, () => 1)
  server.tool('arktype', { input: type({ name: /^(a|a)*$/ }) }, () => 1)
  server.prompt('names', { input: z.record(z.string().regex(/^(?:x*)*y$/), z.string()) as z.ZodType<object> }, () => '')
  await using _running = await server.start()

  expect(faults.map(({ kind }) => kind)).toEqual(Array.from(faults, () => 'configuration-warning'))
  expect(faults[0]?.message).toMatch(
    /^The pattern "\^\(a\+\)\+\$" at #\/properties\/user\/properties\/name\/pattern in the input of tool "zod" .*block/,
  )
  expect(faults[1]?.message).toContain('tool "arktype"')
  expect(faults[2]?.message).toContain('prompt "names"')
})

it('does not report formats of libraries, data, or harmless patterns', async () => {
  const { server, faults } = createServer()
  const formats = [
    ...[
      z.email(),
      z.url(),
      z.uuid(),
      z.guid(),
      z.cuid(),
      z.cuid2(),
      z.ulid(),
      z.nanoid(),
      z.xid(),
      z.ksuid(),
      z.emoji(),
    ],
    ...[
      z.ipv4(),
      z.ipv6(),
      z.cidrv4(),
      z.cidrv6(),
      z.base64(),
      z.base64url(),
      z.e164(),
      z.jwt(),
      z.hostname(),
      z.hex(),
    ],
    ...[z.iso.date(), z.iso.time(), z.iso.datetime(), z.iso.duration(), z.string().startsWith('a').endsWith('z')],
    ...[z.templateLiteral(['v', z.number(), '.', z.string()]), z.string().regex(/^[a-z]+(?:-[a-z]+)*$/)],
    ...[z.string().default('(a+)+$'), z.object({ pattern: z.string() }).default({ pattern: '(a+)+$' })],
  ]
  const input = z.object(Object.fromEntries(formats.map((format, index) => [`f${index}`, format])))
  server.tool('formats', { input }, () => 1)
  await using _running = await server.start()
  expect(faults).toEqual([])
})
