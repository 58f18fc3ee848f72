// What an editor shows for every name of the built package: the compiler reads the declarations that ship, as an editor does.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  API,
  type Checker,
  type Program,
  type Symbol as Sym,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync'

const root = new URL('../../', import.meta.url)
const folder = new URL('build/hover-texts/', root)
const SHIPPED = '/dist/types/'
const EXPORTS = `${SHIPPED}src/exports/`

export interface Shown {
  /** The entry points that export it, such as `mcpwire/client`. */
  readonly entryPoints: Set<string>
  /** Such as `ClientOptions.mode`. */
  readonly path: string
  readonly kind: 'class' | 'function' | 'type' | 'value' | 'member'
  readonly text: string
  readonly examples: readonly string[]
  /** The text of `@deprecated`; `undefined` where there is none. */
  readonly deprecated: string | undefined
  /** A number or a boolean that can be left out. */
  readonly isSwitchOrAmount: boolean
  /** The file that declares it. */
  readonly file: string
}

/** Every exported name and every public member of those that have some, once each. */
export function collectHoverTexts(): Shown[] {
  mkdirSync(folder, { recursive: true })
  const compilerOptions = {
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable', 'WebWorker'],
    types: ['node'],
    noEmit: true,
    skipLibCheck: true,
  }
  const include = ['../../dist/types/src/exports/**/*.d.ts']
  const config = new URL('tsconfig.json', folder)
  writeFileSync(config, JSON.stringify({ compilerOptions, include }))
  const api = new API({ cwd: fileURLToPath(root) })
  try {
    const [project] = api.updateSnapshot({ openProjects: [fileURLToPath(config)] }).getProjects()
    if (project === undefined) throw new Error('The compiler opened no project.')
    return new Collector(project.program, project.checker).collect()
  } finally {
    api.close()
  }
}

class Collector {
  readonly #program: Program
  readonly #checker: Checker
  readonly #shown = new Map<string, Shown>()
  readonly #visited = new Set<number>()

  constructor(program: Program, checker: Checker) {
    this.#program = program
    this.#checker = checker
  }

  collect(): Shown[] {
    for (const file of this.#program.getSourceFileNames()) {
      const source = file.includes(EXPORTS) ? this.#program.getSourceFile(file) : undefined
      const module = source && this.#checker.getSymbolAtLocation(source)
      // An entry point that is loaded for its effect exports nothing.
      if (module !== undefined) this.#addModule(entryPointOf(file), module)
    }
    return [...this.#shown.values()]
  }

  #addModule(entryPoint: string, module: Sym): void {
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & SymbolFlags.Alias) !== 0
      const symbol = isAlias ? this.#checker.getAliasedSymbol(exported) : exported
      const kind = kindOf(symbol)
      this.#add(entryPoint, exported.name, symbol, kind)
      if (kind === 'value') this.#addInline(entryPoint, exported.name, this.#checker.getTypeOfSymbol(symbol))
      if (kind === 'class' || kind === 'type') {
        this.#addMembers(entryPoint, exported.name, this.#checker.getDeclaredTypeOfSymbol(symbol))
      }
      if (kind !== 'class') continue
      for (const member of symbol.getExports().values()) {
        if (isPublic(member)) this.#add(entryPoint, `${exported.name}.${member.name}`, member, 'member')
      }
    }
  }

  #addMembers(entryPoint: string, owner: string, type: Type): void {
    if (this.#visited.has(type.id)) return
    this.#visited.add(type.id)
    if (type.isUnionType()) {
      for (const part of partsOf(type)) this.#addMembers(entryPoint, owner, part)
    } else if (type.flags & (TypeFlags.Object | TypeFlags.Intersection)) {
      for (const member of this.#checker.getPropertiesOfType(type)) {
        const path = `${owner}.${member.name}`
        if (!isPublic(member) || !this.#add(entryPoint, path, member, 'member')) continue
        this.#addInline(entryPoint, path, this.#checker.getTypeOfSymbol(member))
      }
    }
  }

  /** The members of a type that has no name, such as `{ resources: { subscribe?: boolean } }`. */
  #addInline(entryPoint: string, owner: string, type: Type | undefined): void {
    if (type === undefined) return
    if (type.isUnionType()) for (const part of partsOf(type)) this.#addInline(entryPoint, owner, part)
    else if (type.flags & TypeFlags.Object && /^__(?:type|object)$/.test(type.getSymbol()?.name ?? '')) {
      this.#addMembers(entryPoint, owner, type)
    }
  }

  /** Whether it was not there yet. */
  #add(entryPoint: string, path: string, symbol: Sym, kind: Shown['kind']): boolean {
    const declaration = symbol.declarations.find((each) => each.path.includes(SHIPPED))
    if (declaration === undefined) return false
    const key = `${declaration.path}#${declaration.index}`
    const known = this.#shown.get(key)
    known?.entryPoints.add(entryPoint)
    if (known !== undefined) return false
    const tags = this.#checker.getJsDocTagsOfSymbol(symbol)
    this.#shown.set(key, {
      entryPoints: new Set([entryPoint]),
      path,
      kind,
      text: this.#checker.getDocumentationCommentOfSymbol(symbol),
      examples: tags.filter(({ name }) => name === 'example').map(({ text = '' }) => codeIn(text)),
      deprecated: tags.find(({ name }) => name === 'deprecated')?.text,
      isSwitchOrAmount: kind === 'member' && isSwitchOrAmount(symbol, this.#checker.getTypeOfSymbol(symbol)),
      file: declaration.path.slice(declaration.path.indexOf(SHIPPED) + SHIPPED.length),
    })
    return true
  }
}

/** An example is a block of code. */
function codeIn(text: string): string {
  return /^```ts\n([\s\S]*?)\n```$/.exec(text.trim())?.[1] ?? ''
}

function entryPointOf(file: string): string {
  const name = file.slice(file.indexOf(EXPORTS) + EXPORTS.length).replace('.d.ts', '')
  return name === 'index' ? 'mcpwire' : `mcpwire/${name}`
}

function kindOf({ flags }: Sym): Shown['kind'] {
  if (flags & SymbolFlags.Class) return 'class'
  if (flags & SymbolFlags.Function) return 'function'
  if (flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias)) return 'type'
  return 'value'
}

/** Members with a symbol as their name, `#private` ones and the prototype are none that a user names. */
function isPublic({ name, declarations }: Sym): boolean {
  if (name === 'prototype' || name.startsWith('__')) return false
  return !/^\s*(?:private|protected)\b/.test(declarations[0]?.resolve()?.getText() ?? '')
}

function partsOf(type: Type): readonly Type[] {
  return type.isUnionType() ? type.getTypes() : [type]
}

function isSwitchOrAmount({ flags }: Sym, type: Type | undefined): boolean {
  if (type === undefined || (flags & SymbolFlags.Optional) === 0) return false
  const given = partsOf(type).filter((part) => (part.flags & TypeFlags.Undefined) === 0)
  return given.length > 0 && given.every((part) => (part.flags & (TypeFlags.NumberLike | TypeFlags.BooleanLike)) !== 0)
}
