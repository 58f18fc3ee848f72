import { expect, it } from 'vitest'
import { parseTyped } from '../target/typed-target.ts'
import { createOutput } from '../terminal/output.ts'
import { splitWords } from '../terminal/split-words.ts'

it.each([
  ['node server.js', ['node', 'server.js']],
  ['  node   "my server.js"  ', ['node', 'my server.js']],
  ['node \'a "b"\' c"d e"f', ['node', 'a "b"', 'cd ef']],
  ['node ""', ['node', '']],
  ['node $HOME *.js; rm', ['node', '$HOME', '*.js;', 'rm']],
  ['', []],
])('splits %s into words, and knows nothing else of a shell', (line, words) => {
  expect(splitWords(line)).toEqual(words)
})

it('refuses a quote that is not closed', () => {
  expect(() => splitWords('node "server.js')).toThrow('The quote " is not closed.')
})

const output = createOutput({ stdout: process.stdout, stderr: process.stderr, env: {} } as never)

it.each([
  ['http://127.0.0.1:3000/mcp', { url: 'http://127.0.0.1:3000/mcp', headers: { 'X-A': 'b' } }, { 'X-A': 'b' }],
  ['npx -y some-server', { command: 'npx', args: ['-y', 'some-server'], env: {} }, {}],
  ['-- some-server', { command: 'some-server', args: [], env: {} }, {}],
])('reads %s as the inspector types it', async (line, entry, headers) => {
  expect(await parseTyped(line, headers as Record<string, string>, output)).toEqual(entry)
})

it('never takes a single word for a program', async () => {
  await expect(parseTyped('some-server', {}, output)).rejects.toThrow('"some-server" is not a target')
})
