// What a server or client is called, given where other SDKs take it.
import { expect, it } from 'vitest'
import { Client, MCPServer } from '../../../src/exports/index.ts'
import { Server } from '../../../src/server/server.ts'

it.each([
  ['MCPServer', MCPServer],
  ['Server', Server],
] as const)('new %s({ name, version }) explains itself', (name, Class) => {
  const make = (given: unknown) => () => new Class(given as string)
  expect(make({ name: 'calculator', version: '1.0.0' })).toThrow(
    new TypeError(
      `The first argument of ${name} is the name of the server, a string, not an object: ` +
        `write new ${name}("calculator", { version: "1.0.0" })`,
    ),
  )
  expect(make({ name: 'calculator' })).toThrow(/write new \w+\("calculator"\)/)
  expect(make({ version: '1.0.0' })).toThrow(/write new \w+\('calculator'\)/)
  expect(make(undefined)).toThrow(/a string, not undefined/)
  expect(make(null)).toThrow(/a string, not null/)
  expect(make(['s'])).toThrow(/a string, not a list/)
  expect(make(5)).toThrow(/a string, not a number/)
  expect(make('calculator')).not.toThrow()
})

it('new Client({ name, version }) says where these go', () => {
  expect(() => new Client({ name: 'host', version: '1.0.0' } as never)).toThrow(
    /target first: Client\.connect\(target, \{ clientInfo: \{ name, version \} \}\)/,
  )
  expect(() => new Client({} as never)).toThrow(/a transport or a channel\.$/)
})
