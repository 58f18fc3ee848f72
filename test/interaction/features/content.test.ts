// Content: each kind of block arrives as it was sent.
import { expect } from 'vitest'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { ContentBlock } from '../../../src/types/features/content.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { answerRaw, failureOf, tool, toolServer } from '../kit/support-features.ts'

const PIXEL = 'iVBORw0KGgo='

async function receive({ connect }: Setting, content: ContentBlock[]): Promise<ContentBlock[]> {
  await using client = await connect(toolServer([tool('show')], () => ({ content })))
  return (await client.callTool('show')).content
}

requirement('content:image', async (setting) => {
  const block: ContentBlock = { type: 'image', data: PIXEL, mimeType: 'image/png' }
  expect(await receive(setting, [block])).toEqual([block])
})

requirement('content:audio', async (setting) => {
  const block: ContentBlock = { type: 'audio', data: PIXEL, mimeType: 'audio/wav' }
  expect(await receive(setting, [block])).toEqual([block])
})

requirement('content:resource-link', async (setting) => {
  const block: ContentBlock = {
    type: 'resource_link',
    uri: 'file:///notes.txt',
    name: 'notes',
    title: 'Notes',
    description: 'My notes',
    mimeType: 'text/plain',
    size: 12,
  }
  expect(await receive(setting, [block])).toEqual([block])
})

requirement('content:embedded-text', async (setting) => {
  const resource = { uri: 'file:///notes.txt', mimeType: 'text/plain', text: 'remember' }
  const block: ContentBlock = { type: 'resource', resource }
  expect(await receive(setting, [block])).toEqual([block])
})

requirement('content:embedded-blob', async (setting) => {
  const resource = { uri: 'file:///pixel.png', mimeType: 'image/png', blob: PIXEL }
  const block: ContentBlock = { type: 'resource', resource }
  expect(await receive(setting, [block])).toEqual([block])
})

requirement('content:mixed-in-order', async (setting) => {
  const content: ContentBlock[] = [
    { type: 'text', text: 'before' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'text', text: '' },
    { type: 'resource', resource: { uri: 'x:1', text: '' } },
    { type: 'text', text: 'after' },
  ]
  expect(await receive(setting, content)).toEqual(content)
})

requirement('content:annotations', async (setting) => {
  const annotations = { audience: ['user' as const, 'assistant' as const], priority: 0.5 }
  const content: ContentBlock[] = [
    { type: 'text', text: 'x', annotations },
    { type: 'image', data: PIXEL, mimeType: 'image/png', annotations },
  ]
  expect(await receive(setting, content)).toEqual(content)
})

requirement('content:block-meta', async (setting) => {
  const block: ContentBlock = { type: 'text', text: 'x', _meta: { 'example.com/source': 'cache' } }
  expect(await receive(setting, [block])).toEqual([block])
})

requirement('content:unknown-members-are-kept', async ({ connect }) => {
  const server = toolServer([tool('show')])
  const content = [{ type: 'text', text: 'x', 'example.com/colour': 'red' }]
  answerRaw(server, 'tools/call', () => ({ content, 'example.com/more': [1] }))
  await using client = await connect(server)

  expect(await client.callTool('show')).toEqual({ content, 'example.com/more': [1] })
})

requirement('content:unknown-type', async ({ connect }) => {
  const server = toolServer([tool('show')])
  answerRaw(server, 'tools/call', () => ({ content: [{ type: 'hologram', data: '' }] }))
  await using client = await connect(server)

  const error = await failureOf(client.callTool('show'))

  expect(error).toBeInstanceOf(InvalidResultError)
  expect(error).toMatchObject({ path: 'content[0].type' })
})

requirement('content:handlers-result-is-not-changed', async ({ connect }) => {
  const result: CallToolResult = { content: [{ type: 'audio', data: PIXEL, mimeType: 'audio/wav', _meta: { a: 1 } }] }
  const before = structuredClone(result)
  await using client = await connect(toolServer([tool('show')], () => result))
  await client.callTool('show')

  expect(result).toEqual(before)
})
