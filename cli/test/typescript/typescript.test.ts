// TypeScript files run as they are, on the present Node.
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { describe, expect, it, vi } from 'vitest'
import { MAIN, mcpwire, startCommand } from '../../../test/support/command-line.ts'
import { createProject, PROJECTS, type Project, type ProjectFiles } from './projects.ts'

const [PLAIN, NPM_INIT] = [PROJECTS['a .ts file'], PROJECTS['a package that npm init -y made']] as [
  ProjectFiles,
  ProjectFiles,
]

/** A project whose server does something in its tool, or has another text altogether. */
function projectWith(text: string, files: Record<string, string> = {}, packages: readonly string[] = []) {
  return createProject({
    server: 'server.ts',
    packages,
    files: { 'package.json': '{"type":"module"}', ...files, 'server.ts': text },
  })
}

function connect({ file }: Project, stderr: (line: string) => void = () => {}): Promise<Client> {
  const args = [MAIN, 'run', file]
  return Client.connect(stdio({ command: process.execPath, args, cwd: tmpdir(), stderr }))
}

describe('C2 mcpwire run', () => {
  it.each(Object.entries(PROJECTS))('loads a server from a project with %s', async (_what, files) => {
    await using project = await createProject(files)
    const lines: string[] = []
    await using client = await connect(project, (line) => lines.push(line))
    expect((await client.callTool('price')).structuredContent).toEqual({ result: 12 })
    expect(lines).toEqual([])
  })

  it('loads a TypeScript file over HTTP', async () => {
    await using project = await createProject(NPM_INIT)
    const child = startCommand(['run', project.file, '-t', 'http', '--port', '0'])
    const [line] = (await once(createInterface(child.stderr), 'line')) as [string]
    await using client = await Client.connect(line.replace('Listening on ', ''))
    expect((await client.callTool('price')).structuredContent).toEqual({ result: 12 })
    await client.close()
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
})

describe('C2 other commands', () => {
  it('inspect calls a tool of a TypeScript file, from another working directory', async () => {
    await using project = await createProject(PLAIN)
    const result = await mcpwire(['call', project.file, 'price'], { cwd: tmpdir() })
    expect(result).toEqual({ code: 0, stdout: '12\n', stderr: '' })
  })

  it('install writes an entry for a TypeScript file that a host can start', async () => {
    await using project = await createProject(NPM_INIT)
    const config = join(project.folder, 'mcp.json')
    await mkdir(join(project.folder, 'home'))
    const env = { HOME: join(project.folder, 'home') }
    expect((await mcpwire(['install', project.file, '--config', config], { env })).code).toBe(0)
    const { mcpServers } = JSON.parse(await readFile(config, 'utf8'))
    const [entry] = Object.values<{ command: string; args: string[] }>(mcpServers)
    await using client = await Client.connect(stdio({ command: '', ...entry, cwd: '/' }))
    expect((await client.callTool('price')).structuredContent).toEqual({ result: 12 })
  })

  it('worker loads a TypeScript file', async () => {
    await using project = await createProject(PLAIN)
    const { code, stderr } = await mcpwire(['worker', project.file])
    // It was loaded, and has no tasks to work on.
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('tasks') })
  })
})

describe('C3 stack traces', () => {
  const FAILS = `import { MCPServer } from 'mcpwire'

interface Item {
  price: number
}

enum Kind {
  Book,
}

export const server = new MCPServer('shop')
server.tool('price', (): string => {
  const item: Item = { price: Kind.Book }
  throw new Error(String(new Error('here').stack) + item.price)
})
`

  it('name the line and the column of the TypeScript file', async () => {
    await using project = await projectWith(FAILS)
    const lines: string[] = []
    await using client = await connect(project, (line) => lines.push(line))
    await client.callTool('price')
    // The answer and stderr come through two pipes.
    await vi.waitFor(() => expect(lines.join('\n')).toContain(`${project.file}:14:26`))
  })

  it('name the file and the line of a syntax error', async () => {
    await using project = await projectWith("import './item.ts'\n", {
      'item.ts': 'const a: number = 1\nconst = 3\n',
    })
    const { code, stderr } = await mcpwire(['run', project.file])
    expect(code).toBe(3)
    expect(stderr).toContain(`${join(project.folder, 'item.ts')}:2`)
    expect(stderr).toContain('const = 3')
    expect(stderr).toMatch(/SyntaxError: Unexpected token/)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('name the line of an exception at the top of a TypeScript file', async () => {
    await using project = await projectWith('type A = 1\n\nthrow new Error("no database" as string)\n')
    const { stderr } = await mcpwire(['run', project.file, '--debug'])
    expect(stderr).toContain(`${project.file}:3: Error: no database`)
    expect(stderr).toContain(`${project.file}:3:7`)
  })
})

describe('TypeScript that needs more', () => {
  const MAPPED = "import { price } from '@/item'\n\nexport { price }\n"
  const PATHS = '{\n  // Where the sources are.\n  "compilerOptions": { "paths": { "@/*": ["./src/*"], }, },\n}\n'

  it('says that paths of tsconfig.json need tsx', async () => {
    await using project = await projectWith(MAPPED, {
      'base.json': PATHS,
      'tsconfig.json': '{ "extends": "./base.json" }',
    })
    const { code, stderr } = await mcpwire(['run', project.file])
    expect(code).toBe(3)
    const config = join(project.folder, 'tsconfig.json')
    expect(stderr).toBe(
      `mcpwire: ${project.file} imports "@/item" through "paths" in ${config}, which Node does not read.\n` +
        'Import the file by its relative path, or install tsx: npm i -D tsx\n',
    )
  })

  it('leaves the error of a package that is missing as it is', async () => {
    await using project = await projectWith("import 'a-package-that-nobody-has'\n", { 'tsconfig.json': PATHS })
    const { stderr } = await mcpwire(['run', project.file])
    expect(stderr).toContain("Cannot find package 'a-package-that-nobody-has'")
  })

  it.skipIf(Number(process.versions.node.split('.')[0]) >= 24)('says that `using` needs Node 24 or tsx', async () => {
    await using project = await projectWith('// using a = 1\nconst b: number = 1\n{\n  using c = open()\n}\n')
    const { code, stderr } = await mcpwire(['run', project.file])
    expect(code).toBe(3)
    expect(stderr).toBe(
      `mcpwire: ${project.file}:4 has a \`using\` declaration, which Node ${process.version} does not run.\n` +
        '`using` needs Node 24, or install tsx: npm i -D tsx\n',
    )
  })

  it.each([
    ['a namespace', 'export namespace Shop {\n  export const price = 12\n}\n', /:3 has a namespace, which/],
    ['a decorator', 'class Shop {\n  @once price() {}\n}\n', /:4 has a decorator, which/],
  ])('says where %s is, and that it needs tsx', async (_what, text, message) => {
    await using project = await projectWith(`/* namespace A { */\nconst a: string = '@b'\n${text}`)
    const { code, stderr } = await mcpwire(['run', project.file])
    expect(code).toBe(3)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/npm i -D tsx\n$/)
  })

  it('takes tsx for what the built-in loader cannot load', async () => {
    const files = {
      'package.json': '{"type":"commonjs"}',
      'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
      'item.ts': 'export const price: number = 12\n',
    }
    const text =
      "import { MCPServer } from 'mcpwire'\nimport { price } from '@/item'\n\n" +
      "export const server = new MCPServer('shop')\nserver.tool('price', () => price)\n"
    await using project = await projectWith(text, files, ['tsx'])
    await using client = await connect(project)
    expect((await client.callTool('price')).structuredContent).toEqual({ result: 12 })
  })

  it('keeps imports where verbatimModuleSyntax says so', async () => {
    const files = { 'tsconfig.json': '{"compilerOptions":{"verbatimModuleSyntax":true}}' }
    await using project = await projectWith("import { nothing } from './item.ts'\n", {
      ...files,
      'item.ts': 'export {}',
    })
    const { stderr } = await mcpwire(['run', project.file])
    expect(stderr).toContain("does not provide an export named 'nothing'")
  })

  it('leaves a loader alone that the user has chosen', async () => {
    await using project = await createProject(PROJECTS['tsx in the project'] as ProjectFiles)
    const NODE_OPTIONS = `--import ${new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url).href}`
    const result = await mcpwire(['call', project.file, 'price'], {
      cwd: project.folder,
      env: { NODE_OPTIONS },
    })
    expect(result).toEqual({ code: 0, stdout: '12\n', stderr: '' })
  })
})
