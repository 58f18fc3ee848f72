// The API pages: one per entry point, from the declarations that ship.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describeMembers, describeText, showDeclaration } from './declarations.js'

const root = new URL('../../', import.meta.url)

const KINDS = ['Functions', 'Classes', 'Interfaces', 'Types', 'Values']

/** Import paths with the files of their declarations, in the order of package.json. */
export function entryPoints() {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  return Object.entries(exports).flatMap(([path, target]) => {
    if (target.types === undefined) return []
    const file = fileURLToPath(new URL(target.types, root))
    if (!existsSync(file)) throw new Error(`${target.types} is missing. Run npm run build.`)
    return [
      {
        path: path === '.' ? name : `${name}${path.slice(1)}`,
        page: `api/${path === '.' ? name : path.slice(2)}.md`,
        file,
        purpose: purposeOf(target.types),
      },
    ]
  })
}

/** What an entry point is for, as the first line of its source says: `// mcpwire/client: everything that calls a server.` */
function purposeOf(types) {
  const source = types.replace(/^\.\/dist\/types\//, '').replace(/\.d\.ts$/, '.ts')
  const [, purpose] = /^\/\/ mcpwire\S*: (.+)\n/.exec(readFileSync(new URL(source, root), 'utf8')) ?? []
  if (purpose === undefined) throw new Error(`${source} does not begin with what it is for.`)
  return purpose.startsWith('`') ? purpose : purpose[0].toUpperCase() + purpose.slice(1)
}

/** The text of each API page by its path on the site. */
export function createApiPages() {
  const entries = entryPoints()
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    },
  )
  const checker = program.getTypeChecker()
  const modules = entries.map((entry) => ({ ...entry, names: namesOf(program, checker, entry.file) }))
  /** Where each name is described: on the page of the first entry point that has it. */
  const homes = new Map()
  const links = new Map()
  for (const { page, path, names } of modules) {
    for (const { name, symbol } of names) {
      if (!homes.has(symbol)) homes.set(symbol, { page, path, name })
      if (!links.has(name)) links.set(name, { page, name })
    }
  }
  const pages = modules.map((module) => [module.page, createPage(checker, module, homes, links)])
  return new Map([...pages, ['api/index.md', createList(modules)]])
}

function namesOf(program, checker, file) {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) return []
  return checker
    .getExportsOfModule(module)
    .map((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      return { name: exported.name, symbol, kind: kindOf(symbol) }
    })
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

function kindOf({ flags }) {
  if (flags & ts.SymbolFlags.Class) return 'Classes'
  if (flags & ts.SymbolFlags.Function) return 'Functions'
  if (flags & ts.SymbolFlags.Interface) return 'Interfaces'
  return flags & ts.SymbolFlags.TypeAlias ? 'Types' : 'Values'
}

function createPage(checker, { path, page, purpose, names }, homes, links) {
  const parts = [
    `---\ntitle: ${JSON.stringify(path)}\noutline: [2, 3]\npageClass: api\nsearch: names\n---\n`,
    `# ${path}`,
    purpose,
  ]
  const example =
    names.find(({ kind }) => kind === 'Classes') ?? names.find(({ kind }) => kind === 'Functions') ?? names[0]
  const command = example === undefined ? `import '${path}'` : `import { ${example.name} } from '${path}'`
  parts.push(`\`\`\`ts\n${command}\n\`\`\``)
  if (names.length === 0) parts.push('This entry point exports nothing. Importing it is enough.')
  const elsewhere = []
  for (const kind of KINDS) {
    const here = names.filter((entry) => entry.kind === kind)
    const own = here.filter(({ symbol }) => homes.get(symbol).page === page)
    elsewhere.push(...here.filter(({ symbol }) => homes.get(symbol).page !== page))
    if (own.length > 0) parts.push(`## ${kind}`, ...own.map((entry) => describe(checker, entry, page, links)))
  }
  if (elsewhere.length > 0) {
    const rows = elsewhere.map(({ name, symbol }) => {
      const home = homes.get(symbol)
      return `| [\`${name}\`](${linkTo(page, home)}) | \`${home.path}\` |`
    })
    parts.push(
      '## Also exported here',
      'These names are described where they are exported first.',
      ['| Name | Described in |', '| --- | --- |', ...rows].join('\n'),
    )
  }
  return `${parts.join('\n\n')}\n`
}

const depthOf = (page) => page.split('/').length - 1
const linkTo = (from, { page, name }) => `${from === page ? '' : `${'../'.repeat(depthOf(from))}${page}`}#${name}`

function describe(checker, { name, symbol }, page, links) {
  const parts = [`### ${name} {#${name}}`]
  const text = describeText(checker, symbol)
  if (text.summary !== '') parts.push(text.summary)
  const code = showDeclaration(symbol)
  parts.push(`\`\`\`ts\n${code}\n\`\`\``)
  parts.push(...text.examples.map((example) => `Example:\n\n${example}`))
  const members = describeMembers(checker, symbol)
  if (members !== undefined) parts.push(members)
  const used = [...new Set(code.match(/\b[A-Z]\w+/g))].filter((other) => other !== name && links.has(other))
  if (used.length > 0)
    parts.push(`See also ${used.map((other) => `[\`${other}\`](${linkTo(page, links.get(other))})`).join(', ')}.`)
  return parts.join('\n\n')
}

function createList(modules) {
  const rows = modules.map(({ path, page, purpose }) => `| [\`${path}\`](${page.slice('api/'.length)}) | ${purpose} |`)
  return `---\ntitle: API\n---\n\n# API\n\nEvery name that the package exports, by the path to import it from. The pages are written from the shipped declarations.\n\n| Entry point | For |\n| --- | --- |\n${rows.join('\n')}\n`
}
