// Reads the declarations that the package ships: what each entry point exports, and the members of its classes and interfaces.
// The compiler writes declarations in one regular form; whatever this reader does not know is an error, so that nothing is missed.
import { readdirSync, readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const folder = new URL('dist/types/', root)
const entryFolder = new URL('src/exports/', folder)

/** With four spaces for each level. The build writes a tab. */
const read = (file: URL) => readFileSync(file, 'utf8').replaceAll('\t', '    ')

export interface Declaration {
  readonly kind: 'class' | 'interface' | 'function' | 'const' | 'let' | 'type'
  readonly name: string
  /** The file that declares it, from the folder of the declarations on. */
  readonly file: string
  /** From the first line to the last, without comments. */
  readonly text: string
}

export interface Member {
  readonly name: string
  readonly isStatic: boolean
  /** All its declarations, the overloads included. */
  readonly text: string
}

/** The entry points as they are imported, each with the URL of its declarations. */
export function entryPoints(): Map<string, URL> {
  const files = readdirSync(entryFolder, { encoding: 'utf8', recursive: true }).filter((file) => file.endsWith('.d.ts'))
  const names = files.map((file) => file.replace('.d.ts', '')).sort()
  return new Map(
    names.map((name) => [name === 'index' ? 'mcpwire' : `mcpwire/${name}`, new URL(`${name}.d.ts`, entryFolder)]),
  )
}

const EXPORT_LIST = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?;?$/gm
const EXPORT_ALL = /^export (?:type )?\* from '([^']+)';?$/gm
const EXPORT_DECLARATION =
  /^export (?:declare )?(?:abstract )?(class|interface|function|const|let|type) (\w+)[\s\S]*?(?=^export |^declare |^import |(?![\s\S]))/gm

/** What a file exports, by the exported name. */
export function exportsOf(file: URL): Map<string, Declaration> {
  const text = withoutComments(read(file))
  const found = new Map<string, Declaration>()
  let statements = 0
  for (const [, list = '', from] of text.matchAll(EXPORT_LIST)) {
    statements += 1
    if (from === undefined && list.trim() === '') continue
    if (from === undefined) throw new Error(`${file.pathname} exports a list of its own names, which is not supported`)
    const source = exportsOf(declarationsAt(from, file))
    for (const item of list.split(',').filter((one) => one.trim() !== '')) {
      const [, original = '', alias = original] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? []
      const declaration = source.get(original)
      if (declaration === undefined) throw new Error(`${from} does not export '${original}' (${file.pathname})`)
      found.set(alias, declaration)
    }
  }
  for (const [, from = ''] of text.matchAll(EXPORT_ALL)) {
    statements += 1
    for (const [name, declaration] of exportsOf(declarationsAt(from, file))) found.set(name, declaration)
  }
  for (const [whole, kind, name = ''] of text.matchAll(EXPORT_DECLARATION)) {
    statements += 1
    const earlier = found.get(name)
    const overloads = earlier?.kind === 'function' ? `${earlier.text}${whole}` : whole
    // A value and a type of one name, as constants with a type of their values are.
    if (earlier !== undefined && earlier.kind !== kind) continue
    found.set(name, { kind: kind as Declaration['kind'], name, file: pathOf(file), text: overloads })
  }
  const all = text.match(/^export /gm)?.length ?? 0
  if (all !== statements) throw new Error(`${file.pathname} has ${all} exports, of which ${statements} can be read`)
  return found
}

/** Every file of declarations that can be reached from the entry points. */
export function reachableFiles(): Set<string> {
  const reached = new Set<string>()
  const visit = (file: URL): void => {
    if (reached.has(pathOf(file))) return
    reached.add(pathOf(file))
    const text = read(file)
    for (const [, from = ''] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g))
      visit(declarationsAt(from, file))
  }
  for (const file of entryPoints().values()) visit(file)
  return reached
}

/** Every file of declarations that ships. */
export function shippedFiles(): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => file.replaceAll('\\', '/'))
}

export function readDeclarations(file: string): string {
  return read(new URL(file, folder))
}

const MEMBER =
  /^ {4}(private |protected )?(static )?(?:abstract |override |declare |readonly |get |set )*(\[[^\]]+\]|#private|new|"[^"]+"|'[^']+'|[\w$]+)?\??(?:[(<:;]|$)/
/** The further lines of a member: what was opened on an earlier line, or goes on from it. */
const CONTINUATION = /^(?: {5}| {4}[})\]|&>])/

/** The members of a class or an interface that its users see. */
export function membersOf({ text, name: owner }: Declaration): Member[] {
  const members = new Map<string, Member>()
  let current: string | undefined
  for (const line of text.split('\n').slice(1)) {
    if (line === '}' || line.trim() === '') break
    if (CONTINUATION.test(line)) {
      const member = current === undefined ? undefined : members.get(current)
      if (member !== undefined && current !== undefined)
        members.set(current, { ...member, text: `${member.text}\n${line}` })
      continue
    }
    const match = MEMBER.exec(line)
    if (match === null) throw new Error(`A line of ${owner} cannot be read: ${line}`)
    const [, hidden, isStatic, name = '(call)'] = match
    current = undefined
    if (hidden !== undefined || name === '#private') continue
    current = `${isStatic ?? ''}${name}`
    const text = `${members.get(current)?.text ?? ''}${line}\n`
    members.set(current, { name: name.replaceAll(/["']/g, ''), isStatic: isStatic !== undefined, text })
  }
  return [...members.values()]
}

/** What a class or an interface is built on, where its file imports that; without what comes from elsewhere. */
export function basesOf({ file, text }: Declaration): Declaration[] {
  const [, list = ''] = /^[^{]*?\bextends ([^{]*?)(?: implements [^{]*)?\{/.exec(text) ?? []
  const imported = importsOf(file)
  return list
    .replaceAll(/<[^>]*>/g, '')
    .split(',')
    .flatMap((base) => {
      const [from, name = ''] = imported.get(base.trim())?.split(' ') ?? []
      const declaration = from === undefined ? undefined : exportsOf(new URL(from, folder)).get(name)
      return declaration === undefined ? [] : [declaration]
    })
}

/** The names that a file imports, each with the file that declares it. */
export function importsOf(file: string): Map<string, string> {
  const url = new URL(file, folder)
  const found = new Map<string, string>()
  for (const [, list = '', from = ''] of read(url).matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)) {
    for (const item of list.split(',').filter((one) => one.trim() !== '')) {
      const [, original = '', alias = original] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? []
      const declaration = exportsOf(declarationsAt(from, url)).get(original)
      if (declaration !== undefined) found.set(alias, `${declaration.file} ${declaration.name}`)
    }
  }
  return found
}

function declarationsAt(specifier: string, from: URL): URL {
  return new URL(specifier.replace(/\.[jt]s$/, '.d.ts'), from)
}

function pathOf(file: URL): string {
  return file.pathname.slice(folder.pathname.length)
}

function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, '').replaceAll(/^\/\/.*\n/gm, '')
}
