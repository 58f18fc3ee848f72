import { expect, it } from 'vitest'
import {
  checkPromptName,
  checkResourceUri,
  checkToolName,
  checkUriTemplate,
} from '../../../../src/mcpserver/values/definition-checks.ts'

it('accepts the tool names that the specification recommends', () => {
  for (const name of ['a', 'get_user', 'Weather.Today', '9-lives', 'x'.repeat(128)]) checkToolName(name)
})

it('F202 rejects tool names that are empty, long, or hold anything else', () => {
  const bad = ['', 'x'.repeat(129), 'two words', 'tab\t', 'line\n', 'a/b', 'naïve', 'a\u202eb', '\u{e0041}', 'a\u0000']
  for (const name of bad) expect(() => checkToolName(name), JSON.stringify(name)).toThrow(RangeError)
  expect(() => checkToolName(undefined as never)).toThrow(RangeError)
})

it('F202 rejects prompt names that are not printable', () => {
  checkPromptName('Review this, please')
  for (const name of ['', 'x'.repeat(257), 'a\u0007b']) expect(() => checkPromptName(name)).toThrow(RangeError)
})

it('accepts absolute uris only', () => {
  for (const uri of ['notes://today', 'file:///a%20b', 'urn:x:1', 'https://example.com/']) checkResourceUri(uri)
  for (const uri of ['', 'today', '/a', '//host/a', 'notes://a b', 'notes://a\n']) {
    expect(() => checkResourceUri(uri)).toThrow(RangeError)
  }
})

it('accepts only templates that can expand to an absolute uri', () => {
  const good = ['notes://{id}', '{+uri}', '{scheme}://{id}', 'x{version}:{id}', 'x{+rest}', 'x{.ext}:a', 'urn:{a}{?b}']
  for (const text of good) checkUriTemplate(text)
  const bad = [
    ...['noscheme/{a}', '{a}', 'note{a}', '/files/{+path}', '//host/{a}', '{/path*}', '{?q}', '{#f}', '{.a}://b'],
    ...['://{a}', '1x://{a}', ' x://{a}', 'x://a b/{c}', 'x://a\u0000/{c}', '{a}/{+b}', 'x{/a}:b'],
  ]
  for (const text of bad) expect(() => checkUriTemplate(text), text).toThrow(/absolute uris, as in "notes:/)
})
