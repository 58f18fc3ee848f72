// Results whose text is known go out as that text, unless somebody else's code can change them on the way.
import { expect, it } from 'vitest'
import { tasks } from '../../../../src/extensions/tasks/tasks.ts'
import { coreOf } from '../../../../src/server/internals.ts'
import { Server, type ServerOptions } from '../../../../src/server/server.ts'
import { loadParts } from '../../../support/load-parts.ts'

await loadParts()

const passesOn = (options: ServerOptions) => coreOf(new Server('test', options)).passesResultsOn
const identifier = 'com.example/search'

it.each<[string, ServerOptions]>([
  ['no extension', {}],
  ['tasks', { extensions: [tasks()] }],
  ['an extension with a method', { extensions: [{ identifier, requests: { find: { handle: () => ({}) } } }] }],
])('a server with %s sends results in the form in which they were written', (_what, options) => {
  expect(passesOn(options)).toBe(true)
})

it.each<[string, ServerOptions]>([
  ['a middleware', { middleware: [(_ctx, next) => next()] }],
  ['an extension with a middleware', { extensions: [{ identifier, middleware: [(_ctx, next) => next()] }] }],
  [
    'an extension that intercepts calls',
    { extensions: [{ identifier, interceptToolCall: (_ctx, _params, next) => next() }] },
  ],
])('a server with %s writes results when they have passed it', (_what, options) => {
  expect(passesOn(options)).toBe(false)
})
