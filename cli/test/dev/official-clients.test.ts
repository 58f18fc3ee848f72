// V8: clients of the official SDK over `dev --stdio`, across a reload.
import { writeFile } from 'node:fs/promises'
import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, vi } from 'vitest'
import { describeInFull } from '../../../test/engines/full.ts'
import { MAIN } from '../../../test/support/command-line.ts'
import { createProject } from '../typescript/projects.ts'
import { serverText } from './started-dev.ts'

interface OfficialClient {
  callTool(request: { name: string; arguments: object }): Promise<unknown>
  listTools(): Promise<{ tools: { name: string }[] }>
  close(): Promise<void>
}

interface Opened {
  client: OfficialClient
  /** Notifications of changed lists. */
  changes: number[]
}

const INFO = { name: 'official', version: '1.0.0' }

async function openV1(args: string[]): Promise<Opened> {
  const client = new ClientV1(INFO)
  const changes: number[] = []
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes.push(1))
  await client.connect(new StdioV1({ command: process.execPath, args, stderr: 'ignore' }))
  return { client: client as unknown as OfficialClient, changes }
}

async function openV2(args: string[], mode: 'legacy' | { pin: string }): Promise<Opened> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode } })
  const changes: number[] = []
  client.setNotificationHandler('notifications/tools/list_changed', () => void changes.push(1))
  await client.connect(new StdioV2({ command: process.execPath, args, stderr: 'ignore' }))
  if (mode !== 'legacy') await client.listen({ toolsListChanged: true })
  return { client: client as unknown as OfficialClient, changes }
}

describeInFull('V8 clients of the official SDK across a reload of dev --stdio', () => {
  it.each<[string, (args: string[]) => Promise<Opened>]>([
    ['v1', openV1],
    ['v2, legacy', (args) => openV2(args, 'legacy')],
    ['v2, modern', (args) => openV2(args, { pin: '2026-07-28' })],
  ])('%s', async (_what, open) => {
    await using project = await createProject({
      server: 'server.ts',
      packages: ['zod'],
      files: { 'package.json': '{"type":"module"}', 'server.ts': serverText(1) },
    })
    const { client, changes } = await open([MAIN, 'dev', project.file, '--stdio'])
    try {
      const version = async () => {
        const { structuredContent } = (await client.callTool({ name: 'version', arguments: {} })) as {
          structuredContent: { result: number }
        }
        return structuredContent.result
      }
      expect(await version()).toBe(1)
      await writeFile(project.file, serverText(2, "server.tool('refund', () => 1)\n"))
      await vi.waitFor(async () => expect(await version()).toBe(2))
      await vi.waitFor(() => expect(changes).toHaveLength(1))
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('refund')
    } finally {
      await client.close()
    }
  })
})
