// The official reference servers from npm, migrated: they list the same tools and answer the same calls. With FULL_TESTS=1.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { describe, expect, it } from 'vitest'
import { mcpwire } from '../../../test/support/command-line.ts'
import { copyOf } from './fixtures.ts'
import { comparable } from './run-program.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const GZIP = { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }

type Call = readonly [tool: string, args: Record<string, unknown>]

interface Reference {
  readonly name: string
  /** `folder` is one of its own for each run, with the same path. */
  readonly args?: (folder: string) => string[]
  readonly env?: (folder: string) => Record<string, string>
  readonly calls: (folder: string) => readonly Call[]
  readonly reads?: readonly string[]
  readonly prompts?: readonly (readonly [string, Record<string, string>])[]
}

const ADA = { name: 'Ada', entityType: 'person', observations: ['wrote a program'] }
const BYRON = { name: 'Byron', entityType: 'person', observations: ['wrote poems'] }
const RELATION = { from: 'Ada', to: 'Byron', relationType: 'is daughter of' }
const THOUGHT = { thought: 'First', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true }

const REFERENCES: readonly Reference[] = [
  {
    name: 'memory',
    env: (folder) => ({ MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
    calls: () => [
      ['create_entities', { entities: [ADA, BYRON] }],
      ['create_relations', { relations: [RELATION] }],
      ['add_observations', { observations: [{ entityName: 'Ada', contents: ['knew Babbage'] }] }],
      ['add_observations', { observations: [{ entityName: 'Nobody', contents: ['x'] }] }],
      ['search_nodes', { query: 'Babbage' }],
      ['open_nodes', { names: ['Byron'] }],
      ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['wrote a program'] }] }],
      ['delete_relations', { relations: [RELATION] }],
      ['delete_entities', { entityNames: ['Byron'] }],
      ['read_graph', {}],
    ],
    reads: ['memory://knowledge-graph'],
  },
  {
    name: 'filesystem',
    args: (folder) => [folder],
    calls: (folder) => [
      ['list_allowed_directories', {}],
      ['write_file', { path: join(folder, 'a.txt'), content: 'one\ntwo\nthree\n' }],
      ['read_text_file', { path: join(folder, 'a.txt'), head: 2 }],
      ['read_text_file', { path: join(folder, 'a.txt'), head: 1, tail: 1 }],
      ['read_file', { path: join(folder, 'a.txt') }],
      ['edit_file', { path: join(folder, 'a.txt'), edits: [{ oldText: 'two', newText: 'zwei' }] }],
      ['create_directory', { path: join(folder, 'sub') }],
      ['move_file', { source: join(folder, 'a.txt'), destination: join(folder, 'sub/b.txt') }],
      ['list_directory', { path: folder }],
      ['list_directory_with_sizes', { path: join(folder, 'sub') }],
      ['directory_tree', { path: folder }],
      ['search_files', { path: folder, pattern: '**/*.txt' }],
      ['read_multiple_files', { paths: [join(folder, 'sub/b.txt'), join(folder, 'none.txt')] }],
      ['read_media_file', { path: join(folder, 'sub/b.txt') }],
      ['read_text_file', { path: '/etc/passwd' }],
    ],
  },
  {
    name: 'sequential-thinking',
    calls: () => [
      ['sequentialthinking', THOUGHT],
      ['sequentialthinking', { ...THOUGHT, thought: 'Second', thoughtNumber: '2', nextThoughtNeeded: 'false' }],
    ],
  },
  {
    name: 'everything',
    calls: () => [
      ['echo', { message: 'ünïcödé 🙂' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-tiny-image', {}],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-structured-content', { location: 'Chicago' }],
      ['get-resource-links', { count: 2 }],
      ['get-resource-reference', { resourceType: 'Text', resourceId: -1 }],
      ['trigger-long-running-operation', { duration: 0.1, steps: 2 }],
      ['toggle-simulated-logging', {}],
      ['toggle-simulated-logging', {}],
      ['toggle-subscriber-updates', {}],
      ['toggle-subscriber-updates', {}],
      ['trigger-sampling-request', { prompt: 'Hello', maxTokens: 10 }],
      ['trigger-elicitation-request', {}],
      ['get-roots-list', {}],
      ['gzip-file-as-resource', GZIP],
      ['gzip-file-as-resource', { ...GZIP, outputType: 'resourceLink' }],
    ],
    reads: ['demo://resource/static/document/features.md', 'demo://resource/session/a.gz'],
    prompts: [
      ['simple-prompt', {}],
      ['args-prompt', { city: 'Rome', state: 'Lazio' }],
      ['completable-prompt', { department: 'Sales', name: 'Eve' }],
    ],
  },
]

describe.runIf(process.env['FULL_TESTS'] === '1')('the reference servers, migrated', () => {
  it.each(REFERENCES)(
    '$name: the same tools, the same answers, 90 % of the call sites without a mark',
    async (reference) => {
      const original = join(root, 'node_modules/@modelcontextprotocol', `server-${reference.name}`)
      using copy = copyOf(original)
      // Tests of the server call its functions with mocks of the SDK.
      for (const name of ['dist/__tests__', 'dist/vitest.config.js'])
        rmSync(join(copy.folder, name), { recursive: true, force: true })
      const { code, stdout, stderr } = await mcpwire(['migrate', 'dist', '--force', '--json'], { cwd: copy.folder })
      expect([0, 1], stderr).toContain(code)
      const { callSites, marked } = JSON.parse(stdout) as { callSites: number; marked: number }
      console.info(`${reference.name}: ${callSites} call sites, ${marked} marked`)
      expect(marked / callSites).toBeLessThanOrEqual(0.1)
      mkdirSync(join(copy.folder, 'node_modules'), { recursive: true })
      symlinkSync(root, join(copy.folder, 'node_modules/mcpwire'), 'junction')
      const manifest = JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8')) as { dependencies: object }
      expect(Object.keys(manifest.dependencies)).toContain('mcpwire')
      const before = await answersOf(original, reference)
      const after = await answersOf(copy.folder, reference)
      expect(after.tools).toEqual(before.tools)
      expect(after).toEqual(before)
    },
  )
})

async function answersOf(folder: string, { args, env, calls, reads = [], prompts = [] }: Reference) {
  // The path appears in answers, so that it is the same for both runs.
  const data = join(root, 'build/fixtures/migrate-data')
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, '.keep'), '')
  const transport = stdio({
    command: process.execPath,
    args: [join(folder, 'dist/index.js'), ...(args?.(data) ?? [])],
    env: env?.(data) ?? {},
    stderr: 'ignore',
  })
  const client = await Client.connect(transport, {
    mode: 'legacy',
    onElicitation: () => ({ action: 'accept', content: { name: 'Ada', check: true } }),
    // In the order in which the SDK writes it: the tool prints it as text.
    onSampling: () => ({ model: 'test', role: 'assistant', content: { type: 'text', text: 'an answer' } }),
    ...(args === undefined && { onListRoots: () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }) }),
  })
  try {
    const answers: unknown[] = []
    const { tools } = await client.listTools()
    for (const [name, given] of calls(data)) answers.push([name, withoutPrefix(await client.callTool(name, given))])
    for (const uri of reads) answers.push(await client.readResource(uri))
    for (const [name, given] of prompts) answers.push(await client.getPrompt(name, given))
    return { tools: comparable(tools), answers: comparable(answers) }
  } finally {
    await client.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** With `exposeErrors` the message of an error comes after the name of the tool. */
function withoutPrefix(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result).replace(/"text":"The tool \\"[^"]+\\" failed: /, '"text":"'))
}
