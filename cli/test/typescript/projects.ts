// Projects of users, each with a server in TypeScript as people write it.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url))

export interface Project extends AsyncDisposable {
  readonly folder: string
  /** The file with the server. */
  readonly file: string
}

export interface ProjectFiles {
  /** Which of the files has the server. */
  server: string
  files: Record<string, string>
  /** Packages of this repository that the project has, besides mcpwire. */
  packages?: readonly string[]
  /** Part of the path of the project. */
  name?: string
}

export async function createProject({ server, files, packages = [], name = 'shop' }: ProjectFiles): Promise<Project> {
  const top = await mkdtemp(join(tmpdir(), 'mcpwire-project-'))
  const folder = join(top, name)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  await symlink(PACKAGE, join(folder, 'node_modules', 'mcpwire'), 'junction')
  for (const other of packages) {
    await symlink(join(PACKAGE, 'node_modules', other), join(folder, 'node_modules', other), 'junction')
  }
  return {
    folder,
    file: join(folder, server),
    [Symbol.asyncDispose]: () => rm(top, { recursive: true, force: true }),
  }
}

const ES_MODULES = JSON.stringify({ name: 'shop', type: 'module' })

/** What `npm init -y` writes. */
const NPM_INIT = JSON.stringify({ name: 'shop', version: '1.0.0', main: 'index.js', type: 'commonjs' })

const SERVER = `import { MCPServer } from 'mcpwire'

interface Item { name: string, price: number }
const items: Item[] = [{ name: 'book', price: 12 }]
export const server = new MCPServer('shop')
server.tool('price', (): number => items[0]!.price satisfies number)
`

/** Each server has a tool \`price\` that answers 12. */
export const PROJECTS: Record<string, ProjectFiles> = {
  'a .js file': {
    server: 'server.js',
    files: {
      'package.json': ES_MODULES,
      'server.js':
        "import { MCPServer } from 'mcpwire'\nexport const server = new MCPServer('shop')\nserver.tool('price', () => 12)\n",
    },
  },
  'a .ts file': { server: 'server.ts', files: { 'package.json': ES_MODULES, 'server.ts': SERVER } },
  'a .mts file': { server: 'server.mts', files: { 'package.json': NPM_INIT, 'server.mts': SERVER } },
  'a .cts file': {
    server: 'server.cts',
    files: {
      'package.json': ES_MODULES,
      'price.cts': 'export const price: number = 12\n',
      'server.cts': `import { MCPServer } from 'mcpwire'
import prices = require('./price.cts')

const server: MCPServer = new MCPServer('shop')
server.tool('price', (): number => prices.price)
module.exports = { server }
`,
    },
  },
  'a package that npm init -y made': { server: 'server.ts', files: { 'package.json': NPM_INIT, 'server.ts': SERVER } },
  'no package.json': { server: 'server.ts', files: { 'server.ts': SERVER } },
  'an enum': {
    server: 'server.ts',
    files: {
      'package.json': ES_MODULES,
      'server.ts': `import { MCPServer } from 'mcpwire'

enum Price { Book = 12, Pen }
export const server = new MCPServer('shop')
server.tool('price', (): number => Price.Book)
`,
    },
  },
  'parameter properties in another file': {
    server: 'src/server.ts',
    files: {
      'package.json': ES_MODULES,
      'src/item.ts': 'export class Item {\n  constructor(readonly name: string, public price: number) {}\n}\n',
      'src/server.ts': `import { MCPServer } from 'mcpwire'
import { Item } from './item.ts'

const book = new Item('book', 12)
export const server = new MCPServer('shop')
server.tool('price', () => book.price)
`,
    },
  },
  'imports of .js that mean .ts': {
    server: 'src/server.ts',
    files: {
      'package.json': NPM_INIT,
      'src/item.ts': "import { price } from '../lib/index.js'\nexport const book: { price: number } = { price }\n",
      'lib/index.ts': 'export const price = 12 as number\n',
      'src/server.ts': `import { MCPServer } from 'mcpwire'
import { book } from './item.js'

export const server: MCPServer = new MCPServer('shop')
server.tool('price', () => book.price)
`,
    },
  },
  'imports without an extension': {
    server: 'server.ts',
    files: {
      'package.json': ES_MODULES,
      'lib/index.ts': 'export const price = 12 as number\n',
      'item.ts': "export { price } from './lib'\n",
      'server.ts': `import { MCPServer } from 'mcpwire'
import { price } from './item'

export const server: MCPServer = new MCPServer('shop')
server.tool('price', () => price)
`,
    },
  },
  'imports of types without the word type': {
    server: 'server.ts',
    files: {
      'package.json': ES_MODULES,
      'item.ts': 'export interface Item { price: number }\nexport type Price = number\nexport const price = 12\n',
      'server.ts': `import { MCPServer } from 'mcpwire'
import { type Price, Item, price } from './item.ts'

/** An Item of the shop. */
const book: Item = { price }
export const server = new MCPServer('shop')
server.tool('price', (): Price => book.price)
`,
    },
  },
  'a path with spaces and letters beyond ASCII': {
    name: 'mein Geschäft – 店 #1%20',
    server: 'der server.ts',
    files: { 'package.json': NPM_INIT, 'der server.ts': SERVER },
  },
  'tsx in the project': {
    server: 'src/server.ts',
    packages: ['tsx'],
    files: {
      'package.json': ES_MODULES,
      'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
      'src/item.ts': 'export namespace Shop {\n  export const price = 12\n}\n',
      'src/server.ts': `import { MCPServer } from 'mcpwire'
import { Shop } from '@/item'

export const server: MCPServer = new MCPServer('shop')
server.tool('price', () => Shop.price)
`,
    },
  },
  'tsx in a package that npm init -y made': {
    server: 'server.ts',
    packages: ['tsx'],
    files: { 'package.json': NPM_INIT, 'server.ts': SERVER },
  },
}
