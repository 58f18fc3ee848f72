// The tables of docs/concepts/revisions.md: what a client of each revision gets is what the table says.
import { readFileSync } from 'node:fs'
import { audio, type Client, MCPServer, MissingClientCapabilityError, resourceLink } from 'mcpwire'
import { connect } from 'mcpwire/testing'
import { isLegacyVersion, PROTOCOL_VERSIONS } from 'mcpwire/types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const text = readFileSync(new URL('../../docs/concepts/revisions.md', import.meta.url), 'utf8')
const rowsAfter = (header: string) => {
  const [, table = ''] = text.split(`${header}\n`)
  return (table.split('\n\n')[0] as string)
    .split('\n')
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()))
}

const newer = rowsAfter('| you use | a client of an older revision gets |')
const claim = (use: string) => newer.find(([, cell]) => cell === use)?.[2] ?? ''

function createServer(): { server: MCPServer; reports: unknown[] } {
  const server = new MCPServer('demo')
  const reports: unknown[] = []
  server.tool('number', { output: z.number() }, () => 5)
  server.tool('sound', () => audio(new Uint8Array([1, 2]), 'audio/wav'))
  server.tool('link', () => resourceLink('demo://a', { name: 'a' }))
  const report = async (ask: () => Promise<{ action: string }>) => {
    const answer = await ask().catch((error: unknown) => {
      // On a modern connection the call ends here and runs again with the answer: that is no error of the handler.
      if (!(error instanceof MissingClientCapabilityError)) throw error
      return { action: error.name }
    })
    reports.push(answer.action)
    return answer.action
  }
  server.tool('ask', (_args, ctx) => report(() => ctx.elicit('Sure?', z.object({ sure: z.boolean() }))))
  server.tool('visit', (_args, ctx) => report(() => ctx.elicitUrl('Sign', 'https://example.com/sign')))
  return { server, reports }
}

async function withClient<Result>(mode: (typeof PROTOCOL_VERSIONS)[number], use: (client: Client) => Promise<Result>) {
  const { server } = createServer()
  const client = await connect(server, {
    mode,
    onElicitation: ({ mode: kind }: { mode?: string }) =>
      kind === 'url' ? { action: 'accept' } : { action: 'accept', content: { sure: true } },
  } as never)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

const first = async (client: Client, tool: string) =>
  (await client.callTool(tool)).content[0] as unknown as Record<string, unknown>
const isBefore = (mode: string, revision: string) => mode < revision

describe('docs/concepts/revisions.md', () => {
  it('lists every revision, with its era', () => {
    const rows = rowsAfter('| revision | era | brought | removed or deprecated |')
    const listed = rows.map(([, revision, era]) => [revision, era])
    const expected = [...PROTOCOL_VERSIONS]
      .sort()
      .map((revision) => [revision, isLegacyVersion(revision) ? 'legacy' : 'modern'])
    expect(listed).toEqual(expected)
  })

  it('has the rows that this test knows', () => {
    const known = [
      '`output` that is not an object',
      '`ctx.elicit()`',
      '`ctx.elicitUrl()`',
      '`audio()`',
      '`resourceLink()`',
      '`task` on a tool',
    ]
    expect(newer.map(([, use]) => use)).toEqual(known)
  })

  it.each(PROTOCOL_VERSIONS)('output that is not an object, in %s', async (mode) => {
    expect(claim('`output` that is not an object')).toBe(
      'the value as `{ result: … }` up to 2025-11-25, and text only before 2025-06-18',
    )
    const { structuredContent, content } = await withClient(mode, (client) => client.callTool('number'))
    const expected = isBefore(mode, '2025-06-18') ? undefined : mode <= '2025-11-25' ? { result: 5 } : 5
    expect(structuredContent).toEqual(expected)
    expect(content).toEqual([{ type: 'text', text: '5' }])
  })

  it.each(PROTOCOL_VERSIONS)('ctx.elicit() in %s', async (mode) => {
    expect(claim('`ctx.elicit()`')).toBe(
      'works from 2025-06-18 on; before that it rejects with `MissingClientCapabilityError`',
    )
    const { text: action } = await withClient(mode, (client) => first(client, 'ask'))
    expect(action).toBe(isBefore(mode, '2025-06-18') ? 'MissingClientCapabilityError' : 'accept')
  })

  it.each(PROTOCOL_VERSIONS)('ctx.elicitUrl() in %s', async (mode) => {
    expect(claim('`ctx.elicitUrl()`')).toBe('works from 2025-11-25 on')
    const { text: action } = await withClient(mode, (client) => first(client, 'visit'))
    expect(action).toBe(isBefore(mode, '2025-11-25') ? 'MissingClientCapabilityError' : 'accept')
  })

  it.each(PROTOCOL_VERSIONS)('audio() and resourceLink() in %s', async (mode) => {
    expect(claim('`audio()`')).toBe('the text `[audio, audio/wav]`, in 2024-11-05')
    expect(claim('`resourceLink()`')).toBe('a text with its name and URI, before 2025-06-18')
    const sound = await withClient(mode, (client) => first(client, 'sound'))
    if (mode === '2024-11-05') expect(sound).toEqual({ type: 'text', text: '[audio, audio/wav]' })
    else expect(sound['type']).toBe('audio')
    const link = await withClient(mode, (client) => first(client, 'link'))
    if (isBefore(mode, '2025-06-18'))
      expect(link).toMatchObject({ type: 'text', text: expect.stringMatching(/\ba\b.*demo:\/\/a/) })
    else expect(link).toMatchObject({ type: 'resource_link', uri: 'demo://a', name: 'a' })
  })
})
