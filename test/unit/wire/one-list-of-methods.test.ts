// Everything that is true of a protocol method stands in its row: no other list of methods exists, and no fact is unread.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOTIFICATIONS, REQUESTS } from '../../../src/wire/methods.ts'
import { findMethodLists } from './method-lists.ts'

const ROOT = join(import.meta.dirname, '../../..')
const TABLE = 'src/wire/methods.ts'
const METHODS = new Set([...Object.keys(REQUESTS), ...Object.keys(NOTIFICATIONS)])

/** Places that name several methods for another reason than to know something about them. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/mcpserver/registry-source.ts': 'the implementation itself: which registry of an MCPServer answers which method',
  'src/compose/sources/lists.ts':
    'where a page of each list has its components, what they are found by, and which have names',
  'src/compose/composite/composite-source.ts':
    'the implementation itself: how each method finds the source that answers',
  'src/compose/composite/composite-routes.ts': 'the list in which the reference of a completion is looked up',
  'src/compose/transforms/map-layer.ts': 'which component of which list a request names',
  'src/compose/transforms/maps.ts': 'the lists that each map of a transform is for',
  'src/proxy/crossing/legacy-fronts.ts':
    'the implementation itself: subscriptions of legacy clients at a modern source',
  'src/proxy/pool/pings.ts': 'which request asks whether a source of each era still answers',
  'src/proxy/front/front.ts': 'the implementation itself: what a proxy answers in place of its source',
  'src/types/protocol/methods.ts': 'the types of each method; a type test holds them against the table',
  'src/wire/shapes/2026-07-28.ts': 'the shapes of the three questions, told apart by their method as the schema does',
  'src/server/asking/question-rules.ts': 'what each kind of question needs is read from its params',
  'src/server/server-subscriptions.ts': 'the handlers of the three methods for subscriptions',
  'src/server/serving-subscriptions.ts': 'the same, with what they do',
  'src/extensions/tasks/tasks.ts': 'the handlers of the methods of tasks, which the extension and one revision have',
  'src/extensions/tasks/client-parts.ts': 'the requests that the extension owns in a client',
  'cli/dev/relay/finished-call.ts': 'which calls are printed; the command line cannot import the table',
  'cli/dev/relay/stdio-front.ts': 'what a call may still send at a reload; the command line cannot import the table',
  'cli/doctor/listing-step.ts':
    'which lists a step reads, one after the other; the command line cannot import the table',
  'cli/migrate/rewrite/client-callbacks.ts': 'which callback of a client replaces the handler of a method',
  'cli/migrate/rewrite/requests.ts': 'the methods whose handlers on a high-level server become a middleware',
  'cli/migrate/source/sdk-names.ts': 'the schema that another SDK has for each method',
  'src/extensions/apps/host/view-calls.ts': 'the methods that a host answers for a view',
}

const sources = ['src', 'cli'].flatMap((folder) => listSources(join(ROOT, folder)))

function listSources(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
}

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('methods are listed in one place', () => {
  it('no source has a list of methods beside the table', () => {
    expect(sources).toContain(TABLE)
    const found = sources
      .filter((path) => path !== TABLE && !Object.hasOwn(EXCEPTIONS, path))
      .flatMap((path) => findMethodLists(textOf(path), METHODS).map((list) => `${path}: ${list.join(', ')}`))
    expect(found).toEqual([])
  })

  it.each(Object.keys(EXCEPTIONS))('the exception for %s is still needed', (path) => {
    expect(findMethodLists(textOf(path), METHODS)).not.toEqual([])
  })

  it.each([
    ['an array', "const A = ['ping', 'tools/call']"],
    ['a set', "new Set([\n  'ping', // always\n  'tools/call',\n])"],
    ['a map', "new Map([['ping', 1], ['tools/call', 2]])"],
    ['an object', "const A = { 'tools/list': 1, 'tools/call': 2 }"],
    ['a switch', "switch (method) { case 'ping': return 1; case 'tools/call': return 2 }"],
    ['a union', "type A = 'ping' | 'tools/call'"],
    ['a condition', "if (method === 'ping' || method === 'tools/call') go()"],
    ['the arguments of a call', "has(server, 'resources/list', 'resources/read')"],
  ])('a list in the form of %s is found', (_form, source) => {
    expect(findMethodLists(source, METHODS)).toHaveLength(1)
  })

  it.each([
    ['calls one after the other', "function f() { send('ping'); send('tools/call') }"],
    ['constants', "const PING = 'ping'\nconst CALL = 'tools/call'"],
    ['comments', "// 'ping' and ['ping', 'tools/call']\n/* ['ping', 'tools/call'] */"],
    ['text', "const text = `['ping', 'tools/call']`"],
    ['other words', "const A = ['pong', 'tools/call']"],
  ])('%s are no list', (_form, source) => {
    expect(findMethodLists(source, METHODS)).toEqual([])
  })
})

describe('each fact is read', () => {
  const facts = new Set(
    [...Object.values(REQUESTS), ...Object.values(NOTIFICATIONS)].flatMap((row) => Object.keys(row)),
  )
  const readers = sources
    .filter((path) => path !== TABLE)
    .map(textOf)
    .filter((text) => /wire\/method(?:s|-rows)\.ts|\.\/method(?:s|-rows)\.ts|RequestRow/.test(text))
  // The types at the end of the table count as readers, the rows and the interfaces do not.
  readers.push(textOf(TABLE).slice(textOf(TABLE).indexOf('export type RequestMethod =')))

  it.each([...facts])('%s is read by some code', (fact) => {
    const ofRow = `(?:[rR]ow|Facts\\([\\w.#]*\\)|\\])\\??\\.${fact}\\b`
    const unpacked = `\\{[^{}]*\\b${fact}\\b[^{}]*\\}(?:: \\w*Row\\b| (?:=|of) \\(?(?:\\w*[rR]ow\\b|\\w+Facts\\(|REQUESTS|\\S*CHANGE_NOTIFICATIONS))`
    const listed = `With[<(]'${fact}'`
    const reads = new RegExp(`${ofRow}|${unpacked}|${listed}`)
    expect(readers.filter((text) => reads.test(text)).length).toBeGreaterThan(0)
  })
})
