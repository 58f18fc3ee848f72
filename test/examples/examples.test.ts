// Every server under examples/ is started as its reader would start it, and does what it shows, in both eras.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/client/client-options.ts'
import { createFolder } from '../unit/node/files/temporary-folder.ts'

type Mode = 'auto' | 'legacy'
type Connect = (options?: ClientOptions, args?: string[]) => Promise<Client>

const root = new URL('../../', import.meta.url)
const pathTo = (path: string) => fileURLToPath(new URL(path, root))

/** All but clients, applications and those on HTTP and on several nodes, which have tests of their own. */
const examples = readdirSync(new URL('examples', root))
  .filter((file) => !/tour|protected|report|cluster|host|app|worker|restart/.test(file))
  .map((file) => file.replace(/\.ts$/, ''))

beforeAll(async () => {
  await build({
    absWorkingDir: pathTo(''),
    entryPoints: examples.map((example) => `examples/${example}.ts`),
    outdir: pathTo('build/fixtures/examples'),
    alias: {
      'mcpwire/openapi': pathTo('src/exports/openapi.ts'),
      'mcpwire/proxy': pathTo('src/exports/proxy.ts'),
      'mcpwire/server': pathTo('src/exports/server.ts'),
      'mcpwire/node': pathTo('src/exports/node.ts'),
      mcpwire: pathTo('src/exports/index.ts'),
      '#platform': pathTo('src/node/platform.ts'),
    },
    external: ['zod', 'valibot', '@valibot/to-json-schema', 'arktype', 'typebox', 'cross-spawn'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
})

const scenarios: Record<string, (connect: Connect, mode: Mode) => Promise<void>> = {
  async calculator(connect) {
    await using client = await connect({ onElicitation: () => ({ action: 'accept', content: { sure: true } }) })
    const sum = await client.callTool('add', { a: 2, b: 40 })
    expect(sum.structuredContent).toEqual({ result: 42 })
    const confirmed = await client.callTool('confirm')
    expect(confirmed.content).toEqual([{ type: 'text', text: 'The user chose to accept.' }])
  },

  async openapi(connect) {
    await using client = await connect()
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_pets', 'get_pet'])
    const found = await client.callTool('get_pet', { id: 1 })
    expect(found.structuredContent).toEqual({ id: 1, name: 'Rex', kind: 'dog' })
    const missing = await client.callTool('get_pet', { id: 2 })
    expect(missing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('HTTP 404') }] })
  },

  async gateway(connect) {
    await using client = await connect()
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['clock_now', 'words_count'])
    const { structuredContent } = await client.callTool('words_count', { text: 'two words' })
    expect(structuredContent).toEqual({ result: 2 })
  },

  async notes(connect, mode) {
    const updated: string[] = []
    await using client = await connect({
      onMessage: ({ method, params }) => {
        if (method === 'notifications/resources/updated') updated.push(String(params?.['uri']))
      },
    })
    await using _watching = await watch(client, mode, 'notes://note/to%20do')
    expect(await names(client)).toEqual(['notes://index', 'welcome'])
    await client.callTool('add_note', { title: 'to do', text: '- rest' })

    await expect.poll(() => updated).toEqual(['notes://note/to%20do'])
    expect(await names(client)).toEqual(['notes://index', 'welcome', 'to do'])
    expect(await textAt(client, 'notes://index')).toBe('["welcome","to do"]')
    expect(await textAt(client, 'notes://note/to%20do')).toBe('- rest')
    await expect(client.readResource('notes://note/none')).rejects.toMatchObject({ data: { uri: 'notes://note/none' } })
    const ref = { type: 'ref/resource', uri: 'notes://note/{title}' } as const
    expect((await client.complete(ref, { name: 'title', value: 't' })).completion.values).toEqual(['to do'])
  },

  async weather(connect) {
    await using client = await connect()
    const [tool] = (await client.listTools()).tools
    expect(tool?.outputSchema).toMatchObject({ type: 'object', required: ['city', 'days'] })
    const result = await client.callTool('forecast', { city: 'Bergen', days: 2 })
    const forecast = {
      city: 'Bergen',
      days: [0, 1].map((day) => ({ day, celsius: 11, sky: 'rainy' })),
    }
    expect(result.structuredContent).toEqual(forecast)
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
    expect((await client.callTool('forecast', { city: 'Lisbon' })).structuredContent).toMatchObject({
      days: { length: 3 },
    })
    const unknown = await client.callTool('forecast', { city: 'Atlantis' })
    expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Lisbon or Bergen') }] })
  },

  async booking(connect) {
    const asked: string[] = []
    let confirmed = true
    await using client = await connect({
      onElicitation: ({ message }) => {
        asked.push(message)
        const content = message.startsWith('What') ? { guests: 2, seating: 'terrace' } : { confirmed }
        return { action: 'accept', content }
      },
    })
    const book = async () => (await client.callTool('book_table', { date: '2030-05-01' })).content
    expect(await book()).toEqual([{ type: 'text', text: 'Table 1 is booked for 2030-05-01.' }])
    expect(asked).toEqual(['What table would you like on 2030-05-01?', 'Table 1 (terrace) is free for 2. Take it?'])
    confirmed = false
    expect(await book()).toEqual([{ type: 'text', text: 'Table 2 was given back.' }])
    expect((await client.callTool('held_tables')).structuredContent).toEqual({ tables: [1] })

    await using silent = await connect()
    await expect(silent.callTool('book_table', { date: '2030-05-01' })).rejects.toThrow(/elicitation/i)
  },

  async 'long-job'(connect) {
    await using client = await connect()
    const told: unknown[] = []
    const done = await client.callTool(
      'index_pages',
      { pages: 3, msPerPage: 0 },
      { onProgress: (progress) => void told.push(progress) },
    )
    expect(done.content).toEqual([{ type: 'text', text: 'Indexed 3 pages.' }])
    expect(told).toEqual([1, 2, 3].map((page) => ({ progress: page, total: 3, message: `page ${page}` })))

    const stop = new AbortController()
    const onProgress = vi.fn(() => stop.abort(new Error('enough')))
    const endless = client.callTool(
      'index_pages',
      { pages: 1_000_000, msPerPage: 1 },
      { signal: stop.signal, onProgress },
    )
    await expect(endless).rejects.toThrow('enough')
    expect(onProgress).toHaveBeenCalled()
    const count = async () => (await client.callTool('count_jobs')).structuredContent
    await expect.poll(count).toEqual({ finished: 1, stopped: 1 })
  },

  async prompts(connect) {
    await using client = await connect()
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['review', 'explain'])
    expect(prompts[0]?.arguments).toMatchObject([
      { name: 'language', description: 'What the code is written in.', required: true },
      { name: 'framework', required: false },
      { name: 'code', required: true },
    ])
    const ref = { type: 'ref/prompt', name: 'review' } as const
    const suggest = async (name: string, value: string, known?: Record<string, string>) =>
      (await client.complete(ref, { name, value }, known)).completion.values
    expect(await suggest('language', 'ty')).toEqual(['typescript'])
    expect(await suggest('framework', 'f', { language: 'python' })).toEqual(['fastapi', 'flask'])
    expect(await suggest('framework', 'f')).toEqual([])
    const { messages } = await client.getPrompt('review', { language: 'ruby', code: 'puts 1' })
    expect(messages).toMatchObject([
      { role: 'user', content: { text: expect.stringContaining('You know ruby by heart') } },
      { role: 'assistant', content: { type: 'text' } },
    ])
  },

  async files(connect) {
    await using folder = await createFolder()
    await folder.write('secret.txt')
    await folder.write('public/guide.md', '# Guide\n')
    await folder.link('public/way-out', '../secret.txt')
    await using client = await connect({}, [`${folder.path}/public`])
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'files://guide.md', size: 8 }])
    await client.callTool('append_line', { path: 'guide.md', line: 'More.' })
    expect(await textAt(client, 'files://guide.md')).toBe('# Guide\nMore.\n')
    for (const uri of ['files://../secret.txt', 'files://%2e%2e%2fsecret.txt', 'files://way-out']) {
      await expect(client.readResource(uri), uri).rejects.toMatchObject({ data: { uri } })
    }
    for (const path of ['../secret.txt', 'way-out']) {
      const refused = await client.callTool('append_line', { path, line: 'mine' })
      expect(refused).toMatchObject({ isError: true, content: [{ text: `${path} is not in the folder.` }] })
    }
    expect(readFileSync(`${folder.path}/secret.txt`, 'utf8')).toBe('secret.txt')
  },

  async schemas(connect) {
    await using client = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name.replace('area_', ''))).toEqual([
      'zod',
      'valibot',
      'arktype',
      'typebox',
      'json_schema',
    ])
    for (const { name, inputSchema } of tools) {
      const properties = { width: { type: 'number' }, height: { type: 'number' } }
      expect(inputSchema, name).toMatchObject({ type: 'object', properties, required: ['width'] })
      const result = await client.callTool(name, { width: 2, height: 3 })
      expect(result.structuredContent, name).toEqual({ result: 6 })
      const refused = await client.callTool(name, { width: 2, height: 'three' })
      expect(refused, name).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('height') }] })
    }
  },
}

describe.each(['auto', 'legacy'] as const)('the examples, in mode %s', (mode) => {
  it.each(examples)('%s', async (example) => {
    const run = scenarios[example]
    if (run === undefined) throw new Error(`examples/${example}.ts has no scenario in this test`)
    const file = pathTo(`build/fixtures/examples/${example}.js`)
    await run(async (options, args = []) => {
      const client: Client = await Client.connect(
        { command: process.execPath, args: [file, ...args] },
        { ...options, mode },
      )
      expect(client.protocolVersion).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
      expect(client.serverInfo).toMatchObject({ name: example, version: '1.0.0' })
      return client
    }, mode)
  })
})

/** Watches one resource in the way of the era. */
async function watch(client: Client, mode: Mode, uri: string): Promise<AsyncDisposable> {
  if (mode === 'auto') return client.listen({ resourceSubscriptions: [uri] })
  await client.subscribeResource(uri)
  return { [Symbol.asyncDispose]: async () => void (await client.unsubscribeResource(uri)) }
}

async function names(client: Client): Promise<string[]> {
  return (await client.listResources()).resources.map(({ name }) => name)
}

async function textAt(client: Client, uri: string): Promise<string | undefined> {
  const [contents] = (await client.readResource(uri)).contents
  return contents !== undefined && 'text' in contents ? contents.text : undefined
}
